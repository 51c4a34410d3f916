package lsp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever a client asks for, and with whatever parameters, a request has one answer, a
// notification none, and the session goes on to its end. The workspace is one that is not
// trusted, so that no program is run.
func FuzzSession(f *testing.F) {
	const command, uri = "workspace/executeCommand", `"uri":"file:///p/a_test.go"`
	for _, s := range []struct{ method, params string }{
		{command, `{"command":"vtrace.check","arguments":[{` + uri + `,"entry":"TestA"}],"workDoneToken":[1]}`}, {command, `{"command":"vtrace.show","arguments":[{` + uri + `}]}`},
		{command, `{"command":"vtrace.replay","arguments":[{` + uri + `,"finding":-1}]}`}, {command, `{"command":"x","arguments":[{` + uri + `}]}`}, {command, `{"arguments":[{"uri":"file:","entry":"a b"}]}`}, {command, `{"arguments":[]}`}, {command, `{"arguments":null}`},
		{"textDocument/didOpen", `{"textDocument":{` + uri + `,"version":1,"text":"package p\n"}}`}, {"textDocument/didChange", `{"textDocument":{` + uri + `},"contentChanges":[{"range":null,"text":"x"}]}`},
		{"textDocument/didSave", `{"textDocument":{` + uri + `}}`}, {"textDocument/didClose", `{"textDocument":{"uri":"file://host/%00"}}`}, {"textDocument/codeLens", `{"textDocument":{"uri":"%"}}`},
		{"$/cancelRequest", `{"id":5}`}, {"$/cancelRequest", `{"id":{}}`}, {"window/workDoneProgress/cancel", `{"token":"x"}`}, {"workspace/didChangeWorkspaceFolders", `{"event":{"removed":[{"uri":"file:///"}]}}`},
		{"initialize", `{"initializationOptions":{"trusted":true}}`}, {"initialized", `[]`}, {"rpc.cancel", `[5]`}, {"", `7`}, {"$/other", `null`}, {"textDocument/codeLens", `{`},
	} {
		f.Add(s.method, []byte(s.params))
	}
	first := message(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"initializationOptions":{"trusted":false}}}`)
	f.Fuzz(func(t *testing.T, method string, params []byte) {
		if method == "shutdown" || method == "exit" {
			t.Skip("the end of the session")
		}
		name, err := json.Marshal(method)
		require.NoError(t, err)
		valid := json.Valid(params)
		about := fmt.Sprintf(`"method":%s,"params":%s}`, name, params)
		answer := `"id":5,`
		if !valid {
			answer = `"code":-32700`
			if json.Valid([]byte("{" + about)) {
				t.Skip("other members beside the parameters")
			}
		}
		out, err := serve(asIs, first, `"id":1,`, message(`{"jsonrpc":"2.0","id":5,`+about), answer, shutdown, `"id":"two",`, exit)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(out, answer), out)

		// What is none of a request, of which the parameters are an object or an array, is told in any case.
		if text := bytes.TrimSpace(params); valid && method != "" && (text[0] == '{' || text[0] == '[') {
			out, err = serve(asIs, first, `"id":1,`, message(`{"jsonrpc":"2.0",`+about)+shutdown, `"id":"two",`, exit)
			require.NoError(t, err)
			require.NotContains(t, out, `"error"`)
		}
	})
}

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An editorClient speaks the protocol as its specification has it, and knows nothing else of the server: headers and
// JSON, answers to what the server asks, and notifications, in the order in which they come.
type editorClient struct {
	t    *testing.T
	in   *bufio.Reader
	out  io.Writer
	last int // number of the last request
	// got are the notifications and requests of the server, and answers to requests that nobody has waited for yet.
	got     []editorMessage
	answers map[int]editorMessage
}

type editorMessage struct {
	JSONRPC string `json:"jsonrpc"`
	ID      any    `json:"id"`
	Method  string
	Params  json.RawMessage
	Result  json.RawMessage
	Error   *struct {
		Code    int
		Message string
	}
}

func (c *editorClient) send(m map[string]any) {
	c.t.Helper()
	m["jsonrpc"] = "2.0"
	data, err := json.Marshal(m)
	require.NoError(c.t, err)
	_, err = fmt.Fprintf(c.out, "Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%s", len(data), data)
	require.NoError(c.t, err)
}

func (c *editorClient) notify(method string, params any) {
	c.t.Helper()
	c.send(map[string]any{"method": method, "params": params})
}

// begin sends a request, and returns its number.
func (c *editorClient) begin(method string, params any) int {
	c.t.Helper()
	c.last++
	m := map[string]any{"id": c.last, "method": method}
	if params != nil {
		m["params"] = params
	}
	c.send(m)
	return c.last
}

// read takes up one message of the server, and answers its requests.
func (c *editorClient) read() {
	c.t.Helper()
	length := -1
	for {
		line, err := c.in.ReadString('\n')
		require.NoError(c.t, err)
		require.True(c.t, strings.HasSuffix(line, "\r\n"), "%q", line)
		if line = strings.TrimSuffix(line, "\r\n"); line == "" {
			break
		}
		if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			length, err = strconv.Atoi(n)
			require.NoError(c.t, err)
		}
	}
	require.Positive(c.t, length)
	data := make([]byte, length)
	_, err := io.ReadFull(c.in, data)
	require.NoError(c.t, err)
	var m editorMessage
	require.NoError(c.t, json.Unmarshal(data, &m), string(data))
	require.Equal(c.t, "2.0", m.JSONRPC)
	if m.Method == "" {
		id, ok := m.ID.(float64)
		require.True(c.t, ok, string(data))
		require.True(c.t, (m.Error == nil) != (m.Result == nil), "a response has a result or an error: %s", data)
		c.answers[int(id)] = m
		return
	}
	c.got = append(c.got, m)
	if m.ID != nil {
		c.send(map[string]any{"id": m.ID, "result": nil})
	}
}

// answer waits for the answer to a request.
func (c *editorClient) answer(id int) editorMessage {
	c.t.Helper()
	for {
		if m, ok := c.answers[id]; ok {
			return m
		}
		c.read()
	}
}

// call is a request that has a result.
func (c *editorClient) call(method string, params, result any) {
	c.t.Helper()
	m := c.answer(c.begin(method, params))
	require.Nil(c.t, m.Error, "%s: %+v", method, m.Error)
	if result != nil {
		require.NoError(c.t, json.Unmarshal(m.Result, result))
	}
}

// code is the code of the error that a request has.
func (c *editorClient) code(method string, params any) int {
	c.t.Helper()
	m := c.answer(c.begin(method, params))
	require.NotNil(c.t, m.Error, method)
	return m.Error.Code
}

// until takes the first message of the server that is as it is to be, and reads until there is one.
func (c *editorClient) until(method string, is func(params string) bool) string {
	c.t.Helper()
	for {
		if i := slices.IndexFunc(c.got, func(m editorMessage) bool { return m.Method == method && is(string(m.Params)) }); i >= 0 {
			m := c.got[i]
			c.got = slices.Delete(c.got, i, i+1)
			return string(m.Params)
		}
		c.read()
	}
}

// A session as an editor has it, from its beginning to its end, with a client that knows only the specification: what is
// not saved is what is checked, and a check that is cancelled has an answer that says so.
func TestEditorSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const good = "package p\n\nimport \"testing\"\n\nfunc TestIt(t *testing.T) {\n\tc := make(chan int, 1)\n\tgo func() { c <- 1 }()\n\t<-c\n}\n\nfunc TestForever(t *testing.T) {\n\tc := make(chan int)\n\tgo func() {\n\t\tfor {\n\t\t\tc <- 1\n\t\t}\n\t}()\n\tfor {\n\t\t<-c\n\t}\n}\n"
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p_test.go": good} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	s := startServer(t, "-budget", "0", "-cache", "off")
	c := &editorClient{t: t, in: bufio.NewReader(s.out), out: s.in, answers: map[int]editorMessage{}}
	uri := "file://" + filepath.ToSlash(dir) + "/p_test.go"
	document := map[string]any{"uri": uri}

	require.Equal(t, -32002, c.code("textDocument/codeLens", map[string]any{"textDocument": document}), "ServerNotInitialized")
	var about struct {
		Capabilities struct {
			TextDocumentSync struct {
				OpenClose bool
				Change    int
			}
			CodeLensProvider       *struct{}
			ExecuteCommandProvider struct{ Commands []string }
		}
		ServerInfo struct{ Name string }
	}
	c.call("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": "file://" + filepath.ToSlash(dir),
		"capabilities": map[string]any{
			"window":       map[string]any{"workDoneProgress": true},
			"textDocument": map[string]any{"publishDiagnostics": map[string]any{"relatedInformation": true}},
		},
	}, &about)
	require.True(t, about.Capabilities.TextDocumentSync.OpenClose)
	require.Equal(t, 1, about.Capabilities.TextDocumentSync.Change, "documents are sent as a whole")
	require.NotNil(t, about.Capabilities.CodeLensProvider)
	require.Subset(t, about.Capabilities.ExecuteCommandProvider.Commands, []string{"vtrace.check", "vtrace.replay"})
	require.Equal(t, "vtrace", about.ServerInfo.Name)
	c.notify("initialized", map[string]any{})
	require.Equal(t, -32601, c.code("textDocument/none", map[string]any{}), "MethodNotFound")
	c.notify("$/setTrace", map[string]any{"value": "off"}) // which may be left out
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "go", "version": 1, "text": good}})

	// What is changed and not saved.
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": 2},
		"contentChanges": []any{map[string]any{"text": strings.Replace(good, "make(chan int, 1)", "make(chan int)", 1) + "\nfunc TestNew(t *testing.T) {}\n"}},
	})
	c.notify("textDocument/didChange", map[string]any{
		"textDocument":   map[string]any{"uri": uri, "version": 3},
		"contentChanges": []any{map[string]any{"text": strings.Replace(good, "\t<-c\n}\n\nfunc TestForever", "}\n\nfunc TestForever", 1)}, map[string]any{"text": strings.Replace(strings.Replace(good, "make(chan int, 1)", "make(chan int)", 1), "\t<-c\n}\n\nfunc TestForever", "\t// gone\n}\n\nfunc TestForever", 1)}},
	})
	type lens struct {
		Range struct {
			Start, End struct{ Line, Character int }
		}
		Command struct {
			Title, Command string
			Arguments      []json.RawMessage
		}
	}
	lenses := func() map[string]lens {
		var list []lens
		c.call("textDocument/codeLens", map[string]any{"textDocument": document}, &list)
		out := map[string]lens{}
		for _, l := range list {
			out[fmt.Sprint(l.Range.Start.Line, " ", l.Command.Title)] = l
		}
		return out
	}
	check, ok := lenses()["4 check this test"]
	require.True(t, ok)
	require.NotContains(t, lenses(), "4 replay", "it was not checked yet")

	run := func(l lens, token string) int {
		return c.begin("workspace/executeCommand", map[string]any{"command": l.Command.Command, "arguments": l.Command.Arguments, "workDoneToken": token})
	}
	progress := func(token, kind string) func(string) bool {
		return func(p string) bool {
			return strings.Contains(p, `"token":"`+token+`"`) && strings.Contains(p, `"kind":"`+kind+`"`)
		}
	}
	id := run(check, "first")
	require.Contains(t, c.until("$/progress", progress("first", "begin")), `"cancellable":true`)
	c.until("$/progress", progress("first", "report"))
	found := c.until("textDocument/publishDiagnostics", func(p string) bool { return strings.Contains(p, "goroutine-leak") })
	require.Contains(t, found, uri)
	require.Contains(t, found, `"severity":1`)
	require.Contains(t, found, `"line":6`, "where the send is, in what is not saved")
	require.Contains(t, found, "relatedInformation")
	c.until("$/progress", progress("first", "end"))
	m := c.answer(id)
	require.Nil(t, m.Error)
	require.Contains(t, string(m.Result), `"entry":"TestIt"`)
	require.Contains(t, string(m.Result), `"real":1`)
	disk, err := os.ReadFile(filepath.Join(dir, "p_test.go"))
	require.NoError(t, err)
	require.Equal(t, good, string(disk), "no file is written")

	replay, ok := lenses()["4 replay"]
	require.True(t, ok)
	m = c.answer(run(replay, "second"))
	require.Nil(t, m.Error)
	require.Contains(t, string(m.Result), `"status":"reproduced"`)

	// Cancelled by the request, and by the button of its progress. Others are answered meanwhile.
	forever, ok := lenses()["10 check this test"]
	require.True(t, ok)
	for _, token := range []string{"third", "fourth"} {
		id := run(forever, token)
		c.until("$/progress", progress(token, "report"))
		require.NotEmpty(t, lenses())
		if token == "third" {
			c.notify("$/cancelRequest", map[string]any{"id": id})
		} else {
			c.notify("window/workDoneProgress/cancel", map[string]any{"token": token})
		}
		m := c.answer(id)
		require.NotNil(t, m.Error, token)
		require.Equal(t, -32800, m.Error.Code, "RequestCancelled")
		c.until("$/progress", progress(token, "end"))
	}

	c.notify("textDocument/didClose", map[string]any{"textDocument": document})
	c.call("shutdown", nil, nil)
	require.Equal(t, -32600, c.code("textDocument/codeLens", map[string]any{"textDocument": document}), "InvalidRequest")
	c.notify("exit", nil)
	require.Equal(t, exitNothing, s.end(t), s.stderr.String())
	require.Empty(t, s.stderr.String())
}

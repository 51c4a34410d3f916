package lsp_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/lsp"
)

// requireEnd: a session ends by itself, and says why.
func requireEnd(t *testing.T, err error) {
	t.Helper()
	var framing *lsp.FramingError
	var end *lsp.EndError
	require.True(t, err == nil || errors.As(err, &framing) || errors.As(err, &end), "%v", err)
}

// FuzzStream: whatever the input is, a session comes to an end.
func FuzzStream(f *testing.F) {
	f.Add(initialize + shutdown + exit)
	f.Add("Content-Length: 3\r\n\r\n{}")
	f.Add("Content-Length: 2\r\nContent-Length: 1\r\n\r\n{}")
	f.Add(": \r\n\r\n")
	f.Add(message(`{"jsonrpc":"1.0","method":"x"}`) + exit)
	f.Fuzz(func(t *testing.T, in string) {
		_, err := serve(asIs, in)
		requireEnd(t, err)
	})
}

// FuzzText: there are lenses for any text.
func FuzzText(f *testing.F) {
	f.Add(testFile)
	f.Add("package main\n\nfunc main() {")
	f.Add("package p\n\nfunc Test(*T) { ; func Fuzz(f *.F) {} }")
	f.Add("package é\xff\n\nfunc main(\n")
	f.Fuzz(func(t *testing.T, text string) {
		data, err := json.Marshal(text)
		require.NoError(t, err)
		open := message(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///x_test.go","text":` + string(data) + `}}}`)
		lenses := message(`{"jsonrpc":"2.0","id":"it","method":"textDocument/codeLens","params":{"textDocument":{"uri":"file:///x_test.go"}}}`)
		out, err := serve(asIs, initialize, `"id":1,"result"`, open+lenses, `"id":"it"`, shutdown, `"id":"two"`, exit)
		require.NoError(t, err)
		require.Contains(t, out, `"id":"it","result":[`)
	})
}

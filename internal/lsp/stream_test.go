package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/lsp"
)

// message is one with its header.
func message(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }

// The messages of a session from its beginning to its end.
var (
	initialize = message(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`)
	shutdown   = message(`{"jsonrpc":"2.0","id":"two","method":"shutdown"}`)
	exit       = message(`{"jsonrpc":"2.0","method":"exit"}`)
)

// output is what a server has written.
type output struct {
	mu   sync.Mutex
	news *sync.Cond
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.news.Broadcast()
	return o.text.Write(p)
}

// behind is a reader that has an input when the output has an answer.
type behind struct {
	*output
	answer string
	in     io.Reader
}

func (b *behind) Read(p []byte) (int, error) {
	b.mu.Lock()
	for !strings.Contains(b.text.String(), b.answer) {
		b.news.Wait()
	}
	b.mu.Unlock()
	return b.in.Read(p)
}

// serve has a server read texts, each but the first when the answer in front of it is there.
func serve(reader func(io.Reader) io.Reader, first string, then ...string) (string, error) {
	o := &output{}
	o.news = sync.NewCond(&o.mu)
	all := []io.Reader{reader(strings.NewReader(first))}
	for i := 0; i < len(then); i += 2 {
		all = append(all, &behind{o, then[i], reader(strings.NewReader(then[i+1]))})
	}
	err := lsp.Serve(context.Background(), io.MultiReader(all...), o, options(""))
	return o.text.String(), err
}

func asIs(r io.Reader) io.Reader { return r }

// Messages may come in pieces, with any header beside the length, in any form of it.
func TestPieces(t *testing.T) {
	t.Parallel()
	other := func(old, text string) func(io.Reader) io.Reader {
		return func(r io.Reader) io.Reader {
			data, err := io.ReadAll(r)
			require.NoError(t, err)
			return strings.NewReader(strings.ReplaceAll(string(data), old, text))
		}
	}
	for name, reader := range map[string]func(io.Reader) io.Reader{
		"bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "errors": iotest.DataErrReader,
		"headers": other("Content-Length: ", "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:"),
		"lines":   other("\r\n", "\n"),
	} {
		out, err := serve(reader, initialize, `"id":1,"result":{"capabilities":{"positionEncoding":"utf-16"`, shutdown, `"id":"two","result":null`, exit)
		require.NoError(t, err, name)
		require.Equal(t, 2, strings.Count(out, "Content-Length"), name)
	}
}

// What is not the protocol has a clear end; what is, and makes no sense, has an answer, and the session goes on.
func TestBroken(t *testing.T) {
	t.Parallel()
	var framing *lsp.FramingError
	var end *lsp.EndError
	for name, c := range map[string]struct {
		in    string
		as    any
		error string
	}{
		"nothing":              {"", &end, "ended without shutdown"},
		"exit alone":           {exit, &end, "exit without shutdown"},
		"garbage":              {strings.Repeat("\x00\xff garbage", 100_000), &framing, "more than 4096 bytes"},
		"lines of garbage":     {strings.Repeat("garbage\n", 125_000), &framing, `"garbage" is no line of a header`},
		"lines of header":      {strings.Repeat("A: b\n", 200_000), &framing, "more than 32 lines"},
		"JSON alone":           {`{"jsonrpc":"2.0","id":1,"method":"initialize"}`, &framing, "ends within a header"},
		"no length":            {"A: b\r\n\r\n{}", &framing, "no Content-Length"},
		"a negative length":    {"Content-Length: -1\r\n\r\n", &framing, "no length"},
		"a huge length":        {"Content-Length: 99999999999\r\n\r\n{}", &framing, "longer than"},
		"a length beyond ints": {"Content-Length: 99999999999999999999999\r\n\r\n{}", &framing, "no length"},
		"too long a length":    {"Content-Length: 60000000\r\n\r\n{}", &framing, "ends after 2 of 60000000 bytes"},
		"garbage behind":       {initialize + "garbage\n", &framing, "no line of a header"},
	} {
		_, err := serve(asIs, c.in)
		require.ErrorAs(t, err, c.as, name)
		require.ErrorContains(t, err, c.error, name)
	}
	_, err := serve(func(io.Reader) io.Reader { return iotest.ErrReader(errors.New("broken pipe")) }, "")
	require.ErrorContains(t, err, "broken pipe")

	for text, answer := range map[string]string{
		`{`:                            `"code":-32700`,
		``:                             `"code":-32700`,
		strings.Repeat("[", 20_000):    `"code":-32700`,
		`"text"`:                       `"code":-32600`,
		`null`:                         `"code":-32600`,
		`[]`:                           `"code":-32600`,
		`{"id":5}`:                     `"code":-32600`,
		`{"jsonrpc":"2.0","id":5}`:     `"code":-32600`,
		`{"jsonrpc":"2.0","id":[]}`:    `"code":-32600`,
		`{"jsonrpc":"2.0","method":1}`: `"code":-32600`,
		`{"jsonrpc":"2.0","method":"x","params":7}`:                                  `"code":-32600`,
		`{"jsonrpc":"2.0","method":"x","result":7}`:                                  `"code":-32600`,
		`{"jsonrpc":"1.0","id":5,"method":"shutdown"}`:                               `"id":5,"error":{"code":-32600`,
		`{"jsonrpc":"2.0","id":5,"method":"textDocument/codeLens"}`:                  `"code":-32002`,
		`{"jsonrpc":"2.0","id":5,"method":"textDocument/codeLens","more":true}`:      `"code":-32002`,
		`{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"capabilities":7}}`: `"code":-32602`,
		`{"jsonrpc":"2.0","id":5,"method":"nonsense"}`:                               `"code":-32601`,
		`{"jsonrpc":"2.0","id":5,"method":"rpc.serverInfo"}`:                         `"code":-32601`,
	} {
		_, err := serve(asIs, message(text), answer, initialize, `"id":1,"result"`, shutdown, `"id":"two","result":null`, exit)
		require.NoError(t, err, text)
	}
	// Notifications have no answer, whatever is in them.
	for _, text := range []string{
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":7}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///x.go"},"contentChanges":[{"range":{},"text":"x"}]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"%"}}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":{}}}`,
	} {
		out, err := serve(asIs, initialize, `"id":1,"result"`, message(text)+shutdown, `"id":"two","result":null`, exit)
		require.NoError(t, err, text)
		require.NotContains(t, out, `"error"`, text)
	}
}

// The context of the caller ends a session that has an input without end.
func TestContext(t *testing.T) {
	t.Parallel()
	in, _ := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := lsp.Serve(ctx, in, io.Discard, options(""))
	var end *lsp.EndError
	require.ErrorAs(t, err, &end)
}

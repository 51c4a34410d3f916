package lsp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/creachadair/jrpc2"
)

// The bounds of what is read: a client that keeps to the protocol does not come near them.
const (
	maxLine    = 4096 // bytes of a line of a header
	maxHeader  = 32   // lines of a header
	maxMessage = 64 << 20
)

// FramingError says that the input is none of the protocol: there is no way to find the next
// message in it.
type FramingError struct{ Reason string }

func (e *FramingError) Error() string {
	return "the input is not the language server protocol: " + e.Reason
}

// stream is a channel of messages, each behind a header with its length. The input is read by a
// goroutine of its own, so that Close ends Recv also where a read cannot be interrupted.
type stream struct {
	writing  sync.Mutex
	out      io.Writer
	messages chan received
	closed   chan struct{}
	close    sync.Once
}

type received struct {
	data []byte
	err  error
}

func newStream(in io.Reader, out io.Writer) *stream {
	s := &stream{out: out, messages: make(chan received), closed: make(chan struct{})}
	go s.read(bufio.NewReaderSize(in, maxLine))
	return s
}

func (s *stream) read(in *bufio.Reader) {
	for {
		data, err := readMessage(in)
		select {
		case s.messages <- received{data, err}:
		case <-s.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// Recv returns the next message, io.EOF behind the last one. What is no message of JSON-RPC is
// answered here and passed over: package jrpc2 would answer it too, but not always come to the end of a session
// that ends right behind it.
func (s *stream) Recv() ([]byte, error) {
	for {
		select {
		case m := <-s.messages:
			if m.err != nil {
				return nil, m.err
			}
			data, problem := wellFormed(m.data)
			if problem == nil {
				return data, nil
			}
			answer, err := json.Marshal(refusal{"2.0", problem.id, *problem})
			if err != nil {
				return nil, err
			}
			if err := s.Send(answer); err != nil {
				return nil, err
			}
		case <-s.closed:
			return nil, io.EOF
		}
	}
}

// refusal is the answer to what is no message.
type refusal struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   problem         `json:"error"`
}

type problem struct {
	Code    jrpc2.Code `json:"code"`
	Message string     `json:"message"`

	id json.RawMessage // of the message, null where it is not known
}

// members are those that a message of JSON-RPC may have.
var members = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// wellFormed is a message without members that JSON-RPC does not know, or says why it is none.
func wellFormed(data []byte) ([]byte, *problem) {
	id := json.RawMessage("null")
	bad := func(code jrpc2.Code, message string) ([]byte, *problem) { return nil, &problem{code, message, id} }
	if !json.Valid(data) {
		return bad(jrpc2.ParseError, "not JSON")
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil || all == nil {
		return bad(jrpc2.InvalidRequest, "not an object: the protocol has no batches")
	}
	n := len(all)
	maps.DeleteFunc(all, func(name string, _ json.RawMessage) bool { return !slices.Contains(members, name) })
	if !begins(all["id"], `"-0123456789n`) {
		return bad(jrpc2.InvalidRequest, "the id is neither a string nor a number")
	}
	if len(all["id"]) > 0 {
		id = all["id"]
	}
	var version, method string
	_, request := all["method"]
	_, result := all["result"]
	_, failed := all["error"]
	switch {
	case json.Unmarshal(all["jsonrpc"], &version) != nil || version != "2.0":
		return bad(jrpc2.InvalidRequest, "not JSON-RPC 2.0")
	case request && (json.Unmarshal(all["method"], &method) != nil || method == ""):
		return bad(jrpc2.InvalidRequest, "the method is no name")
	case !begins(all["params"], "{[n"):
		return bad(jrpc2.InvalidRequest, "the parameters are neither an object nor a list")
	case request == (result || failed):
		return bad(jrpc2.InvalidRequest, "neither a request nor an answer")
	}
	if len(all) == n {
		return data, nil
	}
	data, err := json.Marshal(all)
	if err != nil {
		return bad(jrpc2.InternalError, err.Error())
	}
	return data, nil
}

// begins reports whether a value that is valid begins with one of some bytes, or is not there.
func begins(value json.RawMessage, with string) bool {
	return len(value) == 0 || strings.IndexByte(with, value[0]) >= 0
}

// Send writes a message.
func (s *stream) Send(data []byte) error {
	var b bytes.Buffer
	b.Grow(len(data) + 32)
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(data))
	b.Write(data)
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err := s.out.Write(b.Bytes())
	return err
}

// Close ends Recv.
func (s *stream) Close() error {
	s.close.Do(func() { close(s.closed) })
	return nil
}

// readMessage reads a header and what it announces: io.EOF if there is nothing more.
func readMessage(in *bufio.Reader) ([]byte, error) {
	length := -1
	for n := 0; ; n++ {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, &FramingError{fmt.Sprintf("a line of a header has more than %d bytes", maxLine)}
		case err == io.EOF && n == 0 && len(line) == 0:
			return nil, io.EOF
		case err == io.EOF:
			return nil, &FramingError{"it ends within a header"}
		case err != nil:
			return nil, err
		case n == maxHeader:
			return nil, &FramingError{fmt.Sprintf("a header has more than %d lines", maxHeader)}
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, ok := strings.Cut(text, ":")
		if !ok {
			return nil, &FramingError{fmt.Sprintf("%.40q is no line of a header", text)}
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			length, err = strconv.Atoi(strings.TrimSpace(value))
			if err != nil || length < 0 {
				return nil, &FramingError{fmt.Sprintf("%.40q is no length", value)}
			}
		}
	}
	switch {
	case length < 0:
		return nil, &FramingError{"a header has no Content-Length"}
	case length > maxMessage:
		return nil, &FramingError{fmt.Sprintf("a message of %d bytes is longer than %d", length, maxMessage)}
	}
	// It grows as the bytes come: the length alone is only what somebody says.
	var body bytes.Buffer
	switch n, err := io.CopyN(&body, in, int64(length)); {
	case err == io.EOF:
		return nil, &FramingError{fmt.Sprintf("it ends after %d of %d bytes of a message", n, length)}
	case err != nil:
		return nil, err
	}
	return body.Bytes(), nil
}

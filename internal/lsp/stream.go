package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
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

// Recv returns the next message, io.EOF behind the last one.
func (s *stream) Recv() ([]byte, error) {
	select {
	case m := <-s.messages:
		return m.data, m.err
	case <-s.closed:
		return nil, io.EOF
	}
}

// Send writes a message. It is not called by several goroutines at once.
func (s *stream) Send(data []byte) error {
	var b bytes.Buffer
	b.Grow(len(data) + 32)
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(data))
	b.Write(data)
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

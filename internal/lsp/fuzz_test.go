package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Of any input messages are read up to its end, or to what is none, and no more than there is;
// written and read again, they are the same.
func FuzzMessages(f *testing.F) {
	for _, s := range []string{
		"Content-Length: 2\r\n\r\n{}", "content-length:2\nContent-Type: x\n\n{}Content-Length: 0\r\n\r\n", "Content-Length: 3\r\n\r\n{}", "Content-Length: -1\r\n\r\n", "Content-Length: 67108864\r\n\r\n{}",
		"Content-Length: 99999999999999999999\r\n\r\n", "A: b\r\n\r\n{}", "garbage\n", "\n", "Content-Length: 1", "Content-Length: 1\nContent-Length: 2\n\n{}", strings.Repeat("A: b\n", maxHeader+1), strings.Repeat("a", maxLine+1),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		s := &stream{out: &out}
		var messages [][]byte
		total := 0
		in := bufio.NewReaderSize(bytes.NewReader(input), maxLine)
		for {
			data, err := readMessage(in)
			if err != nil {
				var framing *FramingError
				require.True(t, err == io.EOF || errors.As(err, &framing), err)
				require.Nil(t, data)
				break
			}
			total += len(data) + len("Content-Length:\n\n")
			require.LessOrEqual(t, total, len(input))
			messages = append(messages, data)
			require.NoError(t, s.Send(data))
		}
		in = bufio.NewReaderSize(&out, maxLine)
		for _, want := range messages {
			data, err := readMessage(in)
			require.NoError(t, err)
			require.Equal(t, string(want), string(data))
		}
		_, err := readMessage(in)
		require.Equal(t, io.EOF, err)
	})
}

// An entry point is where its name stands in the text, whether that is complete or not.
func FuzzEntries(f *testing.F) {
	for _, s := range []string{
		"package p\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\nfunc FuzzB(f *testing.F) {}\nfunc BenchmarkC(b *testing.B) {}\n", "package main\n\nfunc main() {}\n", "package p; func Test(*T) {}; func Test\xc3\xa9(t *T) {",
		"package main\r\n/* \xff */ func main() {\r\n", "package p\n//line x.go:100\nfunc TestA(t *testing.T) {\n", "\xef\xbb\xbfpackage main; func main() {}", "package p\nfunc TestA(, *T) {}\nfunc TestB(*T",
		"package p\nfunc (T) TestA(t *T) {}\nfunc TestB[P any](t *T) {}\nfunc TestC(a, b *T) {}\nfunc Testd(t *T) {}\n", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range []string{"/p/a_test.go", "/p/a.go"} {
			entries, clause := entriesOf(path, []byte(text))
			tests := false
			for _, e := range entries {
				line := string(lineOf([]byte(text), e.line))
				require.True(t, 1 <= e.start && e.start <= e.end && e.end-1 <= len(line), e)
				require.Equal(t, e.name, line[e.start-1:e.end-1])
				tests = tests || named(e.name, "Test")
			}
			require.Equal(t, tests, clause > 0)
			require.True(t, clause == 0 || strings.Contains(string(lineOf([]byte(text), clause)), "package"))
		}
	})
}

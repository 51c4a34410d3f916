package lsp

import (
	"bytes"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/vtrace/vtrace/internal/earlier"
)

// document is an open one, as the client has it.
type document struct {
	uri  string // as the client writes it
	text []byte
}

// pathOf is the absolute name of the file that a URI names; false if it names none.
func pathOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" || strings.ContainsRune(u.Path, 0) {
		return "", false
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	path = filepath.FromSlash(path)
	return filepath.Clean(path), filepath.IsAbs(path)
}

// uriOf is the URI of a file with an absolute name.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// uri is that of a file, as the client writes it if it has it open. The caller holds s.mu.
func (s *server) uri(path string) string {
	if d := s.docs[path]; d != nil {
		return d.uri
	}
	return uriOf(path)
}

// readFile reads a file as the client has it, or from disk.
func (s *server) readFile(path string) ([]byte, error) {
	s.mu.Lock()
	d := s.docs[path]
	s.mu.Unlock()
	if d != nil {
		return d.text, nil
	}
	return earlier.Read(path)
}

// reader reads files like readFile, each once.
func (s *server) reader() earlier.ReadFile { return earlier.Once(s.readFile) }

// overlay are the open documents that are not on disk as the client has them.
func (s *server) overlay() map[string][]byte {
	s.mu.Lock()
	docs := make(map[string][]byte, len(s.docs))
	for path, d := range s.docs {
		docs[path] = d.text
	}
	s.mu.Unlock()
	for path, text := range docs {
		saved, err := earlier.Read(path)
		if err == nil && bytes.Equal(saved, text) || err != nil && !errors.Is(err, os.ErrNotExist) {
			delete(docs, path)
		}
	}
	return docs
}

// lineOf is a line of a text, from 1, without its end.
func lineOf(text []byte, line int) []byte {
	for n := 1; ; n++ {
		end := bytes.IndexByte(text, '\n')
		if n == line {
			if end >= 0 {
				text = text[:end]
			}
			return bytes.TrimSuffix(text, []byte("\r"))
		}
		if end < 0 {
			return nil
		}
		text = text[end+1:]
	}
}

// column converts a number of bytes of a line to what the client counts.
func (s *server) column(line []byte, n int) int {
	head := line[:max(0, min(n, len(line)))]
	if s.utf8 {
		return len(head)
	}
	units := 0
	for len(head) > 0 {
		r, size := utf8.DecodeRune(head)
		units += max(1, utf16.RuneLen(r))
		head = head[size:]
	}
	return units
}

// rangeOf is the rest of a line of a text, from a column in bytes, from 1; 0 is where the line
// begins behind blanks.
func (s *server) rangeOf(text []byte, line, col int) textRange {
	if line < 1 {
		line = 1
	}
	content := lineOf(text, line)
	from := col - 1
	if from < 0 {
		from = len(content) - len(bytes.TrimLeft(content, " \t"))
	}
	to := len(bytes.TrimRight(content, " \t"))
	if from > to {
		from = to
	}
	return textRange{position{line - 1, s.column(content, from)}, position{line - 1, s.column(content, to)}}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/vtrace/vtrace/uppaal"
)

// standardInput is the name of a file that stands for it.
const standardInput = "-"

// open opens a file, or what "-" stands for.
func (c *call) open(path string) (io.ReadCloser, error) {
	if path != standardInput {
		return os.Open(path)
	}
	if c.stdin == nil {
		return io.NopCloser(os.Stdin), nil
	}
	return io.NopCloser(c.stdin), nil
}

// isText reports whether a model is in the textual format: by its name, else by how it
// begins.
func isText(path string, r *bufio.Reader) bool {
	switch filepath.Ext(path) {
	case ".xta", ".ta":
		return true
	case ".xml":
		return false
	}
	for n := 1; n <= r.Size(); n++ {
		head, err := r.Peek(n)
		if err != nil {
			return false
		}
		// A byte order mark may stand in front.
		if b := rune(head[n-1]); !unicode.IsSpace(b) && b != 0xEF && b != 0xBB && b != 0xBF {
			return b != '<'
		}
	}
	return false
}

// readModel reads a model in either format. If nothing but queries are wrong, it has the
// others.
func (c *call) readModel(path string) (*uppaal.Network, error) {
	f, err := c.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	if isText(path, r) {
		net, err := uppaal.ReadXTA(r, path)
		return net, inFile(path, err)
	}
	net, err := uppaal.ReadXML(r)
	if net != nil {
		err = nil
	}
	return net, inFile(path, err)
}

// readQueries reads a file of queries.
func (c *call) readQueries(path string) ([]*uppaal.Query, error) {
	f, err := c.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	queries, err := uppaal.ReadQueries(f)
	return queries, inFile(path, err)
}

// inFile puts the name of a file before each of the errors about it, as in
// "m.xta:3:12: unknown identifier x".
func inFile(path string, err error) error {
	var list uppaal.Errors
	var one *uppaal.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &list):
	case errors.As(err, &one):
		list = uppaal.Errors{one}
	default:
		return fmt.Errorf("%s: %w", path, err)
	}
	lines := make([]string, len(list))
	for i, e := range list {
		switch {
		case e.Pos.Where == path && e.Pos.Line > 0:
			lines[i] = e.Error()
		case e.Pos.Where == "" && e.Pos.Line > 0:
			lines[i] = path + ":" + e.Error()
		default:
			lines[i] = path + ": " + e.Error()
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

// errLate is the reason of what a timeout has ended.
var errLate = errors.New("time budget reached")

// within runs f, which goes on in the background if the context ends first: what works on
// a model of somebody else need not look at the context all the time. After that f has
// some more time to end by itself, since what it has found by then counts.
func within[T any](ctx context.Context, more time.Duration, f func() (T, error)) (result T, err error) {
	done := make(chan struct{})
	var value T
	var failed error
	go func() {
		defer close(done)
		value, failed = f()
	}()
	select {
	case <-done:
		return value, failed
	case <-ctx.Done():
	}
	timer := time.NewTimer(more)
	defer timer.Stop()
	select {
	case <-done:
		return value, failed
	case <-timer.C:
		return result, context.Cause(ctx)
	}
}

// writeTextual writes a model in the textual format, which has no place for queries: they
// go into a file beside it.
func writeTextual(c *call, model []byte, out string) error {
	net, err := uppaal.ReadXML(bytes.NewReader(model))
	if err != nil {
		return err
	}
	var text, queries bytes.Buffer
	if err := uppaal.WriteXTA(&text, net); err != nil {
		return err
	}
	if out == "" {
		_, err := c.stdout.Write(text.Bytes())
		return err
	}
	if err := uppaal.WriteQueries(&queries, net.Queries); err != nil {
		return err
	}
	if err := os.WriteFile(out, text.Bytes(), 0o644); err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(out, filepath.Ext(out))+".q", queries.Bytes(), 0o644)
}

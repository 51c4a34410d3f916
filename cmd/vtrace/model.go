package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/check/promela"
	"github.com/vtrace/vtrace/internal/check/verifyta"
	"github.com/vtrace/vtrace/internal/uppaal"
	"github.com/vtrace/vtrace/internal/view"
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
	return parseModel(path, f)
}

func parseModel(path string, f io.Reader) (*uppaal.Network, error) {
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

// queriesBeside reads the file of queries beside a textual model, if there is one.
func (c *call) queriesBeside(model string) ([]*uppaal.Query, error) {
	if ext := filepath.Ext(model); ext != ".xta" && ext != ".ta" {
		return nil, nil
	}
	queries, err := c.readQueries(besideModel(model))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return queries, err
}

// besideModel is the file beside a textual model that has its queries.
func besideModel(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".q"
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
	return os.WriteFile(besideModel(out), queries.Bytes(), 0o644)
}

// modelTrace reads a model and a trace of it, and follows the trace: what is shown are
// steps of the model, whoever says so.
func (c *call) modelTrace(model, trace string) (m view.Model, err error) {
	if model == standardInput && trace == standardInput {
		return m, fmt.Errorf("%w: the model and the trace cannot both be read from the standard input", errUsage)
	}
	text, err := c.readBounded(model)
	if err != nil {
		return m, err
	}
	net, err := parseModel(model, bytes.NewReader(text))
	if err != nil {
		return m, err
	}
	info, err := uppaal.Check(net)
	if err != nil {
		return m, inFile(model, err)
	}
	steps, err := c.readBounded(trace)
	if err != nil {
		return m, err
	}
	queries := net.Queries
	if len(queries) == 0 {
		if queries, err = c.queriesBeside(model); err != nil {
			return m, err
		}
	}
	m = view.Model{Name: model, Network: net, Tool: version()}
	if isText(model, bufio.NewReader(bytes.NewReader(text))) {
		m.Text = string(text)
	}
	if m.Trace, m.From, err = readModelTrace(c.ctx, info, queries, trace, steps); err != nil {
		return m, fmt.Errorf("%s: %w", trace, err)
	}
	return m, nil
}

// maxTraceFile bounds the files that modelTrace reads.
const maxTraceFile = 64 << 20

func (c *call) readBounded(path string) ([]byte, error) {
	f, err := c.open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTraceFile+1))
	if err == nil && len(text) > maxTraceFile {
		err = fmt.Errorf("%s is longer than %d bytes", path, maxTraceFile)
	}
	return text, err
}

// readModelTrace reads a trace by what it looks like: numbers, or text. A trail of Spin is of the
// model as it was exported with one of the queries, or with none.
func readModelTrace(ctx context.Context, info *uppaal.Info, queries []*uppaal.Query, path string, text []byte) (trace *check.Trace, from string, err error) {
	if filepath.Ext(path) == ".xtr" || numbersOnly(text) {
		trace, err = verifyta.ReadXTR(bytes.NewReader(text), info)
		return trace, "an .xtr trace", err
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("<")) {
		trace, err = verifyta.ReadXML(ctx, bytes.NewReader(text), info)
		return trace, "a trace in XML", err
	}
	for _, q := range append(slices.Clone(queries), nil) {
		trace, failed := promela.ReadTrail(ctx, info, q, string(text))
		switch {
		case errors.Is(failed, promela.ErrNoTrail):
		case failed == nil && q != nil:
			return trace, "a trail of Spin for " + uppaal.QueryString(q), nil
		case failed == nil:
			return trace, "a trail of Spin", nil
		case err == nil:
			err = failed
		}
	}
	if err != nil {
		return nil, "", err
	}
	if trace, err = verifyta.ReadTrace(info, string(text)); err != nil {
		return nil, "", err
	}
	from = "a trace as verifyta prints it"
	followed, err := check.Follow(info, trace.Steps)
	return followed, from, err
}

// numbersOnly reports whether a text has nothing but numbers, dots and semicolons.
func numbersOnly(text []byte) bool {
	return len(bytes.TrimSpace(text)) > 0 && len(bytes.Trim(text, "0123456789-.; \t\r\n")) == 0
}

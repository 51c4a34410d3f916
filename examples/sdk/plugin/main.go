// Command plugin is a sketch of what a plugin of an IDE does with the SDK: it checks what the editor
// shows, saved or not, tells how that goes on, ends it when the text changes, and shows findings
// and errors of the build as marks in the text. It is given the text of a file that is not saved:
//
//	plugin -entry TestDrain ./internal/pool/pool.go < unsaved.go
//
// The program is built and run: an IDE does that when the user asks for it, and not when a folder is opened.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/pass"
)

func main() {
	entry := flag.String("entry", "main", "entry point")
	flag.Parse()
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p := newPlugin(func(status string) { fmt.Println("status:", status) })
	p.edit(flag.Arg(0), text)
	marks, err := p.check(ctx, filepath.Dir(flag.Arg(0)), *entry)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for _, m := range marks {
		fmt.Println(m)
	}
}

// mark is something that the editor shows in a text.
type mark struct {
	file      string
	line, col int
	severity  string
	message   string
}

func (m mark) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s", filepath.Base(m.file), m.line, m.col, m.severity, m.message)
}

// plugin is what an IDE has one of.
type plugin struct {
	status func(string)

	mu      sync.Mutex
	buffers map[string][]byte  // what is not saved, by the absolute names of the files
	cancel  context.CancelFunc // of the check that goes on
}

func newPlugin(status func(string)) *plugin {
	return &plugin{status: status, buffers: map[string][]byte{}, cancel: func() {}}
}

// edit takes up a change of a text. A check that goes on is one of another text: it ends, with all
// processes that it has started.
func (p *plugin) edit(file string, text []byte) {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cancel()
	p.buffers[file] = text
}

// check checks an entry point, and returns the marks for it. It is called in the background; a
// second call ends the first.
func (p *plugin) check(ctx context.Context, dir, entry string) ([]mark, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.mu.Lock()
	p.cancel()
	p.cancel = cancel
	overlay := map[string][]byte{}
	for name, text := range p.buffers {
		overlay[name] = text
	}
	p.mu.Unlock()

	b, err := vtrace.Check(ctx, vtrace.Dir(dir, vtrace.Entry(entry), vtrace.Overlay(overlay)), vtrace.Progress(p.event))
	switch {
	case errors.Is(err, context.Canceled):
		p.status("cancelled")
		return nil, err
	case err != nil:
		if marks := buildMarks(err); marks != nil {
			return marks, nil
		}
		return nil, err
	}
	var marks []mark
	for _, f := range b.Findings() {
		severity := "warning"
		switch f.Verdict {
		case artifact.False:
			continue
		case artifact.Real:
			severity = "error"
		}
		message := f.Cause
		if message == "" {
			message = f.Message
		}
		marks = append(marks, mark{f.File, f.Line, f.Col, severity, f.Kind + ": " + message})
	}
	return marks, nil
}

// buildMarks are the errors of the program, nil if it is not that.
func buildMarks(err error) (marks []mark) {
	for _, e := range vtrace.ProgramErrors(err) {
		marks = append(marks, mark{e.File, e.Line, e.Col, "error", "build: " + e.Message})
	}
	return marks
}

// event shows how a check goes on.
func (p *plugin) event(e pass.Event) {
	switch e := e.(type) {
	case pass.StageStarted:
		p.status(e.Pass + " pass: " + e.Stage)
	case pass.SearchProgress:
		p.status(fmt.Sprintf("%s pass: %d states", e.Pass, e.Stats.States))
	}
}

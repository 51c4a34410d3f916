package main

import (
	"encoding/json"
	"fmt"

	"github.com/vtrace/vtrace/internal/output"
)

// jsonFlag is -json, a boolean flag that may have a value.
type jsonFlag struct{ s *settings }

// streamed is the -json that prints lines.
const streamed = "stream"

func (f *jsonFlag) String() string {
	switch {
	case f.s == nil || !f.s.json:
		return ""
	case f.s.stream:
		return streamed
	}
	return "true"
}

// IsBoolFlag has package flag accept it without a value.
func (f *jsonFlag) IsBoolFlag() bool { return true }

func (f *jsonFlag) Set(text string) error {
	switch text {
	case "true", "false", streamed:
		f.s.json, f.s.stream = text != "false", text == streamed
		return nil
	}
	return fmt.Errorf("%q is not -json or -json=%s", text, streamed)
}

// lines prints results as they come, each as a line of JSON in one write: what was printed when a
// process is killed is whole but for the last line at most.
type lines struct {
	out *json.Encoder // nil: they are not wanted
}

func (c *call) lines(s *settings) *lines {
	if !s.stream {
		return &lines{}
	}
	out := json.NewEncoder(c.stdout)
	out.SetEscapeHTML(false)
	return &lines{out}
}

func (l *lines) print(line output.LineOutput) error {
	if l.out == nil {
		return nil
	}
	line.Version = output.OutputVersion
	return l.out.Encode(line)
}

func (l *lines) begin(n int) error {
	return l.print(output.LineOutput{Type: output.LineBegin, Count: &n})
}

func (l *lines) entry(r *output.EntryOutput) error {
	return l.print(output.LineOutput{Type: output.LineEntry, Entry: r})
}

// add prints what became of one of several entry points.
func (l *lines) add(r *checked) error {
	switch {
	case l.out == nil:
		return nil
	case r.leftOut != "":
		return l.print(output.LineOutput{Type: output.LineLeftOut, LeftOut: r.asLeftOut()})
	case r.bundle != nil:
		return l.entry(r.asEntry())
	}
	return l.print(output.LineOutput{Type: output.LineRefused, Refused: r.asRefused()})
}

func (l *lines) end(code int) error {
	return l.print(output.LineOutput{Type: output.LineEnd, Code: &code})
}

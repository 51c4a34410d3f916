package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/trace"
)

// maxTrace bounds the text of a trace, in bytes.
const maxTrace = 64 << 20

// runAnalyze says what a recorded run shows of other runs. It runs nothing.
func runAnalyze(c *call) (int, error) {
	fs := c.flags()
	asJSON := fs.Bool("json", false, "print the result as JSON")
	notes := fs.Bool("notes", false, "print notes, too: contention, alternatives, what need not be an error")
	limits := analyze.Limits{}
	fs.IntVar(&limits.Orders, "orders", 200, "look at up to `N` orders of operations on buffered channels")
	memory := sizeFlag(1 << 30)
	fs.Var(&memory, "max-memory", "use up to `SIZE` for vector clocks, twice")
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	if limits.Orders < 1 || memory < 1 {
		return 0, fmt.Errorf("%w: -orders and -max-memory are at least 1", errUsage)
	}
	limits.Memory = int64(memory)
	t, _, err := c.readTrace(args[0])
	if err != nil {
		return 0, err
	}
	r, err := analyze.Analyze(t, limits)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", args[0], err)
	}
	if *asJSON {
		err = encode(c.stdout, r)
	} else {
		err = writeAnalysis(c.stdout, r, *notes)
	}
	switch {
	case r.Errors() > 0:
		return exitReal, err
	case r.Warnings() > 0 || len(r.Limits) > 0:
		return exitInconclusive, err
	}
	return exitNothing, err
}

// readTrace reads a trace, as text or as a recording, which has a header, from a file, or from what "-"
// stands for.
func (c *call) readTrace(name string) (_ *trace.Trace, h recording.Header, err error) {
	in, err := c.open(name)
	if err != nil {
		return nil, h, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	buffered := bufio.NewReader(in)
	if recording.Starts(buffered) {
		t, header, err := recording.Load(buffered, 0)
		if err != nil {
			return nil, h, fmt.Errorf("%s: %w", name, err)
		}
		return t, header, nil
	}
	t, err := readTraceText(buffered, name)
	return t, h, err
}

func readTraceText(r io.Reader, name string) (*trace.Trace, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxTrace+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxTrace {
		return nil, fmt.Errorf("%s: it is larger than %d MiB, the most that the text form of a trace may have", name, maxTrace>>20)
	}
	t, err := trace.Parse(text)
	if err != nil {
		var wrong *trace.TextError
		if errors.As(err, &wrong) {
			return nil, fmt.Errorf("%s:%d: %s", name, wrong.Line, wrong.Reason)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

// writeAnalysis prints a result: errors, warnings and, if they are wanted, notes.
func writeAnalysis(w io.Writer, r *analyze.Result, notes bool) error {
	var out strings.Builder
	if r.Program != "" {
		fmt.Fprintf(&out, "%s: ", r.Program)
	}
	fmt.Fprintf(&out, "%s, %s, %s; %s of %s\n", plural(r.Errors(), "error", "errors"), plural(r.Warnings(), "warning", "warnings"), plural(r.Notes(), "note", "notes"),
		plural(r.Events, "event", "events"), plural(r.Goroutines, "goroutine", "goroutines"))
	left := map[analyze.Code]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Level == analyze.Note && !notes {
			left[f.Code]++
			continue
		}
		title := f.Title
		if f.Object != "" {
			title += ": " + f.Object
		}
		fmt.Fprintf(&out, "\n%s %s: %s\n  %s\n", f.Code, f.Level, oneLine(title), oneLine(f.Message))
		if f.Witness {
			fmt.Fprintf(&out, "  the operations of the run can come in an order that shows it%s\n", reorderedText(f.Reordered))
		}
		if f.Unless != "" {
			fmt.Fprintf(&out, "  unless %s\n", f.Unless)
		}
		if f.OtherOrder {
			fmt.Fprintln(&out, "  it shows in another order of the operations on buffered channels")
		}
		if f.Count > 1 && f.Code != analyze.MP {
			fmt.Fprintf(&out, "  %d times at these places\n", f.Count)
		}
	}
	if len(left) > 0 {
		var parts []string
		for _, code := range analyze.Codes() {
			if n := left[code]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, code))
			}
		}
		fmt.Fprintf(&out, "\nnotes: %s; -notes prints them\n", strings.Join(parts, ", "))
	}
	if len(r.Limits) > 0 {
		out.WriteString("\nwhat this result does not cover:\n")
		for _, l := range r.Limits {
			fmt.Fprintf(&out, "  %s\n", oneLine(l))
		}
	}
	_, err := io.WriteString(w, plain(out.String()))
	return err
}

func reorderedText(reordered bool) string {
	if reordered {
		return ", with critical sections in another order"
	}
	return ""
}

// oneLine keeps names of a trace from making lines of their own.
func oneLine(s string) string { return strings.NewReplacer("\n", " ", "\t", " ").Replace(s) }

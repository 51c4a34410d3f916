package vtrace

import (
	"bufio"
	"fmt"
	"io"

	"github.com/vtrace/vtrace/artifact"

	"github.com/vtrace/vtrace/internal/analyze"
	passes "github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/trace"
	"github.com/vtrace/vtrace/internal/view"
	"github.com/vtrace/vtrace/pass"
)

// RecordedRun is a recorded run that was read: what its goroutines have done, see docs/trace.md.
type RecordedRun struct {
	trace  *trace.Trace
	header recording.Header
}

// RecordingError says why a recording cannot be read, or not be analysed.
type RecordingError struct{ Err error }

func (e *RecordingError) Error() string { return fmt.Sprintf("recording: %v", e.Err) }

// Unwrap returns Err.
func (e *RecordingError) Unwrap() error { return e.Err }

// maxText bounds the text form of a recording, which takes some forty times as much in memory.
const maxText = 64 << 20

// ReadRecording reads what Record has written, or a recording in the text form of docs/trace.md, into memory. It bounds
// what it reads. What is no recording, or too large, is a *RecordingError.
func ReadRecording(r io.Reader) (*RecordedRun, error) {
	if r == nil {
		return nil, &artifact.ArgumentError{Name: "reader", Reason: "nil"}
	}
	in := bufio.NewReader(r)
	if recording.Starts(in) {
		t, header, err := recording.Load(in, 0)
		if err != nil {
			return nil, &RecordingError{err}
		}
		return &RecordedRun{t, header}, nil
	}
	text, err := io.ReadAll(io.LimitReader(in, maxText+1))
	if err != nil {
		return nil, &RecordingError{err}
	}
	if len(text) > maxText {
		return nil, &RecordingError{fmt.Errorf("the text is larger than %d MiB", maxText>>20)}
	}
	t, err := trace.Parse(text)
	if err != nil {
		return nil, &RecordingError{err}
	}
	return &RecordedRun{trace: t}, nil
}

// Program is what was run: the package and the entry; "" if the recording does not say it.
func (r *RecordedRun) Program() string {
	if r == nil || r.trace == nil {
		return ""
	}
	return r.trace.Program
}

// End is how the program has ended, in words; "" if the recording does not say it.
func (r *RecordedRun) End() string {
	if r == nil {
		return ""
	}
	return r.header.End
}

// Limits are what is not in the recording, and why.
func (r *RecordedRun) Limits() []string {
	if r == nil {
		return nil
	}
	return r.header.Notes
}

// check says that there is nothing.
func (r *RecordedRun) check() error {
	if r == nil || r.trace == nil {
		return &artifact.ArgumentError{Name: "recording", Reason: "nil"}
	}
	return nil
}

// WriteText writes the text form of the recording, event by event: see docs/trace.md.
func (r *RecordedRun) WriteText(w io.Writer) error {
	if err := r.check(); err != nil {
		return err
	}
	if w == nil {
		return &artifact.ArgumentError{Name: "writer", Reason: "nil"}
	}
	return trace.Format(w, r.trace)
}

// Analyze finds what other runs could do, by vector clocks: see docs/analyses.md. Nothing is run. A *RecordingError
// says that the recording is too large for the limits.
func (r *RecordedRun) Analyze(limits pass.AnalysisLimits) (*pass.Analysis, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	found, err := analyze.Analyze(r.trace, limits)
	if err != nil {
		return nil, &RecordingError{err}
	}
	return found, nil
}

// WritePage writes a page, in HTML, on which the recording and what its analysis says can be followed. The finding of that
// number, from 1, is shown first; 0 is none.
func (r *RecordedRun) WritePage(w io.Writer, finding int) error {
	if err := r.check(); err != nil {
		return err
	}
	if w == nil {
		return &artifact.ArgumentError{Name: "writer", Reason: "nil"}
	}
	return view.WriteRecording(w, view.Recording{Trace: r.trace, Header: r.header, Tool: passes.Version(), Finding: finding})
}

// WritePage writes a page, in HTML, on which the findings of a bundle can be followed step by step, in the program and
// in its model: see docs/view.md.
func WritePage(w io.Writer, b *Bundle) error {
	if w == nil {
		return &artifact.ArgumentError{Name: "writer", Reason: "nil"}
	}
	return view.Write(w, b)
}

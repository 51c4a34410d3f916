package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/pass"
)

// screen is where progress is shown, of one entry point or several at once.
type screen struct {
	sync.Mutex
	w        io.Writer
	terminal bool
	start    time.Time
	drawn    time.Time
	dirty    bool
	// unsandboxedSaid is what was last said of a sandbox that there is not.
	unsandboxedSaid string
}

// progress draws what happens on a terminal, once it takes more than a second.
type progress struct {
	*screen
	of      string // the entry point, if it is one of several that are checked at once
	timing  bool
	verbose bool // what is drawn elsewhere is printed in lines
	// unchanged, if not nil, says that the result is that of an earlier check.
	unchanged *pass.Unchanged
	// without says what of a sandbox there is not, "" if it was not asked for or is all there.
	without string
}

func newProgress(w io.Writer, timing bool) *progress {
	f, ok := w.(*os.File)
	return &progress{screen: &screen{w: w, terminal: ok && term.IsTerminal(int(f.Fd())), start: time.Now()}, timing: timing}
}

// at is the progress of one entry point of several, shown in the same place.
func (p *progress) at(e vtrace.EntryPoint, atOnce bool) *progress {
	one := &progress{screen: p.screen, timing: p.timing, verbose: p.verbose}
	if atOnce {
		one.of = e.String()
	}
	return one
}

// event is the callback of the passes.
func (p *progress) event(e vtrace.Event) {
	p.Lock()
	defer p.Unlock()
	switch e := e.(type) {
	case pass.Unchanged:
		p.unchanged = &e
	case pass.ResultsUnusable:
		p.clear()
		fmt.Fprintf(p.w, "vtrace: the result is not kept, or not taken from an earlier check: %s\n", plain(e.Err.Error()))
	case pass.StageStarted:
		if e.Stage == pass.LibrariesStage {
			p.stage("compiling the standard library, and what else the program imports, for its instrumented form: long only once on this machine")
			return
		}
		p.stage("%s pass: %s", e.Pass, e.Stage)
	case pass.StageDone:
		if p.timing {
			p.clear()
			fmt.Fprintf(p.w, "%-10s %-11s %8.3fs%s\n", e.Pass, e.Stage, e.Elapsed.Seconds(), p.suffix())
		}
	case pass.SearchProgress:
		rate := float64(e.Stats.States) / max(e.Stats.Elapsed.Seconds(), 1e-3)
		p.draw("%s pass: search: %d states, depth %d, %.0f states/s", e.Pass, e.Stats.States, e.Stats.Depth, rate)
	case pass.Unsandboxed:
		p.unsandboxed(e)
	case pass.Replayed:
		p.draw("deep pass: query %d, replay %d: %s", e.Query, e.Attempt, e.Outcome)
	}
}

// entry prints what a whole entry point took, which is more than its stages: what a
// budget is held against.
func (p *progress) entry(e vtrace.EntryPoint, elapsed time.Duration) {
	if p.timing {
		p.Lock()
		defer p.Unlock()
		p.clear()
		fmt.Fprintf(p.w, "%-22s %8.3fs %s\n", "entry", elapsed.Seconds(), e)
	}
}

// suffix names the entry point behind what is said of it.
func (p *progress) suffix() string {
	if p.of == "" {
		return ""
	}
	return " " + p.of
}

// stage draws what begins, or says it.
func (p *progress) stage(format string, args ...any) {
	if p.verbose {
		p.clear()
		fmt.Fprintf(p.w, "vtrace: %s%s\n", plain(fmt.Sprintf(format, args...)), p.suffix())
		return
	}
	p.draw(format, args...)
}

// say prints a line, if it is to.
func (p *progress) say(format string, args ...any) {
	if p.verbose {
		p.Lock()
		defer p.Unlock()
		p.clear()
		fmt.Fprintf(p.w, "vtrace: %s\n", plain(fmt.Sprintf(format, args...)))
	}
}

// draw shows a line until the next one. The caller holds the screen.
func (p *progress) draw(format string, args ...any) {
	now := time.Now()
	if !p.terminal || now.Sub(p.start) < time.Second || now.Sub(p.drawn) < 100*time.Millisecond {
		return
	}
	p.clear()
	fmt.Fprintf(p.w, format+"%s", append(slices.Clone(args), p.suffix())...)
	p.drawn, p.dirty = now, true
}

// clear removes what is drawn. The caller holds the screen.
func (p *progress) clear() {
	if p.dirty {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.dirty = false
	}
}

// done removes what is drawn.
func (p *progress) done() {
	p.Lock()
	defer p.Unlock()
	p.clear()
}

// whileNothingIsDrawn prints what is no progress.
func (p *progress) whileNothingIsDrawn(print func() error) error {
	p.Lock()
	defer p.Unlock()
	p.clear()
	return print()
}

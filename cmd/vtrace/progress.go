package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/internal/pass"
)

// screen is where progress is shown, of one entry point or several at once.
type screen struct {
	sync.Mutex
	w        io.Writer
	terminal bool
	width    func() int // of the terminal, in columns; nil and 0: it is not known
	start    time.Time
	drawn    time.Time
	dirty    bool
	// going are the stages that go on, in their order, and again is the timer that draws the last one again: a
	// stage that says nothing more may be long.
	going []*goingOn
	again *time.Timer
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

// What takes less than drawAfter is not drawn; then it is drawn again every drawEvery, so that one sees that it
// goes on. Where there is no terminal, a stage that takes sayAfter is said in a line, once.
const (
	drawAfter = time.Second
	drawEvery = time.Second
	sayAfter  = 30 * time.Second
)

func newProgress(w io.Writer, timing bool) *progress {
	f, ok := terminal(w)
	s := &screen{w: w, terminal: ok, start: time.Now()}
	if s.terminal {
		s.width = func() int { columns, _, _ := term.GetSize(int(f.Fd())); return columns }
	}
	return &progress{screen: s, timing: timing}
}

// terminal is the terminal that something is written to, false if it is none.
func terminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && term.IsTerminal(int(f.Fd()))
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
func (p *progress) event(e pass.Event) {
	p.Lock()
	defer p.Unlock()
	switch e := e.(type) {
	case pass.Unchanged:
		p.unchanged = &e
	case pass.ResultsUnusable:
		p.clear()
		fmt.Fprintf(p.w, "vtrace: the result is not kept, or not taken from an earlier check: %s\n", plain(e.Err.Error()))
	case pass.StageStarted:
		name := p.of + " " + e.Pass + " " + e.Stage
		switch e.Stage {
		case pass.LibrariesStage:
			p.stage(name, true, "compiling the standard library, and what else the program imports, for its instrumented form: long only once on this machine")
		case pass.LoadStage:
			p.stage(name, true, "%s pass: load: %s", e.Pass, loadingText)
		default:
			p.stage(name, false, "%s pass: %s", e.Pass, e.Stage)
		}
	case pass.StageDone:
		p.ended(p.of + " " + e.Pass + " " + e.Stage)
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

// loadingText says what loading is, which is long where nothing was compiled yet.
const loadingText = "the go command lists the packages, and compiles what they import"

// A goingOn is a stage that has begun and not ended.
type goingOn struct {
	name, text string
	since      time.Time
	timer      *time.Timer // which says it where there is no terminal, nil for none
}

// load says that the packages of a pattern are loaded.
func (p *progress) load(pattern string) {
	p.Lock()
	defer p.Unlock()
	p.stage(pass.LoadStage, true, "load %s: %s", pattern, loadingText)
}

// stage draws what begins, or says it. Unbounded is what no budget bounds, which may be long: without a terminal
// too that is said. The caller holds the screen.
func (p *progress) stage(name string, unbounded bool, format string, args ...any) {
	g := &goingOn{name: name, text: plain(fmt.Sprintf(format, args...)) + p.suffix(), since: time.Now()}
	if p.verbose {
		p.clear()
		fmt.Fprintf(p.w, "vtrace: %s\n", g.text)
	}
	p.going = append(p.going, g)
	switch {
	case p.terminal && !p.verbose:
		p.draw(format, args...)
		if p.again == nil {
			p.again = time.AfterFunc(max(drawEvery, time.Until(p.start.Add(drawAfter))), p.redraw)
		}
	case unbounded:
		g.timer = time.AfterFunc(sayAfter, func() { p.sayStill(g) })
	}
}

// ended forgets a stage. The caller holds the screen.
func (p *progress) ended(name string) {
	for i, g := range slices.Backward(p.going) {
		if g.name == name {
			g.stop()
			p.going = slices.Delete(p.going, i, i+1)
			return
		}
	}
}

func (g *goingOn) stop() {
	if g.timer != nil {
		g.timer.Stop()
	}
}

// redraw draws the stage that was begun last, with how long it takes, until none goes on.
func (s *screen) redraw() {
	s.Lock()
	defer s.Unlock()
	if s.again = nil; len(s.going) == 0 {
		return
	}
	if now := time.Now(); now.Sub(s.drawn) >= drawEvery { // nobody else has drawn something
		g := s.going[len(s.going)-1]
		s.line(g.text, fmt.Sprintf(" (%v)", now.Sub(g.since).Truncate(time.Second)))
	}
	s.again = time.AfterFunc(drawEvery, s.redraw)
}

// sayStill says in a line that a stage goes on.
func (s *screen) sayStill(g *goingOn) {
	s.Lock()
	defer s.Unlock()
	if slices.Contains(s.going, g) {
		fmt.Fprintf(s.w, "vtrace: %v so far: %s\n", time.Since(g.since).Truncate(time.Second), g.text)
	}
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
	if !p.terminal || now.Sub(p.start) < drawAfter || now.Sub(p.drawn) < 100*time.Millisecond {
		return
	}
	p.line(fmt.Sprintf(format, args...), p.suffix())
}

// line draws a line with an end in place of the one before. It is cut to the width of the terminal: of one that takes
// two lines there, clear would leave the first. The caller holds the screen.
func (s *screen) line(text, end string) {
	s.clear()
	if s.width != nil {
		if room := s.width() - 1 - utf8.RuneCountInString(end); room > 3 && utf8.RuneCountInString(text) > room {
			text = string([]rune(text)[:room-1]) + "…"
		}
	}
	fmt.Fprint(s.w, text+end)
	s.drawn, s.dirty = time.Now(), true
}

// clear removes what is drawn. The caller holds the screen.
func (s *screen) clear() {
	if s.dirty {
		fmt.Fprint(s.w, "\r\x1b[K")
		s.dirty = false
	}
}

// done removes what is drawn: nothing goes on.
func (p *progress) done() {
	p.Lock()
	defer p.Unlock()
	for _, g := range p.going {
		g.stop()
	}
	if p.going = nil; p.again != nil {
		p.again.Stop()
		p.again = nil
	}
	p.clear()
}

// whileNothingIsDrawn prints what is no progress.
func (p *progress) whileNothingIsDrawn(print func() error) error {
	p.Lock()
	defer p.Unlock()
	p.clear()
	return print()
}

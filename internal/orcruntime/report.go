//go:build go1.25

package orcruntime

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// String is "TIME goroutine  :  source line".
func (l LogLine) String() string {
	ms := l.Time.Milliseconds()
	rest := strconv.FormatInt(1000+ms%1000, 10)[1:]
	return strconv.FormatInt(ms/1000, 10) + "." + rest + "s " + l.G + "  :  " + sourceLine(l.Site)
}

// sourceLine is "file:line: text".
func sourceLine(site Site) string {
	i := site.info()
	if i.File == "" {
		return i.Key
	}
	if i.Text == "" {
		return i.Position()
	}
	return i.Position() + ": " + i.Text
}

// String is the state on one line, followed by the stack.
func (g GState) String() string {
	var b strings.Builder
	b.WriteString(g.G + ": " + g.State)
	if g.Op != "" {
		b.WriteString(" " + g.Op)
	}
	if g.Object != "" {
		b.WriteString(" on " + g.Object)
	}
	if g.Site != "" {
		b.WriteString(" at " + g.Site + " (" + g.Source + ")")
	}
	for _, line := range g.Stack {
		b.WriteString("\n\t" + line)
	}
	return b.String()
}

// String is the step as "(G at Site, case N)".
func (st Step) String() string {
	if st.G == TimeStep {
		return "time passes"
	}
	text := st.G + " at " + st.Site
	if st.Occ > 1 {
		text += " for the " + ordinal(st.Occ) + " time"
	}
	if st.Case != 0 {
		text += ", case " + caseText(st.Case)
	}
	return text
}

// String is the whole report: the verdict, how the program ended, and the
// state of every goroutine.
func (r Result) String() string {
	var b strings.Builder
	b.WriteString(r.Verdict + ": " + r.Message + "\n")
	if r.Outcome.Message != "" {
		b.WriteString("outcome: " + r.Outcome.Message + "\n")
		if r.Outcome.G != "" {
			b.WriteString("\tin goroutine " + r.Outcome.G + " at " + r.Outcome.Site + "\n")
		}
		for _, line := range r.Outcome.Stack {
			b.WriteString("\t" + line + "\n")
		}
	}
	for _, race := range r.Races {
		b.WriteString(race.Report())
	}
	for _, g := range r.Goroutines {
		b.WriteString(g.String() + "\n")
	}
	for _, n := range r.Notes {
		b.WriteString("note: " + n + "\n")
	}
	return b.String()
}

// explain is the message of a divergence.
func (s *run) explain(d *divergence) string {
	text := "step " + strconv.Itoa(d.step) + " of " + strconv.Itoa(len(s.cfg.Plan.Steps)) +
		" could not be done: expected " + d.want.String()
	if site, ok := siteOf(d.want.Site); ok && site.info().File != "" {
		text += " (" + sourceLine(site) + ")"
	}
	return text + "; found that " + d.found
}

// states are all goroutines.
func (s *run) states() []GState {
	list := make([]*goroutine, 0, len(s.all))
	for _, g := range s.all {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b *goroutine) int {
		if lowerPath(a.path, b.path) {
			return -1
		}
		return 1
	})
	states := make([]GState, len(list))
	for i, g := range list {
		st := GState{G: g.path, State: g.stateText(), Holds: s.ownedBy(g), Closed: s.closedBy(g)}
		if g.state != done {
			st.Op, st.Object = g.op.String(), s.objectOf(g)
			switch {
			case g.op == opMap:
				st.Op = mapUses[g.using]
			case g.op == opLock && g.wants.kind == readLock: // by a RLocker
				st.Op = opRLock.String()
			}
			if g.op == opWait && g.state == blocked {
				st.Counter = s.waitGroupCount((*sync.WaitGroup)(g.obj))
			}
			if g.site != 0 {
				st.Site, st.Source = g.site.key(), sourceLine(g.site)
			}
		}
		states[i] = st
	}
	return states
}

// The states of goroutines, as GState has them.
const (
	stateRunning    = "running"
	stateNotStarted = "not started"
	stateAt         = "at"
	stateBlocked    = "blocked"
	stateOutside    = "outside"
	stateFinished   = "finished"
	statePanicked   = "panicked"
	stateEnded      = "ended the program in"
)

// GoroutineStates are the states that GState may have.
func GoroutineStates() []string {
	return []string{stateRunning, stateNotStarted, stateAt, stateBlocked, stateOutside, stateFinished, statePanicked, stateEnded}
}

func (g *goroutine) stateText() string {
	switch g.state {
	case parked:
		if g.op == opStart {
			return stateNotStarted
		}
		return stateAt
	case blocked:
		if g.run.over && g.run.outcome.G == g.path {
			return stateEnded
		}
		return stateBlocked
	case outside:
		return stateOutside
	case done:
		if g.panicked {
			return statePanicked
		}
		return stateFinished
	}
	return stateRunning
}

// doing says in words what g does.
func (s *run) doing(g *goroutine) string {
	text := g.stateText()
	if g.state == done {
		return text
	}
	if text == stateBlocked {
		text += " in"
	}
	if g.op != opNone && g.op != opStart {
		text += " " + g.op.String()
	}
	if o := s.objectOf(g); o != "" {
		text += " on " + o
	}
	if g.site != 0 {
		text += " at " + g.site.key() + " (" + sourceLine(g.site) + ")"
	}
	return text
}

// endText says how the program ended.
func (s *run) endText() string {
	switch {
	case s.outcome.Kind != "" && s.outcome.G != "":
		return s.outcome.Kind + " in goroutine " + s.outcome.G + ": " + s.outcome.Message
	case s.outcome.Kind != "":
		return s.outcome.Kind + ": " + s.outcome.Message
	case s.outcome.Message != "":
		return s.outcome.Message
	case s.stopped:
		return "stopped"
	case s.returned:
		return "the entry function returned"
	}
	return "nothing"
}

func expectText(e Expect) string {
	text := e.Kind
	for i, at := range e.Goroutines {
		sep := ", "
		if i == 0 {
			sep = " of "
		}
		text += sep + at.G
		if at.Site != "" {
			text += " at " + at.Site
		}
	}
	return text
}

func caseText(i int) string {
	if i == noCase {
		return "default"
	}
	return strconv.Itoa(i)
}

func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

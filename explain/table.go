package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
)

const (
	// maxWidth is the width that the columns of the goroutines share, and minColumn what each
	// has at least.
	maxWidth  = 100
	minColumn = 24
	// maxColumns is the number of goroutines up to which each has a column.
	maxColumns = 6
)

// Table is the interleaving of a finding as text: a line for each step, a column for each
// goroutine, and behind the steps who is blocked, and where, or the accesses that race. With many goroutines there is one
// column that names them. A step 0 stands for what was left out.
func Table(f artifact.Finding) []string {
	var goroutines []string
	seen := func(g string) {
		if g != "" && g != artifact.TimeStep && !slices.Contains(goroutines, g) {
			goroutines = append(goroutines, g)
		}
	}
	for _, s := range f.Interleaving {
		seen(s.G)
	}
	var ends []artifact.FindingGoroutine
	for _, g := range f.Goroutines {
		if g.File != "" && (g.State == stateBlocked || f.Kind == artifact.KindRace) {
			seen(g.G)
			ends = append(ends, g)
		}
	}
	t := &table{goroutines: goroutines}
	head := []string{"step", "where"}
	if len(goroutines) > maxColumns {
		t.goroutines = nil
		head = append(head, "goroutine", "what it does")
	} else {
		head = append(head, goroutines...)
	}
	t.rows = append(t.rows, head)
	for _, s := range f.Interleaving {
		switch {
		case s.Step == 0:
			t.rows = append(t.rows, []string{"..."})
		case s.G == artifact.TimeStep:
			t.rows = append(t.rows, []string{strconv.Itoa(s.Step), "time passes"})
		default:
			t.add(strconv.Itoa(s.Step), at(s.File, s.Line), s.G, Step(s))
		}
	}
	for _, g := range ends {
		text := "blocked: "
		if f.Kind == artifact.KindRace {
			text = g.Operation + ": "
		}
		t.add("", at(g.File, g.Line), g.G, text+g.Text)
	}
	return t.lines()
}

// Step is what a step does, in the words of the source.
func Step(s artifact.FindingStep) string {
	switch kind := sites.Named(s.Operation); kind {
	case sites.Start:
		return "start of the goroutine"
	case sites.End:
		return "return"
	case sites.Select:
		if s.Case < 0 {
			return "[default] " + s.Text
		}
		return fmt.Sprintf("[case %d] %s", s.Case+1, s.Text)
	default:
		if kind == sites.Invalid || kind.IsAccess() {
			return s.Operation + ": " + s.Text
		}
		return s.Text
	}
}

type table struct {
	goroutines []string // those with a column
	rows       [][]string
}

// add adds what a goroutine does. A text that is wider than its column goes on in the next row.
func (t *table) add(step, where, g, text string) {
	width, before := maxWidth, []string{g}
	if n := len(t.goroutines); n > 0 {
		width, before = max(minColumn, maxWidth/max(n, 2)), make([]string, slices.Index(t.goroutines, g))
	}
	for i, part := range wrap(OneLine(text), width) {
		if i > 0 {
			step, where = "", ""
			if t.goroutines == nil {
				before = []string{""}
			}
		}
		t.rows = append(t.rows, append(append([]string{step, where}, before...), part))
	}
}

// wrap cuts a text into parts of a width, at blanks where there are some; the second and later
// ones are indented.
func wrap(text string, width int) []string {
	const indent = "  "
	var parts []string
	rest := []rune(text)
	for len(rest) > width {
		n := width
		for i := width; i > width/2; i-- {
			if rest[i] == ' ' {
				n = i
				break
			}
		}
		parts = append(parts, string(rest[:n]))
		rest = append([]rune(indent), []rune(strings.TrimLeft(string(rest[n:]), " "))...)
	}
	return append(parts, string(rest))
}

// lines pads the cells of a table to the width of their column. Numbers of steps are to the
// right.
func (t *table) lines() []string {
	var width []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var out []string
	for _, row := range t.rows {
		var b strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(pad + cell)
				continue
			}
			b.WriteString("  " + cell + pad)
		}
		out = append(out, strings.TrimRight(b.String(), " "))
	}
	return out
}

// OneLine makes of a text one line, also where a line of Go source ends.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == 0 || r == '\ufeff' {
			return ' '
		}
		return r
	}, s)
}

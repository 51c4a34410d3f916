package exploration

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
)

// A Refusal is a construct that cannot be translated.
type Refusal struct {
	Pos    token.Position // file relative to the module root
	What   string         // the construct
	Reason string         // why it cannot be translated
}

// Unsupported records a construct that stops the translation.
func (x *Explorer) Unsupported(pos token.Pos, what, reason string) {
	if !pos.IsValid() { // in code that has none: a wrapper, or an initialiser
		pos = x.Program.Entry.Pos()
	}
	r := Refusal{Pos: x.Position(pos), What: what, Reason: reason}
	if key := fmt.Sprintf("%s: %s: %s", r.Pos, what, reason); !x.refused[key] {
		x.refused[key] = true
		x.Refusals = append(x.Refusals, r)
	}
}

// Approximation returns the number of an approximation, recorded once.
func (x *Explorer) Approximation(pos token.Pos, kind, direction, reason string) int {
	if x.Options.Strict {
		x.Unsupported(pos, kind, reason)
	}
	q := x.Position(pos)
	key := fmt.Sprintf("%s|%s|%s|%s", q, kind, direction, reason)
	if n, ok := x.approxAt[key]; ok {
		return n
	}
	a := artifact.Approximation{File: q.Filename, Line: q.Line, Col: q.Column, Kind: kind, Direction: direction, Reason: reason}
	if s, ok := x.Sites.Stmt(pos); ok && pos.IsValid() {
		a.Site = int(s.ID)
	}
	x.Approx = append(x.Approx, a)
	x.approxAt[key] = len(x.Approx) - 1
	return len(x.Approx) - 1
}

// leaveOut turns what is not supported into approximations.
func (x *Explorer) leaveOut() {
	for _, r := range x.Refusals {
		x.Approx = append(x.Approx, artifact.Approximation{
			File: r.Pos.Filename, Line: r.Pos.Line, Col: r.Pos.Column,
			Kind: "unsupported", Direction: artifact.DirectionUnder, Reason: r.What + ": " + r.Reason,
		})
	}
}

// MissingPanics records the panics that are not in the model, all as one.
func (x *Explorer) MissingPanics() {
	if len(x.Faults) == 0 {
		return
	}
	at := slices.SortedFunc(maps.Keys(x.Faults), func(p, q token.Pos) int {
		a, b := x.Position(p), x.Position(q)
		return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	reason := "the values are not tracked: a panic here (" + x.Faults[at[0]] + "), which would be recovered, is not in the model"
	if n := len(at) - 1; n > 0 {
		reason += fmt.Sprintf("; nor are those of %d more places, the next at %s:%d", n, filepath.Base(x.Position(at[1]).Filename), x.Position(at[1]).Line)
	}
	x.Approximation(at[0], "runtime-panic", artifact.DirectionUnder, reason)
}

// NoteCompletions records what has been added.
func (x *Explorer) NoteCompletions() {
	for _, c := range x.Program.Added {
		a := artifact.Approximation{File: c.File, Line: c.Line, Col: c.Col, Kind: approximation.Completed, Direction: artifact.DirectionOver, Reason: "completed from a run of the program: " + c.What()}
		x.Approx = append(x.Approx, a)
	}
}

// Conditional are the approximations of paths on which something is saturated, and of no others.
// The model does not rest on them if no number in it ever is.
func (x *Explorer) Conditional() []int {
	var out []int
	for i := range x.Approx {
		if x.saturated[i] && !x.plainly[i] {
			out = append(out, i)
		}
	}
	return out
}

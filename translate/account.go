package translate

import (
	"cmp"
	"errors"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"

	"github.com/hashicorp/go-multierror"

	"github.com/vtrace/vtrace/artifact"
)

// UnsupportedError is a construct that cannot be translated.
type UnsupportedError struct {
	Pos    token.Position // file relative to the module root
	What   string
	Reason string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s: %s not supported: %s", e.Pos, e.What, e.Reason)
}

// unsupported records a construct that stops the translation.
func (x *translator) unsupported(pos token.Pos, what, reason string) {
	if !pos.IsValid() { // in code that has none: a wrapper, or an initialiser
		pos = x.prog.Entry.Pos()
	}
	e := &UnsupportedError{Pos: x.position(pos), What: what, Reason: reason}
	if !x.errSeen[e.Error()] {
		x.errSeen[e.Error()] = true
		x.errs = multierror.Append(x.errs, e)
	}
}

// approximation returns the number of an approximation, recorded once.
func (x *translator) approximation(pos token.Pos, kind, direction, reason string) int {
	if x.opts.Strict {
		x.unsupported(pos, kind, reason)
	}
	q := x.position(pos)
	key := fmt.Sprintf("%s|%s|%s|%s", q, kind, direction, reason)
	if n, ok := x.approxAt[key]; ok {
		return n
	}
	a := artifact.Approximation{File: q.Filename, Line: q.Line, Col: q.Column, Kind: kind, Direction: direction, Reason: reason}
	if s, ok := x.idx.Stmt(pos); ok && pos.IsValid() {
		a.Site = int(s.ID)
	}
	x.approx = append(x.approx, a)
	x.approxAt[key] = len(x.approx) - 1
	return len(x.approx) - 1
}

// leaveOut turns what is not supported into approximations.
func (x *translator) leaveOut() {
	for _, err := range x.errs.Errors {
		var u *UnsupportedError
		if errors.As(err, &u) {
			x.approx = append(x.approx, artifact.Approximation{
				File: u.Pos.Filename, Line: u.Pos.Line, Col: u.Pos.Column,
				Kind: "unsupported", Direction: artifact.DirectionUnder, Reason: u.What + ": " + u.Reason,
			})
		}
	}
}

// missingPanics records the panics that are not in the model, all as one.
func (x *translator) missingPanics() {
	if len(x.faults) == 0 {
		return
	}
	at := slices.SortedFunc(maps.Keys(x.faults), func(p, q token.Pos) int {
		a, b := x.position(p), x.position(q)
		return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	reason := "the values are not tracked: a panic here (" + x.faults[at[0]] + "), which would be recovered, is not in the model"
	if n := len(at) - 1; n > 0 {
		reason += fmt.Sprintf("; nor are those of %d more places, the next at %s:%d", n, filepath.Base(x.position(at[1]).Filename), x.position(at[1]).Line)
	}
	x.approximation(at[0], "runtime-panic", artifact.DirectionUnder, reason)
}

// noteCompletions records what has been added.
func (x *translator) noteCompletions() {
	for _, c := range x.prog.Added {
		a := artifact.Approximation{File: c.File, Line: c.Line, Col: c.Col, Kind: artifact.ApproximationCompleted, Direction: artifact.DirectionOver, Reason: "completed from a run of the program: " + c.What()}
		x.approx = append(x.approx, a)
	}
}

// conditional are the approximations of ways on which a number is beyond its limits, and of no
// others.
func (x *translator) conditional() []int {
	var out []int
	for i := range x.approx {
		if x.beyond[i] && !x.plainly[i] {
			out = append(out, i)
		}
	}
	return out
}

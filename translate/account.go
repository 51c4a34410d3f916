package translate

import (
	"fmt"
	"go/token"

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

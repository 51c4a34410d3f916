package emission

import (
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Formulas are trees, so that nothing has to guess from a text where parentheses belong. nil is the formula that says
// nothing: what is made of others leaves it out.

// is is the formula that a process is at a location, or the value of its variable of that name.
func is(process, name string) uppaal.Expr {
	return &uppaal.Field{X: &uppaal.Ident{Name: process}, Name: name}
}

// stuck is the formula that a process never makes a step again.
func stuck(process string) uppaal.Expr {
	return &uppaal.Stuck{Process: &uppaal.Ident{Name: process}}
}

// ended is the formula that the program is over.
func ended() uppaal.Expr { return &uppaal.Ident{Name: "ended"} }

func not(x uppaal.Expr) uppaal.Expr { return &uppaal.Unary{Op: uppaal.OpNot, X: x} }

func equal(x uppaal.Expr, k int32) uppaal.Expr {
	return &uppaal.Binary{Op: uppaal.OpEq, X: x, Y: literal(k)}
}

// all is the conjunction of formulas.
func all(xs ...uppaal.Expr) uppaal.Expr { return chain(uppaal.OpAnd, xs) }

// some is the disjunction of formulas.
func some(xs ...uppaal.Expr) uppaal.Expr { return chain(uppaal.OpOr, xs) }

// chain joins formulas by an operator. Those that are chains of it themselves become part of the chain.
func chain(op uppaal.Op, xs []uppaal.Expr) (out uppaal.Expr) {
	for _, x := range xs {
		b, same := x.(*uppaal.Binary)
		switch {
		case x == nil:
		case out == nil:
			out = x
		case same && b.Op == op:
			out = &uppaal.Binary{Op: op, X: chain(op, []uppaal.Expr{out, b.X}), Y: b.Y}
		default:
			out = &uppaal.Binary{Op: op, X: out, Y: x}
		}
	}
	return out
}

// never asks whether a formula holds in no state.
func never(x uppaal.Expr) *uppaal.Query { return &uppaal.Query{Op: uppaal.Always, X: not(x)} }

// somebody is the formula that a process is at one of the locations of the model for which a condition holds, nil if
// there are none.
func (e *emitter) somebody(here func(*state.Location) bool) uppaal.Expr {
	var at []uppaal.Expr
	for _, t := range e.in.Templates {
		for _, l := range t.Locations {
			if _, ok := e.kept[l]; !ok || !here(l) {
				continue
			}
			for _, p := range e.processes[t] {
				at = append(at, is(p, l.Name))
			}
		}
	}
	return some(at...)
}

package translate

import (
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/layout"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// arg returns argument k of the operation on top of the stack.
func (p *path) arg(k int) []*sym.Expr {
	f := p.peek()
	if e := p.kept(f.Call, state.ArgKey(k)); len(e) > 0 {
		return e
	}
	return layout.Unknowns(2, "an argument that is not tracked")
}

// args returns all arguments of the operation on top of the stack.
func (p *path) args() [][]*sym.Expr {
	out := make([][]*sym.Expr, max(3, len(p.peek().Target.Args)))
	for k := range out {
		out[k] = p.arg(k)
	}
	return out
}

// resultWidth is the number of scalars of the result of the call of the
// operation on top of the stack.
func (p *path) resultWidth() int {
	if call, ok := p.peek().Call.Site.(*ssa.Call); ok {
		return p.x.ValueWidth(call)
	}
	return 0
}

// getAt is what such a cell has.
func (p *path) getAt(addr *sym.Expr, off int32) *sym.Expr {
	v := sym.Unknown("the object is not tracked")
	for i, k := range p.addresses(addr) {
		if i == 0 {
			v = p.cellAt(k + off)
			continue
		}
		v = sym.Ite(eq(addr, k), p.cellAt(k+off), v)
	}
	return v
}

// putAt sets a cell of the object that is at one of several addresses.
func (p *path) putAt(addr *sym.Expr, off int32, v *sym.Expr) {
	for _, k := range p.addresses(addr) {
		p.put(k+off, sym.Ite(eq(addr, k), v, p.cellAt(k+off)))
	}
}

// addresses are those that an expression can be. Where they are too many it is said that
// what is done there is not in the model.
func (p *path) addresses(addr *sym.Expr) []int32 {
	a := p.abs(addr)
	if a.Top || a.Interval {
		p.note("unknown-memory", artifact.DirectionUnder, "the object is not tracked: what is done to it is not in the model")
		return nil
	}
	return a.Elems
}

// siteOf finds the site of that kind of the operation on top of the stack, 0 if it
// has none: of the call, or where it goes through a method value or a wrapper, of
// that.
func (p *path) siteOf(kind sites.Kind) sites.ID {
	for i := len(p.frames) - 1; i >= 0; i-- {
		f := p.frames[i]
		if s, ok := p.x.idx.At(kind, f.Target.Pos); ok && f.Target.Pos.IsValid() {
			return s.ID
		}
		if f.Call.Site != nil && f.Call.Site.Pos().IsValid() {
			if s, ok := p.x.idx.At(kind, f.Call.Site.Pos()); ok {
				return s.ID
			}
		}
		if f.Call.Parent == nil || f.Call.Parent.Fn == nil || !program.Synthetic(f.Call.Parent.Fn) {
			break
		}
	}
	return 0
}

// scopeOf is the call of t.Run whose subtest the path is in, or the goroutine of
// it, nil in the test itself.
func (p *path) scopeOf() *state.CallPath {
	for i := len(p.frames) - 1; i >= 0; i-- {
		if f := p.frames[i]; f.Op.RunsSubtest() || f.Op.StartedBy(sites.Subtest) {
			return f.Call
		}
	}
	if p.t.Parent != nil {
		return p.t.Scope
	}
	return nil
}

func (x *translator) stmtOf(fn *ssa.Function, instr ssa.Instruction) sites.ID {
	pos := x.prog.Function(fn).Positions[instr]
	if !pos.IsValid() {
		return 0
	}
	s, ok := x.idx.Stmt(pos)
	if !ok {
		return 0
	}
	return s.ID
}

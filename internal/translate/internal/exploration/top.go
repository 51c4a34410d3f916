package exploration

import (
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Arg returns argument k of the operation on top of the stack.
func (p *Path) Arg(k int) []*sym.Expr {
	f := p.Peek()
	if e := p.Kept(f.Call, state.ArgKey(k)); len(e) > 0 {
		return e
	}
	return layout.Unknowns(2, "an argument that is not tracked")
}

// Args returns all arguments of the operation on top of the stack.
func (p *Path) Args() [][]*sym.Expr {
	out := make([][]*sym.Expr, max(3, len(p.Peek().Target.Args)))
	for k := range out {
		out[k] = p.Arg(k)
	}
	return out
}

// ResultWidth is the number of scalars of the result of the call of the
// operation on top of the stack.
func (p *Path) ResultWidth() int {
	if call, ok := p.Peek().Call.Site.(*ssa.Call); ok {
		return p.Explorer.ValueWidth(call)
	}
	return 0
}

// GetAt is a cell of the object that is at one of several addresses.
func (p *Path) GetAt(addr *sym.Expr, off int32) *sym.Expr {
	v := sym.Unknown("the object is not tracked")
	for i, k := range p.Addresses(addr) {
		if i == 0 {
			v = p.CellAt(k + off)
			continue
		}
		v = sym.Ite(Eq(addr, k), p.CellAt(k+off), v)
	}
	return v
}

// PutAt sets a cell of the object that is at one of several addresses.
// All of them are written, each with what it had unless it is the one.
func (p *Path) PutAt(addr *sym.Expr, off int32, v *sym.Expr) {
	for _, k := range p.Addresses(addr) {
		p.Put(k+off, sym.Ite(Eq(addr, k), v, p.CellAt(k+off)))
	}
}

// Addresses are those that an expression can be. Where they are too many it is said that
// what is done there is not in the model.
func (p *Path) Addresses(addr *sym.Expr) []int32 {
	a := p.Abs(addr)
	if a.Top || a.Interval {
		p.Note("unknown-memory", artifact.DirectionUnder, "the object is not tracked: what is done to it is not in the model")
		return nil
	}
	return a.Elems
}

// SiteOf finds the site of that kind of the operation on top of the stack, 0 if it
// has none: of the call, or where it goes through a method value or a wrapper, of
// that.
func (p *Path) SiteOf(kind sites.Kind) sites.ID {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		f := p.Frames[i]
		if s, ok := p.Explorer.Sites.At(kind, f.Target.Pos); ok && f.Target.Pos.IsValid() {
			return s.ID
		}
		if f.Call.Site != nil && f.Call.Site.Pos().IsValid() {
			if s, ok := p.Explorer.Sites.At(kind, f.Call.Site.Pos()); ok {
				return s.ID
			}
		}
		if f.Call.Parent == nil || f.Call.Parent.Fn == nil || !program.Synthetic(f.Call.Parent.Fn) {
			break
		}
	}
	return 0
}

// ScopeOf is the call of t.Run whose subtest the path is in, or the goroutine of
// it, nil in the test itself.
func (p *Path) ScopeOf() *state.CallPath {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		if f := p.Frames[i]; f.Op.RunsSubtest() || f.Op.StartedBy(sites.Subtest) {
			return f.Call
		}
	}
	if p.Template.Parent != nil {
		return p.Template.Scope
	}
	return nil
}

// StmtOf is the statement of an instruction, 0 for none.
func (x *Explorer) StmtOf(fn *ssa.Function, instr ssa.Instruction) sites.ID {
	pos := x.Program.Function(fn).Positions[instr]
	if !pos.IsValid() {
		return 0
	}
	s, ok := x.Sites.Stmt(pos)
	if !ok {
		return 0
	}
	return s.ID
}

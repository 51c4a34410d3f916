package exploration

import (
	"go/types"
	"slices"

	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// span is where a part lies among the scalars of its variable; ok is false if
// the model does not keep it apart.
func (x *Explorer) span(p relevance.Part) (off, n int, ok bool) {
	t := program.Pointee(p.Root.Type())
	for _, k := range p.Path {
		if at, ok := layout.LibraryField(t, k); ok {
			off, t = off+int(at), t.Underlying().(*types.Struct).Field(k).Type()
			continue
		}
		if x.Foreign(t) {
			return 0, 0, false
		}
		switch u := t.Underlying().(type) {
		case *types.Struct:
			off += x.FieldOffset(u, k)
			t = u.Field(k).Type()
		case *types.Array:
			w := x.Width(u.Elem())
			if int64(x.Width(t)) != int64(w)*u.Len() || k < 0 || int64(k) >= u.Len() {
				return 0, 0, false
			}
			off += k * w
			t = u.Elem()
		}
	}
	return off, x.Width(t), true
}

// LoadPart reads a part of a local variable.
func (x *Explorer) LoadPart(p *Path, ctx *state.CallPath, a relevance.Part, t types.Type) []*sym.Expr {
	off, n, ok := x.span(a)
	e := p.Value(ctx, a.Root)
	if !ok || off+n > len(e) {
		return layout.Unknowns(x.Width(t), "field of a foreign type")
	}
	return slices.Clone(e[off : off+n])
}

// StorePart writes a part of a local variable.
func (x *Explorer) StorePart(p *Path, ctx *state.CallPath, a relevance.Part, v []*sym.Expr) {
	e := slices.Clone(p.Value(ctx, a.Root))
	if off, n, ok := x.span(a); ok && off+n <= len(e) && len(v) == n {
		copy(e[off:], v)
	} else {
		e = layout.Unknowns(len(e), "field of a foreign type")
	}
	p.Set(ctx, a.Root, e)
}

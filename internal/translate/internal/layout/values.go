package layout

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// OpaqueError stands for the dynamic types of errors of libraries.
var OpaqueError types.Type = types.NewNamed(types.NewTypeName(token.NoPos, nil, "libraryError", nil), types.NewStruct(nil, nil), nil)

// IsRef reports that a scalar is a reference to an object.
func (l *Layout) IsRef(k state.VarKey) bool {
	switch v := k.V.(type) {
	case state.PanicKey:
		return k.Comp == 1
	case state.ArgKey, state.DeferKey:
		return true
	case *ssa.Range:
		return k.Comp == 0
	case ssa.Value:
		if m, ok := v.(*ssa.MakeClosure); ok && Direct(m) {
			return true
		}
		r := l.ValueRefs(v)
		return k.Comp < len(r) && r[k.Comp]
	}
	return false
}

// ValueRefs says for each scalar of a value whether it is a reference.
func (l *Layout) ValueRefs(v ssa.Value) []bool {
	if l.sl.Plain[v] {
		return l.Refs(program.Pointee(v.Type()))
	}
	return l.Refs(v.Type())
}

// DeferOperands lists the operands that a deferred call keeps.
func (l *Layout) DeferOperands(i ssa.CallInstruction) []ssa.Value {
	var out []ssa.Value
	keep := func(v ssa.Value) {
		switch v.(type) {
		case *ssa.Function, *ssa.Builtin, *ssa.Const, *ssa.Global:
			return
		}
		if l.sl.Values[v] {
			out = append(out, v)
		}
	}
	keep(i.Common().Value)
	for _, a := range i.Common().Args {
		keep(a)
	}
	return out
}

// deferWidth is the number of scalars that a deferred call keeps.
func (l *Layout) deferWidth(d state.DeferKey) int {
	switch {
	case d.Context, d.Join:
		return 0
	case d.Cleanup:
		return 1
	}
	n := 0
	for _, v := range l.DeferOperands(d.Instr) {
		n += l.ValueWidth(v)
	}
	return n
}

// Unknowns are n scalars of which nothing is known, for the reason given.
func Unknowns(n int, why string) []*sym.Expr {
	out := make([]*sym.Expr, n)
	for i := range out {
		out[i] = sym.Unknown(why)
	}
	return out
}

// Zeros are n scalars of 0.
func Zeros(n int) []*sym.Expr {
	out := make([]*sym.Expr, n)
	for i := range out {
		out[i] = sym.Num(0)
	}
	return out
}

// ResultWidth is the number of scalars of what a function returns.
func (l *Layout) ResultWidth(f *ssa.Function) int {
	return l.Width(f.Signature.Results())
}

// Constant returns the scalars of a constant.
func (l *Layout) Constant(c *ssa.Const) []*sym.Expr {
	if c.Value == nil {
		return Zeros(l.Width(c.Type()))
	}
	if k, ok := program.Int32Const(c); ok {
		return []*sym.Expr{sym.Num(k)}
	}
	if c.Value.Kind() == constant.String {
		return []*sym.Expr{sym.Num(l.mem.Text(constant.StringVal(c.Value)))}
	}
	return Unknowns(l.Width(c.Type()), "a number that is not a small integer")
}

// Global returns the object of a package-level variable.
func (l *Layout) Global(g *ssa.Global) *state.Object {
	o := l.mem.Keyed["global "+g.String()]
	if o != nil {
		return o
	}
	t := program.Pointee(g.Type())
	o = l.mem.KeyedObject("global "+g.String(), func() *state.Object {
		return l.NewData(state.Identifier(g.Name()), t)
	})
	l.Describe(o, t)
	if why := l.prog.OutsideReason(g); why != "" {
		for i := range o.Size {
			l.mem.Cells[o.Base+i].Outside = why
		}
	}
	if g.Pkg != nil && !l.prog.Translated(g.Pkg.Pkg.Path()) {
		for i := range o.Size {
			l.mem.Cells[o.Base+i].Abs, l.mem.Cells[o.Base+i].Open = sym.Anything(), true
		}
		if program.IsError(t) {
			// An error variable of a library is not nil and equal to itself only.
			e := l.ErrorValue("error "+g.String(), state.Identifier(g.Name()))
			for i, v := range e {
				c := l.mem.Cells[o.Base+int32(i)]
				c.Init, c.Abs, c.Open = v.K, sym.Single(v.K), false
			}
		}
	}
	return o
}

// ErrorValue is an interface value that holds an error of unknown contents
// with an identity of its own.
func (l *Layout) ErrorValue(key, name string) []*sym.Expr {
	o := l.mem.KeyedObject(key, func() *state.Object { return &state.Object{Kind: state.OpaqueObject, Name: name, Size: 1} })
	return []*sym.Expr{sym.Num(l.mem.Tag(OpaqueError)), sym.Num(o.Base)}
}

// SomeError is an error of which nothing else is known.
func (l *Layout) SomeError() []*sym.Expr {
	return []*sym.Expr{sym.Num(l.mem.Tag(OpaqueError)), sym.Unknown("an error from a library")}
}

// Direct reports that a closure is only called, deferred or started where it is
// made: then it is never an object, its bindings are passed as arguments are.
func Direct(m *ssa.MakeClosure) bool {
	if m.Referrers() == nil {
		return false
	}
	for _, r := range *m.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case ssa.CallInstruction:
			if r.Common().Value != m {
				return false
			}
			for _, a := range r.Common().Args {
				if a == m {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// ValueWidth is the number of scalars of a value.
func (l *Layout) ValueWidth(v ssa.Value) int {
	if m, ok := v.(*ssa.MakeClosure); ok && Direct(m) {
		n := 0
		for k, b := range m.Bindings {
			if l.sl.Values[m.Fn.(*ssa.Function).FreeVars[k]] {
				n += l.ValueWidth(b)
			}
		}
		return n
	}
	if _, ok := v.(*ssa.Range); ok {
		return 2 // see maps.go
	}
	if l.sl.Plain[v] {
		return l.Width(program.Pointee(v.Type()))
	}
	return l.Width(v.Type())
}

package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// candidates are the functions that the call graph is made of: those that the
// initialisers, the entry and TestMain use, and all methods of what becomes an
// interface in one of them. What only other tests pass on is not among what may
// come out of a variable then. This is rapid type analysis (Bacon and Sweeney,
// OOPSLA 1996) where every interface call may go to any of these methods, since
// code that is not loaded may call them too.
func (p *Program) candidates() map[*ssa.Function]bool {
	all := map[*ssa.Function]bool{}
	converted := p.converted
	var todo []*ssa.Function
	add := func(f *ssa.Function) {
		if f != nil && f.Blocks != nil && !all[f] {
			all[f] = true
			todo = append(todo, f)
		}
	}
	add(p.Init)
	add(p.Entry)
	if p.TestMain != nil {
		add(p.TestMain.Func)
	}
	for _, f := range p.calledToo() {
		add(f)
	}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok {
						add(g)
					}
				}
				p.contained.add(instr)
				i, ok := instr.(*ssa.MakeInterface)
				if !ok || converted[i.X.Type()] {
					continue
				}
				converted[i.X.Type()] = true
				methods := p.SSA.MethodSets.MethodSet(i.X.Type())
				if IsFunc(i.X.Type()) && methods.Len() > 0 {
					p.functionTypes = append(p.functionTypes, i.X.Type())
				}
				for k := range methods.Len() {
					add(p.SSA.MethodValue(methods.At(k)))
				}
			}
		}
	}
	return all
}

// Callees returns the functions that a call may run, in order.
func (p *Program) Callees(site ssa.CallInstruction) []*ssa.Function {
	if f := site.Common().StaticCallee(); f != nil {
		return []*ssa.Function{f}
	}
	if out, ok := p.kept[site]; ok {
		return out
	}
	n := p.graph.Nodes[site.Parent()]
	if n == nil {
		return nil
	}
	var out []*ssa.Function
	for _, e := range n.Out {
		if e.Site == site {
			out = append(out, e.Callee.Func)
		}
	}
	// A value that comes from nowhere comes from memory that the library keeps, or from
	// reflection.
	if c := site.Common(); c.IsInvoke() && (len(out) == 0 || fromContainer(c.Value, map[ssa.Value]bool{})) {
		for _, f := range p.implementations(c) {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
		out = append(out, p.forwarders(c)...)
		sortFuncs(out)
		p.kept[site] = out
		return out
	}
	for _, f := range p.takenOut(site.Common()) {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	for _, f := range p.Calls[site] {
		if !p.FromLibrary(site) && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	out = append(out, p.forwarders(site.Common())...)
	sortFuncs(out)
	return out
}

// implementations are the methods that an interface call may run, of all types
// whose values become interfaces.
func (p *Program) implementations(c *ssa.CallCommon) []*ssa.Function {
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var out []*ssa.Function
	for t := range p.converted {
		if !types.Implements(t, iface) {
			continue
		}
		if f := p.SSA.LookupMethod(t, c.Method.Pkg(), c.Method.Name()); f != nil && f.Blocks != nil && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// CalledMethods are the methods by these names, with bodies, that the library may call
// of a value: of the type that it has if that is seen, else of all that become
// interfaces and have them.
func (p *Program) CalledMethods(v ssa.Value, names []string) []*ssa.Function {
	iface, ok := v.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var out []*ssa.Function
	of := func(t types.Type) {
		for m := range iface.Methods() {
			if !slices.Contains(names, m.Name()) {
				continue
			}
			if f := p.SSA.LookupMethod(t, m.Pkg(), m.Name()); f != nil && f.Blocks != nil && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	if m, ok := v.(*ssa.MakeInterface); ok {
		of(m.X.Type())
		return out
	}
	for t := range p.converted {
		if types.Implements(t, iface) {
			of(t)
		}
	}
	sortFuncs(out)
	return out
}

// Functions lists the functions with bodies that a function value can be: if it
// cannot be seen, all functions of its type that are used as values.
func (p *Program) Functions(v ssa.Value) []*ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		if v.Blocks == nil {
			return nil
		}
		return []*ssa.Function{v}
	case *ssa.MakeClosure:
		return p.Functions(v.Fn)
	case *ssa.ChangeType:
		return p.Functions(v.X)
	case *ssa.Const:
		return nil
	}
	sig, ok := v.Type().Underlying().(*types.Signature)
	if !ok {
		return nil
	}
	return p.functionsLike(sig)
}

// functionsLike are the functions that can run whose values have a type.
func (p *Program) functionsLike(sig *types.Signature) []*ssa.Function {
	var out []*ssa.Function
	for _, f := range p.Funcs {
		if t := f.Signature; t.Recv() == nil && types.Identical(types.NewSignatureType(nil, nil, nil, t.Params(), t.Results(), t.Variadic()), types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())) {
			out = append(out, f)
		}
	}
	return out
}

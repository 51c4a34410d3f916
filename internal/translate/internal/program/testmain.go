package program

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// The TestMain of a package runs around its tests, outside of what the model and
// a replay begin with. What it does is not in the model: of the package's
// variables that it sets nothing is known.

// TestMain is what a program's TestMain does.
type TestMain struct {
	Func  *ssa.Function
	Funcs map[*ssa.Function]bool    // it and what it calls
	sets  map[*ssa.Global]token.Pos // where it first sets a variable
}

// findTestMain finds the TestMain that runs around a test, nil if there is none,
// and what it sets.
func (p *Program) findTestMain() *TestMain {
	if !p.Source.Test {
		return nil
	}
	for _, pkg := range p.Source.Packages {
		sp := p.SSA.Package(pkg.Types)
		if sp == nil {
			continue
		}
		f := sp.Func("TestMain")
		if f == nil || f.Blocks == nil || f.Signature.Params().Len() != 1 || TypeKey(f.Signature.Params().At(0).Type()) != "*testing.M" {
			continue
		}
		m := &TestMain{Func: f, Funcs: map[*ssa.Function]bool{}, sets: map[*ssa.Global]token.Pos{}}
		m.scan(p, f)
		return m
	}
	return nil
}

// scan collects what a function sets, and those that it calls.
func (m *TestMain) scan(p *Program, f *ssa.Function) {
	if f == nil || f.Blocks == nil || p.OfLibrary(f) || m.Funcs[f] {
		return
	}
	m.Funcs[f] = true
	set := func(v ssa.Value, pos token.Pos) {
		if g := globalOf(v); g != nil && !m.sets[g].IsValid() {
			m.sets[g] = pos
		}
	}
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.Store:
				set(i.Addr, i.Pos())
			case *ssa.MapUpdate:
				if load, ok := i.Map.(*ssa.UnOp); ok {
					set(load.X, i.Pos())
				}
			case *ssa.MakeClosure:
				m.scan(p, i.Fn.(*ssa.Function))
			case ssa.CallInstruction:
				callee := i.Common().StaticCallee()
				m.scan(p, callee)
				for _, a := range Arguments(i) {
					switch fn := a.(type) {
					case *ssa.Function:
						m.scan(p, fn)
					case *ssa.Global: // its address: it can be set through that
						if callee == nil || callee.Blocks == nil || p.OfLibrary(callee) {
							set(fn, i.Pos())
						}
					}
				}
			}
		}
	}
}

// globalOf is the package-level variable that an address is in, nil if it is not
// seen.
func globalOf(addr ssa.Value) *ssa.Global {
	for {
		switch a := addr.(type) {
		case *ssa.Global:
			return a
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		case *ssa.UnOp: // an element or a field of what a variable refers to
			if a.Op != token.MUL {
				return nil
			}
			addr = a.X
		default:
			return nil
		}
	}
}

// OutsideReason says why a variable is not known, "" if TestMain does not set it.
func (p *Program) OutsideReason(g *ssa.Global) string {
	if p.TestMain == nil || !p.TestMain.sets[g].IsValid() {
		return ""
	}
	return "TestMain, which is not in the model, sets " + g.Name()
}

package translate

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
)

// The TestMain of a package runs around its tests, outside of what the model and
// a replay begin with. What it does is not in the model: of the package's
// variables that it sets nothing is known.

// aroundTests is what a program's TestMain does.
type aroundTests struct {
	fn    *ssa.Function
	funcs map[*ssa.Function]bool    // it and what it calls
	sets  map[*ssa.Global]token.Pos // where it first sets a variable
}

// findTestMain finds the TestMain that runs around a test, nil if there is none,
// and what it sets.
func (p *program) findTestMain() *aroundTests {
	if !p.src.Test {
		return nil
	}
	for _, pkg := range p.src.Packages {
		sp := p.ssa.Package(pkg.Types)
		if sp == nil {
			continue
		}
		f := sp.Func("TestMain")
		if f == nil || f.Blocks == nil || f.Signature.Params().Len() != 1 || typeKey(f.Signature.Params().At(0).Type()) != "*testing.M" {
			continue
		}
		m := &aroundTests{fn: f, funcs: map[*ssa.Function]bool{}, sets: map[*ssa.Global]token.Pos{}}
		m.scan(p, f)
		return m
	}
	return nil
}

// scan collects what a function sets, and those that it calls.
func (m *aroundTests) scan(p *program, f *ssa.Function) {
	if f == nil || f.Blocks == nil || p.ofLibrary(f) || m.funcs[f] {
		return
	}
	m.funcs[f] = true
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
				for _, a := range arguments(i) {
					switch fn := a.(type) {
					case *ssa.Function:
						m.scan(p, fn)
					case *ssa.Global: // its address: it can be set through that
						if callee == nil || callee.Blocks == nil || p.ofLibrary(callee) {
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

// outsideReason says why a variable is not known, "" if TestMain does not set it.
func (p *program) outsideReason(g *ssa.Global) string {
	if p.around == nil || !p.around.sets[g].IsValid() {
		return ""
	}
	return "TestMain, which is not in the model, sets " + g.Name()
}

// noteTestMain records that TestMain does something beside setting variables and
// ending the process.
func (x *translator) noteTestMain() {
	m := x.prog.around
	if m == nil {
		return
	}
	acts := func(instr ssa.Instruction) bool {
		if call, ok := instr.(ssa.CallInstruction); ok {
			for _, f := range x.prog.callees(call) {
				if in := intrinsicOf(f); in != nil && in.kind == sites.Exit || fullName(f) == "(*testing.M).Run" {
					return false
				}
			}
		}
		return x.sl.seed(instr)
	}
	for f := range m.funcs {
		for _, b := range f.Blocks {
			if slices.ContainsFunc(b.Instrs, acts) {
				x.approximation(m.fn.Pos(), "test-main", artifact.DirectionUnder, "TestMain has operations or starts goroutines: they are not in the model")
				return
			}
		}
	}
}

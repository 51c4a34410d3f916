package left

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/internal/sites"
)

// Watcher reports whether a goroutine of a test is there for something that the test
// does not expect: it fails the test if what it waits for happens, and does nothing
// else; or it waits for a wait group of the test's only to tell so, to who has waited for
// that with a time-out; or it does nothing but to send to, or receive from, what a
// function of the program has returned, which is no channel. Left in every run of a test that passes, it is as the test wants it.
func (p *Program) Watcher(g Goroutine) bool {
	t, own := p.trace(g)
	if t == nil || own == len(t.frames) {
		return false
	}
	for _, f := range []frames.Frame{t.frames[0], t.frames[own]} {
		if !strings.HasSuffix(p.Source.Fset.PositionFor(f.Fn.Pos(), false).Filename, "_test.go") {
			return false
		}
	}
	kind := p.sites.Site(g.Site).Kind
	at := p.blockedIn(t.frames[0].Fn, g.Site)
	if at == nil {
		return false
	}
	rest, ok := p.after(at)
	if !ok {
		return false
	}
	switch kind {
	case sites.Recv, sites.Send:
		if g.Nil && !rest.fails && rest.signals == 0 {
			return fromCall(at)
		}
		return kind == sites.Recv && rest.fails && rest.signals == 0
	case sites.WaitGroupWait:
		call, ok := at.(*ssa.Call)
		return ok && rest.fails != (rest.signals == 1) && t.holder(receiver(call.Common()), 0, true) != ""
	}
	return false
}

// fromCall: the channel of an operation is the result of a call.
func fromCall(at ssa.Instruction) bool {
	var v ssa.Value
	switch at := at.(type) {
	case *ssa.Send:
		v = at.Chan
	case *ssa.UnOp:
		v = at.X
	}
	_, ok := v.(*ssa.Call)
	return ok
}

// blockedIn is the instruction of a site.
func (p *Program) blockedIn(f *ssa.Function, site sites.ID) ssa.Instruction {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			var kind sites.Kind
			switch instr := instr.(type) {
			case *ssa.UnOp:
				if instr.Op != token.ARROW {
					continue
				}
				kind = sites.Recv
			case *ssa.Send:
				kind = sites.Send
			case *ssa.Call:
				kind = sites.WaitGroupWait
			default:
				continue
			}
			if s, ok := p.sites.At(kind, instr.Pos()); ok && s.ID == site {
				return instr
			}
		}
	}
	return nil
}

// rest is what a function does after an instruction: whether it fails the test, and how
// often it tells somebody.
type rest struct {
	fails   bool
	signals int
}

// after says what a function does after an instruction, ok if that is nothing but to fail
// or to tell somebody. Values may be computed for that.
func (p *Program) after(at ssa.Instruction) (r rest, ok bool) {
	seen := map[*ssa.BasicBlock]bool{}
	var walk func(instrs []ssa.Instruction) bool
	walk = func(instrs []ssa.Instruction) bool {
		for _, instr := range instrs {
			if p.endsRun(instr) {
				r.fails = true
				continue
			}
			switch instr := instr.(type) {
			case *ssa.Send:
				r.signals++
			case *ssa.Call:
				switch {
				case isClose(instr.Common()):
					r.signals++
				case p.computes(instr.Common()):
				default:
					return false
				}
			case *ssa.Go, *ssa.Defer, *ssa.Select, *ssa.MapUpdate:
				return false
			case *ssa.UnOp:
				if instr.Op == token.ARROW {
					return false
				}
			}
		}
		b := instrs[len(instrs)-1].Block()
		for _, next := range b.Succs {
			if !seen[next] {
				seen[next] = true
				if !walk(next.Instrs) {
					return false
				}
			} else if next == at.Block() {
				return false // a loop
			}
		}
		return true
	}
	b := at.Block()
	for i, instr := range b.Instrs {
		if instr == at && i+1 < len(b.Instrs) {
			return r, walk(b.Instrs[i+1:])
		}
	}
	return r, true
}

// endsRun: a panic, or a method of a *testing.T that fails it.
func (p *Program) endsRun(instr ssa.Instruction) bool {
	switch instr := instr.(type) {
	case *ssa.Panic:
		return true
	case *ssa.Call:
		f := instr.Common().StaticCallee()
		if f == nil || f.Pkg == nil || f.Pkg.Pkg.Path() != "testing" {
			return false
		}
		switch f.Name() {
		case "Error", "Errorf", "Fail", "FailNow", "Fatal", "Fatalf":
			return true
		}
	}
	return false
}

func isClose(c *ssa.CallCommon) bool {
	b, ok := c.Value.(*ssa.Builtin)
	return ok && b.Name() == "close"
}

// computes: a call of package fmt, or of a builtin function, for a message.
func (p *Program) computes(c *ssa.CallCommon) bool {
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return true
	}
	return calleePackage(c) == "fmt"
}

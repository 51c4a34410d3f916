package library

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Functions registered by Cleanup run in the entry goroutine when the test
// function is over, its deferred calls included, last registered first: in
// front of the guard of its end. So they are kept below its deferred calls.

var testCleanup = &program.Operation{Name: "cleanup", Seed: true, Args: []int{1}}

// registerCleanup executes t.Cleanup: it belongs to the innermost test function on the stack, that of a
// subtest or of the entry. Its function is put in front of the deferred calls of that, which are made from
// the end of the list: so it is called behind all of them, and before those that were registered earlier.
func registerCleanup(x *execution.Executor, p *exploration.Path) bool {
	at := registersCleanup(p)
	if at < 0 {
		p.Note("cleanup", artifact.DirectionUnder, "a function registered by Cleanup in a goroutine of its own, or by a deferred call: it is not executed in the model")
		return x.OpReturn(p, nil)
	}
	site := p.Peek().Call.Site.(*ssa.Call)
	addr := p.Arg(1)[0]
	f := *p.Frames[at]
	if f.Op != nil {
		p.Note("cleanup", artifact.DirectionUnder, "a function registered by Cleanup outside of a test function: it is not executed in the model")
		return x.OpReturn(p, nil)
	}
	d := state.DeferKey{Instr: site, Cleanup: true}
	// n are those registered before.
	n := 0
	for _, e := range f.Defers {
		if e.Cleanup {
			n++
		}
		if e.Instr == d.Instr {
			d.Nth++
		}
	}
	if d.Nth >= x.Options.Defers {
		p.Bound(fmt.Sprintf("more than %d functions registered by Cleanup here", x.Options.Defers))
		return false
	}
	f.Defers = slices.Insert(slices.Clone(f.Defers), n, d)
	p.Frames[at] = &f
	p.Set(f.Call, d, []*sym.Expr{addr})
	return x.OpReturn(p, nil)
}

// runCleanup takes the last registered function of the innermost frame and
// enters it.
func runCleanup(x *execution.Executor, p *exploration.Path, d state.DeferKey) bool {
	f := p.Peek()
	addr := sym.Unknown("not tracked")
	if e := p.Kept(f.Call, d); len(e) > 0 {
		addr = e[0]
	}
	tgt, ok, tracked := x.FunctionOf(p, addr, d.Instr)
	switch {
	case !tracked:
		p.Note("unknown-call", artifact.DirectionUnder, "a function registered by Cleanup is not tracked; it is not executed in the model")
	case !ok:
		return false
	}
	g := p.Top()
	g.Defers = g.Defers[:len(g.Defers)-1]
	p.Forget(f.Call, d)
	if tgt.Fn == nil {
		return true
	}
	return x.Call(p, d.Instr, d.Nth, tgt, true)
}

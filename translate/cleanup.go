package translate

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// Functions registered by Cleanup run in the entry goroutine when the test
// function is over, its deferred calls included, last registered first: in
// front of the guard of its end. So they are kept below its deferred calls.

var testCleanup = &program.Operation{Name: "cleanup", Seed: true, Args: []int{1}}

// registerCleanup executes t.Cleanup: it belongs to the innermost test function
// on the stack, that of a subtest or of the entry.
func registerCleanup(x *executor, p *path) bool {
	at := registersCleanup(p)
	if at < 0 {
		p.note("cleanup", "under", "a function registered by Cleanup in a goroutine of its own, or by a deferred call: it is not executed in the model")
		return x.opReturn(p, nil)
	}
	site := p.peek().Call.Site.(*ssa.Call)
	addr := p.arg(1)[0]
	f := *p.frames[at]
	if f.Op != nil {
		p.note("cleanup", "under", "a function registered by Cleanup outside of a test function: it is not executed in the model")
		return x.opReturn(p, nil)
	}
	d := state.DeferKey{Instr: site, Cleanup: true}
	n := 0
	for _, e := range f.Defers {
		if e.Cleanup {
			n++
		}
		if e.Instr == d.Instr {
			d.Nth++
		}
	}
	if d.Nth >= x.opts.Defers {
		p.bound(fmt.Sprintf("more than %d functions registered by Cleanup here", x.opts.Defers))
		return false
	}
	f.Defers = slices.Insert(slices.Clone(f.Defers), n, d)
	p.frames[at] = &f
	p.set(f.Call, d, []*sym.Expr{addr})
	return x.opReturn(p, nil)
}

// runCleanup takes the last registered function of the innermost frame and
// enters it.
func runCleanup(x *executor, p *path, d state.DeferKey) bool {
	f := p.peek()
	addr := sym.Unknown("not tracked")
	if e := p.kept(f.Call, d); len(e) > 0 {
		addr = e[0]
	}
	tgt, ok, tracked := x.functionOf(p, addr, d.Instr)
	switch {
	case !tracked:
		p.note("unknown-call", "under", "a function registered by Cleanup is not tracked; it is not executed in the model")
	case !ok:
		return false
	}
	g := p.top()
	g.Defers = g.Defers[:len(g.Defers)-1]
	p.forget(f.Call, d)
	if tgt.Fn == nil {
		return true
	}
	return x.call(p, d.Instr, d.Nth, tgt, true)
}

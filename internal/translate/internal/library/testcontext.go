package library

import (
	"go/types"

	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// The context of a test, or of a subtest, is there from its beginning, and ends
// when the test function is over, in front of what is left to Cleanup. A
// goroutine has that of the test it was started in.

var testContext = &program.Operation{Name: program.ContextOperation, Args: []int{}}

// testContextOf is the address of the context of a test, or of a subtest.
func testContextOf(x *execution.Executor, p *exploration.Path, scope *state.CallPath) *sym.Expr {
	if scope != nil {
		return contextOfSubtest(x, p, scope)
	}
	const key = "context of the test"
	if o := x.Memory.Keyed[key]; o != nil {
		return sym.Num(o.Base)
	}
	o := x.Memory.KeyedObject(key, func() *state.Object {
		return &state.Object{Kind: state.ChannelObject, Name: "test_ctx", Size: state.ChanPayload + state.ContextCells, Elem: types.NewStruct(nil, nil), Pos: x.Program.Entry.Pos(), Context: true}
	})
	describeContext(x, o)
	return sym.Num(o.Base)
}

func contextOfTest(x *execution.Executor, p *exploration.Path) bool {
	return x.OpReturn(p, []*sym.Expr{sym.Num(x.Memory.Tag(libraryContext)), testContextOf(x, p, p.ScopeOf())})
}

// withContext has the innermost frame, that of a test function, end its context
// when its deferred calls are over.
func withContext(p *exploration.Path) {
	if !p.Explorer.Slice.TestContext {
		return
	}
	g := p.Top()
	g.Defers = append([]state.DeferKey{{Context: true}}, g.Defers...)
}

// endContext takes the end of its context off the innermost frame.
func endContext(x *execution.Executor, p *exploration.Path) bool {
	k, ok, tracked := x.Concrete(p, testContextOf(x, p, p.ScopeOf()))
	if !ok && tracked {
		return false
	}
	g := p.Top()
	g.Defers = g.Defers[:len(g.Defers)-1]
	if tracked {
		cancel(x, p, k, ctxCanceled, layout.Zeros(2), 0)
	}
	return true
}

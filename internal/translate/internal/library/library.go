package library

import (
	"maps"

	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// New is all that is known of the library.
func New() *execution.Library {
	l := execution.NewLibrary()
	for _, add := range []func(*execution.Library){
		syncOperations, endingOperations, atomics, syncMapOperations, poolOperations, signalOperations,
		condOperations, sortOperations, methodSortOperations, timerOperations, contextOperations, onceOperations,
		bubbleOperations, callbackOperations, rlockerOperations, mathBitsOperations, forwardOperations, testingOperations,
	} {
		add(l)
	}
	l.Made = made
	l.Begin = begin
	l.Deferred = deferred
	l.Misuse = misuse
	l.Assert = assert
	l.Late = lateCauses
	return l
}

// testingOperations are the methods of testing.T and its like.
func testingOperations(l *execution.Library) {
	maps.Copy(l.Testing, map[string]*program.Operation{
		"Fatal": testFatal, "Fatalf": testFatal, "FailNow": testFatal,
		"Skip": testSkip, "Skipf": testSkip, "SkipNow": testSkip,
		"Error": testError, "Errorf": testError, "Fail": testError,
		"Run": testRun, "Parallel": testParallel, "Cleanup": testCleanup, "Context": testContext,
	})
	l.Does(testFatal, goexit)
	l.Does(testSkip, goexit)
	l.Does(testError, failTest)
	l.Does(testRun, runSubtest)
	l.Does(testParallel, parallelSubtest)
	l.Does(testCleanup, registerCleanup)
	l.Does(testContext, contextOfTest)
	l.Does(subtestRun, startSubtest)
	l.Does(parallelWait, goOnParallel)
	l.Does(subtestBody, bodyOfSubtest)
	l.WhenUnwound(subtestBody, endSubtest)
	l.Does(subtestJoin, joinSubtests)
}

// begin has a test function, on top of the stack, end its context and wait for its parallel
// subtests when its deferred calls are over.
func begin(p *exploration.Path) {
	withContext(p)
	withJoin(p)
}

// deferred does what begin and Cleanup have left to the end of a function.
func deferred(x *execution.Executor, p *exploration.Path, d state.DeferKey) bool {
	switch {
	case d.Context:
		return endContext(x, p)
	case d.Join:
		return endJoin(x, p)
	}
	return runCleanup(x, p, d)
}

// made completes a target by a function that the library has made: the cancel function of a context, one
// that stops a function of AfterFunc, or one that runs once. Such a function value is the address of a cell
// of the object that it is about, so that it is compared, kept and handed on as other functions are. The
// operation that it calls has the object as its first argument.
func made(tgt state.Target, o *state.Object, off int32, addr *sym.Expr) (state.Target, bool) {
	switch {
	case o == nil:
		return tgt, false
	case o.Context && off == state.ChanPayload+state.ContextCancel:
		tgt.Op = cancelContext
		tgt.Args = append([][]*sym.Expr{{sym.Arith(sym.OpAdd, addr, sym.Num(-off))}}, tgt.Args...)
		return tgt, true
	case o.Context && off == state.ChanPayload+state.ContextStop:
		tgt.Op = stopContext
	case o.Once && off == 0:
		tgt.Op, tgt.Pos = onceCall, o.Pos
	default:
		return tgt, false
	}
	tgt.Args = [][]*sym.Expr{{sym.Arith(sym.OpAdd, addr, sym.Num(-off))}}
	return tgt, true
}

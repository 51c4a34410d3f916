package library

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// misuse continues with the panic of a function of the library that is misused; false if it has taken over
// the path. So it is for rand.Intn(n) where n is not positive (program/misuse.go). An argument that is not
// known is taken to be right; of calls whose panic is recovered it is recorded where that is not known.
func misuse(x *execution.Executor, p *exploration.Path, call *ssa.Call) bool {
	m := x.Slice.Misused[call]
	if m.Misuse == nil {
		return true
	}
	bad := sym.Num(1)
	if !m.Always {
		bad = sym.Unknown("not tracked")
		if m.Bad != (program.Bound{}) && (x.Slice.Watched[call] || x.Slice.Checks[call] != "") {
			bad = p.Simplify(within(m.Bad, p.Value(p.Peek().Call, call.Call.Args[m.Args[0]])[0]))
		}
		if bad.Op == sym.OpUnknown || p.Abs(bad).Top {
			if what := x.Slice.Checks[call]; what != "" {
				x.Unchecked(p.Here(), what)
			}
			return true
		}
	}
	val := x.SomeError
	if !m.IsError {
		val = func() []*sym.Expr { return someText(x) }
	}
	return x.CheckWith(p, bad, m.What, call, val)
}

// within is the condition that a bound holds of a value.
func within(b program.Bound, e *sym.Expr) *sym.Expr {
	switch b.Op {
	case token.LSS:
		return sym.Arith(sym.OpLt, e, sym.Num(b.Than))
	case token.EQL:
		return exploration.Eq(e, b.Than)
	}
	return sym.Not(exploration.Eq(e, b.Than))
}

// someText is a string in an interface of which nothing else is known.
func someText(x *execution.Executor) []*sym.Expr {
	return []*sym.Expr{sym.Num(x.Memory.Tag(types.Typ[types.String])), sym.Unknown("a text of a library")}
}

// Functions of the library that never return are in the model wherever they are called.
func endingOperations(l *execution.Library) {
	panics := l.Add(program.Operation{Name: "logpanic", Seed: true, Args: []int{}}, func(x *execution.Executor, p *exploration.Path) bool {
		x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: p.CallStatement(), Pos: p.Here(), Detail: "log.Panic"}, someText(x))
		return true
	})
	for _, n := range []string{"Fatal", "Fatalf", "Fatalln"} {
		in := l.Add(program.Operation{Name: "logfatal", Kind: sites.Exit, Seed: true, Args: []int{}}, logFatal)
		l.Known["log."+n] = in
		l.Known["(*log.Logger)."+n] = in
	}
	for _, n := range []string{"Panic", "Panicf", "Panicln"} {
		l.Known["log."+n] = panics
		l.Known["(*log.Logger)."+n] = panics
	}
}

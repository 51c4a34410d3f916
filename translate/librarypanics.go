package translate

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
)

// misusedCall is a call of a function that panics, always or where it is misused.
type misusedCall struct {
	*program.Misuse
	always bool
}

// misuse continues with the panic of a function of the library that is misused; false if it
// has taken over the path. Of calls whose panic is recovered it is recorded where that is not
// known.
func (x *translator) misuse(p *path, call *ssa.Call) bool {
	m := x.sl.misused[call]
	if m.Misuse == nil {
		return true
	}
	bad := num(1)
	if !m.always {
		bad = unknown("not tracked")
		if m.Bad != (program.Bound{}) && (x.sl.watched[call] || x.sl.checks[call] != "") {
			bad = p.simplify(within(m.Bad, p.value(p.peek().ctx, call.Call.Args[m.Args[0]])[0]))
		}
		if bad.op == xUnknown || p.abs(bad).top {
			if what := x.sl.checks[call]; what != "" {
				x.unchecked(p.here(), what)
			}
			return true
		}
	}
	val := x.someError
	if !m.IsError {
		val = x.someText
	}
	return x.checkWith(p, bad, m.What, call, val)
}

// within is the condition that a bound holds of a value.
func within(b program.Bound, e *expr) *expr {
	switch b.Op {
	case token.LSS:
		return arith(xLt, e, num(b.Than))
	case token.EQL:
		return eq(e, b.Than)
	}
	return not(eq(e, b.Than))
}

// misuses asks for the way to calls that may panic because of what the model follows. It
// reports whether there was anything new.
func (s *slice) misuses() bool {
	grown := false
	for b, instr := range s.instructions() {
		call, ok := instr.(*ssa.Call)
		if m := s.misused[call]; ok && m.Misuse != nil && !s.watched[call] && s.followsAll(call, m.Args) {
			s.watched[call], grown = true, true
			s.needBlock(b)
		}
	}
	return grown
}

// followsAll reports that the model has the values of arguments.
func (s *slice) followsAll(call *ssa.Call, args []int) bool {
	return len(args) > 0 && !slices.ContainsFunc(args, func(k int) bool {
		v := call.Call.Args[k]
		_, isConst := v.(*ssa.Const)
		return !isConst && !s.value[v]
	})
}

// someText is a string in an interface of which nothing else is known.
func (x *translator) someText() []*expr {
	return []*expr{num(x.mem.tag(types.Typ[types.String])), unknown("a text of a library")}
}

// Functions of the library that never return are in the model wherever they are called.
func endingIntrinsics(table map[string]*intrinsic) {
	panics := &intrinsic{Operation: program.Operation{Name: "logpanic", Seed: true, Args: []int{}}, run: func(x *translator, p *path) bool {
		x.raise(p, &unwind{kind: artifact.KindPanic, site: x.stmtOfOp(p), pos: p.here(), detail: "log.Panic"}, x.someText())
		return true
	}}
	for _, n := range []string{"Fatal", "Fatalf", "Fatalln"} {
		in := &intrinsic{Operation: program.Operation{Name: "logfatal", Kind: sites.Exit, Seed: true, Args: []int{}}, run: logFatal}
		table["log."+n] = in
		table["(*log.Logger)."+n] = in
	}
	for _, n := range []string{"Panic", "Panicf", "Panicln"} {
		table["log."+n] = panics
		table["(*log.Logger)."+n] = panics
	}
}

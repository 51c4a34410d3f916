package execution

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Texts are numbers of the model, so that nothing can be computed with them. But where it is known which
// few texts and numbers an operation of the library is given, its results are known as well: they are
// computed here, and the model chooses among them. So after
//
//	name := "a" // or "b"
//	if strings.HasPrefix(name+"c", "ac") { ... }
//
// the branch depends on name. Results are new texts, which get numbers of their own; there are few, since
// arguments that can be too many things make no result.

// maxTexts is for how many combinations of arguments a result is computed.
const maxTexts = 64

// maxText is the length of the longest text that is computed.
const maxText = 1 << 12

// computes reports that a result is computed from what a partner hands over: that
// is done in a step of its own.
func (x *Executor) computes(p *exploration.Path, call *ssa.Call) bool {
	if !x.resultNeeded(call) {
		return false
	}
	for _, a := range program.KnownArgs(call) {
		if slices.ContainsFunc(p.Value(p.Peek().Call, a), (*sym.Expr).HandedOver) {
			return true
		}
	}
	return false
}

// computed is what a call returns that the model computes.
func (x *Executor) computed(p *exploration.Path, call *ssa.Call) (out []*sym.Expr, ok bool) {
	if program.IsErrorsIs(call) {
		return x.errorIs(p, call)
	}
	return x.textResult(p, call)
}

// textResult computes what a call of a function of texts returns; ok is false if
// it is not known what it is given.
func (x *Executor) textResult(p *exploration.Path, call *ssa.Call) (out []*sym.Expr, ok bool) {
	args, ok := program.TextArgs(call)
	if !ok {
		return nil, false
	}
	f := program.TextFunc(program.FullName(call.Call.StaticCallee()))
	ctx := p.Peek().Call
	var es []*sym.Expr
	for _, a := range args {
		es = append(es, p.Value(ctx, a)[0])
	}
	return x.tabulate(p, es, func(k []int32) []any {
		a := make([]any, len(k))
		for i := range a {
			switch t := args[i].Type(); {
			case program.IsString(t):
				s, ok := x.Memory.TextOf(k[i])
				if !ok {
					return nil
				}
				a[i] = s
			case program.IsInteger(t):
				a[i] = int(k[i])
			default:
				a[i] = k[i] != 0
			}
		}
		return f(a)
	})
}

// tabulate makes the results of a function of scalars that can be few things: of each combination what f
// says, which are texts, integers and booleans, or nil if it is not known. Each result is a choice by the
// conditions that the arguments are the ones of a combination, the first of which stands for all else. If
// one combination has no result nothing is known at all.
func (x *Executor) tabulate(p *exploration.Path, args []*sym.Expr, f func(k []int32) []any) (out []*sym.Expr, ok bool) {
	sets := make([][]int32, len(args))
	n := 1
	for i, e := range args {
		e = p.Simplify(e)
		args[i] = e
		a := p.Abs(e)
		if e.UnknownIn() != nil || a.Top || a.Interval || len(a.Elems) == 0 {
			return nil, false
		}
		sets[i] = a.Elems
		if n *= len(a.Elems); n > maxTexts {
			return nil, false
		}
	}
	k := make([]int32, len(args))
	// All combinations, the last argument being the one that changes fastest.
	var each func(i int, here *sym.Expr) bool
	each = func(i int, here *sym.Expr) bool {
		if i < len(args) {
			for _, v := range sets[i] {
				k[i] = v
				if !each(i+1, sym.And(here, sym.Arith(sym.OpEq, args[i], sym.Num(v)))) {
					return false
				}
			}
			return true
		}
		res := f(k)
		if out == nil {
			out = make([]*sym.Expr, len(res))
		}
		if len(res) == 0 {
			return false
		}
		for j, r := range res {
			e, ok := x.known(r)
			if !ok {
				return false
			}
			if out[j] == nil {
				out[j] = e
			} else {
				out[j] = sym.Ite(here, e, out[j])
			}
		}
		return true
	}
	if !each(0, sym.Num(1)) {
		return nil, false
	}
	return out, true
}

// known is a value of the program as a scalar of the model.
func (x *Executor) known(v any) (*sym.Expr, bool) {
	switch v := v.(type) {
	case string:
		return sym.Num(x.Memory.Text(v)), len(v) < maxText
	case int:
		return sym.Num(int32(v)), int(int32(v)) == v
	case bool:
		return sym.Bool(v), true
	}
	return nil, false
}

// TextOp computes an operation on two texts.
func (x *Executor) TextOp(p *exploration.Path, op token.Token, a, b *sym.Expr) *sym.Expr {
	out, ok := x.tabulate(p, []*sym.Expr{a, b}, func(k []int32) []any {
		s, ok := x.Memory.TextOf(k[0])
		t, ok2 := x.Memory.TextOf(k[1])
		if !ok || !ok2 {
			return nil
		}
		switch op {
		case token.ADD:
			return []any{s + t}
		case token.LSS:
			return []any{s < t}
		case token.LEQ:
			return []any{s <= t}
		case token.GTR:
			return []any{s > t}
		case token.GEQ:
			return []any{s >= t}
		}
		return nil
	})
	if !ok {
		return sym.Unknown("computed string")
	}
	return out[0]
}

// textLen is the length of a text.
func (x *Executor) textLen(p *exploration.Path, e *sym.Expr) *sym.Expr {
	out, ok := x.tabulate(p, []*sym.Expr{e}, func(k []int32) []any {
		s, ok := x.Memory.TextOf(k[0])
		if !ok {
			return nil
		}
		return []any{len(s)}
	})
	if !ok {
		return sym.Unknown("length not tracked")
	}
	return out[0]
}

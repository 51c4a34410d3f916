package termination

import (
	"go/token"
	"go/types"
	"math/big"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// An interval is a range of integers, of any size. The zero interval is empty.
type interval struct{ lo, hi *big.Int }

var one = big.NewInt(1)

func exactly(k *big.Int) interval { return interval{k, k} }

func (a interval) empty() bool { return a.lo == nil }

func (a interval) single() bool { return !a.empty() && a.lo.Cmp(a.hi) == 0 }

func (a interval) within(b interval) bool {
	return a.empty() || !b.empty() && b.lo.Cmp(a.lo) <= 0 && a.hi.Cmp(b.hi) <= 0
}

func (a interval) union(b interval) interval {
	switch {
	case a.empty():
		return b
	case b.empty():
		return a
	}
	if b.lo.Cmp(a.lo) < 0 {
		a.lo = b.lo
	}
	if b.hi.Cmp(a.hi) > 0 {
		a.hi = b.hi
	}
	return a
}

func (a interval) negative() interval {
	return interval{new(big.Int).Neg(a.hi), new(big.Int).Neg(a.lo)}
}

func (a interval) add(b interval) interval {
	return interval{new(big.Int).Add(a.lo, b.lo), new(big.Int).Add(a.hi, b.hi)}
}

// ends are the intervals of the results of an operation on the ends of two, if that is
// monotone in both.
func (a interval) ends(b interval, op func(z, x, y *big.Int) *big.Int) interval {
	var out interval
	for _, x := range []*big.Int{a.lo, a.hi} {
		for _, y := range []*big.Int{b.lo, b.hi} {
			out = out.union(exactly(op(new(big.Int), x, y)))
		}
	}
	return out
}

// whole is the interval of the values of an integer type.
func (e *Loops) whole(t types.Type) interval {
	bits := uint(8 * e.prog.Sizes().Sizeof(t))
	if program.IsUnsigned(t) {
		top := new(big.Int).Lsh(one, bits)
		return interval{new(big.Int), top.Sub(top, one)}
	}
	top := new(big.Int).Lsh(one, bits-1)
	return interval{new(big.Int).Neg(top), new(big.Int).Sub(top, one)}
}

// interval is one in which an integer is in every run. Within are the values that it is looked for in, of which
// some lead to themselves: a counter is anywhere in its type, since no fixed point is looked for here. What may
// wrap around is anywhere, too.
func (e *Loops) interval(v ssa.Value, within []ssa.Value) interval {
	whole := e.whole(v.Type())
	if len(within) > maxLook || slices.Contains(within, v) {
		return whole
	}
	within = append(within[:len(within):len(within)], v)
	of := func(v ssa.Value) interval { return e.interval(v, within) }
	fitting := func(a interval) interval {
		if a.empty() || !a.within(whole) {
			return whole
		}
		return a
	}
	switch v := v.(type) {
	case *ssa.Const:
		if k := program.IntegerConst(v); k != nil {
			return exactly(k)
		}
	case *ssa.ChangeType:
		return of(v.X)
	case *ssa.Convert:
		if program.IsInteger(v.X.Type()) {
			return fitting(of(v.X))
		}
	case *ssa.Phi:
		var all interval
		for _, w := range v.Edges {
			all = all.union(of(w))
		}
		return fitting(all)
	case *ssa.UnOp:
		if g, ok := v.X.(*ssa.Global); ok && v.Op == token.MUL {
			if k, ok := e.sl.Fixed[g]; ok {
				return fitting(exactly(big.NewInt(k)))
			}
		}
	case *ssa.BinOp:
		return fitting(e.operation(v, of))
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			return fitting(e.builtin(b.Name(), v.Call.Args, of))
		}
	case *ssa.Parameter:
		return fitting(e.argument(v, of))
	}
	return whole
}

// operation is the interval of an operation, if no value wraps around, empty if it is not
// known.
func (e *Loops) operation(v *ssa.BinOp, of func(ssa.Value) interval) interval {
	switch v.Op {
	case token.ADD:
		return of(v.X).add(of(v.Y))
	case token.SUB:
		return of(v.X).add(of(v.Y).negative())
	case token.MUL:
		return of(v.X).ends(of(v.Y), (*big.Int).Mul)
	case token.QUO:
		if k := program.IntegerConst(v.Y); k != nil && k.Sign() > 0 {
			return of(v.X).ends(exactly(k), (*big.Int).Quo)
		}
	case token.REM:
		if k := program.IntegerConst(v.Y); k != nil && k.Sign() > 0 {
			rest := exactly(new(big.Int).Sub(k, one))
			// In Go a remainder has the sign of the dividend.
			if of(v.X).lo.Sign() < 0 {
				return rest.union(rest.negative())
			}
			return rest.union(exactly(new(big.Int)))
		}
	case token.AND:
		for _, w := range []ssa.Value{v.X, v.Y} {
			if a := of(w); a.lo.Sign() >= 0 {
				return a.union(exactly(new(big.Int)))
			}
		}
	// What is left lies between the operand and zero.
	case token.SHR:
		return of(v.X).union(exactly(new(big.Int)))
	}
	return interval{}
}

// builtin is the interval of what a builtin function returns, empty if it is not known.
func (e *Loops) builtin(name string, args []ssa.Value, of func(ssa.Value) interval) interval {
	switch name {
	case "len", "cap":
		return interval{new(big.Int), e.longest(args[0].Type())}
	case "min", "max":
		out := of(args[0])
		for _, w := range args[1:] {
			a := of(w)
			if (a.lo.Cmp(out.lo) < 0) == (name == "min") {
				out.lo = a.lo
			}
			if (a.hi.Cmp(out.hi) < 0) == (name == "min") {
				out.hi = a.hi
			}
		}
		return out
	}
	return interval{}
}

// longest is the greatest length or capacity of a value of a type: elements that have a
// size lie in memory, of which there is so much as can be addressed.
func (e *Loops) longest(t types.Type) *big.Int {
	most := e.whole(types.Typ[types.Int]).hi
	size := int64(0)
	switch u := program.Pointee(t).Underlying().(type) {
	case *types.Array:
		return big.NewInt(u.Len())
	case *types.Slice:
		size = e.prog.Sizes().Sizeof(u.Elem())
	case *types.Basic:
		size = 1
	case *types.Map:
		size = 1
	}
	if size == 0 {
		return most
	}
	memory := new(big.Int).Lsh(one, 32)
	if e.prog.Sizes().Sizeof(types.Typ[types.Uintptr]) == 8 {
		memory.Lsh(one, addressBits)
	}
	if memory.Quo(memory, big.NewInt(size)); memory.Cmp(most) < 0 {
		return memory
	}
	return most
}

// addressBits are those of the addresses that a process has at most on machines of 64 bits.
const addressBits = 57

// argument is the interval of what a parameter can be, empty if not all calls of its
// function are known.
func (e *Loops) argument(v *ssa.Parameter, of func(ssa.Value) interval) interval {
	f := v.Parent()
	if e.valued[f] || f.Signature.Recv() != nil || len(e.sl.CalledBack[f]) > 0 || f == e.prog.Entry {
		return interval{}
	}
	i := slices.Index(f.Params, v)
	var all interval
	for _, call := range e.sl.Callers[f] {
		c := call.Common()
		if c.IsInvoke() || i >= len(c.Args) {
			return interval{}
		}
		all = all.union(of(c.Args[i]))
	}
	return all
}

package execution

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// checked continues with the panic of an instruction where it is recovered; false if it has taken over the
// path. What is not known is recorded.
//
// It is asked of the instructions in Slice.Checks, whether or not they are in the slice. Those that compute
// a value that is kept check for themselves when they are executed, as IndexAddr and Slice do: here it is
// only found out whether they can, since they take what is not known for harmless. The others, as the
// division in
//
//	defer func() { recover() }()
//	mu.Lock()
//	_ = 1 / n // the lock stays locked
//	mu.Unlock()
//
// are checked here. If they are executed as well they look again, and find nothing that is not decided.
func (x *Executor) checked(p *exploration.Path, instr ssa.Instruction) bool {
	ctx := p.Peek().Call
	known := func(v ssa.Value, k int) bool {
		if v == nil {
			return true
		}
		e := p.Simplify(p.Value(ctx, v)[k])
		return e.Op != sym.OpUnknown && !p.Abs(e).Top
	}
	ok := true
	switch i := instr.(type) {
	case *ssa.IndexAddr:
		if !x.arrayFollowed(p, i.X, i) {
			return false
		}
		ok = known(i.Index, 0)
		if _, isSlice := i.X.Type().Underlying().(*types.Slice); isSlice {
			ok = ok && known(i.X, 1)
		}
	case *ssa.Index:
		ok = !program.IsString(i.X.Type()) && known(i.Index, 0)
	case *ssa.Slice:
		if !x.arrayFollowed(p, i.X, i) {
			return false
		}
		switch i.X.Type().Underlying().(type) {
		case *types.Slice:
			ok = known(i.X, 1) && known(i.X, 2)
		case *types.Basic:
			ok = false
		}
		ok = ok && known(i.Low, 0) && known(i.High, 0) && known(i.Max, 0)
	case *ssa.MapUpdate:
		if ok = known(i.Map, 0); ok {
			return x.check(p, sym.Arith(sym.OpEq, p.Simplify(p.Value(ctx, i.Map)[0]), sym.Num(0)), x.Slice.Checks[i], i)
		}
	case *ssa.BinOp:
		if ok = known(i.Y, 0); ok {
			return x.check(p, misused(i.Op, p.Simplify(p.Value(ctx, i.Y)[0])), x.Slice.Checks[i], i)
		}
	case *ssa.FieldAddr:
		return x.followed(p, i.X, i)
	case *ssa.Store:
		return x.followed(p, i.Addr, i)
	case *ssa.UnOp:
		return x.followed(p, i.X, i)
	case *ssa.Call: // which the model leaves out
		if v := x.Program.ActedOn(i); v != nil {
			return x.Slice.Instrs[i] || x.followed(p, v, i)
		}
		if x.Slice.Misused[i].Misuse != nil {
			return true // which is looked at for any call
		}
		// A call of a function value: it may be nil.
		e := p.Simplify(p.Value(ctx, i.Call.Value)[0])
		return e.Op == sym.OpUnknown || p.Abs(e).Top || x.check(p, exploration.Eq(e, 0), x.Slice.Checks[i], i)
	// The assertion is taken to hold, and that it may not is recorded: both ways would be a free choice at
	// each.
	case *ssa.TypeAssert:
		if ok = known(i.X, 0); !ok {
			x.Unchecked(p.Here(), x.Slice.Checks[i])
			p.Set(ctx, i, layout.Unknowns(x.Width(i.AssertedType), "from an interface that is not tracked"))
			p.Advance()
			x.ContinueWith(p)
			return false
		}
	}
	if !ok {
		x.Unchecked(p.Here(), x.Slice.Checks[instr])
	}
	return true
}

// followed continues with the panic where a pointer that is followed is nil. An unknown one is recorded,
// but for those that are checked for another reason than a recover: that the program sets them to nil
// somewhere (relevance, nils.go). A panic that nobody recovers from is missing in the model then, as are
// others of which nothing is known.
func (x *Executor) followed(p *exploration.Path, v ssa.Value, instr ssa.Instruction) bool {
	e := p.Simplify(p.Value(p.Peek().Call, v)[0])
	if _, _, isNew := exploration.NewObjectAt(e); !isNew && (e.Op == sym.OpUnknown || p.Abs(e).Top) {
		if x.Slice.MayBeNil[instr] {
			return true
		}
		x.Unchecked(p.Here(), x.Slice.Checks[instr])
		return true
	}
	return x.notNil(p, e, instr)
}

// arrayFollowed continues with the panic where what is indexed or sliced is an array behind a pointer that is nil.
func (x *Executor) arrayFollowed(p *exploration.Path, v ssa.Value, instr ssa.Instruction) bool {
	_, pointer := v.Type().Underlying().(*types.Pointer)
	return !pointer || x.followed(p, v, instr)
}

// Unchecked notes a panic that is not in the model: when edges are made, and in front of the first guard,
// which is not executed again for that.
func (x *Executor) Unchecked(pos token.Pos, what string) {
	if x.Emitting || x.InPrefix {
		x.Faults[pos] = what
	}
}

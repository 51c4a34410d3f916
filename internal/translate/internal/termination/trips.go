package termination

import (
	"go/token"
	"math/big"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// MaxTrips is the number of iterations up to which a loop with constant bounds
// gets as many goroutines or objects as it has iterations.
const MaxTrips = 64

// Iterations counts how often a block runs in the loops around it in its function, 1 if there are
// none, 0 if that is not a small constant.
// More than there are is right, and only makes the model larger: there are as many objects, or goroutines.
func (e *Loops) Iterations(b *ssa.BasicBlock) int {
	in := e.prog.Function(b.Parent())
	if !in.InCycle[b.Index] {
		return 1
	}
	in.Arrange()
	if in.Tangled || len(in.Loops[b.Index]) == 0 {
		return 0
	}
	n := 1
	for _, h := range in.Loops[b.Index] {
		k := e.loop(in.Func.Blocks[h]).trips(b)
		if n *= k; n == 0 || n > MaxTrips {
			return 0
		}
	}
	return n
}

// trips counts in how many iterations of a loop a block runs at most, if the loop counts up by one
// from a constant to another one, 0 for others, and for blocks that never run.
func (l *natural) trips(b *ssa.BasicBlock) int {
	// Each branch that leaves the loop bounds the number of its iterations.
	iterations := MaxTrips + 2
	for _, t := range l.exits() {
		if n, ok := l.passes(t); ok {
			iterations = min(iterations, n+1) // with the one that leaves it
		}
	}
	if iterations > MaxTrips+1 {
		return 0 // it may have more, in which the counter comes round to any number
	}
	// What stands behind a test runs where that holds.
	for _, t := range l.branches(b) {
		if n, ok := l.passes(t); ok {
			iterations = min(iterations, n)
		}
	}
	if iterations > MaxTrips {
		return 0
	}
	return iterations
}

// branches are those of a loop by one side of which alone a block is reached.
func (l *natural) branches(b *ssa.BasicBlock) []test {
	var out []test
	for _, c := range l.fn.Blocks {
		br, ok := c.Instrs[len(c.Instrs)-1].(*ssa.If)
		if !ok || !l.has(c) {
			continue
		}
		for i, s := range c.Succs {
			if len(s.Preds) == 1 && s.Dominates(b) {
				out = append(out, testOf(br, i == 0))
			}
		}
	}
	return out
}

// passes counts how often a test holds, which compares with a constant what counts up by one.
// In
//
//	for i := 0; i < 10; i++ { if i < 3 { go f() } }
//
// the test of the loop holds ten times, and the one around the go statement three times.
func (l *natural) passes(t test) (n int, ok bool) {
	c, ok := t.cond.(*ssa.BinOp)
	if !ok {
		return 0, false
	}
	counter, op, limit := c.X, t.operator(c), c.Y
	if _, ok := counter.(*ssa.Const); ok {
		counter, op, limit = limit, program.Mirrored[op], counter
	}
	end := program.IntegerConst(limit)
	if end == nil || op != token.LSS && op != token.LEQ {
		return 0, false
	}
	if op == token.LEQ {
		end = new(big.Int).Add(end, one)
	}
	start, ok := l.startsAt(counter)
	if !ok {
		return 0, false
	}
	// In a loop of few iterations the counter does not come round to a number again.
	most := new(big.Int).Add(start, big.NewInt(MaxTrips+1))
	if !(interval{start, most}).within(l.whole(counter.Type())) {
		return 0, false
	}
	iterations := new(big.Int).Sub(end, start)
	if iterations.Sign() < 0 {
		return 0, true
	}
	return int(iterations.Int64()), iterations.Cmp(big.NewInt(MaxTrips)) <= 0
}

// startsAt is what a counter is in the first iteration, if that is a constant and it is one more
// in each iteration.
func (l *natural) startsAt(counter ssa.Value) (*big.Int, bool) {
	if load, ok := counter.(*ssa.UnOp); ok && load.Op == token.MUL {
		return l.capturedAt(load.X)
	}
	at := l.change(counter)
	if at == nil || !at.single() {
		return nil, false
	}
	var start *big.Int
	for i, v := range at.phi.Edges {
		if l.header.Dominates(l.header.Preds[i]) {
			if d := l.change(v); d == nil || d.phi != at.phi || !d.single() || d.lo.Cmp(one) != 0 {
				return nil, false
			}
			continue
		}
		k := program.IntegerConst(v)
		if k == nil || start != nil && k.Cmp(start) != 0 {
			return nil, false
		}
		start = k
	}
	if start == nil {
		return nil, false
	}
	return new(big.Int).Add(start, at.lo), true
}

// capturedAt is startsAt for the variable of a loop that has a new one for each iteration, since
// it is captured, and so lies in memory. It is copied to the next one, which is one more.
//
// For "for i := 0; i < 3; i++ { go func() { use(i) }() }" go/ssa has, since Go 1.22,
//
//	header:  at = phi [entry: i0, post: i1]  // addresses; *i0 = 0 before
//	         if *at < 3 goto body else done
//	post:    i1 = new int
//	         *i1 = *at
//	         *i1 = *i1 + 1
//	         jump header
//
// It is a counter if nobody else writes to one of them: a closure could.
func (l *natural) capturedAt(addr ssa.Value) (*big.Int, bool) {
	phi, ok := addr.(*ssa.Phi)
	if !ok || phi.Block() != l.header || !onlyRead(phi, nil) {
		return nil, false
	}
	var start *big.Int
	for i, v := range phi.Edges {
		a, ok := v.(*ssa.Alloc)
		if !ok || !onlyRead(a, phi) {
			return nil, false
		}
		set := setsIn(a)
		if l.header.Dominates(l.header.Preds[i]) {
			if len(set) != 2 || !isLoad(set[0].Val, phi) || !isNext(set[1].Val, a, set[0]) {
				return nil, false
			}
			continue
		}
		if len(set) == 0 {
			return nil, false
		}
		k := program.IntegerConst(set[len(set)-1].Val)
		if k == nil || start != nil && k.Cmp(start) != 0 {
			return nil, false
		}
		start = k
	}
	return start, start != nil
}

// setsIn are the instructions that set a variable in the block that allocates it, in order.
// With onlyRead there are no others.
func setsIn(a *ssa.Alloc) (out []*ssa.Store) {
	for _, instr := range a.Block().Instrs {
		if s, ok := instr.(*ssa.Store); ok && s.Addr == a {
			out = append(out, s)
		}
	}
	return out
}

func isLoad(v, addr ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	return ok && load.Op == token.MUL && load.X == addr
}

// isNext reports that a value is one more than what a variable is after it was set.
func isNext(v ssa.Value, a *ssa.Alloc, set *ssa.Store) bool {
	b, ok := v.(*ssa.BinOp)
	if !ok || b.Op != token.ADD || !isLoad(b.X, a) {
		return false
	}
	load, k := b.X.(*ssa.UnOp), program.IntegerConst(b.Y)
	instrs := a.Block().Instrs
	return k != nil && k.Cmp(one) == 0 && load.Block() == a.Block() &&
		slices.Index(instrs, ssa.Instruction(load)) > slices.Index(instrs, ssa.Instruction(set))
}

// onlyRead reports that a variable is set nowhere but in the block that allocates it, before
// anybody else has its address: by no closure, nor through another pointer than the variable of
// the header that it becomes, if there is one.
func onlyRead(addr ssa.Value, becomes *ssa.Phi) bool {
	for _, r := range *addr.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.Phi:
			if r != becomes {
				return false
			}
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		case *ssa.Store:
			if a, ok := addr.(*ssa.Alloc); !ok || r.Addr != addr || r.Val == addr || r.Block() != a.Block() {
				return false
			}
		case *ssa.MakeClosure:
			f := r.Fn.(*ssa.Function)
			for i, b := range r.Bindings {
				if b == addr && !onlyRead(f.FreeVars[i], nil) {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

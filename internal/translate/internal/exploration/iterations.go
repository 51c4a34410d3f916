package exploration

import (
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A loop that is executed here and now, and an iteration of which leaves all as it was
// but for a counter that only tells how often, does so in all iterations: they are left
// out but for the last.
//
//	for i := 0; i < 150000; i++ { work(i) } // of whose work the model keeps nothing
//
// Executed one by one such a loop would end at maxSteps, and the path with it. What is
// compared is all that the rest of the path can depend on: if it is the same in two
// iterations but for the counter, and the counter is looked at only to leave, it is the
// same in all that follow.

// firstIteration is the iteration of a loop from which it is looked at whether one
// changes anything: as far as iterations have locations of their own, each is executed.
const firstIteration = 2 * maxIterations

// An iterationStart is what a path has known where an iteration of a loop began.
type iterationStart struct {
	p         Path // a copy
	live      map[envKey][]*sym.Expr
	iteration int
	next      int // the iteration at which another one is kept
	// objects is how many were made before the start.
	objects int
}

// Skip leaves out the iterations of a loop that change nothing. The path is at the header,
// behind its phis.
func (x *Explorer) Skip(p *Path, header *ssa.BasicBlock) {
	f := p.Peek()
	iteration := f.Iteration(header.Index)
	if iteration < firstIteration {
		return
	}
	l := p.iterationStart
	if l != nil && (l.p.Peek().Call != f.Call || l.p.Peek().Block != header || iteration <= l.iteration) {
		l = nil
	}
	if l != nil && iteration == l.iteration+1 {
		// The path goes on at the last iteration, and leaves the loop by its own test.
		if c := x.counter(p, header); c != nil && x.unchanged(p, l, c) {
			if last := x.lastIteration(p, header, c); x.indexes(p, c, last) {
				p.Set(f.Call, c, []*sym.Expr{sym.Num(last)})
			}
		}
		return
	}
	// It is a copy of all, so it is made seldom: at iterations that double. A loop that changes nothing any more
	// after some iterations is found at the next one.
	if l == nil || iteration == l.next {
		p.iterationStart = &iterationStart{p: *p.Clone(), live: x.liveValues(p), iteration: iteration, next: 2 * iteration, objects: x.initial}
	}
}

// liveValues returns what is live where a path is.
func (x *Explorer) liveValues(p *Path) map[envKey][]*sym.Expr {
	out := map[envKey][]*sym.Expr{}
	for _, k := range x.Live(p.Frames) {
		e := envKey{k.Call, k.V}
		out[e] = p.env.m[e]
	}
	return out
}

// unchanged reports that an iteration has left all as it was but for a counter.
// That no condition was added and nothing chosen says that the iteration had one course only. Before the start
// every allocation is an object of its own, so that one that allocates has changed something.
func (x *Explorer) unchanged(p *Path, l *iterationStart, counter *ssa.Phi) bool {
	q := &l.p
	if p.decided != q.decided || p.Picks != q.Picks || len(p.Frames) != len(q.Frames) || len(p.Peek().Defers) != len(q.Peek().Defers) ||
		len(p.facts.m) != len(q.facts.m) || len(p.narrow.m) != len(q.narrow.m) || p.Saturated != q.Saturated || p.variant != q.variant ||
		!slices.Equal(p.Held, q.Held) || !slices.Equal(p.approx, q.approx) || !slices.Equal(p.early, q.early) || len(p.guesses) != len(q.guesses) ||
		!slices.Equal(p.chosen, q.chosen) || !maps.Equal(p.allocs.m, q.allocs.m) || x.initial != l.objects {
		return false
	}
	same := func(a, b *sym.Expr) bool { return a == b || a != nil && b != nil && a.Same(b) }
	if !maps.EqualFunc(p.created.m, q.created.m, func(a, b []*sym.Expr) bool { return slices.EqualFunc(a, b, same) }) {
		return false
	}
	key := envKey{p.Peek().Call, counter}
	now := x.liveValues(p)
	delete(now, key)
	if _, ok := l.live[key]; !ok || len(now) != len(l.live)-1 {
		return false
	}
	for k, v := range now {
		if !slices.EqualFunc(v, l.live[k], same) {
			return false
		}
	}
	return p.heap.EqualFunc(&q.heap, same)
}

// counter returns the variable of a loop that counts its iterations, if it is for nothing
// else: it is compared once, to decide whether the loop goes on.
func (x *Explorer) counter(p *Path, header *ssa.BasicBlock) *ssa.Phi {
	for _, instr := range header.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			return nil
		}
		if inc, _ := step(phi); inc != nil && x.Slice.Values[phi] {
			if c, _ := x.test(phi, inc); c != nil {
				return phi
			}
		}
	}
	return nil
}

// step returns what a counter is at the next iteration, and how far it goes; nil if it is
// none.
func step(phi *ssa.Phi) (inc *ssa.BinOp, by int64) {
	h := phi.Block()
	for i, pred := range h.Preds {
		if !h.Dominates(pred) {
			continue
		}
		b, ok := phi.Edges[i].(*ssa.BinOp)
		if !ok || b.X != phi || b.Op != token.ADD && b.Op != token.SUB || inc != nil && b != inc {
			return nil, 0
		}
		c, ok := b.Y.(*ssa.Const)
		if !ok {
			return nil, 0
		}
		k, ok := program.Int32Const(c)
		if !ok || k == 0 {
			return nil, 0
		}
		if inc, by = b, int64(k); b.Op == token.SUB {
			by = -by
		}
	}
	return inc, by
}

// test returns the comparison of a counter that decides whether the loop goes on, and
// the branch, nil if the counter is used otherwise in the loop.
// Where the counter is an index of what the model does not keep, that is no use, but for panics: see indexes.
func (x *Explorer) test(phi *ssa.Phi, inc *ssa.BinOp) (*ssa.BinOp, *ssa.If) {
	h := phi.Block()
	in := x.Program.Function(h.Parent())
	in.Arrange()
	inside := func(b *ssa.BasicBlock) bool { return slices.Contains(in.Loops[b.Index], h.Index) }
	var cond *ssa.BinOp
	var branch *ssa.If
	for _, v := range []ssa.Value{phi, inc} {
		for _, r := range *v.Referrers() {
			switch {
			case r == ssa.Instruction(inc), r == ssa.Instruction(phi), !inside(r.Block()):
				continue
			case !x.Slice.Considered(r):
				if _, ok := r.(*ssa.Phi); !ok {
					continue
				}
			}
			if other, ok := r.(*ssa.Phi); ok && !x.Slice.Values[other] {
				continue
			}
			if i, ok := r.(*ssa.IndexAddr); ok && i.X != v {
				continue // see indexes
			}
			c, ok := r.(*ssa.BinOp)
			if !ok || cond != nil || len(*c.Referrers()) == 0 {
				return nil, nil
			}
			cond = c
		}
	}
	if cond == nil {
		return nil, nil
	}
	for _, r := range *cond.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.If:
			if branch != nil || inside(r.Block().Succs[0]) == inside(r.Block().Succs[1]) {
				return nil, nil
			}
			branch = r
		default:
			return nil, nil
		}
	}
	if branch == nil {
		return nil, nil
	}
	return cond, branch
}

// indexes reports that where the counter of a loop is an index nobody knows of what,
// and it is not out of bounds up to its last value.
func (x *Explorer) indexes(p *Path, phi *ssa.Phi, last int32) bool {
	ctx := p.Peek().Call
	inc, by := step(phi)
	for v, at := range map[ssa.Value]int64{phi: int64(last), inc: int64(last) + by} {
		for _, r := range *v.Referrers() {
			i, ok := r.(*ssa.IndexAddr)
			if !ok || !x.Slice.Considered(i) {
				continue
			}
			base := p.Value(ctx, i.X)
			if _, isSlice := i.X.Type().Underlying().(*types.Slice); !isSlice || p.Simplify(base[0]).Op != sym.OpUnknown || at < 0 || by < 0 {
				return false
			}
			switch n := p.Simplify(base[1]); {
			case n.Op == sym.OpUnknown:
			case !n.IsConst() || at >= int64(n.K):
				return false
			}
		}
	}
	return true
}

// lastIteration is what a counter is at the last iteration that is followed by another,
// or what it is now if that is not known.
func (x *Explorer) lastIteration(p *Path, header *ssa.BasicBlock, phi *ssa.Phi) int32 {
	ctx := p.Peek().Call
	at := p.Simplify(p.Value(ctx, phi)[0])
	inc, by := step(phi)
	cond, branch := x.test(phi, inc)
	k := int64(at.K)
	counts, limit, op := cond.X, cond.Y, cond.Op
	if limit == ssa.Value(phi) || limit == ssa.Value(inc) {
		counts, limit = limit, counts
		op = program.Mirrored[op]
	}
	end := p.Simplify(p.Value(ctx, limit)[0])
	if !at.IsConst() || !end.IsConst() {
		return at.K
	}
	in := x.Program.Function(header.Parent())
	if !slices.Contains(in.Loops[branch.Block().Succs[0].Index], header.Index) { // it goes on where this does not hold
		op = program.Negated[op]
	}
	down := by < 0
	// left is how far the value compared can go.
	left := int64(end.K) - k
	if counts == ssa.Value(inc) {
		left -= by
	}
	if down {
		left, by, op = -left, -by, program.Mirrored[op]
	}
	iterations := int64(0)
	switch op {
	case token.LSS:
		iterations = (left - 1) / by
	case token.LEQ:
		iterations = left / by
	// One that steps over its end goes on until it wraps around.
	case token.NEQ:
		if left%by == 0 {
			iterations = left/by - 1
		}
	}
	if left <= 0 || iterations <= 0 {
		return at.K
	}
	if down {
		return int32(k - iterations*by)
	}
	return int32(k + iterations*by)
}

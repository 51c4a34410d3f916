package translate

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// maxTrips is the number of iterations up to which a loop with constant bounds
// gets as many goroutines or objects as it has iterations.
const maxTrips = 64

// trips counts how often a block runs in one goroutine of a template, 0 if that
// is not a small constant.
func (x *translator) trips(t *template, ctx *callPath, b *ssa.BasicBlock) int {
	n := 1
	if !t.once {
		return 0
	}
	for {
		k := x.loopTrips(b)
		if k == 0 || n > maxTrips/k {
			return 0
		}
		n *= k
		if ctx == nil || ctx.parent == nil || ctx.site == nil {
			return n
		}
		b, ctx = ctx.site.Block(), ctx.parent
	}
}

// loopTrips counts the iterations of the loops around a block in its function.
func (x *translator) loopTrips(b *ssa.BasicBlock) int {
	if !x.prog.info(b.Parent()).inCycle[b.Index] {
		return 1
	}
	n, covered := 1, false
	for h := b; h != nil; h = h.Idom() {
		if !inLoopOf(h, b) {
			continue
		}
		k := headerTrips(h)
		if k == 0 {
			return 0
		}
		covered = true
		n *= k
		if n > maxTrips {
			return 0
		}
	}
	if !covered {
		return 0
	}
	return n
}

// inLoopOf reports that h is the header of a loop that contains b.
func inLoopOf(h, b *ssa.BasicBlock) bool {
	for _, back := range h.Preds {
		if !h.Dominates(back) {
			continue
		}
		// b is in the loop if it reaches the back edge without passing h.
		seen := map[*ssa.BasicBlock]bool{h: true}
		stack := []*ssa.BasicBlock{b}
		for len(stack) > 0 {
			c := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if c == back {
				return true
			}
			if c == h {
				continue
			}
			for _, s := range c.Succs {
				if !seen[s] {
					seen[s] = true
					stack = append(stack, s)
				}
			}
		}
	}
	return false
}

// headerTrips counts the iterations of a loop of the form "for i := k; i < n;
// i++" or a range over an integer or array, 0 for others.
func headerTrips(h *ssa.BasicBlock) int {
	// The test stands at the top, or at the bottom before the way back.
	for _, b := range append([]*ssa.BasicBlock{h}, h.Preds...) {
		if b != h && !h.Dominates(b) {
			continue
		}
		if n := testTrips(h, b); n > 0 {
			return n
		}
	}
	return 0
}

func testTrips(h, b *ssa.BasicBlock) int {
	br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return 0
	}
	cond, ok := br.Cond.(*ssa.BinOp)
	if !ok || cond.Op != token.LSS && cond.Op != token.LEQ {
		return 0
	}
	limit, ok := cond.Y.(*ssa.Const)
	if !ok {
		return 0
	}
	hi, ok := intConst(limit)
	if !ok {
		return 0
	}
	if cond.Op == token.LEQ {
		hi++
	}
	phi, ok := cond.X.(*ssa.Phi)
	if !ok {
		phi = stepOf(cond.X)
	}
	if l, ok := cond.X.(*ssa.UnOp); ok && l.Op == token.MUL {
		return capturedTrips(h, l.X, hi)
	}
	if phi == nil || phi.Block() != h {
		return 0
	}
	lo := int32(0)
	for i, e := range phi.Edges {
		if h.Dominates(h.Preds[i]) {
			if stepOf(e) != phi {
				return 0
			}
			continue
		}
		c, ok := e.(*ssa.Const)
		if !ok {
			return 0
		}
		if lo, ok = intConst(c); !ok {
			return 0
		}
	}
	lo = max(lo, 0) // a range over an array counts from -1 and adds before it tests
	if n := int64(hi) - int64(lo); n > 0 && n <= maxTrips {
		return int(n)
	}
	return 0
}

// stepOf returns the phi that v is one more than.
func stepOf(v ssa.Value) *ssa.Phi {
	b, ok := v.(*ssa.BinOp)
	if !ok || b.Op != token.ADD {
		return nil
	}
	if c, ok := b.Y.(*ssa.Const); !ok {
		return nil
	} else if k, ok := intConst(c); !ok || k != 1 {
		return nil
	}
	phi, _ := b.X.(*ssa.Phi)
	return phi
}

// capturedTrips counts the iterations of a loop whose variable, a new one for
// each iteration, is captured and so lies in memory.
func capturedTrips(h *ssa.BasicBlock, v ssa.Value, hi int32) int {
	phi, ok := v.(*ssa.Phi)
	if !ok || phi.Block() != h {
		return 0
	}
	lo := int32(0)
	for i, e := range phi.Edges {
		a, ok := e.(*ssa.Alloc)
		if !ok {
			return 0
		}
		var last ssa.Value
		for _, instr := range a.Block().Instrs {
			if st, ok := instr.(*ssa.Store); ok && st.Addr == a {
				last = st.Val
			}
		}
		if h.Dominates(h.Preds[i]) {
			b, ok := last.(*ssa.BinOp)
			if !ok || b.Op != token.ADD {
				return 0
			}
			if c, ok := b.Y.(*ssa.Const); !ok {
				return 0
			} else if k, ok := intConst(c); !ok || k != 1 {
				return 0
			}
			continue
		}
		c, ok := last.(*ssa.Const)
		if !ok {
			return 0
		}
		if lo, ok = intConst(c); !ok {
			return 0
		}
	}
	if n := int64(hi) - int64(lo); n > 0 && n <= maxTrips {
		return int(n)
	}
	return 0
}

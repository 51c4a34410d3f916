package program

import "golang.org/x/tools/go/ssa"

// flow is the control flow graph of a function with one exit, numbered behind the blocks, that
// all that have no successor lead to.
type flow struct {
	exit         int
	succs, preds [][]int
}

// newFlow makes the graph of some blocks.
func newFlow(blocks []*ssa.BasicBlock) *flow {
	n := len(blocks)
	g := &flow{exit: n, succs: make([][]int, n+1), preds: make([][]int, n+1)}
	for i, b := range blocks {
		for _, s := range b.Succs {
			g.link(i, s.Index)
		}
		if len(b.Succs) == 0 {
			g.link(i, g.exit)
		}
	}
	return g
}

// link adds an edge.
func (g *flow) link(a, b int) {
	g.succs[a] = append(g.succs[a], b)
	g.preds[b] = append(g.preds[b], a)
}

// leadToExit gives blocks that cannot reach the exit an edge to it, the last ones first, until
// all can.
func (g *flow) leadToExit() {
	for {
		reaches := g.reachExit()
		stuck := -1
		for i := g.exit - 1; i >= 0; i-- {
			if !reaches[i] {
				stuck = i
				break
			}
		}
		if stuck < 0 {
			return
		}
		g.link(stuck, g.exit)
	}
}

// reachExit marks the blocks from which a path leads to the exit, and the exit.
func (g *flow) reachExit() []bool {
	reached := make([]bool, g.exit+1)
	stack := []int{g.exit}
	reached[g.exit] = true
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, q := range g.preds[b] {
			if !reached[q] {
				reached[q] = true
				stack = append(stack, q)
			}
		}
	}
	return reached
}

// postorder lists the nodes in postorder of the reverse graph, from the exit, and gives each
// its place in the list, -1 if it has none.
func (g *flow) postorder() (post, place []int) {
	place = make([]int, g.exit+1)
	for i := range place {
		place[i] = -1
	}
	seen := make([]bool, g.exit+1)
	var walk func(b int)
	walk = func(b int) {
		seen[b] = true
		for _, q := range g.preds[b] {
			if !seen[q] {
				walk(q)
			}
		}
		place[b] = len(post)
		post = append(post, b)
	}
	walk(g.exit)
	return post, place
}

// immediate finds the immediate post-dominator of each node: iterative post-dominator sets over
// the reverse postorder of the reverse graph (Cooper, Harvey, Kennedy).
func (g *flow) immediate() []int {
	post, order := g.postorder()
	idom := make([]int, g.exit+1)
	for i := range idom {
		idom[i] = -1
	}
	idom[g.exit] = g.exit
	intersect := func(a, b int) int {
		for a != b {
			for order[a] < order[b] {
				a = idom[a]
			}
			for order[b] < order[a] {
				b = idom[b]
			}
		}
		return a
	}
	for changed := true; changed; {
		changed = false
		for i := len(post) - 2; i >= 0; i-- {
			b := post[i]
			d := -1
			for _, s := range g.succs[b] {
				if idom[s] < 0 {
					continue
				}
				if d < 0 {
					d = s
				} else {
					d = intersect(d, s)
				}
			}
			if d >= 0 && idom[b] != d {
				idom[b] = d
				changed = true
			}
		}
	}
	return idom
}

// dependences lists for each block the blocks whose branch decides whether it runs: it is on a
// path from one of their successors to where all paths from them merge.
func (g *flow) dependences(idom []int) [][]int {
	cdep := make([][]int, g.exit)
	for a := range g.exit {
		if len(g.succs[a]) < 2 {
			continue
		}
		for _, s := range g.succs[a] {
			for b := s; b != g.exit && b != idom[a] && b >= 0; b = idom[b] {
				cdep[b] = append(cdep[b], a)
			}
		}
	}
	return cdep
}

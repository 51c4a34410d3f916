package program

import (
	"go/ast"
	"go/token"
	"sort"

	"golang.org/x/tools/go/ssa"
)

// Reaches reports that there is a path from one block to another.
func Reaches(from, to *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{}
	for stack := []*ssa.BasicBlock{from}; len(stack) > 0; {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b == to {
			return true
		}
		for _, succ := range b.Succs {
			if !seen[succ] {
				seen[succ] = true
				stack = append(stack, succ)
			}
		}
	}
	return false
}

// Function is what is derived from the body of one function.
type Function struct {
	Func *ssa.Function
	// PostDominator is the immediate post-dominator of each block, -1 for the exit.
	PostDominator []int
	// ControlDeps lists for each block the blocks whose branch decides whether it runs.
	ControlDeps [][]int
	// InCycle marks the blocks that can run twice in one activation.
	InCycle []bool
	// Positions gives each instruction a position: its own, or that of the source
	// expression that it computes. Those of the library have none: what happens
	// in it happens where the program calls it.
	Positions map[ssa.Instruction]token.Pos
	// Order is that of the blocks, loops before what follows them, and loops the
	// headers of the loops around each block, from the outside; see Arrange.
	Order []int
	Loops [][]int
	// Tangled: there are cycles that are not loops with one entry.
	Tangled bool
}

// Function is what is derived from a function with body, made when it is first asked for.
func (p *Program) Function(f *ssa.Function) *Function {
	if in := p.infos[f]; in != nil {
		return in
	}
	in := &Function{Func: f}
	in.postDominators()
	in.cycles()
	in.Positions = map[ssa.Instruction]token.Pos{}
	if !p.OfLibrary(f) {
		in.positions()
	}
	p.infos[f] = in
	return in
}

// postDominators computes ipdom and cdep. Blocks that cannot reach an exit are
// given an edge to it, so that everything is defined for endless loops.
func (in *Function) postDominators() {
	g := newFlow(in.Func.Blocks)
	g.leadToExit()
	idom := g.immediate()
	in.PostDominator = make([]int, g.exit)
	for i := range in.PostDominator {
		in.PostDominator[i] = idom[i]
		if idom[i] == g.exit {
			in.PostDominator[i] = -1
		}
	}
	in.ControlDeps = g.dependences(idom)
}

// Arrange orders the blocks, and finds the loops around them.
func (in *Function) Arrange() {
	if in.Order != nil {
		return
	}
	blocks := in.Func.Blocks
	in.Loops = make([][]int, len(blocks))
	for _, h := range blocks { // dominators have lower numbers than what they dominate
		var body []bool
		for _, t := range h.Preds {
			if !h.Dominates(t) {
				continue
			}
			if body == nil {
				body = make([]bool, len(blocks))
				body[h.Index] = true
			}
			for stack := []*ssa.BasicBlock{t}; len(stack) > 0; {
				b := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				if !body[b.Index] {
					body[b.Index] = true
					stack = append(stack, b.Preds...)
				}
			}
		}
		for i, inside := range body {
			if inside {
				in.Loops[i] = append(in.Loops[i], h.Index)
			}
		}
	}
	for i := range in.Loops {
		sort.Slice(in.Loops[i], func(a, b int) bool {
			g, h := blocks[in.Loops[i][a]], blocks[in.Loops[i][b]]
			return g != h && g.Dominates(h)
		})
	}
	// Without what goes back to the headers of loops there are no cycles.
	state := make([]int, len(blocks))
	var cyclic func(b *ssa.BasicBlock) bool
	cyclic = func(b *ssa.BasicBlock) bool {
		state[b.Index] = 1
		for _, s := range b.Succs {
			if !s.Dominates(b) && (state[s.Index] == 1 || state[s.Index] == 0 && cyclic(s)) {
				return true
			}
		}
		state[b.Index] = 2
		return false
	}
	in.Tangled = cyclic(blocks[0])
	// Reverse postorder, what leaves a loop visited first and so placed last.
	seen := make([]bool, len(blocks))
	var post []int
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b.Index] = true
		succs := append([]*ssa.BasicBlock(nil), b.Succs...)
		sort.SliceStable(succs, func(i, j int) bool { return len(in.Loops[succs[i].Index]) < len(in.Loops[succs[j].Index]) })
		for _, s := range succs {
			if !seen[s.Index] {
				visit(s)
			}
		}
		post = append(post, b.Index)
	}
	for _, b := range blocks {
		if !seen[b.Index] {
			visit(b)
		}
	}
	in.Order = make([]int, len(blocks))
	for i, b := range post {
		in.Order[b] = len(post) - i
	}
}

// cycles marks the blocks that lie on a cycle.
func (in *Function) cycles() {
	n := len(in.Func.Blocks)
	in.InCycle = make([]bool, n)
	for i := range in.Func.Blocks {
		seen := make([]bool, n)
		stack := []int{i}
		for len(stack) > 0 && !in.InCycle[i] {
			b := in.Func.Blocks[stack[len(stack)-1]]
			stack = stack[:len(stack)-1]
			for _, s := range b.Succs {
				if s.Index == i {
					in.InCycle[i] = true
				}
				if !seen[s.Index] {
					seen[s.Index] = true
					stack = append(stack, s.Index)
				}
			}
		}
	}
}

// positions finds a position for instructions that have none of their own.
func (in *Function) positions() {
	for _, b := range in.Func.Blocks {
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.DebugRef); ok {
				if v, ok := d.X.(ssa.Instruction); ok && !v.Pos().IsValid() && !in.Positions[v].IsValid() {
					in.Positions[v] = startOf(d.Expr)
				}
			}
		}
	}
	for _, b := range in.Func.Blocks {
		next := token.NoPos
		for i := len(b.Instrs) - 1; i >= 0; i-- {
			instr := b.Instrs[i]
			if d, ok := instr.(*ssa.DebugRef); ok {
				next = startOf(d.Expr)
				continue
			}
			if instr.Pos().IsValid() {
				in.Positions[instr] = instr.Pos()
			}
			if p := in.Positions[instr]; p.IsValid() {
				next = p
			} else if n, ok := instr.(*ssa.Next); ok && !next.IsValid() {
				in.Positions[instr] = n.Iter.Pos() // of a loop without variables
			} else if _, ok := instr.(*ssa.Phi); !ok {
				in.Positions[instr] = next
			}
		}
		last := token.NoPos
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.DebugRef); ok {
				last = startOf(d.Expr)
			} else if p := in.Positions[instr]; p.IsValid() {
				last = p
			} else if _, ok := instr.(*ssa.If); ok {
				in.Positions[instr] = last
			}
		}
	}
}

func startOf(e ast.Expr) token.Pos { return e.Pos() }

// Synthetic reports that the body of f was made by go/ssa: its instructions
// have no positions, and calls in it stand for the call of it.
func Synthetic(f *ssa.Function) bool {
	return f.Synthetic != "" && f.Syntax() == nil && f.Name() != "init"
}

package translate

import (
	"context"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"sort"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/source"
)

// program is the program under translation in SSA form.
type program struct {
	src   *source.Program
	ssa   *ssa.Program
	entry *ssa.Function
	init  *ssa.Function // of the entry's package: it calls those of the others
	graph *callgraph.Graph
	// funcs are the functions with bodies that can run, in order of position.
	funcs   []*ssa.Function
	reached map[*ssa.Function]bool // they
	infos   map[*ssa.Function]*funcInfo
	// operation is what is known of a function without body, nil for nothing.
	operation func(*ssa.Function) *operation
	library   map[*types.Package]bool // those of src.Library
	// thresholds are the integers to which intervals are widened.
	thresholds []int32
	around     *aroundTests // nil if there is no TestMain
	// converted are the types whose values become interfaces, and kept what calls may
	// run of those that a container of the library has kept.
	converted map[types.Type]bool
	kept      map[ssa.CallInstruction][]*ssa.Function
	// functionTypes are those of converted that are of functions, and have methods.
	functionTypes []types.Type
	contained     contained
	completed
}

// ssaForm is the SSA form of the packages of a program and of its library.
type ssaForm struct {
	program  *ssa.Program
	packages map[*packages.Package]*ssa.Package
}

// buildSSA makes the SSA form, once for all programs with the same packages.
func buildSSA(ctx context.Context, src *source.Program) (*ssaForm, error) {
	type key struct{}
	return source.Derive(ctx, src, key{}, func() (*ssaForm, error) {
		all := slices.Concat(src.Library, src.Packages)
		prog, pkgs := ssautil.Packages(all, ssa.InstantiateGenerics|ssa.GlobalDebug)
		form := &ssaForm{prog, map[*packages.Package]*ssa.Package{}}
		for i, p := range all {
			if pkgs[i] == nil {
				return nil, fmt.Errorf("%s: no SSA form", p.PkgPath)
			}
			form.packages[p] = pkgs[i]
		}
		prog.Build()
		return form, ctx.Err()
	})
}

// buildProgram makes a program, with what runs have shown of it. operation says what is known of
// functions without bodies.
func buildProgram(ctx context.Context, src *source.Program, operation func(*ssa.Function) *operation, completions []artifact.Completion) (*program, error) {
	form, err := buildSSA(ctx, src)
	if err != nil {
		return nil, err
	}
	prog, entryPkg := form.program, form.packages[src.Entry]
	if entryPkg == nil {
		return nil, fmt.Errorf("%s: not among the loaded packages", src.Spec.Pattern)
	}
	p := &program{
		src:   src,
		ssa:   prog,
		entry: prog.FuncValue(src.Func),
		init:  entryPkg.Func("init"),
		infos: map[*ssa.Function]*funcInfo{},

		operation: operation,

		library: map[*types.Package]bool{},

		converted: map[types.Type]bool{},
		kept:      map[ssa.CallInstruction][]*ssa.Function{},
		contained: newContained(),
	}
	for _, q := range src.Library {
		p.library[q.Types] = true
	}
	if p.entry == nil {
		return nil, fmt.Errorf("%s: %w", src.Spec.Entry, source.ErrNoEntry)
	}
	p.complete(completions)
	p.around = p.findTestMain()
	p.graph = vta.CallGraph(p.candidates(), nil)
	p.reach()
	p.findThresholds()
	return p, nil
}

// candidates are the functions that the call graph is made of: those that the
// initialisers, the entry and TestMain use, and all methods of what becomes an
// interface in one of them. What only other tests pass on is not among what may
// come out of a variable then. This is rapid type analysis (Bacon and Sweeney,
// OOPSLA 1996) where every interface call may go to any of these methods, since
// code that is not loaded may call them too.
func (p *program) candidates() map[*ssa.Function]bool {
	all := map[*ssa.Function]bool{}
	converted := p.converted
	var todo []*ssa.Function
	add := func(f *ssa.Function) {
		if f != nil && f.Blocks != nil && !all[f] {
			all[f] = true
			todo = append(todo, f)
		}
	}
	add(p.init)
	add(p.entry)
	if p.around != nil {
		add(p.around.fn)
	}
	for _, f := range p.calledToo() {
		add(f)
	}
	for len(todo) > 0 {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok {
						add(g)
					}
				}
				p.contained.add(instr)
				i, ok := instr.(*ssa.MakeInterface)
				if !ok || converted[i.X.Type()] {
					continue
				}
				converted[i.X.Type()] = true
				methods := p.ssa.MethodSets.MethodSet(i.X.Type())
				if isFunc(i.X.Type()) && methods.Len() > 0 {
					p.functionTypes = append(p.functionTypes, i.X.Type())
				}
				for k := range methods.Len() {
					add(p.ssa.MethodValue(methods.At(k)))
				}
			}
		}
	}
	return all
}

// callees returns the functions that a call may run, in order.
func (p *program) callees(site ssa.CallInstruction) []*ssa.Function {
	if f := site.Common().StaticCallee(); f != nil {
		return []*ssa.Function{f}
	}
	if out, ok := p.kept[site]; ok {
		return out
	}
	n := p.graph.Nodes[site.Parent()]
	if n == nil {
		return nil
	}
	var out []*ssa.Function
	for _, e := range n.Out {
		if e.Site == site {
			out = append(out, e.Callee.Func)
		}
	}
	// A value that comes from nowhere comes from memory that the library keeps, or from
	// reflection.
	if c := site.Common(); c.IsInvoke() && (len(out) == 0 || fromContainer(c.Value, map[ssa.Value]bool{})) {
		for _, f := range p.implementations(c) {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
		out = append(out, p.forwarders(c)...)
		sortFuncs(out)
		p.kept[site] = out
		return out
	}
	for _, f := range p.takenOut(site.Common()) {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	for _, f := range p.calls[site] {
		if !p.fromLibrary(site) && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	out = append(out, p.forwarders(site.Common())...)
	sortFuncs(out)
	return out
}

// implementations are the methods that an interface call may run, of all types
// whose values become interfaces.
func (p *program) implementations(c *ssa.CallCommon) []*ssa.Function {
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var out []*ssa.Function
	for t := range p.converted {
		if !types.Implements(t, iface) {
			continue
		}
		if f := p.ssa.LookupMethod(t, c.Method.Pkg(), c.Method.Name()); f != nil && f.Blocks != nil && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

func sortFuncs(fs []*ssa.Function) {
	sort.SliceStable(fs, func(i, j int) bool {
		if a, b := fs[i].Pos(), fs[j].Pos(); a != b {
			return a < b
		}
		return fs[i].String() < fs[j].String()
	})
}

// reach finds the functions that can run: from the entry and the package
// initialisers, over calls, and over functions used as values.
func (p *program) reach() {
	seen := map[*ssa.Function]bool{}
	var visit func(f *ssa.Function)
	visit = func(f *ssa.Function) {
		if f == nil || f.Blocks == nil || seen[f] {
			return
		}
		seen[f] = true
		p.funcs = append(p.funcs, f)
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok {
						visit(g)
					}
				}
				switch i := instr.(type) {
				case ssa.CallInstruction:
					for _, g := range p.calls[i] {
						visit(g)
					}
					for _, g := range p.callees(i) {
						visit(g)
						if op := p.operation(g); op != nil && len(op.methods) > 0 {
							for _, m := range p.calledMethods(i.Common().Args[0], op.methods) {
								visit(m)
							}
						}
					}
				case *ssa.MakeInterface:
					if libraryType(i.Type()) != "sync.Locker" {
						break
					}
					// A Cond calls them.
					for _, m := range []string{"Lock", "Unlock"} {
						visit(p.ssa.LookupMethod(i.X.Type(), nil, m))
					}
				}
			}
		}
	}
	visit(p.init)
	visit(p.entry)
	sortFuncs(p.funcs)
	p.reached = seen
}

func (p *program) findThresholds() {
	set := map[int32]bool{-1: true, 0: true, 1: true, 2: true, 16: true}
	for _, f := range p.funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					if c, ok := (*op).(*ssa.Const); ok {
						if k, ok := intConst(c); ok && k > math.MinInt32+2 && k < math.MaxInt32-2 {
							set[k-1], set[k], set[k+1] = true, true, true
						}
					}
				}
			}
		}
	}
	for k := range set {
		p.thresholds = append(p.thresholds, k)
	}
	sort.Slice(p.thresholds, func(i, j int) bool { return p.thresholds[i] < p.thresholds[j] })
}

// ofLibrary reports that a function is one of the library that is translated from
// its source.
func (p *program) ofLibrary(f *ssa.Function) bool {
	if f == nil || len(p.library) == 0 {
		return false
	}
	for f.Parent() != nil {
		f = f.Parent()
	}
	if o := f.Object(); o != nil {
		return p.library[o.Pkg()]
	}
	return f.Pkg != nil && p.library[f.Pkg.Pkg]
}

// intConst returns an integer or boolean constant that fits 32 bits.
func intConst(c *ssa.Const) (int32, bool) {
	if c.Value == nil {
		return 0, false
	}
	switch c.Value.Kind() {
	case constant.Bool:
		if constant.BoolVal(c.Value) {
			return 1, true
		}
		return 0, true
	case constant.Int:
		if b, ok := c.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsInteger == 0 {
			return 0, false
		}
		k, exact := constant.Int64Val(c.Value)
		if exact && k >= math.MinInt32 && k <= math.MaxInt32 {
			return int32(k), true
		}
	}
	return 0, false
}

// funcInfo is what is derived from the body of one function.
type funcInfo struct {
	fn *ssa.Function
	// ipdom is the immediate post-dominator of each block, -1 for the exit.
	ipdom []int
	// cdep lists for each block the blocks whose branch decides whether it runs.
	cdep [][]int
	// inCycle marks the blocks that can run twice in one activation.
	inCycle []bool
	// pos gives each instruction a position: its own, or that of the source
	// expression that it computes. Those of the library have none: what happens
	// in it happens where the program calls it.
	pos map[ssa.Instruction]token.Pos
	// order is that of the blocks, loops before what follows them, and loops the
	// headers of the loops around each block, from the outside; see arrange.
	order []int
	loops [][]int
	// tangled: there are cycles that are not loops with one entry.
	tangled bool
}

func (p *program) info(f *ssa.Function) *funcInfo {
	if in := p.infos[f]; in != nil {
		return in
	}
	in := &funcInfo{fn: f}
	in.postDominators()
	in.cycles()
	in.pos = map[ssa.Instruction]token.Pos{}
	if !p.ofLibrary(f) {
		in.positions()
	}
	p.infos[f] = in
	return in
}

// postDominators computes ipdom and cdep. Blocks that cannot reach an exit are
// given an edge to it, so that everything is defined for endless loops.
func (in *funcInfo) postDominators() {
	g := newFlow(in.fn.Blocks)
	g.leadToExit()
	idom := g.immediate()
	in.ipdom = make([]int, g.exit)
	for i := range in.ipdom {
		in.ipdom[i] = idom[i]
		if idom[i] == g.exit {
			in.ipdom[i] = -1
		}
	}
	in.cdep = g.dependences(idom)
}

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

// reachExit marks the blocks from which a way leads to the exit, and the exit.
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
	meet := func(a, b int) int {
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
					d = meet(d, s)
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
// way from one of their successors to where all their ways meet again.
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

// arrange orders the blocks, and finds the loops around them.
func (in *funcInfo) arrange() {
	if in.order != nil {
		return
	}
	blocks := in.fn.Blocks
	in.loops = make([][]int, len(blocks))
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
				in.loops[i] = append(in.loops[i], h.Index)
			}
		}
	}
	for i := range in.loops {
		sort.Slice(in.loops[i], func(a, b int) bool {
			g, h := blocks[in.loops[i][a]], blocks[in.loops[i][b]]
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
	in.tangled = cyclic(blocks[0])
	// Reverse postorder, what leaves a loop visited first and so placed last.
	seen := make([]bool, len(blocks))
	var post []int
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		seen[b.Index] = true
		succs := append([]*ssa.BasicBlock(nil), b.Succs...)
		sort.SliceStable(succs, func(i, j int) bool { return len(in.loops[succs[i].Index]) < len(in.loops[succs[j].Index]) })
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
	in.order = make([]int, len(blocks))
	for i, b := range post {
		in.order[b] = len(post) - i
	}
}

// cycles marks the blocks that lie on a cycle.
func (in *funcInfo) cycles() {
	n := len(in.fn.Blocks)
	in.inCycle = make([]bool, n)
	for i := range in.fn.Blocks {
		seen := make([]bool, n)
		stack := []int{i}
		for len(stack) > 0 && !in.inCycle[i] {
			b := in.fn.Blocks[stack[len(stack)-1]]
			stack = stack[:len(stack)-1]
			for _, s := range b.Succs {
				if s.Index == i {
					in.inCycle[i] = true
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
func (in *funcInfo) positions() {
	for _, b := range in.fn.Blocks {
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.DebugRef); ok {
				if v, ok := d.X.(ssa.Instruction); ok && !v.Pos().IsValid() && !in.pos[v].IsValid() {
					in.pos[v] = startOf(d.Expr)
				}
			}
		}
	}
	for _, b := range in.fn.Blocks {
		next := token.NoPos
		for i := len(b.Instrs) - 1; i >= 0; i-- {
			instr := b.Instrs[i]
			if d, ok := instr.(*ssa.DebugRef); ok {
				next = startOf(d.Expr)
				continue
			}
			if instr.Pos().IsValid() {
				in.pos[instr] = instr.Pos()
			}
			if p := in.pos[instr]; p.IsValid() {
				next = p
			} else if _, ok := instr.(*ssa.Phi); !ok {
				in.pos[instr] = next
			}
		}
		last := token.NoPos
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.DebugRef); ok {
				last = startOf(d.Expr)
			} else if p := in.pos[instr]; p.IsValid() {
				last = p
			} else if _, ok := instr.(*ssa.If); ok {
				in.pos[instr] = last
			}
		}
	}
}

func startOf(e ast.Expr) token.Pos { return e.Pos() }

// synthetic reports that the body of f was made by go/ssa: its instructions
// have no positions, and calls in it stand for the call of it.
func synthetic(f *ssa.Function) bool {
	return f.Synthetic != "" && f.Syntax() == nil && f.Name() != "init"
}

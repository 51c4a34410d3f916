package translate

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate/internal/program"
)

// A number that comes from outside (a flag, an argument, a random number, what a
// file holds) may say how large something is: the capacity of a channel, the
// length of a slice, what is added to a wait group, how often loops run. Nothing
// can be made of an unknown size, and two loops that run as often as each other
// must agree. Such a number is one of a few values, chosen where it comes into
// the program, and then a number like any other. One that decides nothing but
// single conditions stays unknown: each evaluation is a free choice, which leaves
// no value out.

// A number says of a value what it is used for.
type number struct {
	sizes bool // something has this size
	loops int  // that it bounds
	// tells are values that conditions tell apart from those that are always
	// chosen.
	tells []int32
}

// chosen reports that the value is to be one of a few.
func (n *number) chosen() bool { return n != nil && (n.sizes || n.loops > 1) }

const (
	// maxTold is the greatest number that is chosen for the sake of a condition.
	maxTold = 64
	// maxSources bounds the values that one number is looked for in.
	maxSources = 4000
)

// findNumbers finds the values that say how large something is, and where they
// come from.
func (s *slice) findNumbers() {
	s.numbers = map[ssa.Value]*number{}
	s.numberClasses = map[memClass]*number{}
	s.makers = map[*ssa.Function]bool{}
	for _, f := range s.prog.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if s.executed(instr) {
					s.findSizes(instr)
				}
			}
		}
	}
}

// findSizes finds what an instruction says about numbers.
func (s *slice) findSizes(instr ssa.Instruction) {
	size := func(n *number) { n.sizes = true }
	switch i := instr.(type) {
	case *ssa.MakeChan:
		s.trace(size, i.Size)
	case *ssa.MakeSlice:
		s.trace(size, i.Len, i.Cap)
	case ssa.CallInstruction:
		if f := i.Common().StaticCallee(); f != nil && program.FullName(f) == "(*sync.WaitGroup).Add" {
			s.trace(size, i.Common().Args[1])
		}
	case *ssa.If:
		c, ok := i.Cond.(*ssa.BinOp)
		if !ok || !program.IsInteger(c.X.Type()) || program.OfTime(c.X.Type()) {
			return
		}
		if s.tests(i, c) {
			makes := s.makesInLoop(i.Block())
			s.trace(func(n *number) {
				n.loops++
				n.sizes = n.sizes || makes
			}, c.X, c.Y)
		}
		s.tell(c)
	}
}

// tests reports that a condition compares the counter of a loop, to decide
// whether it goes on.
func (s *slice) tests(i *ssa.If, c *ssa.BinOp) bool {
	in := s.prog.Function(i.Parent())
	if !in.InCycle[i.Block().Index] {
		return false
	}
	leaves := false
	for _, succ := range i.Block().Succs {
		leaves = leaves || !in.InCycle[succ.Index] || !program.Reaches(succ, i.Block())
	}
	counter := func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.Phi:
			return in.InCycle[v.Block().Index]
		case *ssa.UnOp: // a variable that is captured
			return v.Op == token.MUL
		}
		return program.StepOf(v) != nil
	}
	return leaves && (counter(c.X) || counter(c.Y))
}

// makesInLoop reports that goroutines are started, or slices and maps grow, in the
// loops that a block is in: how often they run says how many there are.
func (s *slice) makesInLoop(b *ssa.BasicBlock) bool {
	for _, c := range b.Parent().Blocks {
		if s.prog.Function(b.Parent()).InCycle[c.Index] && program.Reaches(b, c) && program.Reaches(c, b) && s.makesIn(c) {
			return true
		}
	}
	return false
}

// makes reports the same of a function and those that it calls.
func (s *slice) makes(f *ssa.Function) bool {
	made, ok := s.makers[f]
	if ok || !s.funcs[f] {
		return made
	}
	s.makers[f] = false // while it is looked into
	for _, b := range f.Blocks {
		if s.makesIn(b) {
			s.makers[f] = true
			return true
		}
	}
	return false
}

func (s *slice) makesIn(b *ssa.BasicBlock) bool {
	for _, instr := range b.Instrs {
		switch i := instr.(type) {
		case *ssa.Go:
			return true
		case *ssa.MapUpdate:
			if s.executed(i) {
				return true
			}
		case *ssa.Call:
			if builtin, ok := i.Call.Value.(*ssa.Builtin); ok {
				if builtin.Name() == "append" && s.executed(i) {
					return true
				}
				break
			}
			if f := i.Call.StaticCallee(); f != nil && (program.FullName(f) == "(*sync.WaitGroup).Go" || s.makes(f)) {
				return true
			}
		}
	}
	return false
}

// tell adds the values by which a comparison with a constant can be decided both
// ways.
func (s *slice) tell(c *ssa.BinOp) {
	v, k := c.X, c.Y
	op := c.Op
	if _, ok := v.(*ssa.Const); ok {
		v, k = k, v
		op = program.Mirrored[op]
	}
	limit, ok := k.(*ssa.Const)
	if !ok {
		return
	}
	n, ok := program.Int32Const(limit)
	if !ok || n < -maxTold || n > maxTold {
		return
	}
	var told int32
	switch op {
	case token.GTR, token.LEQ: // n > k or not
		if told = n + 1; n < 0 {
			told = n
		}
	case token.GEQ, token.LSS:
		if told = n; n <= 0 {
			told = n - 1
		}
	default:
		told = n
	}
	s.trace(func(n *number) {
		if !slices.Contains(n.tells, told) {
			n.tells = append(n.tells, told)
		}
	}, v)
}

// trace follows values back to where they come from.
func (s *slice) trace(mark func(*number), values ...ssa.Value) {
	t := tracing{s: s, mark: mark, seen: map[ssa.Value]bool{}, classes: map[memClass]bool{}, stack: slices.Clone(values)}
	for len(t.stack) > 0 && len(t.seen) < maxSources {
		v := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		switch v.(type) {
		case nil, *ssa.Const, *ssa.Function, *ssa.Builtin:
			continue
		}
		if t.seen[v] {
			continue
		}
		t.seen[v] = true
		if s.numbers[v] == nil {
			s.numbers[v] = &number{}
		}
		mark(s.numbers[v])
		if p, ok := s.parts[v]; ok {
			t.storedInPart(p)
			continue
		}
		t.sources(v)
	}
}

// tracing follows values back to where they come from, and marks on the way what
// they are used for.
type tracing struct {
	s       *slice
	mark    func(*number)
	seen    map[ssa.Value]bool
	classes map[memClass]bool // memory whose contents have been followed
	stack   []ssa.Value       // to be followed
}

func (t *tracing) push(v ...ssa.Value) { t.stack = append(t.stack, v...) }

// sources goes on with what a value is computed from.
func (t *tracing) sources(v ssa.Value) {
	s := t.s
	switch v := v.(type) {
	case *ssa.Phi:
		t.push(v.Edges...)
	case *ssa.BinOp:
		t.push(v.X, v.Y)
	case *ssa.UnOp:
		if v.Op == token.ARROW {
			t.push(s.sends[program.TypeKey(v.Type())]...)
			return
		}
		if g, ok := v.X.(*ssa.Global); ok && g.String() == osArgs && s.args == nil {
			s.args, s.argsRead = g, v
		}
		t.push(v.X)
	case *ssa.Convert:
		t.push(v.X)
	case *ssa.ChangeType:
		t.push(v.X)
	case *ssa.MakeInterface:
		t.push(v.X)
	case *ssa.TypeAssert:
		t.push(v.X)
	case *ssa.Field:
		t.push(v.X)
	case *ssa.Slice:
		t.push(v.X, v.Low, v.High)
	case *ssa.MakeSlice:
		t.push(v.Len, v.Cap)
	case *ssa.Lookup:
		t.stored(s.mapWrites[mapClass(v.X.Type())])
	case *ssa.Extract:
		t.component(v)
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			switch b.Name() {
			case "len", "cap", "min", "max", "append":
				t.push(v.Call.Args...)
			}
			return
		}
		t.results(v, 0)
	case *ssa.Parameter:
		t.arguments(v)
	case *ssa.FreeVar:
		t.bindings(v)
	case *ssa.Alloc, *ssa.Global, *ssa.FieldAddr, *ssa.IndexAddr:
		c, _ := classOf(v)
		t.contents(c)
	}
}

// component goes on with what one component of a tuple is computed from.
func (t *tracing) component(v *ssa.Extract) {
	switch tuple := v.Tuple.(type) {
	case *ssa.Call:
		t.results(tuple, v.Index)
	case *ssa.UnOp:
		t.push(t.s.sends[program.TypeKey(v.Type())]...)
	case *ssa.TypeAssert:
		t.push(tuple.X)
	case *ssa.Lookup:
		t.stored(t.s.mapWrites[mapClass(tuple.X.Type())])
	}
}

// results goes on with what a call returns as its result i.
func (t *tracing) results(call *ssa.Call, i int) {
	for _, f := range t.s.prog.Callees(call) {
		for _, b := range f.Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && i < len(r.Results) {
				t.push(r.Results[i])
			}
		}
	}
}

// arguments goes on with what calls hand over as a parameter.
func (t *tracing) arguments(v *ssa.Parameter) {
	for i, prm := range v.Parent().Params {
		if prm != v {
			continue
		}
		for _, call := range t.s.callers[v.Parent()] {
			switch c := call.Common(); {
			case c.IsInvoke() && i > 0:
				t.push(c.Args[i-1])
			case !c.IsInvoke() && i < len(c.Args):
				t.push(c.Args[i])
			}
		}
	}
}

// bindings goes on with what closures capture as a free variable.
func (t *tracing) bindings(v *ssa.FreeVar) {
	for i, fv := range v.Parent().FreeVars {
		for _, m := range t.s.closures[v.Parent()] {
			if fv == v {
				t.push(m.Bindings[i])
			}
		}
	}
}

// contents marks memory, and goes on with what is stored in it.
func (t *tracing) contents(c memClass) {
	if t.classes[c] {
		return
	}
	t.classes[c] = true
	if t.s.numberClasses[c] == nil {
		t.s.numberClasses[c] = &number{}
	}
	t.mark(t.s.numberClasses[c])
	t.stored(t.s.stores[c])
}

// stored goes on with the values that instructions store.
func (t *tracing) stored(instrs []ssa.Instruction) {
	for _, instr := range instrs {
		switch i := instr.(type) {
		case *ssa.Store:
			t.push(i.Val)
		case *ssa.MapUpdate:
			t.push(i.Value)
		}
	}
}

// storedInPart goes on with what is stored in a local variable where it overlaps
// with a part of it.
func (t *tracing) storedInPart(p part) {
	for _, st := range t.s.partStores[p.root] {
		if t.s.parts[st.Addr].overlaps(p) {
			t.push(st.Val)
		}
	}
}

// sized reports that a value has to be chosen, if it is unknown: the instruction
// has just been executed. For a slice that is its length.
func (x *translator) sized(p *path, instr ssa.Instruction) (comp int, ok bool) {
	v, isValue := instr.(ssa.Value)
	if !isValue {
		return 0, false
	}
	n := x.sl.numbers[v]
	if n == nil || !x.sl.value[v] || !n.chosen() && !(n.loops > 0 && randomBelow(v) > 0) {
		return 0, false
	}
	f := p.peek()
	switch i := instr.(type) {
	case *ssa.Phi:
		return 0, false
	case *ssa.BinOp:
		// A counter that is not tracked.
		if x.prog.Function(f.ctx.fn).InCycle[i.Block().Index] {
			return 0, false
		}
	case *ssa.UnOp:
		// What may be another number each time that a loop is tested.
		if i.Op == token.MUL && x.prog.Function(f.ctx.fn).InCycle[i.Block().Index] {
			return 0, false
		}
	}
	switch t := v.Type().Underlying().(type) {
	case *types.Basic:
		if t.Info()&types.IsInteger == 0 || program.OfTime(v.Type()) {
			return 0, false
		}
	case *types.Slice:
		comp = 1
	default:
		return 0, false
	}
	e := p.env.m[envKey{f.ctx, v}]
	if comp >= len(e) || e[comp].op != xUnknown || e[comp].pastLimits() {
		return 0, false
	}
	return comp, true
}

// chooseNumber continues with each value of a number.
func (x *translator) chooseNumber(p *path, instr ssa.Instruction, comp int) {
	v := instr.(ssa.Value)
	values, all := x.numbersFor(v)
	p.notePick(p.x.resultPos(instr), whatIs(v, comp), values, all)
	key := envKey{p.peek().ctx, v}
	e := p.env.m[key]
	p.pick(values, func(q *path, k int32) {
		w := slices.Clone(e)
		if w[comp] = num(k); comp == 1 {
			w[2] = num(k) // nothing is known of room behind its elements
		}
		q.env.set(key, w)
	})
}

// resultPos is the position of an instruction.
func (x *translator) resultPos(instr ssa.Instruction) token.Pos {
	if pos := x.prog.Function(instr.Parent()).Positions[instr]; pos.IsValid() {
		return pos
	}
	return instr.Pos()
}

// notePick records what is chosen, and what is left out.
func (p *path) notePick(pos token.Pos, what string, values []int32, all bool) {
	p.noteAt(pos, "free-choice", artifact.DirectionOver, what+" is one of "+list(values))
	if !all {
		p.noteAt(pos, artifact.ApproximationNumber, artifact.DirectionBound, "the model has no other values of "+what+" than "+list(values))
	}
}

// pick continues the path with each of several values. What is chosen is noted
// before.
func (p *path) pick(values []int32, set func(q *path, k int32)) {
	p.branched = true
	p.spread()
	for i := len(values) - 1; i >= 0; i-- {
		q := p.clone()
		q.picks++
		q.vary(values[i], len(values))
		set(q, values[i])
		p.x.continueWith(q)
	}
}

func list(values []int32) string {
	parts := make([]string, len(values))
	for i, k := range values {
		parts[i] = fmt.Sprint(k)
	}
	return strings.Join(parts, ", ")
}

// numbersFor are the values that one can be, and whether those are all.
func (x *translator) numbersFor(v ssa.Value) (values []int32, all bool) {
	if n := randomBelow(v); n > 0 {
		for i := range n {
			values = append(values, i)
		}
		return values, true
	}
	values = x.sizes(x.sl.numbers[v], v.Type())
	if positive[libraryCallee(v)] {
		values = slices.DeleteFunc(values, func(k int32) bool { return k < 1 })
	}
	return values, false
}

// positive are functions of the library that return one at least.
var positive = map[string]bool{"runtime.NumCPU": true, "runtime.GOMAXPROCS": true, "runtime.NumGoroutine": true}

// sizes are the values of a number of which nothing is known.
func (x *translator) sizes(n *number, t types.Type) []int32 {
	var values []int32
	for k := range int32(x.opts.Numbers) + 1 {
		values = append(values, k)
	}
	if n != nil {
		values = append(values, n.tells...)
	}
	_, isSlice := t.Underlying().(*types.Slice)
	if isSlice || program.IsUnsigned(t) {
		values = slices.DeleteFunc(values, func(k int32) bool { return k < 0 })
	}
	slices.Sort(values)
	return slices.Compact(values)
}

// maxRandom is the bound up to which all values of a random number are chosen.
const maxRandom = 8

// randomBelow is the bound below which a value is a random number, if it is a
// small constant, else 0.
func randomBelow(v ssa.Value) int32 {
	call, ok := v.(*ssa.Call)
	if !ok {
		return 0
	}
	f := call.Call.StaticCallee()
	if f == nil {
		return 0
	}
	if path := program.PackageOf(f); path != "math/rand" && path != "math/rand/v2" {
		return 0
	}
	switch f.Name() {
	case "Intn", "IntN", "Int31n", "Int32N", "Int63n", "Int64N", "UintN", "Uint32N", "Uint64N":
	default:
		return 0
	}
	if k, ok := constArg(call.Call.Args); ok && 0 < k && k <= maxRandom {
		return k
	}
	return 0
}

// constArg is the last argument that is an integer constant.
func constArg(args []ssa.Value) (int32, bool) {
	for _, a := range slices.Backward(args) {
		if c, ok := a.(*ssa.Const); ok && program.IsInteger(c.Type()) {
			return program.Int32Const(c)
		}
	}
	return 0, false
}

// whatIs names a value whose size is chosen.
func whatIs(v ssa.Value, comp int) string {
	what := "a number from outside"
	if c := libraryCallee(v); c != "" {
		what = "the number from " + c
	}
	if comp == 1 {
		what = "the length of a slice from outside"
		if c := libraryCallee(v); c != "" {
			what = "the length of what " + c + " returns"
		}
	}
	return what
}

// libraryCallee names the function whose result a value is.
func libraryCallee(v ssa.Value) string {
	if e, ok := v.(*ssa.Extract); ok {
		v = e.Tuple
	}
	call, ok := v.(*ssa.Call)
	if !ok {
		return ""
	}
	if call.Call.IsInvoke() {
		return call.Call.Method.FullName()
	}
	if f := call.Call.StaticCallee(); f != nil {
		return program.FullName(f)
	}
	return ""
}

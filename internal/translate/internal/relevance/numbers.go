package relevance

import (
	"go/constant"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// A number that comes from outside (a flag, an argument, a random number, what a
// file holds) may say how large something is: the capacity of a channel, the
// length of a slice, what is added to a wait group, how often loops run. Nothing
// can be made of an unknown size, and two loops that run as often as each other
// must agree. Such a number is one of a few values, chosen where it comes into
// the program, and then a number like any other. One that decides nothing but
// single conditions stays unknown: each evaluation is a free choice, which leaves
// no value out.
//
//	n := len(os.Args)
//	for range n { go send(c) } // as many goroutines
//	for range n { <-c }        // as these wait for
//	if n > 10 { log.Print() }  // a choice would do, but n has a value by then
//
// Values that are not chosen are left out, which the sidecar says: nothing is claimed of
// the program for them.

// OSArgs is the variable that has the arguments of the program.
const OSArgs = "os.Args"

// A Number says of a value what it is used for.
type Number struct {
	sizes bool // something has this size
	Loops int  // that it bounds
	// Tells are values that conditions tell apart from those that are always
	// chosen.
	Tells []int32
}

// Chosen reports that the value is to be one of a few.
// One loop that runs any number of times can leave that open: whether it goes on is a free choice each time. A
// second one would choose otherwise.
func (n *Number) Chosen() bool { return n != nil && (n.sizes || n.Loops > 1) }

const (
	// maxTold is the greatest number that is chosen for the sake of a condition.
	maxTold = 64
	// maxSources bounds the values that one number is looked for in.
	maxSources = 4000
)

// findNumbers finds the values that say how large something is, and where they
// come from.
func (s *Slice) findNumbers() {
	s.Numbers = map[ssa.Value]*Number{}
	s.NumberClasses = map[Class]*Number{}
	s.makers = map[*ssa.Function]bool{}
	for _, f := range s.prog.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if s.Executed(instr) {
					s.findSizes(instr)
				}
			}
		}
	}
}

// findSizes finds what an instruction says about numbers.
func (s *Slice) findSizes(instr ssa.Instruction) {
	size := func(n *Number) { n.sizes = true }
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
			s.trace(func(n *Number) {
				n.Loops++
				n.sizes = n.sizes || makes
			}, c.X, c.Y)
		}
		s.tell(c)
	}
}

// tests reports that a condition compares the counter of a loop, to decide whether it goes on. One branch leaves
// the cycle, and one side of the comparison is a counter: a phi of the cycle, what is one step from another value,
// or what is read from memory, where steps are not seen.
func (s *Slice) tests(i *ssa.If, c *ssa.BinOp) bool {
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
func (s *Slice) makesInLoop(b *ssa.BasicBlock) bool {
	for _, c := range b.Parent().Blocks {
		if s.prog.Function(b.Parent()).InCycle[c.Index] && program.Reaches(b, c) && program.Reaches(c, b) && s.makesIn(c) {
			return true
		}
	}
	return false
}

// makes reports the same of a function and those that it calls.
func (s *Slice) makes(f *ssa.Function) bool {
	made, ok := s.makers[f]
	if ok || !s.Funcs[f] {
		return made
	}
	// Of functions that call each other the first one that is asked for may be answered too early for the others:
	// then a number is not chosen.
	s.makers[f] = false // while it is looked into
	for _, b := range f.Blocks {
		if s.makesIn(b) {
			s.makers[f] = true
			return true
		}
	}
	return false
}

func (s *Slice) makesIn(b *ssa.BasicBlock) bool {
	for _, instr := range b.Instrs {
		switch i := instr.(type) {
		case *ssa.Go:
			return true
		case *ssa.MapUpdate:
			if s.Executed(i) {
				return true
			}
		case *ssa.Call:
			if builtin, ok := i.Call.Value.(*ssa.Builtin); ok {
				if builtin.Name() == "append" && s.Executed(i) {
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
// The values that are always chosen are the least ones, from 0 on. Of "n > 10" these say no, so 11 is told; of "n >
// -3" they say yes, so -3 is.
func (s *Slice) tell(c *ssa.BinOp) {
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
	s.trace(func(n *Number) {
		if !slices.Contains(n.Tells, told) {
			n.Tells = append(n.Tells, told)
		}
	}, v)
}

// trace follows values back to where they come from.
//
// All that a number passes on its way is marked, since it is chosen where it is unknown first: that may be any of
// these. The way is that of the data alone, back over calls, memory and channels as the slice goes, and ends after
// maxSources values: of what is beyond nothing is chosen.
func (s *Slice) trace(mark func(*Number), values ...ssa.Value) {
	t := tracing{s: s, mark: mark, seen: map[ssa.Value]bool{}, classes: map[Class]bool{}, stack: slices.Clone(values)}
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
		if s.Numbers[v] == nil {
			s.Numbers[v] = &Number{}
		}
		mark(s.Numbers[v])
		if p, ok := s.Parts[v]; ok {
			t.storedInPart(p)
			continue
		}
		t.sources(v)
	}
}

// tracing follows values back to where they come from, and marks on the way what
// they are used for.
type tracing struct {
	s       *Slice
	mark    func(*Number)
	seen    map[ssa.Value]bool
	classes map[Class]bool // memory whose contents have been followed
	stack   []ssa.Value    // to be followed
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
		if g, ok := v.X.(*ssa.Global); ok && g.String() == OSArgs && s.OSArgs == nil {
			s.OSArgs, s.OSArgsRead = g, v
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
	// The length of a slice is a number as well: it follows from the bounds, and from that of what it is cut from.
	case *ssa.Slice:
		t.push(v.X, v.Low, v.High)
	case *ssa.MakeSlice:
		t.push(v.Len, v.Cap)
	case *ssa.Lookup:
		t.stored(s.mapWrites[Entries(v.X.Type())])
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
		c, _ := ClassOf(v)
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
		t.stored(t.s.mapWrites[Entries(tuple.X.Type())])
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
		for _, call := range t.s.Callers[v.Parent()] {
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
		for _, m := range t.s.Closures[v.Parent()] {
			if fv == v {
				t.push(m.Bindings[i])
			}
		}
	}
}

// contents marks memory, and goes on with what is stored in it.
// Memory is marked by its class, so that what a library writes there, as a decoder does, is chosen where it writes.
func (t *tracing) contents(c Class) {
	if t.classes[c] {
		return
	}
	t.classes[c] = true
	if t.s.NumberClasses[c] == nil {
		t.s.NumberClasses[c] = &Number{}
	}
	t.mark(t.s.NumberClasses[c])
	t.stored(t.s.Stores[c])
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
func (t *tracing) storedInPart(p Part) {
	for _, st := range t.s.partStores[p.Root] {
		if t.s.Parts[st.Addr].overlaps(p) {
			t.push(st.Val)
		}
	}
}

// fixedNumbers are the package-level variables that are given a number by their
// declaration and are nothing but read anywhere.
// A timeout or a size that is declared as a variable is one mostly. A second store, or an address that goes
// anywhere, makes it another one.
func (s *Slice) fixedNumbers() map[*ssa.Global]int64 {
	out, changed := map[*ssa.Global]int64{}, map[*ssa.Global]bool{}
	for _, f := range s.prog.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					g, ok := (*op).(*ssa.Global)
					if !ok {
						continue
					}
					switch i := instr.(type) {
					case *ssa.UnOp, *ssa.DebugRef:
						continue
					case *ssa.Store:
						// Declarations are carried out by the initialiser of the package, which go/ssa makes. In
						// any other function the store is an assignment, before which the variable was another
						// number.
						k, ok := i.Val.(*ssa.Const)
						if _, twice := out[g]; !ok || twice || i.Addr != g || k.Value == nil || !program.IsInteger(k.Type()) || f.Synthetic == "" {
							break
						}
						if n, exact := constant.Int64Val(constant.ToInt(k.Value)); exact {
							out[g] = n
							continue
						}
					}
					changed[g] = true
				}
			}
		}
	}
	for g := range changed {
		delete(out, g)
	}
	return out
}

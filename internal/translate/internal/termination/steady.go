package termination

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
)

// steady reports that what a loop reads from an address is the same each time: the address
// is, and nothing writes there while the loop runs. What could are
//
//   - the instructions of the loop, and the functions that may be called in it;
//   - other goroutines: functions that they run, or if the loop itself may be in one, all.
//
// That a lock keeps these away is not looked into. Not among them is what writes to an
// object before others can have it, and what the function of the loop does elsewhere with
// a variable of its own, of which each activation has another one.
//
// In
//
//	for i := 0; i < q.size; i++ { q.visit(i) }
//
// it asks whether visit, what that calls, or a goroutine that may run beside the loop can write a field size of
// that type. Which q is not told apart, as in the slice (relevance.Class).
func (l *natural) steady(addr ssa.Value, given map[*ssa.Parameter]bool, depth int) bool {
	switch program.Pointee(addr.Type()).Underlying().(type) {
	case *types.Struct, *types.Array:
		return false // read as a whole
	}
	root, path := placeOf(addr)
	for _, a := range path {
		if i, ok := a.(*ssa.IndexAddr); ok && !l.same(i.Index, given, depth) {
			return false
		}
	}
	if !l.same(root, given, depth) {
		return false
	}
	// Of a variable of its own all writes are known, one by one. Of other memory those of the class are taken.
	if writes, known := l.variable(root); known {
		return !slices.ContainsFunc(writes, func(w *ssa.Store) bool {
			_, other := placeOf(w.Addr)
			return !apart(path, other) && l.meanwhile(w)
		})
	}
	if slices.ContainsFunc(l.writes(addr), l.meanwhile) {
		return false
	}
	// What leaves the program with a pointer may write to all that it points to.
	l.look()
	return !slices.ContainsFunc(l.outside, func(t types.Type) bool {
		if f, ok := addr.(*ssa.FieldAddr); ok { // of no other struct, nor of a number that lies elsewhere
			return types.Identical(t, program.Pointee(f.Type())) || relevance.Contains(t, program.Pointee(f.X.Type()))
		}
		return relevance.Contains(t, program.Pointee(addr.Type()))
	})
}

// placeOf returns the address of a variable or object, and the addresses in it that lead from
// there to one, the outermost first.
func placeOf(addr ssa.Value) (root ssa.Value, path []ssa.Value) {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			path, addr = append(path, a), a.X
		case *ssa.IndexAddr:
			path, addr = append(path, a), a.X
		default:
			slices.Reverse(path)
			return addr, path
		}
	}
}

// apart reports that what two paths from one address lead to has nothing in common, since
// they fork at fields of a struct.
// Two elements may be one: their indexes may be equal.
func apart(a, b []ssa.Value) bool {
	for i := range min(len(a), len(b)) {
		f, ok := a[i].(*ssa.FieldAddr)
		g, isField := b[i].(*ssa.FieldAddr)
		if ok && isField && f.Field != g.Field {
			return true
		}
	}
	return false
}

// variable returns the instructions that write to a variable of the function of the loop, or
// of one around it, and can do so while the loop runs. known is false for other addresses,
// and if others may write to it.
//
// A write in the function of the loop but outside of it is before the loop or behind it. A closure may be called in
// between, by whomever: a write in it counts. For a loop in a closure it is the function that has made the variable
// that goes on beside it: its writes count that may come behind the making of a closure which has the variable.
//
//	n := 3
//	go func() { for i := 0; i < n; i++ { ... } }()
//	n = 5 // counts; n := 3 does not
func (l *natural) variable(root ssa.Value) (writes []*ssa.Store, known bool) {
	switch root := root.(type) {
	case *ssa.Alloc:
		var all uses
		if !all.of(root) || root.Parent() != l.fn {
			return nil, false
		}
		for _, w := range all.writes {
			if w.Parent() != l.fn || l.has(w.Block()) {
				writes = append(writes, w)
			}
		}
		return writes, true
	case *ssa.FreeVar:
		vars, known := l.captured(root)
		if !known {
			return nil, false
		}
		for _, a := range vars {
			var all uses
			if !all.of(a) {
				return nil, false
			}
			for _, w := range all.writes {
				if w.Parent() != a.Parent() || slices.ContainsFunc(all.closures, func(c *ssa.MakeClosure) bool {
					return c.Parent() == a.Parent() && behind(c, w, a)
				}) {
					writes = append(writes, w)
				}
			}
		}
		return writes, true
	}
	return nil, false
}

// captured are the variables that a free variable can be.
func (e *Loops) captured(v *ssa.FreeVar) (vars []*ssa.Alloc, known bool) {
	known = true
	seen := map[ssa.Value]bool{}
	var of func(v ssa.Value)
	of = func(v ssa.Value) {
		if seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Alloc:
			vars = append(vars, v)
		case *ssa.FreeVar:
			for _, c := range e.sl.Closures[v.Parent()] {
				of(c.Bindings[slices.Index(v.Parent().FreeVars, v)])
			}
		case *ssa.Phi: // of a loop that has a variable for each iteration
			for _, w := range v.Edges {
				of(w)
			}
		default:
			known = false
		}
	}
	of(v)
	return vars, known && len(vars) > 0
}

// uses are those of the address of a variable: what writes to it, and the closures that
// have it.
type uses struct {
	writes   []*ssa.Store
	closures []*ssa.MakeClosure
	seen     []ssa.Value
}

// of collects the uses of an address, and reports that nobody else can have it.
// Whoever has the address otherwise, as an argument or in memory, may write through it anywhere.
func (u *uses) of(v ssa.Value) bool {
	if slices.Contains(u.seen, v) {
		return true
	}
	u.seen = append(u.seen, v)
	for _, r := range *v.Referrers() {
		ok := false
		switch r := r.(type) {
		case *ssa.DebugRef:
			ok = true
		case *ssa.UnOp:
			ok = r.Op == token.MUL
		case *ssa.Store:
			ok = r.Val != v
			u.writes = append(u.writes, r)
		case *ssa.FieldAddr:
			ok = u.of(r)
		case *ssa.IndexAddr:
			ok = u.of(r)
		case *ssa.MakeClosure:
			ok = true
			u.closures = append(u.closures, r)
			for i, b := range r.Bindings {
				if b == v {
					ok = ok && u.of(r.Fn.(*ssa.Function).FreeVars[i])
				}
			}
		}
		if !ok {
			return false
		}
	}
	return true
}

// behind reports that a write can be executed behind an instruction, to the same variable:
// one that is made anew in between is another.
func behind(instr, write ssa.Instruction, variable *ssa.Alloc) bool {
	b := instr.Block()
	rest := b.Instrs[slices.Index(b.Instrs, instr)+1:]
	seen := map[*ssa.BasicBlock]bool{}
	for work := [][]ssa.Instruction{rest}; len(work) > 0; {
		instrs := work[len(work)-1]
		work = work[:len(work)-1]
		end := slices.IndexFunc(instrs, func(i ssa.Instruction) bool { return i == write || i == ssa.Instruction(variable) })
		if end >= 0 {
			if instrs[end] == write {
				return true
			}
			continue
		}
		for _, s := range instrs[len(instrs)-1].Block().Succs {
			if !seen[s] {
				seen[s] = true
				work = append(work, s.Instrs)
			}
		}
	}
	return false
}

// writes are the instructions that may write to an address, by what they write to.
// They are those that the slice takes for writes of a cell (relevance.Slice), but for the variables that closures
// have: here it is known which of them one can be.
func (e *Loops) writes(addr ssa.Value) []ssa.Instruction {
	c, known := relevance.ClassOf(addr)
	t := program.Pointee(addr.Type())
	out := slices.Clone(e.sl.Stores[c])
	for _, w := range e.sl.UntypedStores[program.TypeKey(t)] {
		if st, ok := w.(*ssa.Store); ok && known {
			if v, ok := st.Addr.(*ssa.FreeVar); ok {
				if vars, ok := e.captured(v); ok && !slices.ContainsFunc(vars, func(a *ssa.Alloc) bool { return addr == a }) {
					continue // it is another variable
				}
			}
		}
		out = append(out, w)
	}
	if !known {
		for _, d := range e.sl.ClassesByType[program.TypeKey(t)] {
			out = append(out, e.sl.Stores[d]...)
		}
	}
	for _, w := range e.sl.WholeStores {
		written := []types.Type{e.prog.ElementsWritten(w)}
		if st, ok := w.(*ssa.Store); ok {
			written = []types.Type{program.Pointee(st.Addr.Type())}
		}
		for _, ptr := range e.sl.Filled[w] {
			written = append(written, program.Pointee(ptr.Type()))
		}
		if slices.ContainsFunc(written, func(u types.Type) bool { return u != nil && relevance.Contains(u, t) }) {
			out = append(out, w)
		}
	}
	return out
}

// meanwhile reports that an instruction may be executed while the loop runs, and write to
// what others have.
// If the function of the loop may itself be in another goroutine, that of the entry runs beside it, and so every
// function does.
func (l *natural) meanwhile(w ssa.Instruction) bool {
	f := w.Parent()
	l.look()
	if l.has(w.Block()) || l.calls[f] {
		return true
	}
	first, ok := l.first[w]
	if !ok {
		first = initialises(w)
		l.first[w] = first
	}
	if first {
		return false
	}
	l.beside()
	return l.aside[f] || l.aside[l.fn]
}

// initialises reports that an instruction is executed before anybody else can have what it
// writes to: while the packages are initialised, or right behind the allocation.
//
//	q := &queue{size: 3} // go/ssa: an allocation, and stores into it
//
// Each such store would be a write to a field size of some queue. It is none to one that others have, if up to
// there the address is used for stores into the object alone.
func initialises(w ssa.Instruction) bool {
	if f := w.Parent(); f.Synthetic == "package initializer" || f.Parent() == nil && strings.HasPrefix(f.Name(), "init#") {
		return true
	}
	st, ok := w.(*ssa.Store)
	if !ok {
		return false
	}
	root, _ := placeOf(st.Addr)
	object, ok := root.(*ssa.Alloc)
	if !ok || object.Block() != w.Block() {
		return false
	}
	own := map[ssa.Value]bool{object: true} // addresses in the object
	b := w.Block().Instrs
	for _, instr := range b[slices.Index(b, ssa.Instruction(object))+1 : slices.Index(b, w)] {
		switch i := instr.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.FieldAddr:
			own[i] = own[i.X]
			continue
		case *ssa.IndexAddr:
			own[i] = own[i.X]
			continue
		case *ssa.Store:
			if !own[i.Val] {
				continue
			}
		}
		for _, op := range instr.Operands(nil) {
			if own[*op] {
				return false
			}
		}
	}
	return true
}

// look finds what the loop may call.
//
// calls has more than is called: a function that is mentioned may be called by whoever is given it. That of a
// closure is mentioned where the closure is made.
func (l *natural) look() {
	if l.calls != nil {
		return
	}
	l.calls = map[*ssa.Function]bool{}
	var work []*ssa.BasicBlock
	for _, b := range l.fn.Blocks {
		if l.has(b) {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, instr := range b.Instrs {
			for _, f := range l.mentions(instr) {
				if !l.calls[f] {
					l.calls[f] = true
					work = append(work, f.Blocks...)
				}
			}
			if call, ok := instr.(ssa.CallInstruction); ok && l.leaves(call) {
				for _, a := range program.Arguments(call) {
					if m, ok := a.(*ssa.MakeInterface); ok {
						a = m.X
					}
					if _, ok := a.Type().Underlying().(*types.Pointer); ok {
						l.outside = append(l.outside, program.Pointee(a.Type()))
					}
				}
			}
		}
	}
}

// mentions are the functions that an instruction calls, or passes on to who may call them.
func (e *Loops) mentions(instr ssa.Instruction) []*ssa.Function {
	var out []*ssa.Function
	add := func(f *ssa.Function) {
		if f != nil && f.Blocks != nil {
			out = append(out, f)
		}
	}
	if _, ok := instr.(*ssa.DebugRef); ok {
		return nil
	}
	for _, op := range instr.Operands(nil) {
		if f, ok := (*op).(*ssa.Function); ok {
			add(f)
		}
	}
	switch i := instr.(type) {
	case ssa.CallInstruction:
		for _, f := range slices.Concat(e.prog.Callees(i), e.prog.Calls[i]) {
			add(f)
		}
	case *ssa.MakeInterface:
		methods := e.prog.SSA.MethodSets.MethodSet(i.X.Type())
		for k := range methods.Len() {
			add(e.prog.SSA.MethodValue(methods.At(k)))
		}
	}
	return out
}

// leaves reports that a call may execute code that is not part of the program.
func (e *Loops) leaves(call ssa.CallInstruction) bool {
	if _, ok := call.Common().Value.(*ssa.Builtin); ok {
		return false
	}
	callees := e.prog.Callees(call)
	return len(callees) == 0 || slices.ContainsFunc(callees, func(f *ssa.Function) bool { return f.Blocks == nil })
}

// beside finds the functions that may run in other goroutines than that of the entry: those
// that go statements start, and those that are given to code out of the program, by
// themselves or as methods of an interface.
// What code out of the program is given may be started by that in a goroutine.
func (e *Loops) beside() {
	if e.aside != nil {
		return
	}
	e.aside = map[*ssa.Function]bool{}
	var work []*ssa.Function
	add := func(fs []*ssa.Function) {
		for _, f := range fs {
			if !e.aside[f] {
				e.aside[f] = true
				work = append(work, f)
			}
		}
	}
	for _, f := range e.prog.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				if _, ok := call.(*ssa.Go); ok {
					add(e.mentions(call))
				}
				if !e.leaves(call) {
					continue
				}
				add(e.prog.Calls[call])
				for _, a := range program.Arguments(call) {
					if _, ok := a.Type().Underlying().(*types.Signature); ok {
						add(e.prog.Functions(a))
					}
					if m, ok := a.(*ssa.MakeInterface); ok && m.Type().Underlying().(*types.Interface).NumMethods() > 0 {
						add(e.mentions(m))
					}
				}
			}
		}
	}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				add(e.mentions(instr))
			}
		}
	}
}

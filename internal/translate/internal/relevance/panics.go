package relevance

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// A panic of the runtime (an index out of range, an assignment to an entry of a
// nil map, a division by zero, a failed type assertion) that nobody recovers
// ends the program. One that is recovered leaves out what comes behind it, so
// that it can decide the concurrency: a lock stays locked, a channel open. Where
// a function can recover it and something that the model keeps is left out, the
// instruction is checked: its operands are kept, and if they still are not
// known, the model says so.
//
//	defer func() { recover() }()
//	mu.Lock()
//	use(list[i])  // if i is out of range ...
//	mu.Unlock()   // ... this is left out
//
// Without that condition nearly all values of a program would be in the slice: nearly
// all of its instructions can panic.

// Fault names the panic that an instruction can raise by itself, "" if none.
// It says none only if that shows right here, for whatever values: what may panic and is left out would be a step
// that the program takes and the model does not.
func (s *Slice) Fault(instr ssa.Instruction) string {
	switch i := instr.(type) {
	case *ssa.IndexAddr:
		if _, ok := i.Index.(*ssa.Const); ok {
			if _, ok := i.X.Type().Underlying().(*types.Pointer); ok {
				return nilFault(i.X) // the compiler has checked the index
			}
		}
		if inRange(i.Block(), i.X, i.Index) {
			return arrayFault(i.X)
		}
		return "index out of range"
	case *ssa.Index:
		if _, ok := i.Index.(*ssa.Const); ok && !program.IsString(i.X.Type()) || inRange(i.Block(), i.X, i.Index) {
			return ""
		}
		return "index out of range"
	case *ssa.Slice:
		low, isConst := i.Low.(*ssa.Const)
		if i.Low == nil || isConst && low.Int64() == 0 {
			if i.Max == nil && (i.High == nil || isZero(i.High)) {
				return arrayFault(i.X)
			}
		}
		return "slice bounds out of range"
	case *ssa.MapUpdate:
		if _, ok := i.Map.(*ssa.MakeMap); ok {
			return ""
		}
		return "assignment to entry in nil map"
	case *ssa.BinOp:
		if (i.Op == token.QUO || i.Op == token.REM) && program.IsInteger(i.X.Type()) {
			if _, ok := i.Y.(*ssa.Const); !ok {
				return "integer divide by zero"
			}
		}
		if i.Op == token.SHL || i.Op == token.SHR {
			if _, ok := i.Y.(*ssa.Const); !ok && !program.IsUnsigned(i.Y.Type()) {
				return "negative shift amount"
			}
		}
	case *ssa.TypeAssert:
		if !i.CommaOk {
			return "interface conversion"
		}
	case *ssa.Call:
		if v := s.prog.ActedOn(i); v != nil {
			return nilFault(v)
		}
		if m, _ := program.MisuseOf(i); m != nil {
			return m.What
		}
	case *ssa.FieldAddr:
		return nilFault(i.X)
	case *ssa.Store:
		return nilFault(i.Addr)
	case *ssa.UnOp:
		if i.Op == token.MUL {
			return nilFault(i.X)
		}
	}
	return ""
}

// arrayFault names the panic of what is indexed or sliced, if that is an array behind a pointer, as nilFault does.
func arrayFault(v ssa.Value) string {
	if _, ok := v.Type().Underlying().(*types.Pointer); ok {
		return nilFault(v)
	}
	return ""
}

// nilFault names the panic of a pointer that is followed, unless it is known not to be nil: that of a variable is
// not, nor that of a field or an element, since who has computed it has followed the pointer to the whole.
func nilFault(v ssa.Value) string {
	switch v.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.FreeVar, *ssa.FieldAddr, *ssa.IndexAddr:
		return ""
	}
	return "nil pointer dereference"
}

func isZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && c.Int64() == 0
}

// inRange recognises an index that a loop counts up to the length of what it indexes: the block is reached only by
// the side of a comparison on which that holds. A value in SSA form does not change, and so neither does its
// length.
func inRange(b *ssa.BasicBlock, v, index ssa.Value) bool {
	if !counts(index) {
		return false
	}
	for d := b; d.Idom() != nil; d = d.Idom() {
		from := d.Idom()
		br, ok := from.Instrs[len(from.Instrs)-1].(*ssa.If)
		if !ok || from.Succs[0] != d || len(d.Preds) != 1 {
			continue
		}
		c, ok := br.Cond.(*ssa.BinOp)
		if !ok || c.Op != token.LSS || c.X != index {
			continue
		}
		call, ok := c.Y.(*ssa.Call)
		if !ok || len(call.Call.Args) != 1 || call.Call.Args[0] != v {
			continue
		}
		if l, ok := call.Call.Value.(*ssa.Builtin); ok && l.Name() == "len" {
			return true
		}
	}
	return false
}

// counts reports that a value starts at no less than zero and only grows, by
// steps of a loop.
func counts(v ssa.Value) bool {
	step := int64(0)
	if add, ok := v.(*ssa.BinOp); ok && add.Op == token.ADD {
		k, ok := add.Y.(*ssa.Const)
		if !ok || k.Value == nil || k.Int64() < 0 {
			return false
		}
		step, v = k.Int64(), add.X
	}
	phi, ok := v.(*ssa.Phi)
	if !ok || !program.IsInteger(phi.Type()) {
		return false
	}
	for _, e := range phi.Edges {
		switch e := e.(type) {
		case *ssa.Const:
			if e.Value == nil || e.Int64()+step < 0 {
				return false
			}
		case *ssa.BinOp:
			k, ok := e.Y.(*ssa.Const)
			if !ok || e.Op != token.ADD || e.X != phi || k.Value == nil || k.Int64() < 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// faults asks for the checks of panics that are recovered, as far as that
// matters. It reports whether there was anything new.
//
// A panic leaves the function in which it is raised and all that have called it, up to the one that recovers. That
// one returns to its caller as if nothing had happened, but for its results. So it matters in a function if
// something is left out behind it there, or behind the call in a caller that is below one that recovers, or if the
// results of the one that recovers are used, or what recover returns. A goroutine that is started below does not
// run below: its panic ends the program.
func (s *Slice) faults() bool {
	if len(s.recovers) == 0 {
		return false
	}
	// below are the functions that run, in the same goroutine, under one that
	// recovers.
	below := map[*ssa.Function]bool{}
	var visit func(f *ssa.Function)
	visit = func(f *ssa.Function) {
		if below[f] {
			return
		}
		below[f] = true
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok && !isGo(call) {
					for _, g := range s.prog.Callees(call) {
						visit(g)
					}
				}
			}
		}
	}
	for f := range s.recovers {
		visit(f)
	}
	// matters are those in the middle of which a panic leaves out something.
	matters := map[*ssa.Function]bool{}
	leavesOut := func(f *ssa.Function, instr ssa.Instruction) bool { return matters[f] || s.leavesOut(instr) }
	for again := true; again; {
		again = false
		for _, f := range s.prog.Funcs {
			if !below[f] || matters[f] {
				continue
			}
			m := false
			if calls := s.recovers[f]; calls != nil {
				m = s.resultKept(f) || slices.ContainsFunc(calls, func(c ssa.CallInstruction) bool { return c.Value() != nil && s.Values[c.Value()] })
			} else {
				m = slices.ContainsFunc(s.Callers[f], func(c ssa.CallInstruction) bool {
					return !isGo(c) && below[c.Parent()] && leavesOut(c.Parent(), c)
				})
			}
			if m {
				matters[f] = true
				again = true
			}
		}
	}
	grown := false
	for _, f := range s.prog.Funcs {
		if !below[f] {
			continue
		}
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if _, isCall := instr.(*ssa.Call); isCall && s.Instrs[instr] {
					continue // which does that itself
				}
				if what := s.Fault(instr); what != "" && s.Checks[instr] == "" && leavesOut(f, instr) {
					s.Checks[instr] = what
					s.needCheck(instr)
					grown = true
				}
			}
		}
	}
	return grown
}

func isGo(c ssa.CallInstruction) bool {
	_, ok := c.(*ssa.Go)
	return ok
}

// resultKept reports that a result of a function matters.
func (s *Slice) resultKept(f *ssa.Function) bool {
	return slices.ContainsFunc(s.Callers[f], func(c ssa.CallInstruction) bool {
		v, ok := c.(*ssa.Call)
		return ok && s.Values[v]
	})
}

// leavesOut reports that a function that ends in front of an instruction leaves
// out something that the model keeps.
// What can come behind it is all that there is a way to, itself included, if it is in a loop.
func (s *Slice) leavesOut(instr ssa.Instruction) bool {
	b := instr.Block()
	if slices.ContainsFunc(b.Instrs[slices.Index(b.Instrs, instr)+1:], s.acts) {
		return true
	}
	seen := map[*ssa.BasicBlock]bool{}
	var later func(b *ssa.BasicBlock) bool
	later = func(b *ssa.BasicBlock) bool {
		for _, c := range b.Succs {
			if seen[c] {
				continue
			}
			seen[c] = true
			if slices.ContainsFunc(c.Instrs, s.acts) || later(c) {
				return true
			}
		}
		return false
	}
	return later(b)
}

// acts reports that the model executes an instruction for its effect.
// A branch alone does nothing, nor does the return.
func (s *Slice) acts(instr ssa.Instruction) bool {
	if !s.Instrs[instr] {
		return false
	}
	switch i := instr.(type) {
	case *ssa.If, *ssa.RunDefers, *ssa.Return:
		return false
	case *ssa.Call:
		b, ok := i.Call.Value.(*ssa.Builtin)
		return !ok || b.Name() == "close" || b.Name() == "panic"
	}
	return true
}

// needCheck asks for what a check depends on. Most are made where the model
// computes the value.
// The place is one that the model has to come to, so that its block is asked for, with all branches that lead to
// it.
func (s *Slice) needCheck(instr ssa.Instruction) {
	s.needBlock(instr.Block())
	switch i := instr.(type) {
	case *ssa.MapUpdate:
		s.need(i.Map)
	case *ssa.BinOp:
		s.need(i.Y)
	case *ssa.FieldAddr:
		s.need(i.X)
	case *ssa.Store:
		s.need(i.Addr)
	case *ssa.UnOp:
		s.need(i.X)
	case *ssa.Call:
		switch m := s.Misused[i].Misuse; {
		case s.prog.ActedOn(i) != nil:
			s.need(s.prog.ActedOn(i))
		case m != nil:
			for _, k := range m.Args {
				s.need(i.Call.Args[k])
			}
		default:
			s.need(i.Call.Value)
		}
	case ssa.Value:
		s.need(i)
	}
}

// misusedCall is a call of a function that panics, always or where it is misused.
type misusedCall struct {
	*program.Misuse
	Always bool
}

// misuses asks for the path to calls that may panic because of what the model follows. It reports whether there was
// anything new. Arguments that it does not follow are not asked for: most of what functions of the library are
// given is nothing to the concurrency.
func (s *Slice) misuses() bool {
	grown := false
	for b, instr := range s.instructions() {
		call, ok := instr.(*ssa.Call)
		if m := s.Misused[call]; ok && m.Misuse != nil && !s.Watched[call] && s.followsAll(call, m.Args) {
			s.Watched[call], grown = true, true
			s.needBlock(b)
		}
	}
	return grown
}

// followsAll reports that the model has the values of arguments.
func (s *Slice) followsAll(call *ssa.Call, args []int) bool {
	return len(args) > 0 && !slices.ContainsFunc(args, func(k int) bool {
		v := call.Call.Args[k]
		_, isConst := v.(*ssa.Const)
		return !isConst && !s.Values[v]
	})
}

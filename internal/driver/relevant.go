package driver

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Which parameters and fields decide what code does with concurrency: a backward slice. It begins at what code
// with concurrency branches on, sizes channels by, and hands to operations that count; and goes back along
// definitions, arguments, results, variables and fields. It is insensitive to contexts and to which value of a type a
// field belongs to: a parameter too many is a few valuations too many.

// slice is a backward slice over the functions of a program.
type slice struct {
	p      *program
	values map[ssa.Value]bool
	fields map[*types.Var]bool // by origin
	todo   []ssa.Value

	arguments map[*ssa.Parameter][]argument
	captured  map[*ssa.FreeVar][]ssa.Value
	stored    map[*types.Var][]ssa.Value // by field
	assigned  map[ssa.Value][]ssa.Value  // by the address of a variable
	returned  map[*ssa.Function][][]ssa.Value

	// elements are slices and maps of which what is in them matters, not only how much.
	elements map[ssa.Value]bool

	// What the code compares with nil.
	nilFields   map[*types.Var]bool // by origin
	nilValues   map[ssa.Value]bool
	nilElements map[ssa.Value]bool // slices and maps in which something is compared
}

// argument is what a call passes for a parameter.
type argument struct {
	value ssa.Value
	call  ssa.CallInstruction
}

// relevant computes the slice of all functions with concurrency.
func (p *program) relevant() *slice {
	s := &slice{
		p: p, values: map[ssa.Value]bool{}, fields: map[*types.Var]bool{},
		arguments: map[*ssa.Parameter][]argument{}, captured: map[*ssa.FreeVar][]ssa.Value{},
		stored: map[*types.Var][]ssa.Value{}, assigned: map[ssa.Value][]ssa.Value{}, returned: map[*ssa.Function][][]ssa.Value{},
		nilFields: map[*types.Var]bool{}, nilValues: map[ssa.Value]bool{}, elements: map[ssa.Value]bool{}, nilElements: map[ssa.Value]bool{},
	}
	for _, f := range p.all {
		s.index(f)
	}
	for _, f := range p.all {
		s.compare(f)
		if p.uses[f].operates {
			s.begin(f)
		}
	}
	for len(s.todo) > 0 {
		v := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.back(v)
	}
	return s
}

// index notes what flows into parameters, captured variables, fields, variables and results.
func (s *slice) index(f *ssa.Function) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch v := instr.(type) {
			case *ssa.Store:
				if fa, ok := v.Addr.(*ssa.FieldAddr); ok {
					s.stored[fieldOf(fa)] = append(s.stored[fieldOf(fa)], v.Val)
				} else if at, ok := v.Addr.(*ssa.IndexAddr); ok { // what is in an array or a slice
					s.assigned[at.X] = append(s.assigned[at.X], v.Val)
				} else {
					s.assigned[v.Addr] = append(s.assigned[v.Addr], v.Val)
				}
			case *ssa.MapUpdate:
				s.assigned[v.Map] = append(s.assigned[v.Map], v.Value)
			case *ssa.MakeClosure:
				for i, fv := range v.Fn.(*ssa.Function).FreeVars {
					s.captured[fv] = append(s.captured[fv], v.Bindings[i])
				}
			case *ssa.Return:
				s.returned[f] = append(s.returned[f], v.Results)
			}
			c, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			callee := c.Common().StaticCallee()
			if callee == nil {
				continue
			}
			if callee.Origin() != nil {
				callee = callee.Origin()
			}
			for i, p := range callee.Params {
				if i < len(c.Common().Args) {
					s.arguments[p] = append(s.arguments[p], argument{c.Common().Args[i], c})
				}
			}
		}
	}
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// compare notes what a function compares with nil.
func (s *slice) compare(f *ssa.Function) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if v, ok := instr.(*ssa.BinOp); ok && isNil(v.X) {
				s.compared(v.Y)
			} else if ok && isNil(v.Y) {
				s.compared(v.X)
			}
		}
	}
}

// compared notes that a value is compared with nil: a parameter, a variable or a field.
func (s *slice) compared(v ssa.Value) {
	if u, ok := v.(*ssa.UnOp); ok && u.Op == token.MUL {
		v = u.X
		for _, from := range append(s.assigned[v], u) { // the variable of a loop may be one of its own
			if e, ok := from.(*ssa.UnOp); ok {
				if at, ok := e.X.(*ssa.IndexAddr); ok {
					s.addElements(s.nilElements, at.X)
				}
			}
		}
		if fa, ok := v.(*ssa.FieldAddr); ok {
			s.nilFields[fieldOf(fa)] = true
		}
	}
	if f, ok := v.(*ssa.Field); ok {
		s.nilFields[structOf(f.X.Type()).Field(f.Field).Origin()] = true
	}
	s.nilValues[v] = true
}

// nilParameter reports whether the code of a function compares its i-th parameter with nil.
func (s *slice) nilParameter(f *ssa.Function, i int) bool {
	if f == nil || i >= len(f.Params) {
		return false
	}
	p := f.Params[i]
	if s.nilValues[p] {
		return true
	}
	for _, r := range *p.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Val == p && s.nilValues[st.Addr] {
			return true
		}
	}
	return false
}

// begin adds what decides what a function does.
func (s *slice) begin(f *ssa.Function) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch v := instr.(type) {
			case *ssa.If:
				s.add(v.Cond)
			case *ssa.MakeChan:
				s.add(v.Size)
			case *ssa.Range: // of a map or a string
				s.add(v.X)
			}
			c, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			switch pkg, _ := calleeName(c.Common()); pkg {
			case "sync", "golang.org/x/sync/errgroup", "golang.org/x/sync/semaphore":
				for _, a := range c.Common().Args {
					if _, ok := a.Type().Underlying().(*types.Basic); ok {
						s.add(a)
					}
				}
			}
		}
	}
}

func (s *slice) add(v ssa.Value) {
	if v != nil && !s.values[v] {
		s.values[v] = true
		s.todo = append(s.todo, v)
	}
}

func (s *slice) addField(f *types.Var) {
	if f = f.Origin(); !s.fields[f] {
		s.fields[f] = true
		for _, v := range s.stored[f] {
			s.add(v)
		}
	}
}

// back adds what a value depends on.
func (s *slice) back(v ssa.Value) {
	switch v := v.(type) {
	case *ssa.Parameter:
		for _, a := range s.arguments[v] {
			s.add(a.value)
		}
	case *ssa.FreeVar:
		for _, a := range s.captured[v] {
			s.add(a)
		}
		s.assignments(v)
	case *ssa.Alloc:
		s.assignments(v)
	case *ssa.FieldAddr:
		s.addField(fieldOf(v))
	case *ssa.Field:
		s.addField(structOf(v.X.Type()).Field(v.Field))
	case *ssa.UnOp:
		if at, ok := v.X.(*ssa.IndexAddr); ok {
			s.addElements(s.elements, at.X)
		}
		if v.Op != token.ARROW {
			s.add(v.X)
		}
	case *ssa.Select: // which case is taken does not depend on what is sent
		for _, st := range v.States {
			s.add(st.Chan)
		}
	case *ssa.Lookup:
		s.addElements(s.elements, v.X)
		s.add(v.X)
		s.add(v.Index)
	case *ssa.Next:
		if r, ok := v.Iter.(*ssa.Range); ok {
			s.addElements(s.elements, r.X)
		}
		s.add(v.Iter)
	case *ssa.Call:
		s.call(v)
	case *ssa.Extract:
		if c, ok := v.Tuple.(*ssa.Call); ok {
			if callee := s.callee(c); callee != nil {
				for _, results := range s.returned[callee] {
					if v.Index < len(results) {
						s.add(results[v.Index])
					}
				}
				return
			}
		}
		s.add(v.Tuple)
	case *ssa.Phi:
		for _, x := range v.Edges {
			s.add(x)
		}
		// Which of them it is follows from the branches around it.
		for _, b := range append([]*ssa.BasicBlock{v.Block(), v.Block().Idom()}, v.Block().Preds...) {
			if b == nil || len(b.Instrs) == 0 {
				continue
			}
			if branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
				s.add(branch.Cond)
			}
		}
	case ssa.Instruction:
		for _, x := range v.Operands(nil) {
			s.add(*x)
		}
	}
}

// addElements notes that what is in a slice or map matters, however it is called.
func (s *slice) addElements(to map[ssa.Value]bool, v ssa.Value) {
	if to[v] {
		return
	}
	to[v] = true
	switch v := v.(type) {
	case *ssa.Parameter:
		for _, a := range s.arguments[v] {
			s.addElements(to, a.value)
		}
	case *ssa.FreeVar:
		for _, x := range s.captured[v] {
			s.addElements(to, x)
		}
	case *ssa.UnOp:
		s.addElements(to, v.X)
	case *ssa.Alloc:
		for _, x := range s.assigned[v] {
			s.addElements(to, x)
		}
	case *ssa.Phi:
		for _, x := range v.Edges {
			s.addElements(to, x)
		}
	case *ssa.Slice:
		s.addElements(to, v.X)
	}
}

func (s *slice) assignments(address ssa.Value) {
	for _, v := range s.assigned[address] {
		s.add(v)
	}
}

// call adds what the result of a call depends on: what its function returns, or what a function that is not there
// to be read is given.
func (s *slice) call(c *ssa.Call) {
	if callee := s.callee(c); callee != nil {
		for _, results := range s.returned[callee] {
			for _, r := range results {
				s.add(r)
			}
		}
		return
	}
	if c.Common().StaticCallee() == nil {
		s.add(c.Common().Value) // a function value, or what has a method of an interface
		if !c.Common().IsInvoke() && s.isGiven(c.Common().Value, map[ssa.Value]bool{}) {
			return // the functions of drivers do not look at what they are given
		}
	}
	for _, a := range c.Common().Args {
		s.add(a)
	}
}

// isGiven reports whether a function value is a parameter, or a variable that is one.
func (s *slice) isGiven(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	given := func(x ssa.Value) bool { return s.isGiven(x, seen) }
	switch v := v.(type) {
	case *ssa.Parameter:
		return true
	case *ssa.UnOp:
		return given(v.X)
	case *ssa.FreeVar:
		return slices.ContainsFunc(s.captured[v], given)
	case *ssa.Alloc:
		return slices.ContainsFunc(s.assigned[v], given)
	}
	return false
}

// callee is the function of the packages that is called by name, nil if there is none.
func (s *slice) callee(c *ssa.Call) *ssa.Function {
	f := c.Common().StaticCallee()
	if f == nil {
		return nil
	}
	if f.Origin() != nil {
		f = f.Origin()
	}
	if f.Blocks == nil || len(s.returned[f]) == 0 {
		return nil
	}
	return f
}

// parameter reports whether the i-th parameter of a function matters, the receiver being the first one of a method.
func (s *slice) parameter(f *ssa.Function, i int) bool {
	return f == nil || i >= len(f.Params) || s.values[f.Params[i]] || s.spilled(f.Params[i])
}

// elementsOf reports whether what is in the i-th parameter of a function matters.
func (s *slice) elementsOf(f *ssa.Function, i int) bool {
	return f != nil && i < len(f.Params) && s.elements[f.Params[i]]
}

// nilElementsOf reports whether something in the i-th parameter of a function is compared with nil.
func (s *slice) nilElementsOf(f *ssa.Function, i int) bool {
	return f != nil && i < len(f.Params) && s.nilElements[f.Params[i]]
}

// spilled: a parameter whose address is taken, or which a function inside uses, is copied to a variable first.
func (s *slice) spilled(p *ssa.Parameter) bool {
	for _, r := range *p.Referrers() {
		if st, ok := r.(*ssa.Store); ok && st.Val == p && s.values[st.Addr] {
			return true
		}
	}
	return false
}

// field reports whether a field matters, of any value of its type.
func (s *slice) field(f *types.Var) bool { return s.fields[f.Origin()] }

func structOf(t types.Type) *types.Struct {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	u, _ := t.Underlying().(*types.Struct)
	return u
}

func fieldOf(v *ssa.FieldAddr) *types.Var { return structOf(v.X.Type()).Field(v.Field).Origin() }

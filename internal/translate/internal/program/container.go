package program

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Containers of the library keep values as any, and give them back to whoever asserts what they
// are. The call graph sees neither, since the functions of the library have no bodies there. Where
// the value is used right away the calls of it may go to any type (fromContainer). It may as well
// be returned by a function, which has another value where there is none, be kept in a field, or
// sent: so a call of an interface that is asserted anywhere, or of another one that it can become,
// may go to every type that is in a container, and a call of a function value to every function.

// containers are the functions of the library that return what they were given
// before, which the call graph does not see.
var containers = map[string]bool{"(*sync.Pool).Get": true, "(*sync/atomic.Value).Load": true, "(*sync/atomic.Value).Swap": true,
	"(*sync.Map).Load": true, "(*sync.Map).LoadOrStore": true, "(*sync.Map).LoadAndDelete": true, "(*sync.Map).Swap": true,
	"(context.Context).Value": true}

// fromContainer reports that a value may be what a container of the library has
// kept.
func fromContainer(v ssa.Value, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Call:
		if v.Call.IsInvoke() {
			return containers[v.Call.Method.FullName()]
		}
		f := v.Call.StaticCallee()
		return f != nil && containers[FullName(f)]
	case *ssa.Parameter:
		return ofEntries(v.Parent().Signature) // what the Range of a Map gives
	case *ssa.Extract:
		return fromContainer(v.Tuple, seen)
	case *ssa.TypeAssert:
		return fromContainer(v.X, seen)
	case *ssa.ChangeInterface:
		return fromContainer(v.X, seen)
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool { return fromContainer(e, seen) })
	}
	return false
}

// ofEntries reports whether functions of the signature are given the entries of a container.
func ofEntries(s *types.Signature) bool {
	if s.Params().Len() != 2 || s.Results().Len() != 1 || !IsBool(s.Results().At(0).Type()) {
		return false
	}
	for v := range s.Params().Variables() {
		if i, ok := v.Type().Underlying().(*types.Interface); !ok || i.NumMethods() > 0 {
			return false
		}
	}
	return true
}

// putInto are the functions of the library that put values into containers, with the arguments
// that are values, counted from the last one: a receiver may be bound.
var putInto = map[string][]int{
	"(*sync.Pool).Put":           {1},
	"(*sync/atomic.Value).Store": {1}, "(*sync/atomic.Value).Swap": {1}, "(*sync/atomic.Value).CompareAndSwap": {1},
	"(*sync.Map).Store": {1, 2}, "(*sync.Map).LoadOrStore": {1, 2}, "(*sync.Map).Swap": {1, 2}, "(*sync.Map).CompareAndSwap": {1, 3},
	"context.WithValue":               {1},
	"(*container/list.List).PushBack": {1}, "(*container/list.List).PushFront": {1},
	"(*container/list.List).InsertBefore": {2}, "(*container/list.List).InsertAfter": {2},
}

// keepsIn are the fields of the library's structures that hold such values, or functions that
// return them.
var keepsIn = map[string]bool{"container/list.Element.Value": true, "container/ring.Ring.Value": true, "sync.Pool.New": true}

// containerTypes are those whose methods put values into them. Who calls these methods through an
// interface, or as function values, is not looked for.
var containerTypes = map[string]bool{"sync.Pool": true, "sync.Map": true, "sync/atomic.Value": true, "container/list.List": true}

// contained is what the program puts into containers, and what it takes out.
type contained struct {
	types map[types.Type]bool    // whose values are put in
	funcs map[*ssa.Function]bool // that are
	any   bool                   // values of other types and functions may be, too
	// asserted are the interfaces with methods, and the types of functions, that something is
	// asserted to be.
	asserted []types.Type
	// converted are all functions that become interfaces.
	converted map[*ssa.Function]bool
}

func newContained() contained {
	return contained{types: map[types.Type]bool{}, funcs: map[*ssa.Function]bool{}, converted: map[*ssa.Function]bool{}}
}

// add looks at an instruction of the program.
func (c *contained) add(instr ssa.Instruction) {
	call, _ := instr.(ssa.CallInstruction)
	for _, op := range instr.Operands(nil) {
		if f, ok := (*op).(*ssa.Function); ok && putInto[FullName(f)] != nil && (call == nil || call.Common().Value != f) {
			c.any = true
		}
	}
	switch i := instr.(type) {
	case *ssa.MakeInterface:
		if f := functionOf(i.X); f != nil {
			c.converted[f] = true
		}
		c.any = c.any || i.Type().Underlying().(*types.Interface).NumMethods() > 0 && containerTypes[LibraryType(Pointee(i.X.Type()))]
	case *ssa.TypeAssert:
		switch u := i.AssertedType.Underlying().(type) {
		case *types.Interface:
			if u.NumMethods() == 0 {
				return
			}
		case *types.Signature:
		default:
			return
		}
		if !slices.ContainsFunc(c.asserted, func(t types.Type) bool { return types.Identical(t, i.AssertedType) }) {
			c.asserted = append(c.asserted, i.AssertedType)
		}
	case ssa.CallInstruction:
		f := i.Common().StaticCallee()
		if f == nil {
			return
		}
		args := i.Common().Args
		for _, k := range putInto[FullName(f)] {
			c.put(args[len(args)-k], map[ssa.Value]bool{})
		}
	case *ssa.Store:
		if a, ok := i.Addr.(*ssa.FieldAddr); ok && keepsIn[fieldName(a)] {
			c.put(i.Val, map[ssa.Value]bool{})
		}
	}
}

// fieldName is the name of a field with that of its structure and package.
func fieldName(a *ssa.FieldAddr) string {
	t := Pointee(a.X.Type())
	return LibraryType(t) + "." + t.Underlying().(*types.Struct).Field(a.Field).Name()
}

// functionOf is the function that a value is known to be.
func functionOf(v ssa.Value) *ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		return v
	case *ssa.MakeClosure:
		return v.Fn.(*ssa.Function)
	case *ssa.ChangeType:
		return functionOf(v.X)
	}
	return nil
}

// put notes what a value may be that is put into a container, or returned by the function that
// makes values for one.
func (c *contained) put(v ssa.Value, seen map[ssa.Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	switch x := v.(type) {
	case *ssa.MakeInterface:
		c.types[x.X.Type()] = true
		if _, ok := x.X.Type().Underlying().(*types.Signature); !ok {
			return
		}
		if f := functionOf(x.X); f != nil {
			c.funcs[f] = true
			return
		}
	case *ssa.ChangeInterface:
		c.put(x.X, seen)
		return
	case *ssa.Phi:
		for _, e := range x.Edges {
			c.put(e, seen)
		}
		return
	case *ssa.Const:
		return // nil
	case *ssa.Function, *ssa.MakeClosure: // New of a Pool
		for _, b := range functionOf(x).Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				c.put(r.Results[0], seen)
			}
		}
		return
	}
	c.any = true
}

// takenOut are the functions that a call may run since a value of a container was asserted to be
// what is called, somewhere in the program.
func (p *Program) takenOut(call *ssa.CallCommon) []*ssa.Function {
	c := &p.contained
	var out []*ssa.Function
	if len(c.types) == 0 && !c.any {
		return nil
	}
	if !call.IsInvoke() {
		sig := call.Signature()
		if !slices.ContainsFunc(c.asserted, func(t types.Type) bool { return types.Identical(t.Underlying(), sig) }) {
			return nil
		}
		funcs := c.funcs
		if c.any {
			funcs = c.converted
		}
		for f := range funcs {
			if types.Identical(f.Signature, sig) {
				out = append(out, f)
			}
		}
		return out
	}
	iface := call.Value.Type().Underlying().(*types.Interface)
	from := c.types
	if c.any {
		from = p.converted
	}
	for t := range from {
		if !types.Implements(t, iface) || !slices.ContainsFunc(c.asserted, func(j types.Type) bool {
			u, ok := j.Underlying().(*types.Interface)
			return ok && types.Implements(j, iface) && types.Implements(t, u)
		}) {
			continue
		}
		if f := p.SSA.LookupMethod(t, call.Method.Pkg(), call.Method.Name()); f != nil && f.Blocks != nil {
			out = append(out, f)
		}
	}
	return out
}

package relevance

import (
	"slices"

	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// Class names a class of memory cells: a struct field, a global, the
// elements of arrays of one type, the variables of one allocation.
//
// Two addresses of different classes are not the same cell, but for those of wholes and their parts, and of unknown
// origin: needCell looks at these. That rests on types and fields, as the type-based alias analysis of Diwan,
// McKinley and Moss (PLDI 1998): of which struct a field is nothing is known.
type Class struct {
	v   any    // *types.Var of a field, *ssa.Global, *ssa.Alloc; nil otherwise
	typ string // element type
}

// String names the class, and where what it names is declared, if it is.
func (c Class) String() string {
	switch v := c.v.(type) {
	case *types.Var:
		return "field " + v.Name() + " " + c.typ
	case *ssa.Global:
		return "global " + v.String() + " " + c.typ
	case *ssa.Alloc:
		return "variable " + v.Comment + " of " + v.Parent().String() + " " + c.typ
	}
	return "all " + c.typ
}

// Elements is that of the elements of arrays of a type, of slices and on the heap.
func Elements(t types.Type) Class { return Class{nil, program.TypeKey(t)} }

// Unknown is that of what is read through pointers of a type of which it is not known where
// they come from.
func Unknown(t types.Type) Class { return Class{nil, "*" + program.TypeKey(t)} }

// Field is that of a field of structs, of all instances of a generic one.
// Instances share it, as they share the text of the methods that write it.
func Field(f *types.Var) Class { return Class{f.Origin(), program.TypeKey(f.Type())} }

// Sent is that of what is sent in channels of a type of elements.
func Sent(elem types.Type) Class { return Class{nil, "sent " + program.TypeKey(elem)} }

// Entries is that of the keys and values of maps of a type.
func Entries(t types.Type) Class { return Class{nil, "map " + program.TypeKey(t.Underlying())} }

// Causes and ContextValues are those of what contexts keep.
var (
	Causes        = Class{nil, "causes of contexts"}
	ContextValues = Class{nil, "values of contexts"}
)

// ClassOf returns the class of the cell at an address; known is false for an
// address that comes from elsewhere.
func ClassOf(addr ssa.Value) (c Class, known bool) {
	switch a := addr.(type) {
	case *ssa.Global:
		return Class{a, program.TypeKey(program.Pointee(a.Type()))}, true
	case *ssa.FieldAddr:
		f := program.Pointee(a.X.Type()).Underlying().(*types.Struct).Field(a.Field)
		return Class{f.Origin(), program.TypeKey(program.Pointee(a.Type()))}, true
	case *ssa.IndexAddr:
		return Elements(program.Pointee(a.Type())), true
	case *ssa.Alloc:
		return Class{a, program.TypeKey(program.Pointee(a.Type()))}, true
	}
	return Unknown(program.Pointee(addr.Type())), false
}

// needMap asks for the contents of maps of a type.
// Entries are not told apart, nor are maps: a key may be computed.
func (s *Slice) needMap(t types.Type) {
	if _, ok := t.Underlying().(*types.Map); !ok || s.Classes[Entries(t)] {
		return
	}
	s.Classes[Entries(t)] = true
	for _, w := range s.mapWrites[Entries(t)] {
		s.needInstr(w)
	}
}

// MapWrite returns the map that an instruction changes, nil if none.
func MapWrite(instr ssa.Instruction) ssa.Value {
	switch i := instr.(type) {
	case *ssa.MapUpdate:
		return i.Map
	case ssa.CallInstruction:
		if b, ok := i.Common().Value.(*ssa.Builtin); ok && (b.Name() == "delete" || b.Name() == "clear") {
			if _, ok := i.Common().Args[0].Type().Underlying().(*types.Map); ok {
				return i.Common().Args[0]
			}
		}
	}
	return nil
}

// WritesKept reports whether an instruction writes memory whose contents matter, as far as it shows which memory that is.
// Who asks says what the model leaves out: a write of which it is not seen where it goes is no reason.
func (s *Slice) WritesKept(instr ssa.Instruction) bool {
	if m := MapWrite(instr); m != nil {
		return s.Classes[Entries(m.Type())]
	}
	st, ok := instr.(*ssa.Store)
	if !ok {
		return false
	}
	if v, ok := st.Addr.(*ssa.FreeVar); ok {
		return slices.ContainsFunc(s.captured(v), func(addr ssa.Value) bool {
			c, known := ClassOf(addr)
			return known && s.Classes[c]
		})
	}
	c, known := ClassOf(st.Addr)
	return known && s.Classes[c]
}

// captured are what a function literal has captured as a variable. Closures has only literals of functions that
// the program calls itself.
func (s *Slice) captured(v *ssa.FreeVar) (all []ssa.Value) {
	fn := v.Parent()
	if fn.Parent() == nil {
		return nil
	}
	i := slices.Index(fn.FreeVars, v)
	for _, b := range fn.Parent().Blocks { // nobody else makes the literal
		for _, in := range b.Instrs {
			if c, ok := in.(*ssa.MakeClosure); ok && c.Fn == fn {
				all = append(all, c.Bindings[i])
				if outer, ok := c.Bindings[i].(*ssa.FreeVar); ok {
					all = append(all, s.captured(outer)...)
				}
			}
		}
	}
	return all
}

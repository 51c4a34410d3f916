package translate

import (
	"fmt"
	"go/types"

	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/relevance"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// Memory is a sequence of cells, each of which holds one scalar. An object
// occupies consecutive cells; a reference is the address of a cell, 0 is nil.
// So a pointer into an object, to a field or an element, is a number like any
// other, and two pointers alias if they are equal. Functions are objects too.

// newData makes the cells of a value of type t.
func (x *translator) newData(name string, t types.Type) *state.Object {
	return &state.Object{Kind: state.DataObject, Name: name, Size: int32(x.width(t))}
}

// newVariable makes the cells of a variable of type t. Of an array there can be
// slices: one without elements points behind the last.
func (x *translator) newVariable(name string, t types.Type) *state.Object {
	o := x.newData(name, t)
	if at, ok := t.Underlying().(*types.Array); ok {
		if w := x.width(at.Elem()); w > 0 && int64(o.Size) == int64(w)*at.Len() {
			o.Elems, o.Stride = int32(at.Len()), int32(w)
			o.Size++
			o.WriteOnly = x.writeOnly(at.Elem())
		}
	}
	return o
}

// writeOnly reports that no element of a slice or array of its own is ever read, of
// those of a type: it need not be kept what they are, only where.
func (x *translator) writeOnly(elem types.Type) bool {
	if _, ok := elem.Underlying().(*types.Basic); !ok {
		return false
	}
	return !x.sl.Classes[relevance.Elements(elem)] && !x.sl.Classes[relevance.Unknown(elem)]
}

// describe names the cells of a data object and marks those of
// synchronisation objects.
func (x *translator) describe(o *state.Object, t types.Type) {
	if o.WriteOnly {
		return
	}
	x.describeAt(o.Base, o.Name, t, 0)
	x.markRefs(o.Base, t)
}

// markRefs marks the cells of a value of type t that hold references.
func (x *translator) markRefs(addr int32, t types.Type) {
	for i, r := range x.scalarRefs(t) {
		if c := addr + int32(i); int(c) < len(x.mem.Cells) {
			x.mem.Cells[c].Ref = r
		}
	}
}

func (x *translator) describeAt(addr int32, name string, t types.Type, depth int) {
	cells := x.mem.Cells
	if names := program.SyncCells(t); names != nil {
		for i, n := range names {
			c := cells[addr+int32(i)]
			c.Name, c.Sync = name+n, true
			if lim := syncLimit(t, i, x.opts); lim > 0 {
				c.Abs, c.Fix = sym.Range(0, lim), true
			}
		}
		return
	}
	if n := x.width(t); n == 1 {
		cells[addr].Name = name
	}
	if cs := x.layout(t); cs != nil {
		for i, c := range cs {
			cells[addr+int32(i)].Name = name + c.name
		}
		return
	}
	if program.IsCond(t) {
		cells[addr].Name, cells[addr+1].Name = name+"_L_type", name+"_L"
		for i := range int32(condWaiters) {
			c := cells[addr+condQueue+i]
			c.Name, c.Sync = fmt.Sprintf("%s_waiter%d", name, i), true
			c.Abs, c.Fix = sym.Range(0, sym.MaxProcesses), true
		}
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if x.foreign(t) {
			return
		}
		for i := range u.NumFields() {
			f := u.Field(i)
			x.describeAt(addr, name+"_"+state.Identifier(f.Name()), f.Type(), depth+1)
			addr += int32(x.width(f.Type()))
		}
	case *types.Array:
		w := int32(x.width(u.Elem()))
		if int64(x.width(t)) < int64(w)*u.Len() {
			return
		}
		for i := range int32(u.Len()) {
			x.describeAt(addr+i*w, fmt.Sprintf("%s_%d", name, i), u.Elem(), depth+1)
		}
	case *types.Interface:
		cells[addr].Name, cells[addr+1].Name = name+"_type", name+"_val"
	case *types.Slice:
		cells[addr].Name, cells[addr+1].Name, cells[addr+2].Name = name+"_ptr", name+"_len", name+"_cap"
	}
}

// maxArray is the most cells that an array inside a value may have.
const maxArray = 4096

// syncLimit bounds the counters of synchronisation objects.
func syncLimit(t types.Type, i int, opts Options) int32 {
	switch types.Unalias(t).(*types.Named).Obj().Name() {
	case "RWMutex":
		if i == 2 {
			return int32(opts.Counter)
		}
	case "WaitGroup":
		return int32(opts.Counter)
	}
	return 0
}

// foreign reports that a type is declared in a package whose source is not
// part of the program: its fields are not looked into.
func (x *translator) foreign(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && !x.prog.Translated(n.Obj().Pkg().Path())
}

// width is the number of scalars of a value of type t.
func (x *translator) width(t types.Type) int {
	if w, ok := x.widths[t]; ok {
		return w
	}
	w := x.widthOf(t)
	x.widths[t] = w
	return w
}

func (x *translator) widthOf(t types.Type) int {
	if names := program.SyncCells(t); names != nil {
		return len(names)
	}
	if program.IsCond(t) {
		return condQueue + condWaiters
	}
	if cs := x.layout(t); cs != nil {
		return len(cs)
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return 2
	case *types.Slice:
		return 3
	case *types.Struct:
		if x.foreign(t) {
			return 1
		}
		w := 0
		for i := range u.NumFields() {
			w += x.width(u.Field(i).Type())
		}
		return w
	case *types.Array:
		if u.Len() > maxArray {
			return 1
		}
		if w := int64(x.width(u.Elem())) * u.Len(); w <= maxArray {
			return int(w)
		}
		return 1
	case *types.Tuple:
		w := 0
		for i := range u.Len() {
			w += x.width(u.At(i).Type())
		}
		return w
	}
	return 1
}

// fieldOffset is the offset of field i in a struct.
func (x *translator) fieldOffset(st *types.Struct, i int) int {
	off := 0
	for k := range i {
		off += x.width(st.Field(k).Type())
	}
	return off
}

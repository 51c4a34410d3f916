package layout

import (
	"fmt"
	"go/types"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// EmbeddedLock is where in what a pointer of type t points to its methods Lock
// and Unlock have their lock of package sync.
func (l *Layout) EmbeddedLock(t types.Type) (off int, lock types.Type, ok bool) {
	at := func(name string) (off int, lock types.Type, ok bool) {
		sel := types.NewMethodSet(t).Lookup(nil, name)
		if _, pointer := t.Underlying().(*types.Pointer); sel == nil || !pointer {
			return 0, nil, false
		}
		lock = program.Pointee(t)
		for _, k := range sel.Index()[:len(sel.Index())-1] {
			st, isStruct := lock.Underlying().(*types.Struct)
			if !isStruct {
				return 0, nil, false // behind a pointer
			}
			off, lock = off+l.FieldOffset(st, k), st.Field(k).Type()
		}
		return off, lock, program.SyncCells(lock) != nil
	}
	off, lock, ok = at("Lock")
	off2, _, ok2 := at("Unlock")
	return off, lock, ok && ok2 && off == off2
}

// NewData makes the cells of a value of type t.
func (l *Layout) NewData(name string, t types.Type) *state.Object {
	return &state.Object{Kind: state.DataObject, Name: name, Size: int32(l.Width(t))}
}

// NewVariable makes the cells of a variable of type t. Of an array there can be
// slices: one without elements points behind the last.
func (l *Layout) NewVariable(name string, t types.Type) *state.Object {
	o := l.NewData(name, t)
	if at, ok := t.Underlying().(*types.Array); ok {
		if w := l.Width(at.Elem()); w > 0 && int64(o.Size) == int64(w)*at.Len() {
			o.Elems, o.Stride = int32(at.Len()), int32(w)
			o.Size++
			o.WriteOnly = l.WriteOnly(at.Elem())
		}
	}
	return o
}

// WriteOnly reports that no element of a slice or array of its own is ever read, of
// those of a type: it need not be kept what they are, only where.
func (l *Layout) WriteOnly(elem types.Type) bool {
	if _, ok := elem.Underlying().(*types.Basic); !ok {
		return false
	}
	return !l.sl.Classes[relevance.Elements(elem)] && !l.sl.Classes[relevance.Unknown(elem)]
}

// Describe names the cells of a data object and marks those of
// synchronisation objects.
func (l *Layout) Describe(o *state.Object, t types.Type) {
	if o.WriteOnly {
		return
	}
	l.DescribeAt(o.Base, o.Name, t, 0)
	l.MarkRefs(o.Base, t)
}

// MarkRefs marks the cells of a value of type t that hold references.
func (l *Layout) MarkRefs(addr int32, t types.Type) {
	for i, r := range l.Refs(t) {
		if c := addr + int32(i); int(c) < len(l.mem.Cells) {
			l.mem.Cells[c].Ref = r
		}
	}
}

func (l *Layout) DescribeAt(addr int32, name string, t types.Type, depth int) {
	cells := l.mem.Cells
	if names := program.SyncCells(t); names != nil {
		for i, n := range names {
			c := cells[addr+int32(i)]
			c.Name, c.Sync = name+n, true
			if low, high := l.syncLimits(t, i); high > 0 {
				c.Abs, c.Fix = sym.Range(low, high), true
			}
		}
		return
	}
	if n := l.Width(t); n == 1 {
		cells[addr].Name = name
	}
	if cs := l.libraryCells(t); cs != nil {
		for i, c := range cs {
			cells[addr+int32(i)].Name = name + c.Name
		}
		return
	}
	if program.IsCond(t) {
		cells[addr].Name, cells[addr+1].Name = name+"_L_type", name+"_L"
		for i := range int32(CondWaiters) {
			c := cells[addr+CondQueue+i]
			c.Name, c.Sync = fmt.Sprintf("%s_waiter%d", name, i), true
			c.Abs, c.Fix = sym.Range(0, sym.MaxProcesses), true
		}
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if l.Foreign(t) {
			return
		}
		for i := range u.NumFields() {
			f := u.Field(i)
			l.DescribeAt(addr, name+"_"+state.Identifier(f.Name()), f.Type(), depth+1)
			addr += int32(l.Width(f.Type()))
		}
	case *types.Array:
		w := int32(l.Width(u.Elem()))
		if int64(l.Width(t)) < int64(w)*u.Len() {
			return
		}
		for i := range int32(u.Len()) {
			l.DescribeAt(addr+i*w, fmt.Sprintf("%s_%d", name, i), u.Elem(), depth+1)
		}
	case *types.Interface:
		cells[addr].Name, cells[addr+1].Name = name+"_type", name+"_val"
	case *types.Slice:
		cells[addr].Name, cells[addr+1].Name, cells[addr+2].Name = name+"_ptr", name+"_len", name+"_cap"
	}
}

// syncLimits bound the counters of synchronisation objects. That of a wait group is below zero where somebody recovers from
// the panic that says so.
func (l *Layout) syncLimits(t types.Type, i int) (low, high int32) {
	switch types.Unalias(t).(*types.Named).Obj().Name() {
	case "RWMutex":
		if i == 2 {
			return 0, l.counter
		}
	case "WaitGroup":
		if l.sl.Recovers() {
			return -l.counter, l.counter
		}
		return 0, l.counter
	}
	return 0, 0
}

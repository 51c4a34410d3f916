package layout

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// MaxArray is the most cells that an array inside a value may have.
const MaxArray = 4096

// Layout says how the values of a program lie in cells.
type Layout struct {
	prog   *program.Program
	sl     *relevance.Slice
	mem    *state.Memory
	widths map[types.Type]int
	orders map[*ssa.Function]map[ssa.Value]int
	// counter is the greatest value of the counters of synchronisation objects.
	counter int32
	// mapEntries is how many entries of a sync.Map are kept.
	mapEntries func() int
}

// New is the layout of the values of a program in a memory.
func New(p *program.Program, slice *relevance.Slice, mem *state.Memory, counter int, mapEntries func() int) *Layout {
	return &Layout{prog: p, sl: slice, mem: mem, widths: map[types.Type]int{}, orders: map[*ssa.Function]map[ssa.Value]int{},
		counter: int32(counter), mapEntries: mapEntries}
}

// Refs says for each scalar of a type whether it is a reference.
func (l *Layout) Refs(t types.Type) []bool {
	n := l.Width(t)
	out := make([]bool, 0, n)
	if program.IsCond(t) {
		out = append(out, false, true)
	}
	if cs := l.libraryCells(t); cs != nil {
		for _, c := range cs {
			out = append(out, c.Ref)
		}
		return out
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Signature, *types.Map:
		return []bool{true}
	case *types.Interface:
		return []bool{true, true}
	case *types.Slice:
		return []bool{true, false, false}
	case *types.Struct:
		if program.IsCond(t) {
			break
		}
		if l.Foreign(t) || program.SyncCells(t) != nil {
			return make([]bool, n)
		}
		for i := range u.NumFields() {
			out = append(out, l.Refs(u.Field(i).Type())...)
		}
	case *types.Array:
		if w := l.Width(u.Elem()); int64(n) == int64(w)*u.Len() {
			r := l.Refs(u.Elem())
			for range u.Len() {
				out = append(out, r...)
			}
		}
	case *types.Tuple:
		for i := range u.Len() {
			out = append(out, l.Refs(u.At(i).Type())...)
		}
	}
	for len(out) < n {
		out = append(out, false)
	}
	return out
}

// Foreign reports that a type is declared in a package whose source is not
// part of the program: its fields are not looked into.
func (l *Layout) Foreign(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && !l.prog.Translated(n.Obj().Pkg().Path())
}

// Width is the number of scalars of a value of type t.
func (l *Layout) Width(t types.Type) int {
	if w, ok := l.widths[t]; ok {
		return w
	}
	w := l.widthOf(t)
	l.widths[t] = w
	return w
}

func (l *Layout) widthOf(t types.Type) int {
	if names := program.SyncCells(t); names != nil {
		return len(names)
	}
	if program.IsCond(t) {
		return CondQueue + CondWaiters
	}
	if cs := l.libraryCells(t); cs != nil {
		return len(cs)
	}
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return 2
	case *types.Slice:
		return 3
	case *types.Struct:
		if l.Foreign(t) {
			return 1
		}
		w := 0
		for i := range u.NumFields() {
			w += l.Width(u.Field(i).Type())
		}
		return w
	case *types.Array:
		if u.Len() > MaxArray {
			return 1
		}
		if w := int64(l.Width(u.Elem())) * u.Len(); w <= MaxArray {
			return int(w)
		}
		return 1
	case *types.Tuple:
		w := 0
		for i := range u.Len() {
			w += l.Width(u.At(i).Type())
		}
		return w
	}
	return 1
}

// FieldOffset is the offset of field i in a struct.
func (l *Layout) FieldOffset(st *types.Struct, i int) int {
	off := 0
	for k := range i {
		off += l.Width(st.Field(k).Type())
	}
	return off
}

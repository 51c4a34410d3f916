package layout

import (
	"fmt"
	"go/types"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// Some types of the library are kept by what they hold: an atomic.Value is an interface value, a
// sync.Map a small map, a sync.Pool a function and a few values.

// A sync.Cond is the interface value of its lock and the queue of its waiters:
// numbers of processes in the order in which they came, 0 where it is free.
const (
	CondLock    = 0 // two scalars
	CondQueue   = 2
	CondWaiters = 8 // how many there can be
)

// A sync.Pool is its function New and a few values, the used ones in front.
const (
	PoolNew    = 0
	PoolFirst  = 1 // of the values, two scalars each
	PoolValues = 4 // how many there are
)

// LibraryCell is one scalar of a type of the library.
type LibraryCell struct {
	Name string // behind that of the object
	Ref  bool   // it holds references
}

// EmptyInterface is the type any.
var EmptyInterface types.Type = types.NewInterfaceType(nil, nil)

// InterfaceCells are those of an interface value: its dynamic type and its value.
var InterfaceCells = []LibraryCell{{"_type", true}, {"_val", true}}

// libraryCells lists the cells of such a type, nil for other types.
func (l *Layout) libraryCells(t types.Type) []LibraryCell {
	switch program.LibraryType(t) {
	case "sync/atomic.Value":
		return InterfaceCells
	case "sync.Map":
		var out []LibraryCell
		entries := l.mapEntries()
		for i := range entries {
			out = append(out, LibraryCell{fmt.Sprintf("_%d_used", i), false})
			for _, part := range []string{"key", "value"} {
				for _, c := range InterfaceCells {
					out = append(out, LibraryCell{fmt.Sprintf("_%d_%s%s", i, part, c.Name), true})
				}
			}
		}
		return append(out, LibraryCell{"_more", false})
	case "sync.Pool":
		out := []LibraryCell{{"_New", true}}
		for i := range PoolValues {
			for _, c := range InterfaceCells {
				out = append(out, LibraryCell{fmt.Sprintf("_%d%s", i, c.Name), true})
			}
		}
		return out
	}
	return nil
}

// LibraryField is where a field of a type of the library lies that the program
// may set and read.
func LibraryField(t types.Type, field int) (off int32, ok bool) {
	st, isStruct := t.Underlying().(*types.Struct)
	if !isStruct || field >= st.NumFields() {
		return 0, false
	}
	switch program.LibraryType(t) + "." + st.Field(field).Name() {
	case "sync.Cond.L":
		return CondLock, true
	case "sync.Pool.New":
		return PoolNew, true
	}
	return 0, false
}

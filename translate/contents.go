package translate

import (
	"fmt"
	"go/types"

	"github.com/vtrace/vtrace/translate/internal/program"
)

// Some types of the library are kept by what they hold: an atomic.Value is an
// interface value, a sync.Map a small map (syncmap.go), a sync.Pool a function
// and a few values (pool.go).

// libraryCell is one scalar of such a type.
type libraryCell struct {
	name string
	ref  bool // it holds references
}

var emptyInterface types.Type = types.NewInterfaceType(nil, nil)

var interfaceLayout = []libraryCell{{"_type", true}, {"_val", true}}

// layout lists the cells of such a type, nil for other types.
func (x *translator) layout(t types.Type) []libraryCell {
	switch program.LibraryType(t) {
	case "sync/atomic.Value":
		return interfaceLayout
	case "sync.Map":
		var out []libraryCell
		entries, _ := x.entriesOfSyncMaps()
		for i := range entries {
			out = append(out, libraryCell{fmt.Sprintf("_%d_used", i), false})
			for _, part := range []string{"key", "value"} {
				for _, c := range interfaceLayout {
					out = append(out, libraryCell{fmt.Sprintf("_%d_%s%s", i, part, c.name), true})
				}
			}
		}
		return append(out, libraryCell{"_more", false})
	case "sync.Pool":
		out := []libraryCell{{"_New", true}}
		for i := range poolValues {
			for _, c := range interfaceLayout {
				out = append(out, libraryCell{fmt.Sprintf("_%d%s", i, c.name), true})
			}
		}
		return out
	}
	return nil
}

// libraryField is where a field of a type of the library lies that the program
// may set and read.
func libraryField(t types.Type, field int) (off int32, ok bool) {
	st, isStruct := t.Underlying().(*types.Struct)
	if !isStruct || field >= st.NumFields() {
		return 0, false
	}
	switch program.LibraryType(t) + "." + st.Field(field).Name() {
	case "sync.Cond.L":
		return condLock, true
	case "sync.Pool.New":
		return poolNew, true
	}
	return 0, false
}

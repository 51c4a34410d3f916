package translate

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

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

// needLibrary asks for what a call of the library needs that is executed for the
// functions that it calls.
func (s *slice) needLibrary(call ssa.CallInstruction, in *program.Operation) {
	switch {
	case in.Name == program.SortOperation:
		if c, ok := call.(*ssa.Call); ok && s.prog.Sorted(c) != nil {
			s.needClass(elementsClass(s.prog.Sorted(c)), s.prog.Sorted(c), 0)
		}
		if in.Calls > 0 {
			s.needReturned(s.prog.Functions(call.Common().Args[in.Calls]))
		}
	case len(in.Methods) > 0:
		s.needReturned(s.prog.CalledMethods(call.Common().Args[0], in.Methods))
	case in.Calls > 0:
		s.needCell(call.Common().Args[0])
		s.needReturned(s.prog.Functions(call.Common().Args[in.Calls]))
	case in.Name == "poolget", in.Name == "condwait":
		s.needCell(call.Common().Args[0])
	}
}

// needReturned asks for what functions return.
func (s *slice) needReturned(fs []*ssa.Function) {
	for _, f := range fs {
		for _, b := range f.Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				s.needBlock(b)
				for _, v := range r.Results {
					s.need(v)
				}
			}
		}
	}
}

package translate

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"
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
	switch libraryType(t) {
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
	switch libraryType(t) + "." + st.Field(field).Name() {
	case "sync.Cond.L":
		return condLock, true
	case "sync.Pool.New":
		return poolNew, true
	}
	return 0, false
}

// libraryType names a declared type with its package's path, "" for others.
func libraryType(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return ""
	}
	return n.Obj().Pkg().Path() + "." + n.Obj().Name()
}

// needLibrary asks for what a call of the library needs that is executed for the
// functions that it calls.
func (s *slice) needLibrary(call ssa.CallInstruction, in *operation) {
	switch {
	case in.name == "sort":
		if c, ok := call.(*ssa.Call); ok && sorted(c) != nil {
			s.needClass(memClass{nil, typeKey(sorted(c))}, sorted(c), 0)
		}
		if in.calls > 0 {
			s.needReturned(s.prog.functions(call.Common().Args[in.calls]))
		}
	case len(in.methods) > 0:
		s.needReturned(s.prog.calledMethods(call.Common().Args[0], in.methods))
	case in.calls > 0:
		s.needCell(call.Common().Args[0])
		s.needReturned(s.prog.functions(call.Common().Args[in.calls]))
	case in.name == "poolget", in.name == "condwait":
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

// functions lists the functions with bodies that a function value can be: if it
// cannot be seen, all functions of its type that are used as values.
func (p *program) functions(v ssa.Value) []*ssa.Function {
	switch v := v.(type) {
	case *ssa.Function:
		if v.Blocks == nil {
			return nil
		}
		return []*ssa.Function{v}
	case *ssa.MakeClosure:
		return p.functions(v.Fn)
	case *ssa.ChangeType:
		return p.functions(v.X)
	case *ssa.Const:
		return nil
	}
	sig, ok := v.Type().Underlying().(*types.Signature)
	if !ok {
		return nil
	}
	return p.functionsLike(sig)
}

// functionsLike are the functions that can run whose values have a type.
func (p *program) functionsLike(sig *types.Signature) []*ssa.Function {
	var out []*ssa.Function
	for _, f := range p.funcs {
		if t := f.Signature; t.Recv() == nil && types.Identical(types.NewSignatureType(nil, nil, nil, t.Params(), t.Results(), t.Variadic()), types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())) {
			out = append(out, f)
		}
	}
	return out
}

package program

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
)

// FullName names a function as go/types does; instances have the name of what they are one of.
func FullName(f *ssa.Function) string {
	if o := f.Origin(); o != nil {
		f = o
	}
	if obj, ok := f.Object().(*types.Func); ok {
		return obj.FullName()
	}
	return f.String()
}

// PackageOf is the path of the package that a function is declared in.
func PackageOf(f *ssa.Function) string {
	if f.Origin() != nil {
		f = f.Origin()
	}
	if o := f.Object(); o != nil && o.Pkg() != nil {
		return o.Pkg().Path()
	}
	return ""
}

// LibraryName is the full name of the function that a call calls, if it is known and
// one whose source is not part of the program; "" otherwise.
func LibraryName(call ssa.CallInstruction) string {
	if f := call.Common().StaticCallee(); f != nil && f.Blocks == nil {
		return FullName(f)
	}
	return ""
}

// Arguments lists the arguments of a call, those of a variadic one singly.
func Arguments(call ssa.CallInstruction) []ssa.Value {
	var out []ssa.Value
	for _, a := range call.Common().Args {
		s, ok := a.(*ssa.Slice)
		if !ok {
			out = append(out, a)
			continue
		}
		array, ok := s.X.(*ssa.Alloc)
		if !ok || array.Comment != "varargs" {
			continue
		}
		for _, r := range *array.Referrers() {
			at, ok := r.(*ssa.IndexAddr)
			if !ok {
				continue
			}
			for _, r := range *at.Referrers() {
				if st, ok := r.(*ssa.Store); ok {
					out = append(out, st.Val)
				}
			}
		}
	}
	return out
}

// ActedOn is the pointer through which a call acts that the model may leave out: of an
// atomic operation, a sync.Map, a sync.Pool, a timer.
func (p *Program) ActedOn(call *ssa.Call) ssa.Value {
	f := call.Call.StaticCallee()
	if f == nil || len(call.Call.Args) == 0 {
		return nil
	}
	if op := p.Operation(f); op == nil || op.Seed || f.Signature.Recv() == nil && op.Kind != sites.Atomic {
		return nil
	}
	if _, ok := call.Call.Args[0].Type().Underlying().(*types.Pointer); !ok {
		return nil
	}
	return call.Call.Args[0]
}

// NotKept says what a value is that the model does not keep: if it comes out of
// a call of the library, that of which function.
func (p *Program) NotKept(v any) string {
	for {
		switch i := v.(type) {
		case *ssa.TypeAssert:
			v = i.X
		case *ssa.Extract:
			v = i.Tuple
		case *ssa.ChangeType:
			v = i.X
		case *ssa.ChangeInterface:
			v = i.X
		case *ssa.FieldAddr:
			v = i.X
		case *ssa.UnOp:
			v = i.X
		case *ssa.Global:
			if why := p.OutsideReason(i); why != "" {
				return why
			}
			return "a value that the model does not keep"
		case *ssa.Call:
			if name := LibraryName(i); name != "" {
				return "a result of " + name + ", which the model does not keep"
			}
			return "a value that the model does not keep"
		default:
			return "a value that the model does not keep"
		}
	}
}

// Fills lists the pointers through which a call out of the program writes what it
// reads elsewhere: those given to decoders, scanners, and declarations of flags.
func (p *Program) Fills(call ssa.CallInstruction) []ssa.Value {
	if _, ok := call.(*ssa.Call); !ok {
		return nil
	}
	c := call.Common()
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return nil
	}
	var name string
	switch f := c.StaticCallee(); {
	case f != nil && f.Blocks == nil && p.Operation(f) == nil && !testingFunc(f):
		name = f.Name()
	case c.IsInvoke() && len(p.Callees(call)) == 0:
		name = c.Method.Name()
	default:
		return nil
	}
	if LibraryName(call) == "errors.As" {
		m, ok := c.Args[1].(*ssa.MakeInterface)
		if !ok {
			return nil
		}
		if _, isConst := m.X.(*ssa.Const); isConst {
			return nil
		}
		if _, isPointer := m.X.Type().Underlying().(*types.Pointer); !isPointer {
			return nil
		}
		return []ssa.Value{m.X}
	}
	if !fillers(name) {
		return nil
	}
	args := Arguments(call)
	if c.Signature().Recv() != nil && !c.IsInvoke() {
		args = args[1:]
	}
	var out []ssa.Value
	for _, a := range args {
		if m, ok := a.(*ssa.MakeInterface); ok {
			a = m.X
		}
		if _, ok := a.Type().Underlying().(*types.Pointer); !ok || !Writable(Pointee(a.Type()), 0) {
			continue
		}
		if _, ok := a.(*ssa.Const); !ok {
			out = append(out, a)
		}
	}
	return out
}

// fillers reports by its name that a function writes through the pointers that
// it is given.
func fillers(name string) bool {
	for _, prefix := range []string{"Unmarshal", "Decode", "Scan", "Sscan", "Fscan"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "Read" || strings.HasSuffix(name, "Var") || strings.HasSuffix(name, "VarP")
}

// testingFunc reports that a function is one of package testing.
func testingFunc(f *ssa.Function) bool { return PackageOf(f) == "testing" }

// Writable reports that a value has parts that a decoder writes: numbers,
// strings, slices and arrays of such, alone or in exported fields, and there also
// pointers, maps and values of any type.
func Writable(t types.Type, depth int) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Slice:
		return Writable(u.Elem(), depth+1)
	case *types.Array:
		return Writable(u.Elem(), depth+1)
	case *types.Struct:
		for i := range u.NumFields() {
			if f := u.Field(i); Filled(f) && depth < 6 && Writable(f.Type(), depth+1) {
				return true
			}
		}
	case *types.Pointer, *types.Map:
		return depth > 0
	case *types.Interface:
		return depth > 0 && u.Empty()
	}
	return false
}

// Filled reports that decoders write a field: it is exported, or those of a struct that
// is embedded may be.
func Filled(f *types.Var) bool {
	_, isStruct := f.Type().Underlying().(*types.Struct)
	return f.Exported() || f.Embedded() && isStruct
}

package parse

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/vtrace/vtrace/internal/sites"
)

// What package reflect does to memory is recorded by a value of the runtime that has the methods of a reflect.Value and
// does what they do (orcruntime.ReflectedValue), and by functions of the runtime that call those of the package.

// reflected are the methods of reflect.Value that read or write memory which others may share.
var reflected = map[string]bool{
	"Bool": true, "Bytes": true, "Call": true, "CallSlice": true, "Cap": true, "Clear": true, "Comparable": true,
	"Complex": true, "Convert": true, "Elem": true, "Equal": true, "FieldByIndex": true, "FieldByIndexErr": true,
	"FieldByName": true, "FieldByNameFunc": true, "Float": true, "Grow": true, "Index": true, "Int": true,
	"Interface": true, "IsNil": true, "IsZero": true, "Len": true, "MapIndex": true, "MapKeys": true, "MapRange": true,
	"Method": true, "MethodByName": true, "Pointer": true, "Set": true, "SetBool": true, "SetBytes": true, "SetCap": true,
	"SetComplex": true, "SetFloat": true, "SetInt": true, "SetIterKey": true, "SetIterValue": true, "SetLen": true,
	"SetMapIndex": true, "SetPointer": true, "SetString": true, "SetUint": true, "SetZero": true, "Slice": true,
	"Slice3": true, "String": true, "Uint": true, "UnsafePointer": true,
}

// reflectedFunctions are the functions of the package that do, with those of the runtime that record it; those that
// only read the value they are given have none.
var reflectedFunctions = map[string]string{
	"Copy": "ReflectedCopy", "Append": "ReflectedAppend", "AppendSlice": "ReflectedAppendSlice", "Swapper": "ReflectedSwapper",
	"Indirect": "", "TypeAssert": "",
}

// ordering are the functions and methods of the package that may order goroutines, since they work on channels, or call
// functions.
var ordering = map[string]bool{
	"Call": true, "CallSlice": true, "Close": true, "Recv": true, "Select": true, "Send": true, "Seq": true, "Seq2": true,
	"TryRecv": true, "TrySend": true,
}

// reflectedMethod marks the receiver of a method of reflect.Value.
func (a *memory) reflectedMethod(x *ast.SelectorExpr, m *types.Selection) {
	f, ok := m.Obj().(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "reflect" || nameOf(f.Signature().Recv().Type()) != "reflect.Value" {
		return
	}
	operation := onReflectedChannel(f)
	switch {
	case !operation && !reflected[f.Name()]:
	case m.Kind() != types.MethodVal || len(m.Index()) > 1 || operation && isPointer(m.Recv()):
		a.hidden[x] = "what a method of reflect.Value reads and writes is not recorded here"
	case operation:
		a.reflectedRead[x.X] = true
	default:
		a.reflected[x.X] = true
	}
}

// reflectedFunction marks a function of the package that e names by an identifier.
func (a *memory) reflectedFunction(e ast.Expr, id *ast.Ident) {
	if name, ok := a.ofReflect(id); ok && reflectedFunctions[name] != "" {
		a.reflectedBy[e] = reflectedFunctions[name]
	}
}

// reflectedCall marks the arguments that a function of the package only reads.
func (a *memory) reflectedCall(c *ast.CallExpr) {
	var id *ast.Ident
	switch x := calledFunc(c).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	}
	f, _ := a.info.Uses[id].(*types.Func)
	name, ok := a.ofReflect(id)
	if ok && reflectedFunctions[name] == "" && len(c.Args) == 1 || f != nil && onReflectedChannel(f) {
		for _, arg := range c.Args {
			a.reflectedRead[arg] = true
		}
	}
}

// onReflectedChannel: a method of reflect.Value that is an operation on a channel.
func onReflectedChannel(f *types.Func) bool {
	return f.Pkg() != nil && f.Pkg().Path() == "reflect" && f.Signature().Recv() != nil && sites.KindOf(f) != sites.Invalid
}

// ofReflect is the function of package reflect that an identifier names, if it touches memory.
func (a *memory) ofReflect(id *ast.Ident) (name string, ok bool) {
	f, ok := a.info.Uses[id].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "reflect" || f.Signature().Recv() != nil {
		return "", false
	}
	_, ok = reflectedFunctions[f.Name()]
	return f.Name(), ok
}

// reflectedOperation has the runtime do what a method of reflect.Value does on a channel, if the call is one of such a
// method, and reports whether it is.
func (r *rewriter) reflectedOperation(c *ast.CallExpr, kind sites.Kind, obj types.Object) bool {
	if f, ok := obj.(*types.Func); !ok || !onReflectedChannel(f) {
		return false
	}
	if sel, ok := calledFunc(c).(*ast.SelectorExpr); !ok || !r.onReflected(sel, r.site(kind, c.Lparen)) {
		r.diag(c.Lparen, "%v by reflection, in another form than x.%s(…): not guarded", kind, obj.Name())
	}
	return true
}

// onReflected has a method of reflect.Value that works on a channel selected from a value of the runtime. It reports whether
// it can.
func (r *rewriter) onReflected(sel *ast.SelectorExpr, id sites.ID) bool {
	s := r.info.Selections[sel]
	if id == 0 || s == nil || s.Kind() != types.MethodVal {
		return false
	}
	path, t, ok := r.embedded(s)
	if !ok {
		return false
	}
	if r.races != nil && (r.races.copied[sel.X] || r.races.fieldsCopied[sel.X] != nil) {
		path, t = "", s.Obj().(*types.Func).Signature().Recv().Type() // what is recorded gives the value
	}
	open, end := "", ""
	if isPointer(t) {
		open = "*"
	}
	if !r.primary(sel.X) {
		open, end = open+"(", ")"
	}
	r.before(sel.X.Pos(), fmt.Sprintf("%s.ReflectedOn(%d, %s", r.zz, id, open))
	r.after(sel.X.End(), end+path+")")
	return true
}

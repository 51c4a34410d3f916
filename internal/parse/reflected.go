package parse

import (
	"go/ast"
	"go/types"
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
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "reflect" || !reflected[f.Name()] || nameOf(f.Signature().Recv().Type()) != "reflect.Value" {
		return
	}
	if m.Kind() != types.MethodVal || len(m.Index()) > 1 {
		a.hidden[x] = "what a method of reflect.Value reads and writes is not recorded here"
		return
	}
	a.reflected[x.X] = true
}

// reflectedFunction marks a function of the package that e names by an identifier.
func (a *memory) reflectedFunction(e ast.Expr, id *ast.Ident) {
	if name, ok := a.ofReflect(id); ok && reflectedFunctions[name] != "" {
		a.reflectedBy[e] = reflectedFunctions[name]
	}
}

// reflectedCall marks the argument of a function of the package that only reads it.
func (a *memory) reflectedCall(c *ast.CallExpr) {
	var id *ast.Ident
	switch x := calledFunc(c).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	}
	if name, ok := a.ofReflect(id); ok && reflectedFunctions[name] == "" && len(c.Args) == 1 {
		a.reflectedRead[c.Args[0]] = true
	}
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

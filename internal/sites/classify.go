package sites

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"strings"
)

// clockReaders are the functions of package time that read the clock.
var clockReaders = map[string]bool{"Now": true, "Since": true, "Until": true}

// ClockReader returns the name of a function that reads the clock, "" if it does not.
func ClockReader(obj types.Object) string {
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "time" || f.Signature().Recv() != nil || !clockReaders[f.Name()] {
		return ""
	}
	return f.Name()
}

// Classify returns the kind of operation that calling fun performs, Invalid if
// none, and the function, method or builtin that it denotes. It looks through
// parentheses, instantiation and embedding, and it takes a method value or
// method expression for the method. A method of an interface is that of a type
// of package sync if that type has all methods of the interface, or at least
// two: it, or a type that embeds it, may be what is behind the interface. Methods
// of the names and types of those that end a test, or log and end the program, are these.
func Classify(info *types.Info, fun ast.Expr) (Kind, types.Object) {
	obj := callee(info, fun)
	switch obj := obj.(type) {
	case *types.Builtin:
		switch obj.Name() {
		case "close":
			return Close, obj
		case "panic":
			return Panic, obj
		}
	case *types.Func:
		return KindOf(obj), obj
	}
	return Invalid, obj
}

// Function returns the function or method that an expression names, nil for others.
func Function(info *types.Info, e ast.Expr) *types.Func {
	f, _ := callee(info, e).(*types.Func)
	return f
}

func callee(info *types.Info, fun ast.Expr) types.Object {
	switch e := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return info.Uses[e]
	case *ast.SelectorExpr:
		return info.Uses[e.Sel]
	case *ast.IndexExpr:
		return callee(info, e.X)
	case *ast.IndexListExpr:
		return callee(info, e.X)
	}
	return nil
}

// KindOf returns the kind of operation that a function or method performs,
// Invalid if none.
func KindOf(f *types.Func) Kind {
	if f.Pkg() != nil && f.Pkg().Path() == "sync/atomic" {
		return Atomic
	}
	if kind := LibraryFuncOf(f).Kind; kind != Invalid {
		return kind
	}
	recv := f.Signature().Recv()
	if recv == nil {
		return Invalid
	}
	iface, ok := recv.Type().Underlying().(*types.Interface)
	switch {
	case !ok:
		return Invalid
	case EndsBehind(f):
		return Exit
	}
	return ofInterface(iface, f.Name())
}

// ends are the methods that end a test, or the program, by their parameters.
var ends = func() map[string]string {
	m := map[string]string{}
	for _, f := range libraryFuncs {
		if f.Kind == Exit && f.Receiver != "" {
			m[f.Name] = strings.ReplaceAll("("+strings.Join(f.Types(), ", ")+")", "interface{}", "any")
		}
	}
	return m
}()

// EndsBehind reports whether a method of an interface that is not of package testing ends the test, or
// the program, if a *testing.T, or a *log.Logger, is behind the interface.
func EndsBehind(f *types.Func) bool {
	recv := f.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) || f.Pkg() == nil || f.Pkg().Path() == "testing" {
		return false
	}
	params, ok := ends[f.Name()]
	return ok && f.Signature().Results().Len() == 0 && parameters(f.Signature()) == params
}

// parameters spells the types of parameters.
func parameters(sig *types.Signature) string {
	var list []string
	for v := range sig.Params().Variables() {
		list = append(list, types.TypeString(types.Unalias(v.Type()), nil))
	}
	if n := len(list); sig.Variadic() {
		list[n-1] = "..." + strings.TrimPrefix(list[n-1], "[]")
	}
	return strings.ReplaceAll("("+strings.Join(list, ", ")+")", "interface{}", "any")
}

// behind are the types of package sync that may be behind an interface. The
// first one that fits decides what a method does.
var behind = []string{"Mutex", "RWMutex", "WaitGroup", "Once", "Cond"}

// ofInterface returns the kind of an interface's method.
func ofInterface(iface *types.Interface, method string) Kind {
	for _, name := range behind {
		result, fit, all := Invalid, 0, true
		for m := range iface.Methods() {
			f := byName[[3]string{"sync", name, m.Name()}]
			if f.Kind == Invalid || !f.hasShape(m.Signature()) {
				all = false
				continue
			}
			fit++
			if m.Name() == method {
				result = f.Kind
			}
		}
		if result != Invalid && (all || fit > 1) {
			return result
		}
	}
	return Invalid
}

// hasShape reports whether a signature is that of the method, which has at most one parameter.
func (f LibraryFunc) hasShape(sig *types.Signature) bool {
	return !sig.Variadic() && tupleIs(sig.Params(), strings.Join(f.Types(), ", ")) && tupleIs(sig.Results(), f.Result)
}

func tupleIs(t *types.Tuple, want string) bool {
	if want == "" || t.Len() != 1 {
		return want == "" && t.Len() == 0
	}
	return types.TypeString(t.At(0).Type(), nil) == want
}

// ChanOf returns the channel type that t is or, for a type parameter, one of those
// in its type set; nil if there is none.
func ChanOf(t types.Type) *types.Chan {
	for c := range chansOf(t, map[types.Type]bool{}) {
		return c
	}
	return nil
}

// OneElement reports whether the channels that t may be have elements of one type.
func OneElement(t types.Type) bool {
	first := ChanOf(t)
	for c := range chansOf(t, map[types.Type]bool{}) {
		if !types.Identical(c.Elem(), first.Elem()) {
			return false
		}
	}
	return first != nil
}

// chansOf goes over the channel type that t is, or over those in the type set of a type parameter.
func chansOf(t types.Type, seen map[types.Type]bool) iter.Seq[*types.Chan] {
	return func(yield func(*types.Chan) bool) { visitChans(t, seen, yield) }
}

// visitChans reports whether it goes on behind t.
func visitChans(t types.Type, seen map[types.Type]bool, visit func(*types.Chan) bool) bool {
	if t == nil || seen[t] {
		return true
	}
	seen[t] = true
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return visitChans(p.Constraint(), seen, visit)
	}
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return visit(u)
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			if !visitChans(e, seen, visit) {
				return false
			}
		}
	case *types.Union:
		for term := range u.Terms() {
			if !visitChans(term.Type(), seen, visit) {
				return false
			}
		}
	}
	return true
}

// rangesOverChan reports whether the statement receives from a channel.
func rangesOverChan(info *types.Info, s *ast.RangeStmt) bool {
	t := info.TypeOf(s.X)
	if t == nil {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); !ok {
		if _, ok := t.Underlying().(*types.Interface); ok {
			return false
		}
	}
	return ChanOf(t) != nil
}

// commReceive returns the receive that the communication of a select case is.
func commReceive(comm ast.Stmt) *ast.UnaryExpr {
	var x ast.Expr
	switch c := comm.(type) {
	case *ast.ExprStmt:
		x = c.X
	case *ast.AssignStmt:
		if len(c.Rhs) == 1 {
			x = c.Rhs[0]
		}
	}
	if u, ok := ast.Unparen(x).(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		return u
	}
	return nil
}

package parse

import (
	"bytes"
	"context"
	"go/ast"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// Packages of other modules that are not instrumented may be plain: their functions only
// compute. They order nothing between the goroutines that call them, and touch no memory but
// what they are given or have made. What they do to that is not recorded: a call counts as a
// use of the values of the package that it is given, as with the containers of the standard
// library, and as a read, or a write, of other memory. All that is proved from their source;
// what is not is taken for a call of any other library.

// plainPackage is such a package.
type plainPackage struct {
	// functions are those that others may call, by their full names.
	functions map[string]*plainFunction
}

// plainFunction is what a function of a plain package does to its parameters, the receiver
// included: see followed.
type plainFunction struct {
	written, kept, called origins
	linked, results       []origins
}

// changes reports whether a call may write memory of the i-th parameter.
func (p *plainFunction) changes(i int) bool { return p.written&anyOf(i) != 0 }

// effect is what functions of a package of the standard library do, besides computing.
type effect int

const (
	readsOnly   effect = iota + 1 // they write to nothing that they are given
	writesGiven                   // they may write to what they are given
)

// effectsOfStd are the packages of the standard library of which a plain package may call
// functions, but for those that effectOf knows better.
var effectsOfStd = map[string]effect{
	"cmp": readsOnly, "errors": readsOnly, "fmt": readsOnly, "math": readsOnly, "math/bits": readsOnly, "math/cmplx": readsOnly,
	"path": readsOnly, "strconv": readsOnly, "strings": readsOnly, "unicode": readsOnly, "unicode/utf16": readsOnly, "unicode/utf8": readsOnly,
	"bytes": writesGiven, "container/heap": writesGiven, "container/list": writesGiven, "container/ring": writesGiven,
	"encoding/base64": writesGiven, "encoding/binary": writesGiven, "encoding/hex": writesGiven, "hash/crc32": writesGiven,
	"maps": writesGiven, "slices": writesGiven, "sort": writesGiven,
}

// effectOf is the effect of a call of the standard library, 0 for other calls.
func (f *flow) effectOf(c *ssa.CallCommon) effect {
	callee := c.StaticCallee()
	if callee == nil {
		return 0
	}
	if callee.Origin() != nil {
		callee = callee.Origin()
	}
	fn, ok := callee.Object().(*types.Func)
	if !ok || fn.Pkg() == nil || givesStream(fn) {
		return 0
	}
	e := effectsOfStd[fn.Pkg().Path()]
	switch name := fn.FullName(); {
	case fn.Pkg().Path() == "fmt":
		if !slices.Contains([]string{"fmt.Errorf", "fmt.Sprint", "fmt.Sprintf", "fmt.Sprintln"}, name) {
			return 0
		}
	case e == readsOnly && (fn.Signature().Recv() != nil || name == "errors.As" || strings.HasPrefix(fn.Name(), "Append") || strings.HasPrefix(fn.Name(), "Encode")):
		return writesGiven
	}
	return e
}

// plainPackages finds the plain packages that the packages of a program use.
func plainPackages(ctx context.Context, prog *source.Program, own map[string]bool) (map[string]*plainPackage, error) {
	order := perhapsPlain(prog, own)
	if len(order) == 0 {
		return nil, nil
	}
	loaded, err := prog.Sources(ctx, order)
	if err != nil {
		return nil, err
	}
	for i := range loaded {
		if usedOtherwise(prog.Packages, loaded[i].PkgPath) {
			order = slices.DeleteFunc(order, func(path string) bool { return path == loaded[i].PkgPath })
		}
	}
	plain, _ := followAll(loaded, order)
	return plain, nil
}

// followAll follows the functions of packages, those that others import first. It returns those
// that are plain, and why the others are not.
func followAll(loaded []*packages.Package, order []string) (plain map[string]*plainPackage, why map[string]string) {
	plain, why = map[string]*plainPackage{}, map[string]string{}
	built, pkgs := ssautil.Packages(loaded, ssa.BuildSerially)
	built.Build()
	for _, path := range order {
		i := slices.IndexFunc(loaded, func(p *packages.Package) bool { return p.PkgPath == path })
		if i < 0 || pkgs[i] == nil || len(loaded[i].Errors) > 0 {
			why[path] = "could not be loaded"
			continue
		}
		functions, reason := follow(pkgs[i], loaded[i].TypesInfo, plain)
		if reason != "" {
			why[path] = reason
			continue
		}
		plain[path] = &plainPackage{functions}
	}
	return plain, why
}

// perhapsPlain are the paths of the packages of other modules that a program uses and that may
// be plain by what they import, those that others import first.
func perhapsPlain(prog *source.Program, own map[string]bool) (order []string) {
	perhaps := map[string]bool{}
	packages.Visit(prog.Packages, nil, func(p *packages.Package) {
		if p.Module != nil && !own[p.PkgPath] && !perhaps[p.PkgPath] && mayBePlain(p, perhaps) {
			perhaps[p.PkgPath] = true
			order = append(order, p.PkgPath)
		}
	})
	return order
}

// mayBePlain: the package has files in Go only, and imports nothing but such packages of other
// modules and those of the standard library of which effectOf knows something.
func mayBePlain(p *packages.Package, perhaps map[string]bool) bool {
	if len(p.GoFiles) == 0 || len(p.OtherFiles) > 0 {
		return false
	}
	for path, q := range p.Imports {
		if q.Module != nil && !perhaps[q.PkgPath] || q.Module == nil && effectsOfStd[path] == 0 && path != "iter" && path != "unsafe" {
			return false
		}
	}
	for _, name := range p.GoFiles {
		src, err := os.ReadFile(name)
		if err != nil || bytes.Contains(src, []byte("//go:linkname")) {
			return false
		}
	}
	return true
}

// usedOtherwise reports whether the packages of a program may call methods of a package through
// interfaces, or have them as values: of such calls it is not seen what they use.
func usedOtherwise(roots []*packages.Package, path string) bool {
	var values []types.Type
	for _, p := range roots {
		for _, q := range p.Types.Imports() {
			if q.Path() != path {
				continue
			}
			for _, name := range q.Scope().Names() {
				if t, ok := q.Scope().Lookup(name).(*types.TypeName); ok && !types.IsInterface(t.Type()) {
					values = append(values, types.NewPointer(t.Type()))
				}
			}
		}
	}
	for _, p := range roots {
		called := map[ast.Expr]bool{}
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					called[ast.Unparen(c.Fun)] = true
				}
				return true
			})
		}
		for x, m := range p.TypesInfo.Selections {
			f, ok := m.Obj().(*types.Func)
			switch {
			case !ok:
			case f.Pkg() != nil && f.Pkg().Path() == path && !called[x]:
				return true
			case types.IsInterface(m.Recv()) && !tells(f):
				i := m.Recv().Underlying().(*types.Interface)
				if slices.ContainsFunc(values, func(t types.Type) bool { return hasMethods(t, i) }) {
					return true
				}
			}
		}
	}
	return false
}

// hasMethods reports whether a type has methods with the names of those of an interface. What
// their types are may depend on type arguments.
func hasMethods(t types.Type, i *types.Interface) bool {
	set := types.NewMethodSet(t)
	for m := range i.Methods() {
		if set.Lookup(m.Pkg(), m.Name()) == nil {
			return false
		}
	}
	return i.NumMethods() > 0
}

// tells: the method says what a value is.
func tells(f *types.Func) bool {
	return (f.Name() == "Error" || f.Name() == "String") && f.Signature().Params().Len() == 0
}

// recordable reports whether what a function does with a parameter of a type can be recorded
// where it is called.
func recordable(t types.Type, pkg *types.Package) bool {
	if referenceOf(t) != referring {
		return true
	}
	if isTypeParam(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if ofPackage(t, pkg) {
			return isClosed(u.Elem())
		}
		_, basic := types.Unalias(u.Elem()).(*types.Basic)
		return basic && referenceOf(u.Elem()) == noReference
	case *types.Slice:
		return referenceOf(u.Elem()) != referring
	case *types.Map:
		return referenceOf(u.Key()) != referring && referenceOf(u.Elem()) != referring
	}
	return false
}

// isClosed: only the package of a type can see what is in a value of it.
func isClosed(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range s.Fields() {
		if f.Exported() || f.Embedded() {
			return false
		}
	}
	return true
}

// plainly reports whether a call is one of a function of a plain package, and all that it
// calls is known. It marks what the call uses.
func (a *memory) plainly(c *ast.CallExpr, f *types.Func) bool {
	if f.Pkg() == nil || a.plain[f.Pkg().Path()] == nil {
		return false
	}
	fn := a.plain[f.Pkg().Path()].functions[f.Origin().FullName()]
	operands, promoted, ok := a.operandsOf(c, f)
	if fn == nil || !ok {
		return false
	}
	declared := parametersOf(f.Origin(), len(operands), c.Ellipsis.IsValid())
	plain := true
	used := []ast.Expr{}
	for i, e := range operands {
		n := min(i, len(fn.linked)-1) // of the parameter
		t := declared[i]
		switch {
		case a.info.Types[e].IsNil():
		case referenceOf(t) == opaque:
			plain = plain && (fn.called&anyOf(n) == 0 || a.isOwnCode(e))
		case referenceOf(t) == noReference:
		case isPointer(t) && ofPackage(t, f.Pkg()):
			if isPointer(a.info.TypeOf(e)) || len(promoted) > 0 || a.isShared(e) { // else nobody has it
				a.uses[e] = fn.changes(n)
				if i == 0 && len(promoted) > 0 {
					a.promoted[e] = promoted
				}
				used = append(used, e)
			}
		case a.reaches(e):
			a.handed[e] = fn.changes(n)
		}
	}
	a.plainCalls[c] = used
	return plain
}

// operandsOf are the operands of a call, the receiver first, with the embedded fields that lead
// from there to the value that has the method. It fails if they cannot be named.
func (a *memory) operandsOf(c *ast.CallExpr, f *types.Func) (operands []ast.Expr, promoted []*types.Var, ok bool) {
	for _, arg := range c.Args {
		if _, several := a.info.TypeOf(arg).(*types.Tuple); several {
			return nil, nil, false
		}
	}
	if f.Signature().Recv() == nil {
		return c.Args, nil, true
	}
	x, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil, nil, false
	}
	m := a.info.Selections[x]
	switch {
	case m == nil:
		return nil, nil, false
	case m.Kind() == types.MethodExpr:
		return c.Args, nil, len(m.Index()) == 1
	case isPointer(f.Signature().Recv().Type()):
		promoted = a.fields(m)
		ok = len(promoted) == len(m.Index())-1
	}
	return append([]ast.Expr{x.X}, c.Args...), promoted, ok
}

// parametersOf are the types of the parameters that the operands of a call are of.
func parametersOf(f *types.Func, operands int, ellipsis bool) (out []types.Type) {
	sig := f.Signature()
	if sig.Recv() != nil {
		out = append(out, sig.Recv().Type())
	}
	for v := range sig.Params().Variables() {
		out = append(out, v.Type())
	}
	if sig.Variadic() && !ellipsis {
		elem := out[len(out)-1].(*types.Slice).Elem()
		for out = out[:len(out)-1]; len(out) < operands; {
			out = append(out, elem)
		}
	}
	return out
}

// isOwnCode reports whether what an expression is, or the methods of it, are code that is
// instrumented: the functions of the program guard what they do.
func (a *memory) isOwnCode(e ast.Expr) bool {
	switch x := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		return true
	case *ast.Ident, *ast.SelectorExpr:
		if _, obj := sites.Classify(a.info, x); obj != nil {
			if f, ok := obj.(*types.Func); ok {
				return f.Pkg() != nil && a.own[f.Pkg().Path()]
			}
		}
	}
	t := types.Unalias(a.info.TypeOf(e))
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	switch t := t.(type) {
	case *types.Named:
		return !types.IsInterface(t) && !isFuncType(t) && t.Obj().Pkg() != nil && a.own[t.Obj().Pkg().Path()]
	case *types.Basic:
		return true
	}
	return false
}

func isFuncType(t types.Type) bool {
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// ofPackage: a type of the package, or a pointer to one.
func ofPackage(t types.Type, pkg *types.Package) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg.Path()
}

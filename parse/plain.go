package parse

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// Packages of other modules that are not instrumented may be plain: their functions
// compute, and order nothing between the goroutines that call them. That is read off
// their source. What they do to memory is not recorded: a call of a method counts as a
// use of its receiver, as with the containers of the standard library.

// plainPackage is a package of another module whose functions order nothing.
type plainPackage struct {
	// looking are the names of functions and methods that write to no memory but that
	// of their own variables.
	looking map[string]bool
}

// plainImports are packages of the standard library that a plain package may import,
// besides those that are quiet, with what it may not use of them.
var plainImports = map[string][]string{
	"iter":   {"Pull", "Pull2"},
	"unsafe": {"Pointer", "Slice", "String", "Add"},
	"fmt":    {"Fprint", "Fprintf", "Fprintln", "Fscan", "Fscanf", "Fscanln", "Scan", "Scanf", "Scanln", "Print", "Printf", "Println"},
}

// pureImports are packages whose functions write to nothing that they are given.
var pureImports = map[string]bool{
	"cmp": true, "errors": true, "fmt": true, "math": true, "math/bits": true, "math/cmplx": true, "strconv": true,
	"strings": true, "unicode": true, "unicode/utf16": true, "unicode/utf8": true,
}

// plainPackages finds the plain packages that the packages of a program use.
func plainPackages(roots []*packages.Package, own map[string]bool) map[string]*plainPackage {
	out := map[string]*plainPackage{}
	packages.Visit(roots, nil, func(p *packages.Package) { // dependencies first
		if p.Module == nil || own[p.PkgPath] || len(p.GoFiles) == 0 || len(p.OtherFiles) > 0 {
			return
		}
		for path, q := range p.Imports {
			_, allowed := plainImports[path]
			if q.Module != nil && out[q.PkgPath] == nil || q.Module == nil && !allowed && (!quiet[path] || path == "runtime") {
				return
			}
		}
		if plain := readPlain(p.GoFiles); plain != nil {
			out[p.PkgPath] = plain
		}
	})
	return out
}

// plainReader reads a package.
type plainReader struct {
	fset  *token.FileSet
	vars  map[string]bool // of the package
	specs map[*ast.ValueSpec]bool
	decls map[string][]*ast.FuncDecl
	types map[string]bool                     // that have methods
	files map[*ast.FuncDecl]map[string]string // the imports where a function stands, by name
}

// readPlain reads the files of a package; nil if it is not plain.
func readPlain(names []string) *plainPackage {
	r := &plainReader{token.NewFileSet(), map[string]bool{}, map[*ast.ValueSpec]bool{}, map[string][]*ast.FuncDecl{}, map[string]bool{}, map[*ast.FuncDecl]map[string]string{}}
	var files []*ast.File
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil || bytes.Contains(src, []byte("//go:linkname")) {
			return nil
		}
		f, err := parser.ParseFile(r.fset, name, src, 0)
		if err != nil {
			return nil
		}
		files = append(files, f)
		r.declared(f)
	}
	// What a method of one type does to a value of another would not show.
	if len(r.types) > 1 {
		return nil
	}
	for _, f := range files {
		if !r.computes(f) {
			return nil
		}
	}
	p := &plainPackage{looking: map[string]bool{}}
	for name := range r.decls {
		p.looking[name] = true
	}
	for again := true; again; {
		again = false
		for name, list := range r.decls {
			if p.looking[name] && slices.ContainsFunc(list, func(d *ast.FuncDecl) bool { return r.writes(d, p.looking) }) {
				p.looking[name], again = false, true
			}
		}
	}
	return p
}

func (r *plainReader) declared(f *ast.File) {
	imports := map[string]string{}
	for _, spec := range f.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		} else if path == "math/rand/v2" {
			name = "rand"
		}
		imports[name] = path
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			r.decls[d.Name.Name] = append(r.decls[d.Name.Name], d)
			r.files[d] = imports
			if d.Recv != nil && len(d.Recv.List) == 1 {
				if id := root(d.Recv.List[0].Type); id != nil {
					r.types[id.Name] = true
				}
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
					r.specs[v] = true
					for _, id := range v.Names {
						r.vars[id.Name] = true
					}
				}
			}
		}
	}
}

// computes reports whether a file may be one of a plain package: without goroutines, channels,
// waiting, and functions without bodies, and without writes to variables of the package.
func (r *plainReader) computes(f *ast.File) bool {
	ok := true
	imports := map[string]string{}
	for _, spec := range f.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			return false
		}
	}
	for _, d := range f.Decls {
		if fd, isFunc := d.(*ast.FuncDecl); isFunc {
			imports = r.files[fd]
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				ok = ok && n.Body != nil
			case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt, *ast.ChanType:
				ok = false
			case *ast.UnaryExpr:
				ok = ok && n.Op != token.ARROW && (n.Op != token.AND || !r.global(n.X))
			case *ast.AssignStmt:
				ok = ok && (n.Tok == token.DEFINE || !slices.ContainsFunc(n.Lhs, r.global))
			case *ast.IncDecStmt:
				ok = ok && !r.global(n.X)
			case *ast.SelectorExpr:
				if id, isID := n.X.(*ast.Ident); isID && id.Obj == nil {
					path := imports[id.Name]
					ok = ok && !slices.Contains(plainImports[path], n.Sel.Name) && (path != "time" || !waits(n.Sel.Name))
				}
			}
			return ok
		})
	}
	return ok
}

// waits: the name is one of package time by which goroutines wait, or are started.
func waits(name string) bool {
	switch name {
	case "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick", "Timer", "Ticker":
		return true
	}
	return false
}

// root is the variable that an expression denotes a part of, or what it points to; of the
// type of a receiver, its name.
func root(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.SelectorExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// global reports whether an expression may denote a part of a variable of the package.
func (r *plainReader) global(e ast.Expr) bool {
	id := root(e)
	if id == nil || !r.vars[id.Name] {
		return false
	}
	if id.Obj == nil {
		return true
	}
	spec, ok := id.Obj.Decl.(*ast.ValueSpec)
	return ok && r.specs[spec]
}

// writes reports whether a function may write to memory that others can see, if only the
// functions with these names do not.
func (r *plainReader) writes(d *ast.FuncDecl, looking map[string]bool) bool {
	found := false
	imports := r.files[d]
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				_, plain := e.(*ast.Ident)
				found = found || n.Tok != token.DEFINE && !plain
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				_, plain := e.(*ast.Ident)
				found = found || e != nil && !plain
			}
		case *ast.IncDecStmt:
			_, plain := n.X.(*ast.Ident)
			found = found || !plain
		case *ast.CallExpr:
			fun := n.Fun
			switch x := fun.(type) {
			case *ast.IndexExpr:
				fun = x.X
			case *ast.IndexListExpr:
				fun = x.X
			}
			switch x := fun.(type) {
			case *ast.Ident:
				switch {
				case x.Obj != nil && x.Obj.Kind != ast.Fun: // of its caller, or a conversion
				case r.decls[x.Name] != nil:
					found = found || !looking[x.Name]
				default:
					found = found || slices.Contains([]string{"append", "copy", "clear", "delete"}, x.Name)
				}
			case *ast.SelectorExpr:
				if id, ok := x.X.(*ast.Ident); ok && id.Obj == nil && imports[id.Name] != "" {
					found = found || !pureImports[imports[id.Name]]
				} else {
					found = found || !looking[x.Sel.Name]
				}
			case *ast.FuncLit, *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.ParenExpr:
			default:
				found = true
			}
		}
		return !found
	})
	return found
}

// plainly reports whether a call is one of a function of a plain package, and marks the
// values of its type that it uses. Nothing else that such a function returns or is given
// may let others see what it does to memory.
func (a *memory) plainly(c *ast.CallExpr, f *types.Func) bool {
	if f.Pkg() == nil || a.plain[f.Pkg().Path()] == nil {
		return false
	}
	changes := !a.plain[f.Pkg().Path()].looking[f.Name()]
	sig := f.Origin().Signature()
	for v := range sig.Results().Variables() {
		if !a.harmless(v.Type(), f.Pkg()) {
			return false
		}
	}
	var used []ast.Expr
	if recv := sig.Recv(); recv != nil {
		x, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr)
		if !ok {
			return false
		}
		m := a.info.Selections[x]
		switch {
		case m == nil || m.Kind() != types.MethodVal || len(m.Index()) != 1:
			return false
		case isPointer(recv.Type()):
			if isPointer(a.info.TypeOf(x.X)) || a.isShared(x.X) {
				used = append(used, x.X)
			}
		case refers(recv.Type(), 0):
			return false // what a copy refers to others may have too
		}
	}
	for _, arg := range c.Args {
		if t := a.info.TypeOf(arg); isPointer(t) && ofPackage(t, f.Pkg()) {
			used = append(used, arg)
		} else if ofPackage(t, f.Pkg()) && refers(t, 0) {
			return false
		}
	}
	for _, e := range used {
		switch e.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.StarExpr, *ast.CallExpr:
		default:
			return false
		}
	}
	for _, e := range used {
		a.uses[e] = changes
	}
	a.plainCalls[c] = used
	return true
}

// harmless: a result of the type shows nothing of what its package does to memory: an
// element that it has been given, a value of its type, or a copy.
func (a *memory) harmless(t types.Type, pkg *types.Package) bool {
	if isTypeParam(t) || types.IsInterface(t) {
		return true
	}
	return ofPackage(t, pkg) || !refers(t, 0)
}

// ofPackage: a type of the package, or a pointer to one.
func ofPackage(t types.Type, pkg *types.Package) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg.Path()
}

// refers: values of the type may refer to memory.
func refers(t types.Type, depth int) bool {
	if depth > 10 {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer // a string does not change
	case *types.Array:
		return refers(u.Elem(), depth+1)
	case *types.Struct:
		for f := range u.Fields() {
			if refers(f.Type(), depth+1) {
				return true
			}
		}
		return false
	}
	return true
}

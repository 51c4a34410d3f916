package vtrace_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// maxAPI bounds the identifiers of all public packages. Each of them is a promise: what is added takes the place of
// something, or is worth more than the bound.
const maxAPI = 450

const apiModule = "github.com/vtrace/vtrace"

// TestAPI: the public packages have what testdata/api.txt lists, and no more than there may be; all of it has a
// documentation; and it can be used by who cannot name the types of internal packages.
func TestAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("all public packages are loaded")
	}
	t.Parallel()
	var lines []string
	count := 0
	public := publicPackages(t)
	named := aliased(public)
	said := publicNames(public)
	for _, p := range public {
		docs := documented(p)
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			o := scope.Lookup(name)
			if !o.Exported() {
				continue
			}
			count++
			if !docs[name] {
				t.Errorf("%s.%s has no documentation", p.PkgPath, name)
			}
			for _, l := range declarations(p, o) {
				lines = append(lines, said(p, l))
			}
			for _, leak := range unnamed(o, named) {
				t.Errorf("%s.%s needs %s, which has no public name", p.PkgPath, name, leak)
			}
			for _, m := range methods(o) {
				if m.Pkg() == p.Types && !docs[name+"."+m.Name()] {
					t.Errorf("%s.%s.%s has no documentation", p.PkgPath, name, m.Name())
				}
			}
		}
	}
	if count > maxAPI {
		t.Errorf("the public packages have %d identifiers, of which %d are the most", count, maxAPI)
	}
	t.Logf("%d identifiers", count)
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	file := filepath.Join("testdata", "api.txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	if got == string(want) {
		return
	}
	t.Errorf("the public API is not what %s says; CONTRIBUTING.md says what to do (go test . -run 'TestAPI$' -update)", file)
	before := strings.Split(string(bytes.TrimSpace(want)), "\n")
	for _, l := range lines {
		if !slices.Contains(before, l) {
			t.Errorf("+ %s", l)
		}
	}
	for _, l := range before {
		if !slices.Contains(lines, l) {
			t.Errorf("- %s", l)
		}
	}
}

// publicPackages are the packages that other modules can import.
func publicPackages(t *testing.T) []*packages.Package {
	t.Helper()
	all, err := packages.Load(&packages.Config{Mode: packages.NeedName}, "./...")
	require.NoError(t, err)
	var paths []string
	for _, p := range all {
		if p.Name != "main" && !internal(p.PkgPath) {
			paths = append(paths, p.PkgPath)
		}
	}
	public, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedImports,
	}, paths...)
	require.NoError(t, err)
	for _, p := range public {
		require.Empty(t, p.Errors, p.PkgPath)
	}
	return public
}

// internal reports whether other modules cannot import a package.
func internal(path string) bool {
	return slices.Contains(strings.Split(path, "/"), "internal")
}

// documented are the names of the declarations of a package that have a comment, those of methods with their type. One of
// a group has that of the group.
func documented(p *packages.Package) map[string]bool {
	docs := map[string]bool{}
	// What these do is what the interfaces of the standard library say.
	clear := []string{"Error", "String", "Unwrap", "MarshalJSON", "UnmarshalJSON"}
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					of := d.Recv.List[0].Type
					if star, ok := of.(*ast.StarExpr); ok {
						of = star.X
					}
					name = types.ExprString(of) + "." + name
				}
				docs[name] = d.Doc != nil || d.Recv != nil && slices.Contains(clear, d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						docs[s.Name.Name] = d.Doc != nil || s.Doc != nil || s.Comment != nil
					case *ast.ValueSpec:
						for _, n := range s.Names {
							docs[n.Name] = d.Doc != nil || s.Doc != nil || s.Comment != nil
						}
					}
				}
			}
		}
	}
	return docs
}

// declarations are the lines of an identifier: one for itself, and one for each of its fields and methods. Those of what a
// name of an internal type stands for are listed under that name.
func declarations(p *packages.Package, o types.Object) (lines []string) {
	qualifier := func(other *types.Package) string {
		if other == p.Types {
			return ""
		}
		if internal(other.Path()) {
			return strings.TrimPrefix(other.Path(), apiModule+"/")
		}
		return other.Name()
	}
	pkg := strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, apiModule), "/")
	if pkg == "" {
		pkg = p.Name
	}
	add := func(format string, args ...any) {
		lines = append(lines, "pkg "+pkg+", "+fmt.Sprintf(format, args...))
	}
	typeString := func(t types.Type) string { return types.TypeString(t, qualifier) }
	switch o := o.(type) {
	case *types.Const:
		add("const %s %s = %s", o.Name(), typeString(o.Type()), o.Val())
	case *types.Var:
		add("var %s %s", o.Name(), typeString(o.Type()))
	case *types.Func:
		add("func %s%s", o.Name(), strings.TrimPrefix(typeString(o.Type()), "func"))
	case *types.TypeName:
		what := o.Type().Underlying()
		if o.IsAlias() {
			add("type %s = %s", o.Name(), typeString(types.Unalias(o.Type())))
			if !internalType(o.Type()) {
				return lines // listed where it is declared
			}
		}
		switch what := what.(type) {
		case *types.Struct:
			add("type %s struct", o.Name())
			for f := range what.Fields() {
				if f.Exported() {
					add("type %s struct, %s %s", o.Name(), f.Name(), typeString(f.Type()))
				}
			}
		case *types.Interface:
			add("type %s interface", o.Name())
			for m := range what.Methods() {
				if m.Exported() {
					add("type %s interface, %s%s", o.Name(), m.Name(), strings.TrimPrefix(typeString(m.Type()), "func"))
				}
			}
			return lines
		default:
			add("type %s %s", o.Name(), typeString(what))
		}
		for _, m := range methods(o) {
			star := ""
			if _, pointer := m.Signature().Recv().Type().(*types.Pointer); pointer {
				star = "*"
			}
			add("method (%s%s) %s%s", star, o.Name(), m.Name(), strings.TrimPrefix(typeString(m.Type()), "func"))
		}
	}
	return lines
}

// methods are the exported methods that are declared for a type, which may be an internal one under a public name.
func methods(o types.Object) (out []*types.Func) {
	if _, ok := o.(*types.TypeName); !ok {
		return nil
	}
	named, ok := types.Unalias(o.Type()).(*types.Named)
	if !ok {
		return nil
	}
	for m := range named.Methods() {
		if m.Exported() {
			out = append(out, m)
		}
	}
	return out
}

// internalType reports whether a type is declared in an internal package.
func internalType(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && strings.HasPrefix(named.Obj().Pkg().Path(), apiModule) && internal(named.Obj().Pkg().Path())
}

// aliased are the types of internal packages that have names in public ones.
func aliased(public []*packages.Package) map[*types.TypeName]bool {
	out := map[*types.TypeName]bool{}
	for _, p := range public {
		for _, name := range p.Types.Scope().Names() {
			if o, ok := p.Types.Scope().Lookup(name).(*types.TypeName); ok && o.Exported() && internalType(o.Type()) {
				out[types.Unalias(o.Type()).(*types.Named).Obj()] = true
			}
		}
	}
	return out
}

// publicNames gives what puts public names in the place of those of internal types, in a line about a package, but where it
// says which type a name stands for.
func publicNames(public []*packages.Package) func(p *packages.Package, line string) string {
	names := map[string]string{} // by path and name, as in "internal/driver.Error"
	of := map[string]string{}    // the name of the package
	for _, p := range public {
		for _, name := range p.Types.Scope().Names() {
			if o, ok := p.Types.Scope().Lookup(name).(*types.TypeName); ok && o.Exported() && internalType(o.Type()) {
				key := strings.TrimPrefix(types.Unalias(o.Type()).String(), apiModule+"/")
				names[key], of[key] = name, p.Name
			}
		}
	}
	// Internal packages have names of their own for the types of others.
	for _, p := range public {
		for _, imported := range p.Types.Imports() {
			for _, name := range imported.Scope().Names() {
				o, ok := imported.Scope().Lookup(name).(*types.TypeName)
				if !ok || !o.IsAlias() || !internal(imported.Path()) {
					continue
				}
				key := strings.TrimPrefix(types.Unalias(o.Type()).String(), apiModule+"/")
				if again := strings.TrimPrefix(imported.Path(), apiModule+"/") + "." + name; names[key] != "" {
					names[again], of[again] = names[key], of[key]
				}
			}
		}
	}
	internalName := regexp.MustCompile(`internal/[\w/]+\.\w+`)
	return func(p *packages.Package, line string) string {
		if strings.Contains(line, " = internal/") {
			return line
		}
		return internalName.ReplaceAllStringFunc(line, func(key string) string {
			switch {
			case names[key] == "":
				return key
			case of[key] == p.Name:
				return names[key]
			}
			return of[key] + "." + names[key]
		})
	}
}

// unnamed are the types of internal packages without a public name that who uses an identifier meets: in its signature,
// in exported fields, and in signatures of methods.
func unnamed(o types.Object, named map[*types.TypeName]bool) (out []string) {
	var look func(t types.Type)
	look = func(t types.Type) {
		switch t := types.Unalias(t).(type) {
		case *types.Named:
			if internalType(t) && t.Obj().Exported() && !named[t.Obj()] { // of the others even their package tells nobody
				out = append(out, t.String())
			}
			for a := range t.TypeArgs().Types() {
				look(a)
			}
		case *types.Pointer:
			look(t.Elem())
		case *types.Slice:
			look(t.Elem())
		case *types.Array:
			look(t.Elem())
		case *types.Chan:
			look(t.Elem())
		case *types.Map:
			look(t.Key())
			look(t.Elem())
		case *types.Signature:
			for v := range t.Params().Variables() {
				look(v.Type())
			}
			for v := range t.Results().Variables() {
				look(v.Type())
			}
		case *types.Struct:
			for f := range t.Fields() {
				if f.Exported() {
					look(f.Type())
				}
			}
		case *types.Interface:
			for m := range t.Methods() {
				if m.Exported() {
					look(m.Type())
				}
			}
		}
	}
	if tn, ok := o.(*types.TypeName); ok {
		if tn.IsAlias() && !internalType(tn.Type()) {
			return nil // looked at where it is declared
		}
		look(tn.Type().Underlying())
		for _, m := range methods(o) {
			look(m.Type())
		}
		return out
	}
	look(o.Type())
	return out
}

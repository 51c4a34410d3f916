package orchestrate

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// CheckTest reports what in the source of an Orchestration test is not as Test generates it,
// for a test of that name and an entry function. A test that passes does nothing but follow
// a plan: it is one function, with a plan of constants, that calls the runtime and the entry
// of the program; and nothing in its comments speaks to the go command, but for the build
// constraint.
func CheckTest(src []byte, name, entry string) error {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name+".go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("not an Orchestration test: %w", err)
	}
	wrong := func(n ast.Node, what string) error {
		return fmt.Errorf("not an Orchestration test: line %d: %s", fset.PositionFor(n.Pos(), false).Line, what)
	}
	constraint := false
	for _, g := range f.Comments {
		for _, c := range g.List {
			switch {
			case slices.Contains([]string{buildTag, oldTag}, c.Text) && c.Pos() < f.Package:
				constraint = true
			case c.Text == "//", strings.HasPrefix(c.Text, "// "), strings.HasPrefix(c.Text, "//\t"):
				if c.Pos() < f.Package && strings.HasPrefix(strings.TrimSpace(c.Text[2:]), "+build") {
					return wrong(c, "another build constraint")
				}
			default:
				return wrong(c, "a comment that may be a directive")
			}
		}
	}
	if !constraint {
		return errors.New("not an Orchestration test: it has no build constraint")
	}
	allowed := append(slices.Clone(generatedImports), defaultRuntime)
	runtime := ""
	var fn *ast.FuncDecl
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if fn != nil || d.Recv != nil || d.Name.Name != name || d.Body == nil {
				return wrong(d, "another function")
			}
			fn = d
		case *ast.GenDecl:
			if d.Tok != token.IMPORT {
				return wrong(d, "a declaration")
			}
			for _, s := range d.Specs {
				s := s.(*ast.ImportSpec)
				path, err := strconv.Unquote(s.Path.Value)
				if err != nil || !slices.Contains(allowed, path) || s.Name != nil && !token.IsIdentifier(s.Name.Name) {
					return wrong(s, "an import")
				}
				if path == defaultRuntime {
					if runtime = path; s.Name != nil {
						runtime = s.Name.Name
					}
				}
			}
		}
	}
	if fn == nil {
		return errors.New("not an Orchestration test: it has no function " + name)
	}
	return checkBody(fn.Body, runtime, entry, wrong)
}

// checkBody accepts the three statements of a generated test: a plan, a configuration, and
// the call that follows the plan, the latter two of the runtime.
func checkBody(body *ast.BlockStmt, runtime, entry string, wrong func(ast.Node, string) error) error {
	if len(body.List) != 3 {
		return wrong(body, "other statements")
	}
	defined := func(s ast.Stmt, name string) ast.Expr {
		a, ok := s.(*ast.AssignStmt)
		if !ok || a.Tok != token.DEFINE || len(a.Lhs) != 1 || len(a.Rhs) != 1 || !isName(a.Lhs[0], name) {
			return nil
		}
		return a.Rhs[0]
	}
	plan, ok := defined(body.List[0], "plan").(*ast.CompositeLit)
	if !ok {
		return wrong(body.List[0], "not a plan")
	}
	var bad ast.Node
	ast.Inspect(plan, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil, *ast.CompositeLit, *ast.KeyValueExpr, *ast.BasicLit, *ast.Ident, *ast.ArrayType:
		case *ast.SelectorExpr:
			if _, ok := n.X.(*ast.Ident); !ok {
				bad = n
			}
		case *ast.UnaryExpr:
			if n.Op != token.SUB {
				bad = n
			}
		default:
			bad = n
		}
		return bad == nil
	})
	if bad != nil {
		return wrong(bad, "a plan of other things than constants")
	}
	config, ok := defined(body.List[1], "config").(*ast.CallExpr)
	if !ok || !calls(config, runtime, "ForTest", "ForMain") || !values(config.Args) || len(config.Args) < 5 || !isName(config.Args[3], entry) {
		return wrong(body.List[1], "not a configuration")
	}
	last, ok := body.List[2].(*ast.ExprStmt)
	if !ok {
		return wrong(body.List[2], "another statement")
	}
	if call, ok := last.X.(*ast.CallExpr); !ok || !calls(call, runtime, "Orchestrate") || !values(call.Args) {
		return wrong(last, "another call")
	}
	return nil
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// calls reports whether a call is one of a function of a package, by these names.
func calls(call *ast.CallExpr, pkg string, names ...string) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || call.Ellipsis.IsValid() {
		return false
	}
	return isName(s.X, pkg) && slices.Contains(names, s.Sel.Name)
}

// values reports whether arguments are names and constants.
func values(args []ast.Expr) bool {
	return !slices.ContainsFunc(args, func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.Ident, *ast.BasicLit:
			return false
		case *ast.SelectorExpr:
			_, ok := e.X.(*ast.Ident)
			return !ok
		}
		return true
	})
}

package module

import (
	"context"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"

	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// Load loads the packages of a module that Fetch has copied, or of one in any
// directory, with the others of its workspace.
func Load(ctx context.Context, dir string) (*source.Set, error) {
	pattern := "./..."
	if _, err := os.Stat(filepath.Join(dir, "../go.work")); err == nil {
		dir, pattern = filepath.Dir(dir), "./m/..."
	}
	return source.LoadSet(ctx, source.Spec{Dir: dir, Pattern: pattern})
}

// Concurrent reports whether the entry of a program may start a goroutine: by
// the declarations that it refers to, directly or not, where a method that an
// interface names stands for all of that name.
func Concurrent(prog *source.Program) bool {
	type decl struct {
		body *ast.BlockStmt
		p    *packages.Package
	}
	decls := map[types.Object]decl{}
	methods := map[string][]types.Object{}
	for _, p := range prog.Packages {
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
					obj := p.TypesInfo.Defs[fd.Name]
					decls[obj] = decl{fd.Body, p}
					if fd.Recv != nil {
						methods[fd.Name.Name] = append(methods[fd.Name.Name], obj)
					}
				}
			}
		}
	}
	seen := map[types.Object]bool{}
	var visit func(obj types.Object) bool
	visit = func(obj types.Object) bool {
		f, ok := obj.(*types.Func)
		if !ok {
			return false
		}
		obj = f.Origin()
		if seen[obj] {
			return false
		}
		seen[obj] = true
		if sites.LibraryFuncOf(f).Kind.Starts() != sites.Nobody {
			return true
		}
		d, ok := decls[obj]
		if !ok {
			if f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type()) {
				for _, m := range methods[f.Name()] {
					if visit(m) {
						return true
					}
				}
			}
			return false
		}
		found := false
		ast.Inspect(d.body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = true
			case *ast.Ident:
				found = found || visit(d.p.TypesInfo.Uses[n])
			}
			return !found
		})
		return found
	}
	return visit(prog.Func)
}

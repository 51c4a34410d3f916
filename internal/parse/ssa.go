package parse

import (
	"context"
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/internal/source"
)

// ssaForm is the SSA form of the packages of a program.
type ssaForm struct {
	program  *ssa.Program
	packages []*ssa.Package // in the order of the program's, nil for one that could not be made
	// bodies are the functions that have one, by their full names: what one package knows of another
	// one may be other objects.
	bodies map[string]*ssa.Function
}

// buildSSA makes the SSA form of the packages of a program, once for all programs with the same.
// Packages whose imports were not loaded with them are known by their types.
func buildSSA(ctx context.Context, prog *source.Program) (*ssaForm, error) {
	type key struct{}
	return source.Derive(ctx, prog, key{}, func() (*ssaForm, error) {
		f := &ssaForm{bodies: map[string]*ssa.Function{}}
		f.program, f.packages = ssautil.Packages(prog.Packages, ssa.InstantiateGenerics|ssa.BuildSerially)
		for _, p := range prog.Packages {
			createImports(f.program, p.Types)
		}
		f.program.Build()
		for fn := range ssautil.AllFunctions(f.program) {
			if fn.Blocks == nil {
				continue
			}
			name := fn.String()
			if old := f.bodies[name]; old == nil || fn.Pos() < old.Pos() {
				f.bodies[name] = fn
			}
		}
		return f, ctx.Err()
	})
}

// createImports adds the packages that p imports, and those that these do, which have no syntax.
func createImports(built *ssa.Program, p *types.Package) {
	for _, imported := range p.Imports() {
		if built.Package(imported) == nil {
			built.CreatePackage(imported, nil, nil, true)
			createImports(built, imported)
		}
	}
}

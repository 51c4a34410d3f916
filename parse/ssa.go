package parse

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/source"
)

// buildSSA makes the SSA form of the packages of a program, in their order. One that could not be
// made is nil. Packages whose imports were not loaded with them are known by their types.
func buildSSA(prog *source.Program, mode ssa.BuilderMode) (*ssa.Program, []*ssa.Package) {
	built, pkgs := ssautil.Packages(prog.Packages, mode|ssa.BuildSerially)
	for _, p := range prog.Packages {
		createImports(built, p.Types)
	}
	built.Build()
	return built, pkgs
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

package program

import (
	"context"
	"fmt"
	"go/token"
	"go/types"
	"math"
	"slices"
	"sort"

	"golang.org/x/tools/go/callgraph"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/source"
)

// Program is the program under translation in SSA form. It does not change once it is built.
type Program struct {
	Source *source.Program
	SSA    *ssa.Program
	Entry  *ssa.Function
	Init   *ssa.Function // of the entry's package: it calls those of the others
	graph  *callgraph.Graph
	// Funcs are the functions with bodies that can run, in order of position.
	Funcs   []*ssa.Function
	Reached map[*ssa.Function]bool // they
	infos   map[*ssa.Function]*Function
	// Operation is what is known of a function without body, nil for nothing.
	Operation func(*ssa.Function) *Operation
	library   map[*types.Package]bool // those of Source.Library
	paths     map[string]bool         // of the packages of the program and of its library
	// Thresholds are the integers to which intervals are widened.
	Thresholds []int32
	TestMain   *TestMain // nil if there is no TestMain
	// converted are the types whose values become interfaces, and kept what calls may
	// run of those that a container of the library has kept.
	converted map[types.Type]bool
	kept      map[ssa.CallInstruction][]*ssa.Function
	// functionTypes are those of converted that are of functions, and have methods.
	functionTypes []types.Type
	contained     contained
	completed
}

// ssaForm is the SSA form of the packages of a program and of its library.
type ssaForm struct {
	program  *ssa.Program
	packages map[*packages.Package]*ssa.Package
}

// buildSSA makes the SSA form, once for all programs with the same packages.
func buildSSA(ctx context.Context, src *source.Program) (*ssaForm, error) {
	type key struct{}
	return source.Derive(ctx, src, key{}, func() (*ssaForm, error) {
		all := slices.Concat(src.Library, src.Packages)
		prog, pkgs := ssautil.Packages(all, ssa.InstantiateGenerics|ssa.GlobalDebug)
		form := &ssaForm{prog, map[*packages.Package]*ssa.Package{}}
		for i, p := range all {
			if pkgs[i] == nil {
				return nil, fmt.Errorf("%s: no SSA form", p.PkgPath)
			}
			form.packages[p] = pkgs[i]
		}
		prog.Build()
		return form, ctx.Err()
	})
}

// Build makes a program, with what runs have shown of it. operation says what is known of
// functions without bodies.
func Build(ctx context.Context, src *source.Program, operation func(*ssa.Function) *Operation, completions []artifact.Completion) (*Program, error) {
	form, err := buildSSA(ctx, src)
	if err != nil {
		return nil, err
	}
	prog, entryPkg := form.program, form.packages[src.Entry]
	if entryPkg == nil {
		return nil, fmt.Errorf("%s: not among the loaded packages", src.Spec.Pattern)
	}
	p := &Program{
		Source: src,
		SSA:    prog,
		Entry:  prog.FuncValue(src.Func),
		Init:   entryPkg.Func("init"),
		infos:  map[*ssa.Function]*Function{},

		Operation: operation,

		library: map[*types.Package]bool{},
		paths:   map[string]bool{},

		converted: map[types.Type]bool{},
		kept:      map[ssa.CallInstruction][]*ssa.Function{},
		contained: newContained(),
	}
	for _, q := range src.Library {
		p.library[q.Types] = true
	}
	for _, q := range slices.Concat(src.Library, src.Packages) {
		p.paths[q.PkgPath] = true
		if q.Types != nil {
			p.paths[q.Types.Path()] = true
		}
	}
	if p.Entry == nil {
		return nil, fmt.Errorf("%s: %w", src.Spec.Entry, source.ErrNoEntry)
	}
	p.complete(completions)
	p.TestMain = p.findTestMain()
	p.graph = vta.CallGraph(p.candidates(), nil)
	p.reach()
	p.findThresholds()
	return p, nil
}

func sortFuncs(fs []*ssa.Function) {
	sort.SliceStable(fs, func(i, j int) bool {
		if a, b := fs[i].Pos(), fs[j].Pos(); a != b {
			return a < b
		}
		return fs[i].String() < fs[j].String()
	})
}

// reach finds the functions that can run: from the entry and the package
// initialisers, over calls, and over functions used as values.
func (p *Program) reach() {
	seen := map[*ssa.Function]bool{}
	var visit func(f *ssa.Function)
	visit = func(f *ssa.Function) {
		if f == nil || f.Blocks == nil || seen[f] {
			return
		}
		seen[f] = true
		p.Funcs = append(p.Funcs, f)
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok {
						visit(g)
					}
				}
				switch i := instr.(type) {
				case ssa.CallInstruction:
					for _, g := range p.Calls[i] {
						visit(g)
					}
					for _, g := range p.Callees(i) {
						visit(g)
						if op := p.Operation(g); op != nil && len(op.Methods) > 0 {
							for _, m := range p.CalledMethods(i.Common().Args[0], op.Methods) {
								visit(m)
							}
						}
					}
				case *ssa.MakeInterface:
					if LibraryType(i.Type()) != "sync.Locker" {
						break
					}
					// A Cond calls them.
					for _, m := range []string{"Lock", "Unlock"} {
						visit(p.SSA.LookupMethod(i.X.Type(), nil, m))
					}
				}
			}
		}
	}
	visit(p.Init)
	visit(p.Entry)
	sortFuncs(p.Funcs)
	p.Reached = seen
}

func (p *Program) findThresholds() {
	set := map[int32]bool{-1: true, 0: true, 1: true, 2: true, 16: true}
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					if c, ok := (*op).(*ssa.Const); ok {
						if k, ok := Int32Const(c); ok && k > math.MinInt32+2 && k < math.MaxInt32-2 {
							set[k-1], set[k], set[k+1] = true, true, true
						}
					}
				}
			}
		}
	}
	for k := range set {
		p.Thresholds = append(p.Thresholds, k)
	}
	sort.Slice(p.Thresholds, func(i, j int) bool { return p.Thresholds[i] < p.Thresholds[j] })
}

// Translated reports that the package with a path is translated from its source: as one of the
// program, or of its library.
func (p *Program) Translated(path string) bool { return p.paths[path] }

// OfLibrary reports that a function is one of the library that is translated from
// its source.
func (p *Program) OfLibrary(f *ssa.Function) bool {
	if f == nil || len(p.library) == 0 {
		return false
	}
	for f.Parent() != nil {
		f = f.Parent()
	}
	if o := f.Object(); o != nil {
		return p.library[o.Pkg()]
	}
	return f.Pkg != nil && p.library[f.Pkg.Pkg]
}

// Position is a position with its file as the program names it: relative to the module root.
func (p *Program) Position(pos token.Pos) token.Position {
	q := p.Source.Fset.Position(pos)
	if q.Filename != "" {
		q.Filename = p.Source.Rel(q.Filename)
	}
	return q
}

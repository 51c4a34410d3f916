package source

import (
	"context"
	"fmt"
	"go/token"
	"path/filepath"
	"sort"
	"strings"

	"golang.org/x/tools/go/packages"
)

// findWorkspace is the go.work that the go command uses in a directory, "" if it uses none.
func (spec Spec) findWorkspace(ctx context.Context, dir string) (string, error) {
	var env struct{ GOWORK string }
	if err := GoVariables(ctx, dir, spec.GoEnviron(), &env, "GOWORK"); err != nil {
		return "", err
	}
	if env.GOWORK == "off" {
		return "", nil
	}
	return env.GOWORK, nil
}

// choiceFiles adds the files that say which modules the program has, and are none of Files: the
// workspace above it, and what was vendored.
func (prog *Program) choiceFiles(names map[string]bool) error {
	workspace := ""
	if prog.workspace != nil {
		var err error
		if workspace, err = prog.workspace(); err != nil {
			return err
		}
	}
	var files []string
	if workspace != "" {
		files = append(files, workspace, workspace+".sum")
	}
	if prog.vendored {
		dirs := []string{prog.Root}
		if workspace != "" {
			dirs = append(dirs, filepath.Dir(workspace))
		}
		for _, p := range prog.Packages {
			if p.Module != nil && p.Module.Main {
				dirs = append(dirs, p.Module.Dir)
			}
		}
		for _, dir := range dirs {
			files = append(files, filepath.Join(dir, "vendor", "modules.txt"))
		}
	}
	for _, f := range files {
		if prog.Spec.exists(f) {
			names[f] = true
		}
	}
	return nil
}

// LoadModule loads all packages of the main modules that spec.Pattern, "./..."
// if empty, matches, each with its tests, and the external test packages. The
// result has no entry.
func LoadModule(ctx context.Context, spec Spec) (*Program, error) {
	if err := spec.check(ctx); err != nil {
		return nil, err
	}
	if spec.Pattern == "" {
		spec.Pattern = "./..."
	}
	dir, err := filepath.Abs(spec.Dir)
	if err != nil {
		return nil, fmt.Errorf("source directory: %w", err)
	}
	fset := token.NewFileSet()
	cfg := &packages.Config{Context: ctx, Dir: dir, Env: spec.GoEnviron(), BuildFlags: spec.Flags, Mode: mode, Tests: true, Fset: fset}
	pkgs, err := load(cfg, spec.Pattern)
	if err != nil {
		return nil, err
	}
	prog := &Program{Spec: spec, Fset: fset, Test: true}
	byPath := map[string]*packages.Package{}
	for _, p := range pkgs {
		switch {
		case strings.HasSuffix(p.ID, ".test"), p.Module == nil, !p.Module.Main:
			continue
		case p.ForTest != "" && p.PkgPath != p.ForTest && p.PkgPath != p.ForTest+"_test":
			continue // a variant for the tests of another package
		}
		if byPath[p.PkgPath] == nil || p.ForTest != "" {
			byPath[p.PkgPath] = p
		}
	}
	paths := make([]string, 0, len(byPath))
	for path := range byPath {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	// Dependencies first.
	seen := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		p := byPath[path]
		if p == nil || seen[path] {
			return
		}
		seen[path] = true
		imports := make([]string, 0, len(p.Imports))
		for _, q := range p.Imports {
			imports = append(imports, q.PkgPath)
		}
		sort.Strings(imports)
		for _, q := range imports {
			visit(q)
		}
		prog.Packages = append(prog.Packages, p)
	}
	for _, path := range paths {
		visit(path)
	}
	if len(prog.Packages) == 0 {
		return nil, fmt.Errorf("%s: matches no package of a main module", spec.Pattern)
	}
	if err := errorsOf(prog.Packages); err != nil {
		return nil, err
	}
	m := prog.Packages[0].Module
	prog.Module, prog.GoVersion = m.Path, m.GoVersion
	prog.Root = commonRoot(prog.Packages)
	return prog, nil
}

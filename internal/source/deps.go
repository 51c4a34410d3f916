package source

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/go-multierror"
	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// Dependency is a module outside of Root with packages of the program.
type Dependency struct {
	// Name stands for Dir in the names of files: "golang.org/x/sync@v0.1.0".
	Name string
	// Dir is the directory of the module, absolute.
	Dir string
	// Cached says that Dir lies in the module cache, which the go command does
	// not let an overlay change.
	Cached bool
}

// NoDeps is the only pattern of Spec.Deps where no package of another module belongs
// to the program, also none that would without a pattern.
const NoDeps = "none"

// maxDependency is the size, in bytes of Go files, up to which the packages of a
// module are own packages without being asked for.
const maxDependency = 100_000

// near returns the paths of the packages of other modules that belong to the program
// without being asked for: their source is at hand. Those are the modules that a
// directory replaces, and of others, vendored or not, the packages that have
// concurrency in them, if what the program uses of the module is small. Modules that
// test programs, or watch their goroutines, are not among the latter.
func near(roots []*packages.Package) map[string]bool {
	out := map[string]bool{}
	byModule := map[string][]*packages.Package{}
	size := map[string]int64{}
	packages.Visit(roots, nil, func(p *packages.Package) {
		if m := p.Module; m != nil && !m.Main && m.Replace != nil && m.Replace.Version == "" {
			out[p.PkgPath] = true
		}
	})
	packages.Visit(roots, nil, func(p *packages.Package) {
		if m := p.Module; m != nil && !m.Main && !out[p.PkgPath] {
			byModule[m.Path] = append(byModule[m.Path], p)
			for _, f := range p.GoFiles {
				if info, err := os.Stat(f); err == nil {
					size[m.Path] += info.Size()
				}
			}
		}
	})
	for m, pkgs := range byModule {
		tests := func(p *packages.Package) bool {
			return slices.ContainsFunc(p.GoFiles, func(f string) bool { return holds(f, watching) })
		}
		if size[m] > maxDependency || slices.ContainsFunc(pkgs, tests) {
			continue
		}
		for _, p := range pkgs {
			if len(p.OtherFiles) == 0 && slices.ContainsFunc(p.GoFiles, func(f string) bool { return holds(f, concurrency) }) {
				out[p.PkgPath] = true
			}
		}
	}
	return out
}

// concurrency is in files that start goroutines, or have channels or locks; watching in
// those that test programs or watch goroutines.
var (
	concurrency = regexp.MustCompile(`(?m)\bchan\b|^\s*go \S|"sync"`)
	watching    = regexp.MustCompile(`(?m)"testing"|\bruntime\.(Stack|NumGoroutine|Callers)\b`)
)

func holds(file string, what *regexp.Regexp) bool {
	data, err := os.ReadFile(file)
	return err == nil && what.Match(data)
}

// dependencies returns the paths of the packages of other modules that the
// patterns of spec.Deps match, or that are near if there is no pattern.
func (spec Spec) dependencies(roots []*packages.Package) (map[string]bool, error) {
	switch {
	case len(spec.Deps) == 0:
		return near(roots), nil
	case len(spec.Deps) == 1 && spec.Deps[0] == NoDeps:
		return nil, nil
	}
	out := map[string]bool{}
	var errs *multierror.Error
	for _, pattern := range spec.Deps {
		match := matcher(pattern)
		found, std := false, ""
		packages.Visit(roots, nil, func(p *packages.Package) {
			switch {
			case !match(p.PkgPath) || strings.HasSuffix(p.ID, ".test"):
			case p.Module == nil:
				std = p.PkgPath
			default:
				found = true
				if !p.Module.Main {
					out[p.PkgPath] = true
				}
			}
		})
		switch {
		case found:
		case std != "" && pattern != "all":
			errs = multierror.Append(errs, fmt.Errorf("dependency %q: %s is of the standard library, which cannot be instrumented", pattern, std))
		case pattern != "all":
			errs = multierror.Append(errs, fmt.Errorf("dependency %q: the program depends on no such package", pattern))
		}
	}
	return out, errs.ErrorOrNil()
}

// MatchPackages returns the meaning of a pattern of import paths as Spec.Deps has them.
func MatchPackages(pattern string) func(path string) bool { return matcher(pattern) }

// matcher returns the meaning of a pattern: "all", an import path, or one with
// "..." for any string, as the go command has it.
func matcher(pattern string) func(string) bool {
	if pattern == "all" {
		return func(string) bool { return true }
	}
	re := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, `.*`)
	if base, ok := strings.CutSuffix(re, `/.*`); ok {
		re = base + `(/.*)?`
	}
	return regexp.MustCompile(`^` + re + `$`).MatchString
}

// loose are the files, sorted, of the packages that are not own ones, and that may change
// though go.mod and go.sum do not.
func loose(roots []*packages.Package, own map[string]bool) []string {
	var out []string
	packages.Visit(roots, nil, func(p *packages.Package) {
		m := p.Module
		if m == nil || m.Main || own[p.PkgPath] {
			return
		}
		if vendored, replaced := m.Dir == "", m.Replace != nil && m.Replace.Version == ""; vendored || replaced {
			out = append(out, slices.Concat(p.GoFiles, p.OtherFiles, p.EmbedFiles)...)
		}
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// Complete reports whether all that may change of the program is among Files: no package of another
// module that is vendored, or in a directory which replaces it, is left out of Packages.
func (prog *Program) Complete() bool { return len(prog.loose) == 0 }

// vendored reports whether the go command takes modules from the directory vendor, if there
// is one: none is in the module cache then.
func vendored(roots []*packages.Package) bool {
	cached := false
	packages.Visit(roots, nil, func(p *packages.Package) {
		if m := p.Module; m != nil && !m.Main && m.Dir != "" && (m.Replace == nil || m.Replace.Version != "") {
			cached = true
		}
	})
	return !cached
}

// DependencyFiles reads the files below Root, sorted by path, that the go command needs to
// build the program and that are not among Files: those of packages of other modules, in
// vendor or in a directory that replaces a module, and the module files of all directories
// that go.mod and go.work name. What is in the module cache, or elsewhere, is not among them.
func (prog *Program) DependencyFiles() ([]File, error) {
	known, err := prog.fileNames()
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	add := func(name string) {
		if !known[name] && relTo(prog.Root, name) != "" && isFile(name) {
			names[name] = true
		}
	}
	for _, f := range prog.loose {
		add(f)
	}
	if prog.vendored {
		add(filepath.Join(prog.Root, "vendor", "modules.txt"))
	}
	if err := prog.namedModules(add); err != nil {
		return nil, err
	}
	return prog.read(names)
}

// namedModules adds the module files of the directories that the module files of the program
// name. The go command reads those also of modules without packages in the program.
func (prog *Program) namedModules(add func(string)) error {
	modules := map[string]bool{}
	for _, p := range prog.Packages {
		if p.Module != nil && p.Module.Main {
			modules[p.Module.Dir] = true
		}
	}
	replaced := func(dir string, list []*modfile.Replace) {
		for _, r := range list {
			if r.New.Version != "" {
				continue
			}
			to := filepath.FromSlash(r.New.Path)
			if !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			add(filepath.Join(to, "go.mod"))
		}
	}
	if file := filepath.Join(prog.Root, "go.work"); isFile(file) {
		data, err := prog.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read source: %w", err)
		}
		work, err := modfile.ParseWork(file, data, nil)
		if err != nil {
			return fmt.Errorf("read source: %w", err)
		}
		replaced(prog.Root, work.Replace)
		for _, u := range work.Use {
			if dir := filepath.Join(prog.Root, filepath.FromSlash(u.Path)); !filepath.IsAbs(u.Path) {
				modules[dir] = true
			}
		}
	}
	for dir := range modules {
		file := filepath.Join(dir, "go.mod")
		add(file)
		add(filepath.Join(dir, "go.sum"))
		if !isFile(file) {
			continue
		}
		data, err := prog.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read source: %w", err)
		}
		mod, err := modfile.Parse(file, data, nil)
		if err != nil {
			return fmt.Errorf("read source: %w", err)
		}
		replaced(dir, mod.Replace)
	}
	return nil
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// findDependencies lists the modules of Packages that lie outside of Root.
func (prog *Program) findDependencies() {
	byName := map[string]Dependency{}
	for _, p := range prog.Packages {
		if p.Module.Main || p.Module.Dir == "" {
			continue // its own files, or vendored
		}
		if d := dependency(p.Module); d.Cached || relTo(prog.Root, d.Dir) == "" {
			byName[d.Name] = d
		}
	}
	prog.Dependencies = nil
	for _, d := range byName {
		prog.Dependencies = append(prog.Dependencies, d)
	}
	slices.SortFunc(prog.Dependencies, func(a, b Dependency) int { return strings.Compare(a.Name, b.Name) })
}

func dependency(m *packages.Module) Dependency {
	d := Dependency{Name: m.Path + "@" + m.Version, Dir: m.Dir, Cached: true}
	switch r := m.Replace; {
	case r == nil:
	case r.Version != "":
		d.Name = r.Path + "@" + r.Version
	default:
		d.Cached = false
	}
	if d.Name == m.Path+"@" {
		d.Name += "replaced"
	}
	return d
}

// relTo is the slash-separated path of a file relative to a directory that
// holds it, "" if none does.
func relTo(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// inDependency is the name of a file of a dependency, "" for others.
func (prog *Program) inDependency(file string) string {
	name, longest := "", 0
	for _, d := range prog.Dependencies {
		if rel := relTo(d.Dir, file); rel != "" && len(d.Dir) > longest {
			name, longest = path.Join(d.Name, rel), len(d.Dir)
		}
	}
	return name
}

// versioned begins the names of files of dependencies: a module's path, whose
// first element has a dot, and its version.
var versioned = regexp.MustCompile(`^[^/@]+\.[^@]*@(v[0-9][^/]*|replaced)/`)

// OfDependency reports whether a name of a file, as of Rel, is that of a file
// of a dependency outside of Root.
func OfDependency(name string) bool { return versioned.MatchString(name) }

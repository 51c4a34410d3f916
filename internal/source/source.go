package source

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/hashicorp/go-multierror"
	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/group"
	"github.com/vtrace/vtrace/internal/repository"
	"github.com/vtrace/vtrace/internal/scratch"
)

// ErrNoEntry is wrapped by the error of Load when the package has no such
// entry point.
var ErrNoEntry = errors.New("no such entry point")

// Spec says which program to load.
type Spec struct {
	// Dir is the directory in which Pattern is resolved; "" is the current one.
	Dir string
	// Pattern names one package as the go command does: "./pool", "example.com/m/pool".
	Pattern string
	// Entry is "main", which "" means too, or the name of a test function. A
	// fuzz test, a benchmark or another function, as in "Drain" or
	// "Drain(1|4, true)", becomes an entry by a test that is added.
	Entry string
	// Env is the environment of the go command; nil means the process's own.
	Env []string
	// GoEnv are variables of the go command beside Env, which win over those. The program
	// itself does not get them.
	GoEnv []string
	// Flags are build flags of the go command, such as -tags=x.
	Flags []string
	// Deps are patterns of import paths, as the go command has them: the
	// packages of other modules that they match are own packages too. "all"
	// matches every package that is not of the standard library, NoDeps none. No
	// pattern means what is at hand: modules that a directory replaces, and small
	// ones with concurrency in them.
	Deps []string

	// Overlay has the text of files that are not to be read from disk, as an editor has it
	// before it is saved, by their names: absolute ones, or relative to Dir. They may be files
	// that are not on disk, but the directory of the package must be there. Like those of an
	// -overlay flag they belong to the program. It must not be changed as long as the program
	// is in use.
	Overlay map[string][]byte

	// LoadTimeout bounds the time of loading: the go command lists the packages, and compiles what they
	// import where it has not done so before. When it is over, loading ends with a *TimeoutError. 0 is no bound.
	LoadTimeout time.Duration

	// ImportPath says that Pattern is the path of a package, and not that of a directory if
	// there is one of that name.
	ImportPath bool

	overlay map[string][]byte // files of the program that differ from those on disk, by absolute name
}

// Program is a loaded, type-checked program.
type Program struct {
	Spec Spec
	Fset *token.FileSet
	// Root is the absolute directory that file names are relative to: that of
	// the main module, or of the workspace.
	Root string
	// Module is the path of the main module that holds the entry.
	Module string
	// GoVersion is the go line of that module, such as "1.26".
	GoVersion string
	// Packages are the own packages that the entry depends on, itself included,
	// dependencies first. They have syntax and types.
	Packages []*packages.Package
	// Library are the packages of the standard library that the entry depends on
	// and that are translated from their source, dependencies first: containers.
	// They have syntax and types, but no guards.
	Library []*packages.Package
	// Dependencies are the modules outside of Root that have some of Packages.
	Dependencies []Dependency
	// Entry is the package of the entry point; for a test, its test variant or
	// the external test package.
	Entry *packages.Package
	// Func is the entry function.
	Func *types.Func
	// Decl is its declaration.
	Decl *ast.FuncDecl
	// Test reports that the entry is a test function.
	Test bool

	// testPackages are the packages whose test functions may be entries as this one is: that of the entry,
	// behind the package that it tests if the entry is of an external test package that imports it.
	testPackages []*packages.Package
	// besides are, for a test in a package that has an external test package which imports it, the
	// packages that this one depends on beyond Packages, itself among them, dependencies first.
	besides []*packages.Package

	// loose are the files of dependencies, outside of Packages, that no go.sum vouches for:
	// vendored ones, and those that a directory replaces.
	loose []string
	// vendored: the go command takes modules from the directory vendor.
	vendored bool
	// workspace gives the go.work that the go command uses, "" if it uses none, which it is asked
	// once for the programs of a Set; nil: it is not known.
	workspace func() (string, error)
	// toolchain, memory and derivations are shared with the other programs of its Set.
	toolchain   *toolchain
	memory      *memory
	derivations *derivations
}

const mode = packages.LoadSyntax | packages.NeedModule | packages.NeedEmbedFiles | packages.NeedForTest

// Load loads the program that spec names. Errors in the program are collected
// in a *multierror.Error of packages.Error values.
func Load(ctx context.Context, spec Spec) (*Program, error) {
	if err := spec.check(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := spec.bounded(ctx)
	defer cancel()
	if spec.Entry == "" {
		spec.Entry = "main"
	}
	spec, err := spec.takeOverlay()
	if err != nil {
		return nil, err
	}
	set, err := loadSet(ctx, spec, spec.Entry != "main")
	if err != nil {
		return nil, err
	}
	if n := len(set.matched); n != 1 {
		return nil, fmt.Errorf("%s: matches %d packages, want one", set.spec.Pattern, n)
	}
	loaded := spec
	loaded.Pattern = set.spec.Pattern
	prog, err := set.program(loaded, set.matched[0])
	if !errors.Is(err, ErrNoEntry) {
		return prog, err
	}
	// Other functions are called by a test.
	entry, overlay, wrapErr := set.wrap(spec, set.matched[0])
	if wrapErr != nil {
		return nil, fmt.Errorf("%s: %w", set.matched[0], wrapErr)
	}
	if entry == "" {
		return nil, err
	}
	files := maps.Clone(spec.overlay)
	if files == nil {
		files = map[string][]byte{}
	}
	maps.Copy(files, overlay)
	spec.Entry, spec.overlay = entry, files
	if set, err = loadSet(ctx, spec, true); err != nil {
		return nil, err
	}
	spec.Pattern = set.spec.Pattern
	return set.program(spec, set.matched[0])
}

// TimeoutError says that a program was not loaded within Spec.LoadTimeout. It is a context.DeadlineExceeded, too.
type TimeoutError struct {
	Pattern string        // of the packages
	Limit   time.Duration // what LoadTimeout was
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("%s: it was not loaded within %v: the go command was still listing its packages, or compiling what they import", e.Pattern, e.Limit)
}

// Is reports whether an error is what a context says whose deadline has passed.
func (e *TimeoutError) Is(err error) bool { return err == context.DeadlineExceeded }

// bounded is a context for loading, which ends when LoadTimeout is over.
func (spec Spec) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if spec.LoadTimeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, spec.LoadTimeout, &TimeoutError{cmp.Or(spec.Pattern, "."), spec.LoadTimeout})
}

// SpecError says which part of a Spec, or what else it is loaded with, is of no use.
type SpecError struct {
	Field, Reason string
}

func (e *SpecError) Error() string { return e.Field + ": " + e.Reason }

// check says what is wrong before anything is run.
func (spec Spec) check(ctx context.Context) error {
	switch {
	case ctx == nil:
		return &SpecError{"context", "nil"}
	case strings.HasPrefix(spec.Pattern, "-"):
		return &SpecError{"package", fmt.Sprintf("%q is a flag, and no pattern", spec.Pattern)}
	}
	for _, f := range []struct{ name, text string }{{"directory", spec.Dir}, {"package", spec.Pattern}, {"entry point", spec.Entry}, {"build flags", strings.Join(spec.Flags, " ")}} {
		if strings.ContainsRune(f.text, 0) {
			return &SpecError{f.name, "has a zero byte"}
		}
	}
	for name := range spec.Overlay {
		if name == "" || strings.ContainsRune(name, 0) {
			return &SpecError{"overlay", fmt.Sprintf("%q is no name of a file", name)}
		}
	}
	return nil
}

// GoEnviron is the environment of the go command; nil means the process's own.
func (spec Spec) GoEnviron() []string {
	if len(spec.GoEnv) == 0 {
		return spec.Env
	}
	env := spec.Env
	if env == nil {
		env = os.Environ()
	}
	return slices.Concat(env, spec.GoEnv)
}

// resolve turns a pattern that names a directory into that directory and ".":
// it is resolved in the module it lies in, which need not be the one around dir.
// So is one that names all packages below a directory.
func resolve(dir, pattern string) (string, string, error) {
	target, below := pattern, ""
	if rest, ok := strings.CutSuffix(pattern, "/..."); ok {
		target, below = rest, "/..."
	}
	if pattern == "/..." || below != "" && !strings.HasPrefix(pattern, ".") && !filepath.IsAbs(pattern) {
		return dir, pattern, nil
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	info, err := os.Stat(target)
	switch {
	case err == nil && info.IsDir():
		return target, "." + below, nil
	case err == nil:
		return "", "", fmt.Errorf("%s: is a file: name the directory of its package", pattern)
	case (strings.HasPrefix(pattern, ".") || filepath.IsAbs(pattern)) && !strings.Contains(target, "..."):
		return "", "", fmt.Errorf("%s: no such directory", pattern)
	}
	return dir, pattern, nil
}

// tests are the names of the tests in the files of the entry's package, and those in files that build constraints leave out, with
// these files.
func (prog *Program) tests() (built []string, leftOut map[string]string) {
	files, err := filepath.Glob(filepath.Join(prog.Entry.Dir, "*_test.go"))
	if err != nil || prog.Entry.Dir == "" {
		return nil, nil
	}
	leftOut = map[string]string{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		ignored := slices.Contains(prog.Entry.IgnoredFiles, name)
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			switch {
			case !ok || fd.Recv != nil || !strings.HasPrefix(fd.Name.Name, "Test") || fd.Name.Name == "TestMain":
			case ignored:
				leftOut[fd.Name.Name] = filepath.Base(name)
			default:
				built = append(built, fd.Name.Name)
			}
		}
	}
	slices.Sort(built)
	return built, leftOut
}

// Sources loads packages of other modules that the program depends on, by their import paths,
// with their syntax and types. Their types are not those that the program uses. Errors in a
// package are in its Errors.
func (prog *Program) Sources(ctx context.Context, paths []string) ([]*packages.Package, error) {
	dir := prog.Packages[0].Dir
	for _, p := range prog.Packages {
		if p.Module != nil && p.Module.Main {
			dir = p.Dir // where the go command knows of all that the program depends on
		}
	}
	return load(&packages.Config{Context: ctx, Dir: dir, Env: prog.Spec.GoEnviron(), BuildFlags: prog.Spec.Flags, Mode: mode, Overlay: prog.Spec.overlay}, paths...)
}

// load loads packages. Package packages starts the go command itself, which would go on for as long as
// it has something to compile when this process is killed.
func load(cfg *packages.Config, patterns ...string) (_ []*packages.Package, err error) {
	temp, err := scratch.Make("load")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, scratch.Remove(temp)) }()
	guarded := *cfg
	guarded.Env = scratch.GoEnv(cfg.Env, temp)
	if !slices.ContainsFunc(cfg.BuildFlags, toolexec) && !slices.ContainsFunc(guarded.Env, goFlagsToolexec) {
		guarded.BuildFlags = slices.Concat(cfg.BuildFlags, group.ToolExec())
	}
	if err := passOverlay(&guarded, temp); err != nil {
		return nil, err
	}
	pkgs, err := packages.Load(&guarded, patterns...)
	if ctxErr := cfg.Context.Err(); ctxErr != nil {
		var late *TimeoutError
		if errors.As(context.Cause(cfg.Context), &late) {
			return nil, late
		}
		return nil, ctxErr
	}
	if err != nil {
		return nil, goCommandError(patterns, err)
	}
	return pkgs, unlisted(cfg.Context, &guarded, pkgs, patterns)
}

// toolexec reports whether a build flag has the go command start compilers in its own way.
func toolexec(flag string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	return name == "toolexec"
}

// goFlagsToolexec reports whether a variable of the environment has such a flag.
func goFlagsToolexec(kv string) bool {
	flags, ok := strings.CutPrefix(kv, "GOFLAGS=")
	return ok && strings.Contains(flags, "-toolexec")
}

// choose keeps, of the loaded variants, those that the entry of the package of
// that path runs with.
func (prog *Program) choose(pkgs []*packages.Package, path string) error {
	byPath := map[string]*packages.Package{}
	var external *packages.Package
	for _, p := range pkgs {
		if strings.HasSuffix(p.ID, ".test") {
			continue
		}
		base := strings.TrimSuffix(p.PkgPath, "_test")
		if p.ForTest != "" && (!prog.Test || p.ForTest != path) {
			continue // a variant for the tests of another package
		}
		if p.ForTest != "" && p.PkgPath != p.ForTest {
			if base == p.ForTest {
				external = p
				continue
			}
		}
		if old := byPath[p.PkgPath]; old == nil || p.ForTest != "" {
			byPath[p.PkgPath] = p
		}
	}
	entry := byPath[path]
	for _, p := range []*packages.Package{entry, external} {
		if p == nil || prog.Func != nil {
			continue
		}
		if f, d := findEntry(p, prog.Spec.Entry, prog.Test); f != nil {
			prog.Func, prog.Decl, prog.Entry = f, d, p
		}
	}
	if prog.Entry == nil {
		prog.Entry = entry
	}
	if prog.Entry == nil {
		return fmt.Errorf("%s: no Go files", prog.Spec.Pattern)
	}
	if external != nil {
		byPath[external.PkgPath] = external
	}
	// Dependencies first, from the entry. An external test package comes behind the package that it
	// tests and all that this one depends on, as for the tests in that package: what is made of these
	// is then the same for both.
	order := &dependencyOrder{byPath: byPath, seen: map[string]bool{}}
	roots := []*packages.Package{prog.Entry}
	extends := prog.Test && external != nil && entry != nil && dependsOn(external, entry, byPath)
	if extends && prog.Entry == external {
		roots = []*packages.Package{entry, external}
	}
	prog.testPackages = roots
	for _, p := range roots {
		order.visit(p)
	}
	for _, p := range order.list {
		if p.Module == nil {
			prog.Library = append(prog.Library, p)
		} else {
			prog.Packages = append(prog.Packages, p)
		}
	}
	if extends && prog.Entry == entry {
		order.list = nil
		order.visit(external)
		prog.besides = order.list
	}
	return nil
}

// dependencyOrder lists packages, of those that a program may have, behind those that they depend on.
type dependencyOrder struct {
	byPath map[string]*packages.Package
	seen   map[string]bool
	list   []*packages.Package
}

// visit adds a package, and those that it depends on and that are not there yet.
func (o *dependencyOrder) visit(p *packages.Package) {
	if o.seen[p.PkgPath] {
		return
	}
	o.seen[p.PkgPath] = true
	paths := make([]string, 0, len(p.Imports))
	for _, q := range p.Imports {
		paths = append(paths, q.PkgPath)
	}
	sort.Strings(paths)
	for _, path := range paths {
		if q := o.byPath[path]; q != nil {
			o.visit(q)
		}
	}
	o.list = append(o.list, p)
}

// dependsOn reports whether a package depends on another one.
func dependsOn(p, on *packages.Package, byPath map[string]*packages.Package) bool {
	order := &dependencyOrder{byPath: byPath, seen: map[string]bool{}}
	order.visit(p)
	return order.seen[on.PkgPath]
}

// EntryFuncs are the functions that may be an entry as this one is, itself among them, by package and
// name: the test functions, or main. For a test of an external test package those of the package that
// it tests are among them, if that is a part of the program.
func (prog *Program) EntryFuncs() []*types.Func {
	switch {
	case prog.Func == nil:
		return nil
	case !prog.Test:
		return []*types.Func{prog.Func}
	}
	var out []*types.Func
	for _, p := range prog.testPackages {
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			f, ok := scope.Lookup(name).(*types.Func)
			if ok && (f == prog.Func || testName(name) && isTest(f)) {
				out = append(out, f)
			}
		}
	}
	return out
}

func findEntry(p *packages.Package, name string, test bool) (*types.Func, *ast.FuncDecl) {
	if p.Types == nil || !test && p.Name != "main" {
		return nil, nil
	}
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Recv != nil || fd.Name.Name != name || fd.Body == nil {
				continue
			}
			f, ok := p.TypesInfo.Defs[fd.Name].(*types.Func)
			if !ok {
				continue
			}
			if test && !isTest(f) {
				continue
			}
			return f, fd
		}
	}
	return nil, nil
}

// errorsOf collects the errors of packages, each once. What does not parse is
// not type-checked either: errors about types are left out then, and what the
// go command says without a place, if there is something with one.
func errorsOf(pkgs []*packages.Package) error {
	byKind := map[packages.ErrorKind][]packages.Error{}
	seen := map[string]bool{}
	var imports []packages.Error
	for _, p := range pkgs {
		missing := map[string]bool{}
		for path, q := range p.Imports {
			for _, e := range q.Errors {
				if e.Kind == packages.ListError && !slices.Contains(pkgs, q) {
					missing[path] = true
					if !seen[e.Error()] {
						seen[e.Error()] = true
						imports = append(imports, e)
					}
				}
			}
		}
		for _, e := range p.Errors {
			if path, ok := strings.CutPrefix(e.Msg, "could not import "); ok {
				path, _, _ = strings.Cut(path, " ")
				if missing[path] {
					continue // the go command says more
				}
			}
			if !seen[e.Error()] {
				seen[e.Error()] = true
				byKind[e.Kind] = append(byKind[e.Kind], e)
			}
		}
	}
	kept := byKind[packages.ParseError]
	if len(kept) == 0 {
		kept = byKind[packages.TypeError]
	}
	for _, e := range slices.Concat(byKind[packages.ListError], byKind[packages.UnknownError]) {
		if len(kept) == 0 || e.Pos != "" && e.Pos != "-" {
			kept = append(kept, e)
		}
	}
	slices.SortFunc(imports, func(a, b packages.Error) int { return strings.Compare(a.Error(), b.Error()) })
	var all *multierror.Error
	for _, e := range append(imports, kept...) {
		all = multierror.Append(all, e)
	}
	return all.ErrorOrNil()
}

// commonRoot is the deepest directory that holds the main modules of packages.
func commonRoot(pkgs []*packages.Package) string {
	root := ""
	for _, p := range pkgs {
		if !p.Module.Main {
			continue
		}
		dir := p.Module.Dir
		for root != "" && dir != root && !strings.HasPrefix(dir, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator)) {
			root = filepath.Dir(root)
		}
		if root == "" {
			root = dir
		}
	}
	return root
}

// Rel returns the slash-separated path of a file relative to Root. A file of a
// dependency outside of Root has the module's path and version in front, as in
// "golang.org/x/sync@v0.1.0/errgroup/errgroup.go", one of Library "$GOROOT/src".
func (prog *Program) Rel(file string) string {
	if name := prog.inDependency(file); name != "" {
		return name
	}
	for _, p := range prog.Library {
		if filepath.Dir(file) == p.Dir {
			return path.Join("$GOROOT/src", p.PkgPath, filepath.Base(file))
		}
	}
	rel, err := filepath.Rel(prog.Root, file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(rel)
}

// File is one source file of a program.
type File struct {
	Path string // as of Program.Rel
	Data []byte
}

// maxTestdata bounds the bytes of testdata that Files takes along.
const maxTestdata = 16 << 20

// Files reads the files that the program consists of, sorted by path: the Go,
// cgo, assembly and embedded files of Packages, the module files, and the
// testdata of the entry's package if the entry is a test.
func (prog *Program) Files() ([]File, error) {
	names, err := prog.fileNames()
	if err != nil {
		return nil, err
	}
	return prog.read(names)
}

// fileNames are the names of what Files reads.
func (prog *Program) fileNames() (map[string]bool, error) {
	names := map[string]bool{}
	for _, p := range prog.Packages {
		for _, list := range [][]string{p.GoFiles, p.OtherFiles, p.EmbedFiles, p.IgnoredFiles} {
			for _, f := range list {
				names[f] = true
			}
		}
	}
	prog.moduleFiles(names)
	return names, prog.testdata(names)
}

// read reads the files with these names, but those that cgo has generated.
func (prog *Program) read(names map[string]bool) ([]File, error) {
	var files []File
	for name := range names {
		rel := prog.Rel(name)
		if !filepath.IsLocal(filepath.FromSlash(rel)) {
			continue // generated by cgo into the build cache
		}
		data, err := prog.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read source: %w", err)
		}
		files = append(files, File{Path: rel, Data: data})
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

// moduleFiles adds the files that say which modules the program has.
func (prog *Program) moduleFiles(names map[string]bool) {
	for _, p := range prog.Packages {
		if p.Module == nil {
			continue // of the standard library: none that Load gives
		}
		// -modfile names another one, which has its sums beside it.
		mod := []string{p.Module.GoMod, filepath.Join(p.Module.Dir, "go.sum"), strings.TrimSuffix(p.Module.GoMod, ".mod") + ".sum"}
		switch {
		case p.Module.Main:
		case p.Module.Dir != "":
			mod = []string{filepath.Join(p.Module.Dir, "go.mod")}
		default: // vendored
			mod = nil
		}
		for _, f := range mod {
			if f != "" && prog.Spec.exists(f) {
				names[f] = true
			}
		}
	}
	for _, f := range []string{"go.work", "go.work.sum"} {
		if f = filepath.Join(prog.Root, f); prog.Spec.exists(f) {
			names[f] = true
		}
	}
}

// testdata adds that of the entry's package, if the entry is a test.
func (prog *Program) testdata(names map[string]bool) error {
	if !prog.Test || prog.Entry == nil || len(prog.Entry.GoFiles) == 0 { // LoadModule has no entry
		return nil
	}
	return addTestdata(names, filepath.Join(filepath.Dir(prog.Entry.GoFiles[0]), "testdata"))
}

// ReadFile reads a file of the program, which need not be as it is on disk: see
// ChangedFiles.
func (prog *Program) ReadFile(name string) ([]byte, error) {
	return prog.Spec.readFile(name)
}

func (spec Spec) readFile(name string) ([]byte, error) {
	if data, ok := spec.overlay[name]; ok {
		return data, nil
	}
	return os.ReadFile(name)
}

// exists reports whether there is a file, on disk or in the overlay.
func (spec Spec) exists(name string) bool {
	if _, ok := spec.overlay[name]; ok {
		return true
	}
	_, err := os.Stat(name)
	return err == nil
}

// ChangedFiles are the files that are not on disk as the program has them, by their absolute
// names. The caller must not change them.
func (prog *Program) ChangedFiles() map[string][]byte { return prog.Spec.overlay }

func addTestdata(names map[string]bool, dir string) error {
	var total int64
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && repository.Named(d.Name()) {
			// Nothing that a bundle may have: the go command would look into it.
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); total > maxTestdata {
			return fmt.Errorf("%s: more than %d bytes of testdata", dir, maxTestdata)
		}
		names[path] = true
		return nil
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// Digest is the sha256 over names and contents of the files, in hexadecimal.
func Digest(files []File) string {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%d %s %d\n", len(f.Path), f.Path, len(f.Data))
		h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

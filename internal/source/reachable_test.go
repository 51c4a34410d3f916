package source

import (
	"context"
	"errors"
	"flag"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/callgraph/rta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// oneGoroutine skips a test in the short form of the suite, which is for the race detector: TestSet, TestDerive and
// TestDeriveWaits are those that ask in several goroutines.
func oneGoroutine(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
}

// reachableModule has an entry for each way in which one declaration reaches another.
var reachableModule = map[string]string{
	"go.mod": "module example.com/r\n\ngo 1.26\n",
	"p/p.go": `package p

import _ "embed"

const (
	one = iota + 1
	two
)

//go:embed data.txt
var text string

func direct() int { return helper() }

func helper() int { return two }

type shape interface{ area() int }

type square struct{ side int }

func (s square) area() int { return s.side * s.side }

func (s square) name() string { return "square" }

type wrapped struct{ square }

func through(s shape) int { return s.area() }

func make2[T any](n int) []T { return make([]T, n) }

type item struct{ n int }

func (i *item) add() { i.n++ }

func items() []*item { return nil }

var table = map[string]func() int{"lazy": lazy}

func lazy() int { return 1 }

func unused() int { return 2 }
`,
	"p/data.txt": "hello\n",
	"p/p_test.go": `package p

import (
	"slices"
	"testing"
)

func TestDirect(t *testing.T) { direct() }

func TestInterface(t *testing.T) { through(wrapped{}) }

func TestGeneric(t *testing.T) { make2[item](2) }

func TestInferred(t *testing.T) { slices.Clone(items())[0].add() }

func TestTable(t *testing.T) { table["lazy"]() }

func TestNothing(t *testing.T) {}
`,
	"p/testdata/x.txt": "x\n",
	"q/q.go": `package q

var began = begin()

func begin() int { return 1 }

func F() int { return began }
`,
	"q/q_test.go": `package q_test

import (
	"os"
	"testing"

	"example.com/r/q"
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int { return m.Run() }

func TestExternal(t *testing.T) { q.F() }
`,
	"l/l.go": `package l

import _ "unsafe"

//go:linkname now time.now
func now() (sec int64, nsec int32, mono int64)

func Linked() int64 { s, _, _ := now(); return s }

func other() int { return 1 }
`,
	"l/empty.s":   "",
	"s/x/x.go":    "package x\n\nfunc F() int { return 1 }\n",
	"s/y/y.go":    "package y\n\nfunc F() int { return 1 }\n",
	"s/s.go":      "//go:build go1.22\n\npackage s\n\nimport (\n\ta \"example.com/r/s/x\"\n\tb \"example.com/r/s/y\"\n)\n\nfunc two() int { return a.F() - b.F() }\n",
	"s/dot.go":    "package s\n\nimport . \"example.com/r/s/x\"\n\nfunc dot() int { return F() }\n",
	"s/s_test.go": "package s\n\nimport \"testing\"\n\nfunc TestImports(t *testing.T) { two() }\n\nfunc TestDot(t *testing.T) { dot() }\n",
	"l/l_test.go": "package l\n\nimport \"testing\"\n\nfunc TestLinked(t *testing.T) {}\n",
	"m/main.go":   "//go:debug panicnil=0\n\npackage main\n\nimport \"example.com/r/q\"\n\nfunc init() { first() }\n\nfunc first() {}\n\nfunc main() { q.F() }\n",
}

// digests are those of all entries of a module, by name.
func digests(t *testing.T, dir string) map[string]string {
	t.Helper()
	set, err := LoadSet(context.Background(), Spec{Dir: dir, Pattern: "./..."})
	require.NoError(t, err)
	out := map[string]string{}
	for _, e := range set.Entries() {
		prog, err := set.Program(e)
		require.NoError(t, err)
		out[e.Func], err = prog.ReachableDigest()
		require.NoError(t, err)
	}
	return out
}

// What an entry can reach, and nothing else, has its digest change.
func TestReachableDigest(t *testing.T) {
	oneGoroutine(t)
	dir := write(t, reachableModule)
	before := digests(t, dir)
	require.Len(t, before, 11)
	require.Equal(t, before, digests(t, dir), "the same program has the same digests")
	require.Equal(t, before, digests(t, write(t, reachableModule)), "wherever it lies")
	ofP := []string{"TestDirect", "TestGeneric", "TestInferred", "TestInterface", "TestNothing", "TestTable"}
	all := slices.Sorted(maps.Keys(before))
	for _, c := range []struct {
		name, file, old, new string
		want                 []string
	}{
		{"a function that is called", "p/p.go", "return helper()", "return helper() + 1", []string{"TestDirect"}},
		{"one that calls call", "p/p.go", "return two", "return two + one", []string{"TestDirect"}},
		{"constants before", "p/p.go", "iota + 1", "iota + 2", []string{"TestDirect"}},
		{"a method that may be called", "p/p.go", "s.side * s.side", "s.side", []string{"TestInterface"}},
		{"a method that reflection may call", "p/p.go", `"square"`, `"Square"`, []string{"TestInterface"}},
		{"a type", "p/p.go", "type item struct{ n int }", "type item struct{ n int8 }", []string{"TestGeneric", "TestInferred"}},
		{"a method of a type that is not named", "p/p.go", "i.n++", "i.n--", []string{"TestGeneric", "TestInferred"}},
		{"a generic function", "p/p.go", "make([]T, n)", "make([]T, n, 2*n)", []string{"TestGeneric"}},
		{"a function in a table", "p/p.go", "func lazy() int { return 1 }", "func lazy() int { return 3 }", []string{"TestTable"}},
		{"a function that nobody calls", "p/p.go", "return 2 }", "return 3 }", nil},
		{"a comment behind", "p/p.go", "return 2 }", "return 2 } // two", nil},
		{"lines before", "p/p.go", "func lazy()", "\n\nfunc lazy()", []string{"TestTable"}},
		{"an import", "p/p.go", `import _ "embed"`, "import (\n\t_ \"embed\"\n\t_ \"os\"\n)", ofP},
		{"an embedded file", "p/data.txt", "hello", "Hello", ofP},
		{"testdata", "p/testdata/x.txt", "x", "y", ofP},
		{"initialisation of a variable", "q/q.go", "int { return 1 }", "int { return 2 }", []string{"TestExternal", "main"}},
		{"what TestMain calls", "q/q_test.go", "return m.Run()", "m.Run(); return 0", []string{"TestExternal"}},
		{"what init calls", "m/main.go", "func first() {}", "func first() { println() }", []string{"main"}},
		{"what an import stands for", "s/s.go", "a \"example.com/r/s/x\"\n\tb \"example.com/r/s/y\"", "b \"example.com/r/s/x\"\n\ta \"example.com/r/s/y\"", []string{"TestImports"}},
		{"what an import with a dot stands for", "s/dot.go", "import . \"example.com/r/s/x\"", "import . \"example.com/r/s/y\"", []string{"TestDot"}},
		{"the version of the language in a file", "s/s.go", "//go:build go1.22", "//go:build go1.21", []string{"TestImports"}},
		{"a setting of the runtime", "m/main.go", "//go:debug panicnil=0", "//go:debug panicnil=1", []string{"main"}},
		{"a package with assembly", "l/l.go", "func other() int { return 1 }", "func other() int { return 2 }", []string{"TestLinked"}},
		{"the module", "go.mod", "go 1.26", "go 1.26.1", all},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := maps.Clone(reachableModule)
			require.Equal(t, 1, strings.Count(files[c.file], c.old), c.old)
			files[c.file] = strings.Replace(files[c.file], c.old, c.new, 1)
			after := digests(t, write(t, files))
			var changed []string
			for _, e := range all {
				if after[e] != before[e] {
					changed = append(changed, e)
				}
			}
			require.Equal(t, c.want, changed)
		})
	}
}

// Directives above a declaration belong to it: of a specification those in its group, behind an empty
// line too, and above the group. So does what stands behind it on its line.
func TestReachableDirectives(t *testing.T) {
	oneGoroutine(t)
	dir := write(t, map[string]string{"go.mod": "module example.com/d\n\ngo 1.26\n", "a.txt": "a\n", "b.txt": "b\n"})
	const text = `package main

import _ "embed"

var (
	//go:embed a.txt
	first string

	//go:embed b.txt

	second string
)

//go:embed a.txt

// third is one, too.
var third string

type (
	// Of a type.
	one int // one
) // types

func other() {} // other

//go:noinline

func main() {
	_, _, _, _ = first, second, third, one(1)
} // end
`
	digest := func(text string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o644))
		return digests(t, dir)["main"]
	}
	before := digest(text)
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{"//go:embed a.txt\n\tfirst string\n\n\t//go:embed b.txt", "//go:embed b.txt\n\tfirst string\n\n\t//go:embed a.txt", false},
		{"//go:embed b.txt\n\n\tsecond", "//go:embed a.txt\n\n\tsecond", false},
		{"//go:embed a.txt\n\n// third", "//go:embed b.txt\n\n// third", false},
		{"// Of a type.", "// Of  a type.", false},
		{"// one", "// two", false},
		{") // types", ") // of types", false},
		{"//go:noinline", "//go:nosplit_", false},
		{"// end", "// the end", false},
		{"// other", "// another", true},
	} {
		require.Equal(t, 1, strings.Count(text, c.old), c.old)
		require.Equal(t, c.same, before == digest(strings.Replace(text, c.old, c.new, 1)), c.old)
	}
}

// A linkname reaches what it names in another package, and assembly may reach whatever there is.
func TestReachableHidden(t *testing.T) {
	oneGoroutine(t)
	module := map[string]string{
		"go.mod":      "module example.com/h\n\ngo 1.26\n",
		"lib.v1/l.go": "package lib\n\nfunc secret() int { return inner() }\n\nfunc inner() int { return 1 }\n\ntype T struct{}\n\nfunc (*T) m() int { return 2 }\n\nfunc other() int { return 3 }\n",
		"n/n.go":      "package main\n\nimport (\n\t_ \"unsafe\"\n\n\t_ \"example.com/h/lib.v1\"\n)\n\n//go:linkname secret example.com/h/lib%2ev1.secret\nfunc secret() int\n\n//go:linkname method example.com/h/lib%2ev1.(*T).m\nfunc method() int\n\nfunc main() { secret() }\n",
		"n/n.s":       "\n",
		"s/s.go":      "package main\n\nimport _ \"example.com/h/lib.v1\"\n\nfunc main() {}\n",
		"s/s.s":       "// Something.\n",
		"p/p.go":      "package main\n\nimport _ \"example.com/h/lib.v1\"\n\nfunc main() {}\n",
	}
	of := func(old, text string) []string {
		files := maps.Clone(module)
		require.Contains(t, files["lib.v1/l.go"], old)
		files["lib.v1/l.go"] = strings.Replace(files["lib.v1/l.go"], old, text, 1)
		dir := write(t, files)
		var out []string
		for _, pattern := range []string{"./n", "./s", "./p"} {
			prog, err := Load(context.Background(), Spec{Dir: dir, Pattern: pattern})
			require.NoError(t, err)
			d, err := prog.ReachableDigest()
			require.NoError(t, err)
			out = append(out, d)
		}
		return out
	}
	before := of("", "")
	for _, c := range []struct {
		old, text string
		changed   []bool
	}{
		{"return 1", "return 4", []bool{true, true, false}},
		{"return 2", "return 4", []bool{true, true, false}},
		{"return 3", "return 4", []bool{false, true, false}},
	} {
		var changed []bool
		for i, d := range of(c.old, c.text) {
			changed = append(changed, d != before[i])
		}
		require.Equal(t, c.changed, changed, c.old)
	}
}

// The workspace counts wherever the go command finds it, and so does what was vendored.
func TestReachableModules(t *testing.T) {
	oneGoroutine(t)
	dir := write(t, map[string]string{
		"go.work":                     "go 1.26\n\nuse ./mod\n",
		"mod/go.mod":                  "module example.com/w\n\ngo 1.26\n",
		"mod/main.go":                 "package main\n\nfunc main() {}\n",
		"other.work":                  "go 1.26\n\nuse ./mod\n",
		"v/go.mod":                    "module example.com/v\n\ngo 1.26\n\nrequire example.com/o v1.0.0\n",
		"v/main.go":                   "package main\n\nimport \"example.com/o\"\n\nfunc main() { o.F() }\n",
		"v/vendor/modules.txt":        "# example.com/o v1.0.0\n## explicit; go 1.26\nexample.com/o\n",
		"v/vendor/example.com/o/o.go": "package o\n\nfunc F() {}\n",
	})
	digest := func(module string, env ...string) string {
		prog, err := Load(context.Background(), Spec{Dir: filepath.Join(dir, module), Env: append(os.Environ(), env...)})
		require.NoError(t, err)
		d, err := prog.ReachableDigest()
		require.NoError(t, err)
		return d
	}
	add := func(name, text string) {
		f, err := os.OpenFile(filepath.Join(dir, filepath.FromSlash(name)), os.O_APPEND|os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteString(text)
		require.NoError(t, errors.Join(err, f.Close()))
	}
	named := "GOWORK=" + filepath.Join(dir, "other.work")
	above, other, off, vendored := digest("mod"), digest("mod", named), digest("mod", "GOWORK=off"), digest("v", "GOWORK=off")
	add("go.work", "\ngodebug panicnil=1\n")
	require.NotEqual(t, above, digest("mod"))
	require.Equal(t, other, digest("mod", named))
	require.Equal(t, off, digest("mod", "GOWORK=off"))
	add("other.work", "\ngodebug panicnil=1\n")
	require.NotEqual(t, other, digest("mod", named))
	add("v/vendor/modules.txt", "# comment\n")
	require.NotEqual(t, vendored, digest("v", "GOWORK=off"))
}

// The text of cgo, which is in a comment, counts.
func TestReachableCgo(t *testing.T) {
	oneGoroutine(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("cgo needs a C compiler")
	}
	dir := write(t, map[string]string{"go.mod": "module example.com/c\n\ngo 1.26\n"})
	digest := func(result string) string {
		text := "package main\n\n// static int f(void) { return " + result + "; }\nimport \"C\"\n\nfunc main() { println(int(C.f())) }\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o644))
		return digests(t, dir)["main"]
	}
	require.NotEqual(t, digest("1"), digest("2"))
}

// A program that asks for the environment depends on it, and another one does not.
func TestReachableEnvironment(t *testing.T) {
	oneGoroutine(t)
	files := map[string]string{
		"go.mod":   "module example.com/e\n\ngo 1.26\n",
		"b/b.go":   "package main\n\nfunc main() {}\n",
		"b/lib.go": "package main\n\nimport \"os\"\n\nfunc unused() string { return os.Getenv(\"X\") }\n",
	}
	asking := map[string]string{
		"os": `_ = os.Getenv("X")`, "syscall": `_, _ = syscall.Getenv("X")`, "os/exec": `_ = exec.Command("x")`, "os/user": `_, _ = user.Current()`,
		"net/http": `_ = http.ProxyFromEnvironment`,
	}
	for pkg, text := range asking {
		files["a/"+pkg+"/a.go"] = "package main\n\nimport \"" + pkg + "\"\n\nfunc main() { " + text + " }\n"
	}
	files["a/linkname/a.go"] = "package main\n\nimport _ \"unsafe\"\n\n//go:linkname envs syscall.runtime_envs\nfunc envs() []string\n\nfunc main() {}\n"
	files["a/linkname/a.s"] = ""
	dir := write(t, files)
	of := func(x string) map[string]string {
		set, err := LoadSet(context.Background(), Spec{Dir: dir, Pattern: "./...", Env: append(os.Environ(), "X="+x)})
		require.NoError(t, err)
		out := map[string]string{}
		for _, e := range set.Entries() {
			prog, err := set.Program(e)
			require.NoError(t, err)
			out[e.Package], err = prog.ReachableDigest()
			require.NoError(t, err)
		}
		require.Len(t, out, len(asking)+2)
		return out
	}
	one, two := of("1"), of("2")
	for pkg, digest := range one {
		require.Equal(t, pkg == "example.com/e/b", digest == two[pkg], pkg)
	}
}

// What the go command is told to do for another platform is another toolchain.
func TestToolchain(t *testing.T) {
	oneGoroutine(t)
	dir := write(t, module)
	of := func(env ...string) string {
		prog := &Program{Root: dir, Spec: Spec{Env: append(os.Environ(), env...)}} // loading for another platform builds its library
		got, err := prog.Toolchain(context.Background())
		require.NoError(t, err)
		return string(got)
	}
	require.Contains(t, of(), "GOVERSION")
	require.Equal(t, of(), of())
	require.NotEqual(t, of(), of("GOARCH=mips64"))
	require.NotEqual(t, of(), of("CGO_CFLAGS=-O1"))

	set, err := LoadSet(context.Background(), Spec{Dir: dir, Pattern: "./..."})
	require.NoError(t, err)
	entries := set.Entries()
	require.Greater(t, len(entries), 1)
	for _, e := range entries {
		prog, err := set.Program(e)
		require.NoError(t, err)
		_, err = prog.Toolchain(context.Background())
		require.NoError(t, err)
		require.True(t, prog.toolchain == set.toolchain && set.toolchain.known != nil)
	}
}

// What no go.sum vouches for counts, though it does not belong to the program.
func TestReachableLoose(t *testing.T) {
	oneGoroutine(t)
	dir := withDependencies(t)
	spec := Spec{Dir: dir, Deps: []string{NoDeps}}
	digest := func() string {
		p, err := Load(context.Background(), spec)
		require.NoError(t, err)
		d, err := p.ReachableDigest()
		require.NoError(t, err)
		return d
	}
	before := digest()
	require.Equal(t, before, digest())
	file := filepath.Join(filepath.Dir(dir), "far", "inner", "f.go")
	require.NoError(t, os.WriteFile(file, []byte("package inner\n\nfunc F() { println() }\n"), 0o644))
	require.NotEqual(t, before, digest())
}

// reachablePackages are compared too, with each of their entries, which takes a while: type
// analysis goes through all of the standard library that they import.
var reachablePackages = flag.String("reachable", "", "packages of this module for TestReachableCalls, separated by commas")

// Rapid type analysis, which somebody else has written, finds no function that is called and
// not reached.
func TestReachableCalls(t *testing.T) {
	oneGoroutine(t)
	checked := compareCalls(t, Spec{Dir: write(t, reachableModule), Pattern: "./..."})
	require.Equal(t, map[string]int{
		"TestDirect": 4, "TestDot": 3, "TestExternal": 5, "TestGeneric": 2, "TestImports": 4, "TestInferred": 4, "TestInterface": 4, "TestLinked": 1, "TestNothing": 2,
		"TestTable": 2, "main": 5,
	}, checked)
	if *reachablePackages == "" {
		return
	}
	for _, pattern := range strings.Split(*reachablePackages, ",") {
		total := 0
		for _, n := range compareCalls(t, Spec{Dir: "../..", Pattern: pattern}) {
			total += n
		}
		t.Logf("%s: %d functions that are called from entries", pattern, total)
		require.NotZero(t, total)
	}
}

// compareCalls compares all entries of packages, and returns how many functions are called
// from each.
func compareCalls(t *testing.T, spec Spec) map[string]int {
	t.Helper()
	set, err := LoadSet(context.Background(), spec)
	require.NoError(t, err)
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadAllSyntax, Dir: set.spec.Dir, Tests: true}, set.spec.Pattern)
	require.NoError(t, err)
	built, _ := ssautil.AllPackages(pkgs, ssa.InstantiateGenerics)
	built.Build()
	out := map[string]int{}
	for _, e := range set.Entries() {
		prog, err := set.Program(e)
		require.NoError(t, err)
		r := prog.reach(&memory{named: map[ast.Node]*mentions{}})
		reached := map[string]bool{}
		for _, all := range r.named {
			for _, d := range all {
				// A function in a variable that nobody can reach is not called, which type
				// analysis does not know.
				if v, ok := d.node.(*ast.ValueSpec); ok && d.kind == token.VAR && !r.reached[d] {
					ast.Inspect(v, func(n ast.Node) bool {
						if id, ok := n.(*ast.Ident); ok {
							if f, ok := d.pkg.TypesInfo.Uses[id].(*types.Func); ok {
								reached[prog.Fset.Position(f.Pos()).String()] = true
							}
						}
						return true
					})
				}
			}
		}
		for d := range r.reached {
			if f, ok := d.node.(*ast.FuncDecl); ok {
				reached[prog.Fset.Position(f.Name.Pos()).String()] = true
			}
		}
		for _, at := range called(prog, built) {
			require.True(t, reached[at], "%s: called, and not reached: %s", e, at)
			out[e.Func]++
		}
	}
	return out
}

// called are the places of the functions of a program's packages that may be called from
// its entry, or when it begins.
func called(prog *Program, built *ssa.Program) []string {
	own := map[string]bool{}
	for _, p := range prog.Packages {
		own[p.PkgPath] = true
	}
	var roots []*ssa.Function
	for _, p := range built.AllPackages() {
		if !own[p.Pkg.Path()] {
			continue
		}
		for _, name := range []string{"init", "TestMain", prog.Func.Name()} {
			if f := p.Func(name); f != nil && (name == "init" || p.Pkg.Path() == prog.Entry.PkgPath) {
				roots = append(roots, f)
			}
		}
	}
	var out []string
	for f := range rta.Analyze(roots, false).Reachable {
		if decl, ok := f.Syntax().(*ast.FuncDecl); ok && f.Pkg != nil && own[f.Pkg.Pkg.Path()] {
			out = append(out, built.Fset.Position(decl.Name.Pos()).String())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

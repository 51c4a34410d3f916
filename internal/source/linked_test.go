package source

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWithExternalTests: the external test package is taken along with the tests in the package, unless something
// of it may run with them.
func TestWithExternalTests(t *testing.T) {
	oneGoroutine(t)
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	write("go.mod", "module example.com/m\n\ngo 1.25\n")
	write("elsewhere/inner_test.go", "package p\n\nimport \"testing\"\n\nfunc TestInner(*testing.T) {}\n")
	write("elsewhere/outer_test.go", "package p_test\n\nimport \"testing\"\n\nfunc TestOuter(*testing.T) {}\n")
	var cases []string
	apart := map[string]bool{}
	for _, c := range []struct {
		name, text string
		apart      bool
	}{
		{"tests", "func TestOuter(*testing.T) { p.Hook = func() {}; p.Hook() }", true},
		{"values", "var all, at = p.New(1), p.New\n\nfunc TestOuter(*testing.T) { at(all) }", true},
		{"TestMain", "var ready bool\n\nfunc TestMain(m *testing.M) { ready = true; os.Exit(m.Run()) }", true},
		{"hook", "func init() { p.Hook = func() {} }", false},
		{"handler", "var _ = p.New(func() {})", false},
		{"function", "func f() {}\n\nvar _ = p.New(f)", false},
		{"methods", "type T int\n\nfunc (T) F() {}\n\nvar _ = p.New(T(1))", false},
		{"pointer", "type T int\n\nvar _ = p.New(&[]*T{})", false},
		{"goroutine", "func TestMain(m *testing.M) { go m.Run() }", false},
		{"call", "func f() { p.Hook = func() {} }\n\nfunc TestMain(m *testing.M) { f() }", false},
		{"sent", "func init() { p.All <- func() {} }", false},
	} {
		cases = append(cases, c.name)
		apart[c.name] = c.apart
		write(c.name+"/p.go", "package p\n\nvar Hook func()\n\nvar All = make(chan func(), 1)\n\nfunc New(x any) any { return x }\n")
		write(c.name+"/inner_test.go", "package p\n\nimport \"testing\"\n\nfunc TestInner(*testing.T) {}\n")
		write(c.name+"/outer_test.go", "package p_test\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\t\"example.com/m/"+c.name+"\"\n)\n\nvar _ = os.Args\n\nvar _ *testing.T\n\nvar _ = p.New(0)\n\n"+c.text+"\n")
	}
	set, err := LoadSet(t.Context(), Spec{Dir: dir, Pattern: "./..."})
	require.NoError(t, err)
	for _, name := range cases {
		prog, err := set.Program(EntryPoint{Package: "example.com/m/" + name, Func: "TestInner"})
		require.NoError(t, err, name)
		whole, left := prog.WithExternalTests()
		require.Equal(t, apart[name], whole != nil, name)
		if whole == nil {
			continue
		}
		require.Equal(t, []string{"example.com/m/" + name + "_test"}, left)
		require.Equal(t, prog.Packages, whole.Packages[:len(prog.Packages)])
		require.Equal(t, prog.Func, whole.Func)
		require.Equal(t, prog.Func, whole.EntryFuncs()[0])
	}

	// An external test package that does not import the package is another program.
	for _, entry := range []string{"TestInner", "TestOuter"} {
		prog, err := set.Program(EntryPoint{Package: "example.com/m/elsewhere", Func: entry})
		require.NoError(t, err)
		whole, _ := prog.WithExternalTests()
		require.Nil(t, whole)
		require.Len(t, prog.EntryFuncs(), 1)
	}
}

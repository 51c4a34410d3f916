package orchestrate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// generated are Orchestration tests of each form: of a main and a test, with all that a plan
// may have, and in a package that takes the names of the imports.
func generated(t testing.TB) (out [][]byte) {
	side := &artifact.Sidecar{Sites: []artifact.Site{{}, {ID: 1, Kind: "select", Key: "f#0", Func: "f", File: "a.go", Line: 3, Text: "//go:generate x\n*/"}}}
	plan := artifact.Plan{
		Steps:   []artifact.PlanStep{{G: "0", Site: "f#0", Occ: 2, Case: -1}, {G: "T"}},
		Expect:  artifact.Expect{Kind: artifact.KindLeak, Goroutines: []artifact.At{{G: "0.1", Site: "f#0"}}},
		Seed:    7,
		Minor:   true,
		Choices: []artifact.EnvChoice{{G: "0", Site: "f#0", Occ: 1, N: 3, Value: -2}},
	}
	for _, target := range []Target{
		{Dir: "/", Name: "main", Entry: artifact.Entry{Package: "m", Func: "main"}, End: "main#0", Args: []string{"-a", "`\"\n"}},
		{Dir: "/", Name: "p_test", Entry: artifact.Entry{Package: "m/p", Func: "TestX"}, Taken: []string{"json", "testing", "vtraceorc", "zzjson"}},
	} {
		src, err := Test(target, side, plan, MetaOf(artifact.Query{Number: 3, Formula: "A[] x\n//go:x", Description: "x +build y"}, 2, "vtrace replay"))
		require.NoError(t, err)
		out = append(out, src)
	}
	return out
}

// Every test that is generated passes, and none that does something else.
func TestCheckTest(t *testing.T) {
	for i, src := range generated(t) {
		entry := []string{"main", "TestX"}[i]
		require.NoError(t, CheckTest(src, "TestOrchestration_Q3_2", entry))
		require.Error(t, CheckTest(src, "TestOrchestration_Q3_1", entry))
		edit := func(old, new string) {
			t.Helper()
			text := strings.Replace(string(src), old, new, 1)
			require.NotEqual(t, string(src), text)
			require.Error(t, CheckTest([]byte(text), "TestOrchestration_Q3_2", entry), new)
		}
		edit("//go:build vtrace", "//go:build !vtrace")
		edit("//go:build vtrace && go1.21\n", "")
		edit("// Code generated", "// +build linux\n\n// Code generated")
		edit("import (", "import \"C\"\n\nimport (")
		edit("\"testing/synctest\"", "\"os\"")
		edit("func TestO", "var x = f()\n\nfunc TestO")
		edit("func TestO", "func init() { f() }\n\nfunc TestO")
		edit("func TestO", "//go:linkname a b\nfunc TestO")
		edit("func TestO", "/* x */\nfunc TestO")
		edit("Seed:  7", "Seed: f()")
		edit("Seed:  7", "Seed: uint64(f)")
		edit("Seed:  7", "Seed: <-f")
		edit("Seed:  7", "Seed: *f")
		edit("Seed:  7", "Seed: func() uint64 { return 7 }()")
		edit("synctest.Wait", "f()")
		edit("vtraceorc.For", "testing.For")
		edit(", "+entry+",", ", other,")
		edit(".Orchestrate(", ".Drive(")
		edit("\tconfig :=", "\tgo f()\n\tconfig :=")
		edit("\tplan :=", "\tdefer f()\n\tplan :=")
	}
}

// What passes calls nothing but the runtime, whatever it looks like.
func FuzzCheckTest(f *testing.F) {
	for _, src := range generated(f) {
		f.Add(string(src))
		f.Add(strings.Replace(string(src), "Seed:  7", "Seed: f()", 1))
		f.Add(strings.Replace(string(src), "\tplan", "\tgo f()\n\tplan", 1))
	}
	f.Fuzz(func(t *testing.T, src string) {
		const name = "TestOrchestration_Q3_2"
		if CheckTest([]byte(src), name, "main") != nil {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				calls++
			case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.ValueSpec, *ast.TypeSpec, *ast.StarExpr:
				if _, ok := n.(*ast.StarExpr); !ok {
					t.Fatalf("%T in %q", n, src)
				}
			case *ast.FuncDecl:
				if n.Name.Name != name {
					t.Fatalf("%s in %q", n.Name.Name, src)
				}
			case *ast.Comment:
				if strings.HasPrefix(n.Text, "//go:") && !strings.HasPrefix(n.Text, "//go:build vtrace") {
					t.Fatalf("%q", n.Text)
				}
			}
			return true
		})
		if calls != 2 {
			t.Fatalf("%d calls in %q", calls, src)
		}
	})
}

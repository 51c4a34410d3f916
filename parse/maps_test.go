package parse

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// typed is a file with what is known of its types.
func typed(t *testing.T, text string) (*types.Info, *ast.File) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, 0)
	require.NoError(t, err, text)
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, Implicits: map[ast.Node]types.Object{},
	}
	_, err = (&types.Config{Importer: importer.ForCompiler(fset, "source", nil)}).Check("p", fset, []*ast.File{file}, info)
	require.NoError(t, err, text)
	return info, file
}

// TestPrivateMaps: a map is private as long as nothing but its function can have it.
func TestPrivateMaps(t *testing.T) {
	for body, private := range map[string]bool{
		"m := map[int]int{}; m[1] = 1; _ = m[1]":                               true,
		"m := make(map[int]int, 8); m[1]++":                                    true,
		"var m = map[int]int{}; delete(m, 1); clear(m); _ = len(m)":            true,
		"m := map[int]int{}; for k, v := range m { use(k + v) }":               true,
		"m := map[int]int{}; (m)[1] = 1":                                       true,
		"m := map[int]int{}; use(m)":                                           false,
		"m := map[int]int{}; list = append(list, m)":                           false,
		"m := map[int]int{}; list = []map[int]int{m}":                          false,
		"m := map[int]int{}; c <- m":                                           false,
		"m := map[int]int{}; other = m":                                        false,
		"m := map[int]int{}; p := &m; (*p)[1] = 1":                             false,
		"m := map[int]int{}; go func() { m[1] = 1 }()":                         false,
		"m := map[int]int{}; panic(m)":                                         false,
		"m := map[int]int{}; use(m[1])":                                        true,
		"m := map[int]int{}; s := struct{ m map[int]int }{m}; s.m[1] = 1":      false,
		"m := given(); m[1] = 1":                                               false,
		"m := other; m[1] = 1":                                                 false,
		"m, n := given(), 1; m[n] = 1":                                         false,
		"m := map[int]int{}; m = other; m[1] = 1":                              false,
		"m := map[any]int{}; m[map[int]int(nil) == nil] = 1":                   true,
		"list[0], other[1] = nil, 1; m := map[int]map[int]int{}; m[0] = other": true,
	} {
		info, file := typed(t, "package p\n\nvar (\n\tlist []map[int]int\n\tother map[int]int\n\tc chan map[int]int\n)\n\nfunc use(any) {}\n\nfunc given() map[int]int { return other }\n\nfunc f() { "+body+" }\n")
		got := false
		for v := range privateMaps(info, file) {
			got = got || v.Name() == "m"
		}
		require.Equal(t, private, got, body)
	}
}

// TestClears: a range that does nothing but delete what it comes to is a clear of the map, of
// which the order shows nowhere.
func TestClears(t *testing.T) {
	for loop, want := range map[string]bool{
		"for k := range m { delete(m, k) }":                   true,
		"for k := range (m) { delete((m), k) }":               true,
		"for k = range m { delete(m, k) }":                    true,
		"for k := range m { delete(m, peer[k]) }":             false,
		"for k := range m { delete(peer, k) }":                false,
		"for k := range m { _ = k; delete(m, 1) }":            false,
		"for k := range m { delete(m, k); use(k) }":           false,
		"for k, v := range m { delete(m, k); use(v) }":        false,
		"for k, _ := range m { delete(m, k) }":                false,
		"for range m { delete(m, k) }":                        false,
		"for k := range m { remove(m, k) }":                   false,
		"for k := range given() { delete(given(), k) }":       false,
		"for k := range m { if k > 1 { delete(m, k) } }":      false,
		"for k := range m { delete := remove; delete(m, k) }": false,
	} {
		info, file := typed(t, "package p\n\nvar m, peer map[int]int\n\nvar k int\n\nfunc use(any) {}\n\nfunc given() map[int]int { return m }\n\nfunc remove(map[int]int, int) {}\n\nfunc f() { "+loop+" }\n")
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.RangeStmt); ok {
				require.Equal(t, want, clears(info, s), loop)
			}
			return true
		})
	}
}

// TestQuiet: which calls of the standard library order nothing between goroutines.
func TestQuiet(t *testing.T) {
	var funcs strings.Builder
	var calls []string
	var wants []bool
	for call, want := range map[string]bool{
		"fmt.Sprint(x)":                               true,
		"fmt.Println(x)":                              true,
		"fmt.Errorf(\"%v\", x)":                       true,
		"fmt.Sscan(s, &x)":                            true,
		"fmt.Fprint(os.Stdout, x)":                    true,
		"fmt.Fprint(new(bytes.Buffer), x)":            true,
		"fmt.Fprint(new(strings.Builder), x)":         true,
		"fmt.Fprint(pw, x)":                           false, // another goroutine reads what it writes
		"fmt.Fprint(w, x)":                            false,
		"fmt.Fprint(bufio.NewWriter(pw), x)":          false,
		"fmt.Fscan(r, &x)":                            false,
		"strings.ToUpper(s)":                          true,
		"strings.NewReader(s).Len()":                  true,
		"strings.NewReplacer(s, s).WriteString(w, s)": false,
		"slices.Sort(list)":                           true,
		"sort.Ints(list)":                             true,
		"time.Now()":                                  true,
		"time.Duration(1).String()":                   true,
		"time.NewTimer(1)":                            true,
		"time.NewTimer(1).Stop()":                     false,
		"time.NewTicker(1).Reset(1)":                  false,
		"os.Getpid()":                                 false,
		"log.Print(x)":                                false,
		"pw.Write(nil)":                               false,
		"url.Values{}.Set(s, s)":                      true, // a map, whose uses are seen
	} {
		calls = append(calls, call)
		fmt.Fprintf(&funcs, "func f%d(pw *io.PipeWriter, w io.Writer, r io.Reader, x int, s string, list []int) { %s }\n\n", len(calls), call)
		wants = append(wants, want)
	}
	imports := []string{"bufio", "bytes", "fmt", "io", "log", "net/url", "os", "slices", "sort", "strings", "time"}
	info, file := typed(t, "package p\n\nimport (\n\t\""+strings.Join(imports, "\"\n\t\"")+"\"\n)\n\n"+funcs.String())
	for i, d := range file.Decls[1:] {
		c := d.(*ast.FuncDecl).Body.List[0].(*ast.ExprStmt).X.(*ast.CallExpr)
		f := info.Uses[c.Fun.(*ast.SelectorExpr).Sel].(*types.Func)
		require.Equal(t, wants[i], isQuiet(info, c, f), calls[i])
	}
}

package parse

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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

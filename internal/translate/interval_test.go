package translate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIntervalsOfSeveral: what has one of several values has each of them, in whatever order
// they are written. A loop to the greatest value of its type does not end.
func TestIntervalsOfSeveral(t *testing.T) {
	const loop = "\tfor i := int8(0); i <= n; i++ {\n\t\tsum++\n\t}\n"
	// Each makes functions with a loop to n, which is one of the values, and what calls them.
	sources := map[string]func(name string, values []int) (functions, call string){
		"arguments": func(name string, values []int) (functions, call string) {
			for _, v := range values {
				call += fmt.Sprintf("\t%s(%d)\n", name, v)
			}
			return "func " + name + "(n int8) {\n" + loop + "}\n", call
		},
		"second arguments": func(name string, values []int) (functions, call string) {
			for _, v := range values {
				call += fmt.Sprintf("\t%s(1, %d)\n", name, v)
			}
			return "func " + name + "(_, n int8) {\n" + loop + "}\n", call
		},
		"arguments handed on": func(name string, values []int) (functions, call string) {
			for _, v := range values {
				call += fmt.Sprintf("\tby%s(%d)\n", name, v)
			}
			return "func by" + name + "(n int8) {\n\t" + name + "(n)\n}\nfunc " + name + "(n int8) {\n" + loop + "}\n", call
		},
		"arguments of goroutines and deferred calls": func(name string, values []int) (functions, call string) {
			for i, v := range values {
				call += fmt.Sprintf("\t%s %s(%d)\n", []string{"go", "defer", ""}[i], name, v)
			}
			return "func " + name + "(n int8) {\n" + loop + "}\n", call
		},
		"branches": func(name string, values []int) (functions, call string) {
			text := fmt.Sprintf("func %s() {\n\tn := int8(%d)\n", name, values[0])
			for i, v := range values[1:] {
				text += fmt.Sprintf("\tif odd == %d {\n\t\tn = %d\n\t}\n", i, v)
			}
			return text + loop + "}\n", "\t" + name + "()\n"
		},
		"cases": func(name string, values []int) (functions, call string) {
			text := "func " + name + "() {\n\tvar n int8\n\tswitch odd {\n"
			for i, v := range values {
				text += fmt.Sprintf("\tcase %d:\n\t\tn = %d\n", i, v)
			}
			return text + "\t}\n" + loop + "}\n", "\t" + name + "()\n"
		},
		"greatest": func(name string, values []int) (functions, call string) {
			text := fmt.Sprintf("func %s() {\n\tn := int8(%d)\n", name, values[0])
			for i, v := range values[1:] {
				text += fmt.Sprintf("\tm%d := int8(1)\n\tif odd == %d {\n\t\tm%d = %d\n\t}\n\tn = max(n, m%d)\n", i, i, i, v, i)
			}
			return text + loop + "}\n", "\t" + name + "()\n"
		},
	}
	var functions, calls strings.Builder
	var want []string
	for i, source := range slices.Sorted(maps.Keys(sources)) {
		for k, values := range [][]int{{127, 10, 3}, {10, 127, 3}, {10, 3, 127}, {126, 10, 3}, {3, 10, 126}} {
			name := fmt.Sprintf("f%d_%d", i, k)
			f, call := sources[source](name, values)
			functions.WriteString(f)
			calls.WriteString(call)
			if slices.Contains(values, 127) {
				want = append(want, name)
			}
		}
	}
	text := "package main\n\nimport \"fmt\"\n\nvar odd, sum int\n\n" + functions.String() + "func main() {\n\tfmt.Sscan(\"7\", &odd)\n" + calls.String() + "\t<-make(chan int)\n}\n"
	got := assumed(t, text)
	delete(got, "main")
	slices.Sort(want)
	require.Equal(t, want, slices.Sorted(maps.Keys(got)))
}

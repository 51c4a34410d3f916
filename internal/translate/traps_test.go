package translate_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// traps are the ways in which a translation of Go goes wrong most easily, with
// the programs of the table that step into them.
var traps = []struct {
	trap    string
	program string
	has     string   // an expression that the text of the program matches
	wants   []string // what the program does wrong
}{
	{"a partial deadlock while another goroutine spins", "partialspin", `(?s)for \{\s*select \{.*default:`,
		[]string{"partial deadlock"}},
	{"the eleventh call of one function", "eleventhcall", `(?s)range 10 \{\s*send\(c, i\)\s*\}\s*send\(`,
		[]string{"deadlock"}},
	{"two values of type sync.Once", "twoonces", `var a, b sync\.Once`,
		[]string{"deadlock"}},
	{"a pointer to a mutex as parameter", "mutexparameter", `func \w+\(mu \*sync\.Mutex`,
		[]string{"deadlock"}},
	{"a mutex from a composite literal", "mutexliteral", `mu := sync\.Mutex\{\}`,
		[]string{"deadlock"}},
	{"a channel of values that hold channels", "channelofchannels", `(?s)reply chan int.*in chan request`,
		nil},
	{"WaitGroup.Add of an unknown number", "addunknown", `wg\.Add\(n\)`,
		nil},
	{"a slice for the variadic parameter", "variadic", `first\(all\.\.\.\)`,
		[]string{"deadlock"}},
	{"two cases of a select on one channel", "selecttwice", `(?s)case <-c:.*case <-c:`,
		[]string{"panic", "deadlock"}},
	{"a loop variable for each iteration, captured", "loopvariable", `(?s)for i := 0;.*go func\(\) \{.*c <- i`,
		nil},
	{"a loop variable for each iteration, captured in a test", "loopvar", `(?s)for i := 0;.*go func\(\) \{.*if i == 3`,
		nil},
	{"an append that keeps the earlier elements", "sliceappendorder", `cs = append\(cs, b\)`,
		[]string{"deadlock"}},
	{"a method value in a go statement", "methodvaluego", `(?s)run := w\.run\s+go run\(\)`,
		[]string{"deadlock"}},
	{"a method value in a defer statement", "methodvaluedefer", `(?s)unlock := g\.mu\.Unlock\s+defer unlock\(\)`,
		[]string{"deadlock"}},
	{"a panic inside a deferred function", "deferpanics", `defer func\(\) \{ panic\(`,
		[]string{"send on closed channel"}},
	{"a panic inside a deferred function, which nothing recovers", "deferpanicsescape", `(?s)defer func\(\) \{\s*recover\(\)\s*panic\(`,
		[]string{"panic"}},
	{"main returns while others run", "mainreturns", `(?s)go func\(\) \{ c <- 1 \}\(\).*select \{\}`,
		nil},
}

// TestTraps checks that the table has a program for each trap, that it is
// translated without gaps, and that it and its model have the errors that the trap
// is about.
func TestTraps(t *testing.T) {
	for _, tr := range traps {
		t.Run(tr.program, func(t *testing.T) {
			dir := filepath.Join("testdata/verdicts", tr.program)
			text, err := os.ReadFile(filepath.Join(dir, "main.go"))
			require.NoError(t, err, tr.trap)
			require.Regexp(t, regexp.MustCompile(tr.has), string(text), tr.trap)
			prog, _ := load(t, dir, "main")
			r := remarksOf(t, prog)
			for _, gap := range []string{"missed", "silent", "under", "refused", "library"} {
				require.Empty(t, r[gap], tr.trap)
			}
			kinds := map[string]bool{}
			for _, w := range r["want"] {
				_, kind, _ := strings.Cut(w, " ")
				kinds[kind] = true
			}
			for _, k := range tr.wants {
				require.True(t, kinds[k], "%s: no %s", tr.trap, k)
			}
			require.Len(t, kinds, len(tr.wants), tr.trap)
			verdicts(t, prog, tr.program, map[string]bool{}, map[string]bool{})
		})
	}
}

package parse

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

// nestedForms are calls, and uses of methods as values, with a place for an operand: X is the
// operand by itself, or a function literal of type T that is called and returns it, and has
// other calls inside.
//
// Calls of uninstrumented code may be another text where an operand calls something: with
// literal those are compared with a function literal that has nothing inside.
var nestedForms = []struct {
	form, of, x string
	literal     bool
}{
	{"X.Store(1)", "*atomic.Int32", "(&n)", false},
	{"_ = X.CompareAndSwap(1, 2)", "*atomic.Int32", "(&n)", false},
	{"go X.Store(1)", "*atomic.Int32", "(&n)", false},
	{"defer X.Store(1)", "*atomic.Int32", "(&n)", false},
	{"_ = X.Load", "*atomic.Int32", "(&n)", false},
	{"atomic.StoreInt32(X, 1)", "*int32", "(&word)", false},
	{"go atomic.StoreInt32(X, 1)", "*int32", "(&word)", false},
	{"defer atomic.StoreInt32(X, 1)", "*int32", "(&word)", false},
	{"X.Lock()", "*sync.Mutex", "(&mu)", false},
	{"defer X.Unlock()", "*sync.Mutex", "(&mu)", false},
	{"go X.Unlock()", "*sync.Mutex", "(&mu)", false},
	{"_ = X.Unlock", "*sync.Mutex", "(&mu)", false},
	{`X.Run("a", subtest)`, "*testing.T", "test", false},
	{`defer X.Run("a", subtest)`, "*testing.T", "test", false},
	{`go X.Run("a", subtest)`, "*testing.T", "test", false},
	{"_ = X.Run", "*testing.T", "test", false},
	{"X.Parallel()", "*testing.T", "test", false},
	{"X.Cleanup(nil)", "*testing.T", "test", false},
	{"go X.Cleanup(nil)", "*testing.T", "test", false},
	{"_ = X.Cleanup", "*testing.T", "test", false},
	{"X.Log(1)", "*testing.T", "test", false},
	{"go X.Log(1)", "*testing.T", "test", false},
	{"_ = X.Log", "*testing.T", "test", false},
	{"_ = X.Context()", "*testing.T", "test", false},
	{"runtime.SetFinalizer(X, nil)", "*testing.T", "test", true},
	{"runtime.GC(); runtime.AddCleanup(X, func(int) {}, 1)", "*testing.T", "test", true},
	{"X.Close()", "io.Closer", "closer", true},
	{"if X.Close(); closer != nil { }", "io.Closer", "closer", true},
	{"defer X.Close()", "io.Closer", "closer", true},
	{"signal.Reset(X)", "os.Signal", "sig", true},
	{"defer signal.Reset(X)", "os.Signal", "sig", true},
	{"go signal.Reset(X)", "os.Signal", "sig", true},
	{"for signal.Reset(X); ; { }", "os.Signal", "sig", true},
	{"handler(X)", "func()", "plain", true},
	{"defer handler(X)", "func()", "plain", true},
	{"go handler(X)", "func()", "plain", true},
	{"sort.Ints(X)", "[]int", "[]int{1}", true},
	{"defer sort.Ints(X)", "[]int", "[]int{1}", true},
	{"defer X.Reset()", "*strings.Builder", "(&builder)", true},
}

// literal is a form with a function literal as the operand.
func literal(form, of, x, inside string) string {
	return strings.ReplaceAll(form, "X", fmt.Sprintf("func() %s { %s return %s }()", of, inside, x))
}

// insides are what is done there.
var insides = []string{
	"_ = n.Load()", "n.Add(1)", "defer n.Add(1)", "go n.Add(1)", "_ = n.Load", "_ = atomic.AddInt32(&word, 1)",
	"mu.Lock()", "defer mu.Lock()", "go mu.Lock()",
	`test.Run("b", subtest)`, `go test.Run("b", subtest)`, "_ = test.Run", "test.Cleanup(nil)", "_ = test.Cleanup", "test.Log(2)", "_ = test.Log",
	"signal.Ignore()", "defer signal.Ignore()", "go signal.Ignore()", "_ = closer.Close()", "defer closer.Close()", "handler(nil)", "defer handler(nil)",
	"sort.Ints(ints)", "defer sort.Ints(ints)", "plain()", "defer plain()", "go plain()",
}

// TestNestedCalls: what a call becomes does not depend on the calls inside of it, nor they on
// it.
func TestNestedCalls(t *testing.T) {
	dir := t.TempDir()
	var text strings.Builder
	text.WriteString(`package nested

import ("io"; "os"; "os/signal"; "sort"; "strings"; "sync"; "sync/atomic"; "testing"; "runtime")

var n atomic.Int32
var word int32
var test *testing.T
var mu sync.Mutex
var closer io.Closer
var handler func(func())
var ints []int
var builder strings.Builder
var sig os.Signal

var _ = signal.Ignore
var _ = sort.Ints

func subtest(t *testing.T) { t.Parallel() }
func plain() { ints = nil }
`)
	first := strings.Count(text.String(), "\n") + 1
	names := 0
	add := func(statement string) (name string) {
		names++
		name = fmt.Sprintf("f%d", names)
		fmt.Fprintf(&text, "func %s() { %s }\n", name, statement)
		return name
	}
	alone := make([]string, len(insides))
	for k, inside := range insides {
		alone[k] = add("func() { " + inside + " }()")
	}
	var tests []struct {
		what, got string
		want      []string
	}
	for _, f := range nestedForms {
		simple := strings.ReplaceAll(f.form, "X", f.x)
		if f.literal {
			simple = literal(f.form, f.of, f.x, "")
		}
		reference := add(simple)
		for k, inside := range insides {
			tests = append(tests, struct {
				what, got string
				want      []string
			}{f.form + " with " + inside, add(literal(f.form, f.of, f.x, inside+";")), []string{reference, alone[k]}})
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/nested\n\ngo 1.26\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "nested_test.go"), []byte(text.String()), 0o644))
	prog, err := source.LoadModule(t.Context(), source.Spec{Dir: dir})
	require.NoError(t, err)
	o, err := Instrument(t.Context(), prog, Index(prog), Options{Races: true})
	require.NoError(t, err)
	became := map[string][]string{} // by the function, what of the runtime it has
	diags := map[int][]string{}
	for _, d := range o.Diagnostics {
		diags[d.Line] = append(diags[d.Line], d.Reason)
	}
	// Which statements are guards depends on the functions around. Guard 0 is none.
	runtime := regexp.MustCompile(`zzorc\.?([A-Z]\w*)\((0,)?`)
	for i, text := range strings.Split(string(o.Files["nested_test.go"]), "\n")[first-1:] {
		fun, body, ok := strings.Cut(strings.TrimPrefix(text, "func "), "(")
		if !ok || strings.HasPrefix(fun, "zzorc") {
			continue
		}
		became[fun] = diags[first+i]
		for _, m := range runtime.FindAllStringSubmatch(body, -1) {
			if m[1] != "Beside" && m[1] != "Reached" && m[1] != "Alike" { // Alike only where the receiver can be named twice
				became[fun] = append(became[fun], m[1]+m[2])
			}
		}
	}
	for _, test := range tests {
		var want []string
		for _, name := range test.want {
			want = append(want, became[name]...)
		}
		require.ElementsMatch(t, want, became[test.got], test.what)
	}
}

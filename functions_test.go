package vtrace_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/driver"
)

var allFunctions = flag.Bool("functions", false, "check all functions of internal/driver/testdata/functions, not a few of them")

// sampled are the functions that are checked without the flag.
var sampled = regexp.MustCompile(`^(m01 .*(\.ForEach|\.ForEachIndex|Pool\.Each)|m03 .*(RunAll|\.First|Fastest)|m13 .*)$`)

// missed are the functions with an error that a check does not find, with the reason, and those of which it finds it at
// another function.
var missed = map[string]string{
	"m06 bus.Observers.Notify": "a function has to be added before",

	"m07 pool.Conns.GetRetry": "a second try waits for what Put of another caller may do; the same error is found at Conns.Get",
}

// written is what somebody says of a function who has written it without knowing what is checked.
type written struct {
	name  string // with the package
	wrong bool
	text  string
}

// functionsOf reads an archive of functions.
func functionsOf(t *testing.T, name string) (dir string, all []written) {
	ar, err := txtar.ParseFile(name)
	require.NoError(t, err)
	dir = t.TempDir()
	for _, f := range ar.Files {
		to := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(to), 0o755))
		require.NoError(t, os.WriteFile(to, f.Data, 0o644))
	}
	for line := range strings.Lines(string(ar.Comment)) {
		if name, text, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && strings.Contains(name, ".") {
			all = append(all, written{name, text != "none", text})
		}
	}
	return dir, all
}

// Of functions in the shapes of real code, without tests, the errors of those that have one for some values are real with
// a driver and these values, and the others have none: not those that refuse values, block by contract, or start
// what another method stops.
func TestFunctions(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("what is run under the race detector is TestFunctionsInterrupted")
	}
	names, err := filepath.Glob("internal/driver/testdata/functions/*.txtar")
	require.NoError(t, err)
	require.Len(t, names, 13)
	most := 10
	if *allFunctions {
		most = 0
	}
	for _, name := range names {
		module := strings.TrimSuffix(filepath.Base(name), ".txtar")
		dir, all := functionsOf(t, name)
		wanted := func(w written) bool { return *allFunctions || sampled.MatchString(module+" "+w.name) }
		if !slices.ContainsFunc(all, wanted) {
			continue
		}
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			functions, err := vtrace.LoadFunctions(t.Context(), vtrace.Package("./...", vtrace.In(dir)), vtrace.FunctionOptions{Valuations: most})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, functions.Close()) })
			known := map[string]written{}
			for _, w := range all {
				known[w.name] = w
			}
			for _, f := range functions.List() {
				w, ok := known[filepath.Base(f.Package)+"."+f.Name]
				require.True(t, ok, f.String())
				if f.LeftOut != "" || !wanted(w) {
					continue
				}
				start := time.Now()
				s, err := functions.Check(t.Context(), f, vtrace.Budget(5*time.Minute)) // of a machine that does much else
				require.NoError(t, err)
				var errors []string
				for _, e := range s.Alarms() {
					if e.Verdict == artifact.Real {
						errors = append(errors, fmt.Sprintf("%s at %s:%d with %s", e.Kind, e.File, e.Line, s.Checked[e.In[0]].Valuation))
					}
				}
				t.Logf("%s: %v in %v: %s (it has: %s)", f, errors, time.Since(start).Round(time.Millisecond), strings.Join(errors, "; "), w.text)
				if why := missed[module+" "+w.name]; why != "" {
					require.Empty(t, errors, "%s is found: %s", f, why)
					continue
				}
				require.Equal(t, w.wrong, len(errors) > 0, "%s: %v, it has %s", f, errors, w.text)
			}
		})
	}
}

// What an interrupted check of a function knows is its result, and others can be checked afterwards.
func TestFunctionsInterrupted(t *testing.T) {
	t.Parallel()
	dir, _ := functionsOf(t, "internal/driver/testdata/functions/m01.txtar")
	functions, err := vtrace.LoadFunctions(t.Context(), vtrace.Package("./parallel", vtrace.In(dir)), vtrace.FunctionOptions{
		Numbers: []int{0, 1}, Only: func(name string) bool { return name == "ForEach" },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, functions.Close()) })
	list := functions.List()
	require.Len(t, list, 1)
	stop := make(chan struct{})
	close(stop)
	s, err := functions.Check(t.Context(), list[0], vtrace.Interrupt(stop))
	require.NoError(t, err)
	require.Empty(t, s.Alarms())
	for _, c := range s.Checked {
		require.False(t, c.Decided)
	}
	s, err = functions.Check(t.Context(), list[0])
	require.NoError(t, err)
	require.Len(t, s.Alarms(), 1)
	require.Equal(t, driver.Alarm, s.Alarms()[0].Class)
	require.Equal(t, "len(items) = 1, limit = 0, fn returns", s.Checked[s.Alarms()[0].In[0]].Valuation.String())
}

// numbered are the numbers that the functions of TestFunctionNumbers are called with.
func numbered() []int {
	if *allFunctions {
		return []int{1, 2, 3, 10, 30, 100, 300, 1000}
	}
	return []int{1, 30}
}

// What depends on a number is checked with large ones too: as many goroutines and iterations as there are. How long it takes
// is said with -v.
func TestFunctionNumbers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("what is run under the race detector is TestFunctionsInterrupted")
	}
	dir, all := functionsOf(t, "internal/driver/testdata/numbers.txtar")
	for _, n := range numbered() {
		functions, err := vtrace.LoadFunctions(t.Context(), vtrace.Package("./...", vtrace.In(dir)), vtrace.FunctionOptions{Numbers: []int{n}})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, functions.Close()) })
		require.Len(t, functions.List(), len(all))
		for _, f := range functions.List() {
			i := slices.IndexFunc(all, func(w written) bool { return w.name == "numbers."+f.Name })
			require.GreaterOrEqual(t, i, 0, f.Name)
			start := time.Now()
			s, err := functions.Check(t.Context(), f, vtrace.Budget(time.Minute))
			require.NoError(t, err)
			t.Logf("%s with %d: %v", f.Name, n, time.Since(start).Round(10*time.Millisecond))
			for _, c := range s.Checked {
				require.True(t, c.Decided, "%s with %d: %v", f.Name, n, c.Limits)
			}
			require.Equal(t, all[i].wrong && n > 1, len(s.Alarms()) > 0, "%s with %d: %v", f.Name, n, s.Alarms())
		}
	}
}

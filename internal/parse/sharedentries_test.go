package parse

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// TestSharedEntries: the entry points of a package have the same instrumented program, but for those
// of which the clock would decide something else in what both run.
func TestSharedEntries(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module shared\n\ngo 1.26\n",
		"p_test.go": `package shared

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestLock(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	mu.Unlock()
}

func TestParallel(t *testing.T) {
	t.Run("one", func(t *testing.T) { t.Parallel() })
}

func TestYear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if time.Now().Year() != 2000 {
			t.Error("late")
		}
	})
}
`,
		"q/q_test.go": `package q

import (
	"testing"
	"time"
)

func late(at time.Time) bool {
	if at.Year() > 2000 {
		return true
	}
	return false
}

func TestNumber(t *testing.T) { late(time.Time{}) }

func TestClock(t *testing.T) { late(time.Now()) }
`,
		"r/r_test.go": `package r

import (
	"testing"
	"time"
)

const limit = 3 * time.Second

func TestIn(t *testing.T) { wait(limit) }

func wait(d time.Duration) { <-time.After(d) }
`,
		"r/x_test.go": `package r_test

import (
	"testing"
	"time"

	_ "shared/r"
)

func TestOut(t *testing.T) { t.Log(time.Now()) }
`,
		"r/r.go": "package r\n",
		"s/s.go": "package s\n\nimport \"time\"\n\nfunc Late(d, than time.Duration) bool { return d > than }\n",
		"s/s_test.go": `package s

import "testing"

func TestIn(t *testing.T) { Late(1, 2) }
`,
		"s/x_test.go": `package s_test

import (
	"testing"
	"time"

	"shared/s"
)

func TestOut(t *testing.T) { s.Late(time.Since(time.Now()), 1) }
`,
	} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	set, err := source.LoadSet(t.Context(), source.Spec{Dir: dir, Pattern: "./..."})
	require.NoError(t, err)
	made := map[string]*Overlay{}
	for _, e := range set.Entries() {
		if strings.HasSuffix(e.Package, "/r") || strings.HasSuffix(e.Package, "/s") {
			continue
		}
		prog, err := set.Program(e)
		require.NoError(t, err)
		made[e.Func], err = Instrument(t.Context(), prog, sharedIndex(t, prog), Options{Shared: true})
		require.NoError(t, err)
	}
	same := func(a, b string) bool { return maps.EqualFunc(made[a].Files, made[b].Files, slices.Equal[[]byte]) }
	require.True(t, same("TestLock", "TestYear"))
	require.True(t, same("TestLock", "TestParallel"))
	require.False(t, same("TestNumber", "TestClock"))

	// Both entries have an End and a Join, and what is particular to one is not in the program.
	text := string(made["TestLock"].Files["zz_vtrace_gen_test.go"])
	for _, key := range []string{"shared.TestLock.end", "shared.TestYear.end", "shared.TestLock.join", "shared.TestParallel.join"} {
		require.Contains(t, text, `"`+key+`"`)
	}
	require.NotContains(t, text, "RegisterBubbles")
	require.False(t, made["TestLock"].Bubbles)
	require.True(t, made["TestYear"].Bubbles)

	decides := func(entry string) bool {
		return slices.ContainsFunc(made[entry].Diagnostics, func(d Diagnostic) bool { return strings.Contains(d.Reason, "clock decides") })
	}
	require.True(t, decides("TestYear"))
	require.False(t, decides("TestLock"))

	// The program of a test in a package is covered by that of its external tests, unless the clock that only these
	// read has a statement of it be another one. What the packages do with runs is for those that have them.
	for pkg, covers := range map[string]bool{"shared/r": true, "shared/s": false} {
		prog, err := set.Program(source.EntryPoint{Package: pkg, Func: "TestIn"})
		require.NoError(t, err)
		whole, left := prog.WithExternalTests()
		require.NotNil(t, whole)
		require.Equal(t, []string{pkg + "_test"}, left)
		index := sharedIndex(t, whole)
		all, err := Instrument(t.Context(), whole, index, Options{Shared: true})
		require.NoError(t, err)
		own, err := Instrument(t.Context(), prog, index, Options{Shared: true})
		require.NoError(t, err)
		require.Equal(t, covers, all.Covers(own), pkg)
		require.False(t, own.Covers(all))
		require.Empty(t, own.Diagnostics)
		require.Contains(t, string(all.Files[pkg[len("shared/"):]+"/zz_vtrace_gen_x_test.go"]), `RegisterIn("`+pkg+`_test", func() {`)
	}
}

func sharedIndex(t testing.TB, prog *source.Program) *sites.Index {
	t.Helper()
	idx, err := SharedIndex(t.Context(), prog)
	require.NoError(t, err)
	return idx
}

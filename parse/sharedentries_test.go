package parse

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/source"
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
	} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	set, err := source.LoadSet(t.Context(), source.Spec{Dir: dir, Pattern: "./..."})
	require.NoError(t, err)
	made := map[string]*Overlay{}
	for _, e := range set.Entries() {
		prog, err := set.Program(e)
		require.NoError(t, err)
		made[e.Func], err = Instrument(t.Context(), prog, SharedIndex(prog), Options{Shared: true})
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
}

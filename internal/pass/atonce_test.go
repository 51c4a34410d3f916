package pass

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/source"
)

// TestCheckEntriesAtOnce: entry points of a set may be checked at the same time, with the results that
// each has in a check of its own, and one build for all of them.
func TestCheckEntriesAtOnce(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module several\n\ngo 1.25\n",
		"p_test.go": `package several

import (
	"bufio"
	"bytes"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add() { c.mu.Lock(); c.n++; c.mu.Unlock() }

func (c *counter) get() int { return c.n }

func call(f func() int) int { return f() }

func TestAdd(t *testing.T) {
	var c counter
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(c.add)
	}
	wg.Wait()
}

// Its statements stand beside atomic operations, a library keeps a pointer to what it uses, and a
// method that has no guard is called by its value.
func TestBeside(t *testing.T) {
	var done atomic.Bool
	var text bytes.Buffer
	out := bufio.NewWriter(&text)
	ended := make(chan bool)
	n := 0
	go func() {
		done.Store(true)
		ended <- true
	}()
	if text.Len() > 0 {
		t.Error("text")
	}
	_, _ = out.WriteString("ready")
	n++
	if done.Load() {
		n++
	}
	c := counter{n: n}
	if get := c.get; call(get) > 2 {
		t.Error(n)
	}
	<-ended
}

func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if time.Now().Year() != 2000 {
			t.Error("late")
		}
	})
}

func TestLost(t *testing.T) {
	lost := make(chan int)
	go func() { lost <- 1 }()
}

func TestHeld(t *testing.T) {
	var c counter
	c.mu.Lock()
	c.add()
}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	set, err := source.LoadSet(t.Context(), source.Spec{Dir: dir, Pattern: "./..."})
	require.NoError(t, err)
	entries := set.Entries()
	require.Len(t, entries, 5)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	built := countBuilds(t)
	check := func(i int, to []string, opts Options) error {
		b, err := CheckEntry(t.Context(), set, entries[i], opts)
		if err == nil {
			to[i] = b.Digest()
		}
		return err
	}
	alone, atOnce, apart := make([]string, len(entries)), make([]string, len(entries)), make([]string, len(entries))
	builds := &Builds{}
	var group errgroup.Group
	for i := range entries {
		group.Go(func() error { return check(i, atOnce, Options{Processors: 1, Builds: builds}) })
	}
	require.NoError(t, group.Wait())
	require.Equal(t, 1, built())
	single := []int{1, 2, 3}
	for _, i := range single {
		require.NoError(t, check(i, alone, Options{}))
		require.Equal(t, alone[i], atOnce[i], entries[i])
	}
	require.Equal(t, 1+len(single), built())

	// What does not compile in the form that checks share is built in its own.
	require.Len(t, builds.known, 2) // with the one for plain runs
	for _, s := range builds.known {
		require.NoError(t, s.binary.Close())
		s.binary, s.failed = nil, &orchestrate.BuildError{Err: errors.New("not in this form")}
	}
	special := []int{1, 2} // the others would show nothing that these do not
	for _, i := range special {
		require.NoError(t, check(i, apart, Options{Builds: builds}))
		require.Equal(t, alone[i], apart[i], entries[i])
	}
	require.Equal(t, 1+len(single)+2*len(special), built()) // of the bundle, and for the second engine
	require.NoError(t, builds.Close())
	left, err := os.ReadDir(temp)
	require.NoError(t, err)
	require.Empty(t, left)
}

// countBuilds has a script stand before the go command which notes what it is called for, and
// returns how many instrumented tests it has built so far.
func countBuilds(t *testing.T) func() int {
	t.Helper()
	goCommand, err := exec.LookPath("go")
	require.NoError(t, err)
	dir := t.TempDir()
	calls := filepath.Join(dir, "calls")
	script := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$*\" >>'%s'\nexec '%s' \"$@\"\n", calls, goCommand)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o700))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() int {
		text, err := os.ReadFile(calls)
		require.NoError(t, err)
		return strings.Count(string(text), "/orchestration.test ")
	}
}

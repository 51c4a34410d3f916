package pass

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/source"
)

// TestCheckEntriesAtOnce: entry points of a set may be checked at the same time, with the results that
// they have one after the other.
func TestCheckEntriesAtOnce(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module several\n\ngo 1.25\n",
		"p_test.go": `package several

import (
	"sync"
	"testing"
)

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) add() { c.mu.Lock(); c.n++; c.mu.Unlock() }

func TestAdd(t *testing.T) {
	var c counter
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(c.add)
	}
	wg.Wait()
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
	require.Len(t, entries, 3)
	alone, atOnce := make([]string, len(entries)), make([]string, len(entries))
	check := func(i int, to []string, processors int) error {
		b, err := CheckEntry(t.Context(), set, entries[i], Options{Processors: processors})
		if err == nil {
			to[i] = artifact.Digest(b)
		}
		return err
	}
	var group errgroup.Group
	for i := range entries {
		group.Go(func() error { return check(i, atOnce, 1) })
	}
	require.NoError(t, group.Wait())
	for i := range entries {
		require.NoError(t, check(i, alone, 0))
	}
	require.Equal(t, alone, atOnce)
}

package blackbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
)

// TestRemaining: a check names the goroutines of libraries that a test leaves behind, also if it does so
// under some schedules only.
func TestRemaining(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	const text = `package p

import ("context"; "sync"; "testing")

type parent struct{ context.Context; done chan struct{} }

func (p parent) Done() <-chan struct{} { return p.done }

func TestA(t *testing.T) {
	_, cancel := context.WithCancel(parent{context.Background(), make(chan struct{})})
	var mu sync.Mutex
	first := ""
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			if first == "" { first = name }
		})
	}
	wg.Wait()
	if CONDITION { cancel() }
}
`
	for condition, left := range map[string]bool{"true": false, `first == "a"`: true, `first == "c"`: true} {
		t.Run(condition, func(t *testing.T) {
			t.Parallel()
			spec := programs.Write(t, "1.26", "p_test.go", strings.ReplaceAll(text, "CONDITION", condition), "TestA")
			b, err := pass.Check(t.Context(), spec, pass.Options{})
			require.NoError(t, err)
			require.Zero(t, pass.Conclude(b).Real)
			require.Empty(t, pass.Conclude(b).Limits)
			require.Equal(t, left, len(b.Runs().Remaining) == 1, "%v", b.Runs().Remaining)
		})
	}
}

package pass_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/pass"
)

// A program that fails, and whose failure takes no part of a check alone to find.
const failing = `
func TestProgram(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
}
`

// A check whose time is over before it begins says so, and claims nothing.
func TestBudgetSpent(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	for name, opts := range map[string]pass.Options{
		"budget":    {Budget: time.Nanosecond},
		"interrupt": {Interrupt: closed},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := pass.Check(context.Background(), writeTest(t, failing), opts)
			require.NoError(t, err)
			c := pass.Conclude(b)
			require.True(t, c.Inconclusive())
			require.NotEmpty(t, c.Limits)
			require.NotEmpty(t, b.Runs().Cut)
		})
	}
}

// What a budget cannot cut in time ends with the context, and there is no result.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := pass.Check(ctx, writeTest(t, failing), pass.Options{Budget: time.Minute})
	require.ErrorIs(t, err, context.Canceled)
}

// What an earlier check has made is taken from the cache, and the result is the same.
// What it had found is handed on at once.
func TestResume(t *testing.T) {
	spec := writeTest(t, failing)
	cache := &artifact.Cache{Dir: t.TempDir()}
	var partial []*artifact.Bundle
	stages := map[string]int{}
	check := func() *artifact.Bundle {
		clear(stages)
		b, err := pass.Check(context.Background(), spec, pass.Options{
			Cache: cache, Partial: func(b *artifact.Bundle) { partial = append(partial, b) },
			Progress: func(e pass.Event) {
				if s, ok := e.(pass.StageDone); ok {
					stages[s.Pass+" "+s.Stage]++
				}
			},
		})
		require.NoError(t, err)
		return b
	}
	first := check()
	require.NotZero(t, stages["first search"])
	require.NotEmpty(t, partial)
	require.Equal(t, artifact.Real, partial[0].Findings()[0].Verdict)
	require.Len(t, manifests(t, cache), 2)
	second := check()
	require.Zero(t, stages["first search"])
	require.Zero(t, stages["second search"])
	require.Equal(t, first.Digest(), second.Digest())
	for _, m := range manifests(t, cache) {
		require.NoError(t, cache.Remove(m))
	}
	require.Empty(t, manifests(t, cache))
}

func manifests(t *testing.T, c *artifact.Cache) []artifact.Manifest {
	t.Helper()
	all, err := c.Manifests()
	require.NoError(t, err)
	return all
}

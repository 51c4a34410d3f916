package blackbox_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/kept"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
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
	b, err := pass.Check(context.Background(), programs.Test(t, failing), pass.Options{Budget: time.Nanosecond})
	require.NoError(t, err)
	c := pass.Conclude(b)
	require.True(t, c.Inconclusive())
	require.NotEmpty(t, c.Limits)
	require.NotEmpty(t, b.Runs().Cut)
}

// A check that is interrupted before the program is loaded has nothing to show.
func TestInterruptedAtOnce(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	_, err := pass.Check(context.Background(), programs.Test(t, failing), pass.Options{Interrupt: closed})
	require.ErrorIs(t, err, context.Canceled)
}

// What a budget cannot cut in time ends with the context, and there is no result.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := pass.Check(ctx, programs.Test(t, failing), pass.Options{Budget: time.Minute})
	require.ErrorIs(t, err, context.Canceled)
}

// What an earlier check has made is taken from the cache, and the result is the same.
// What it had found is handed on at once.
func TestResume(t *testing.T) {
	t.Parallel()
	spec := programs.Test(t, failing)
	cache := &kept.Cache{Dir: t.TempDir()}
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

// A deep pass that was killed has kept what it has learnt, and the next one replays none of
// the traces again that were refuted.
func TestResumeReplays(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	spec := programs.Main(t, strings.ReplaceAll(thirdCall, `"b"`, `"z"`))
	cache := &kept.Cache{Dir: t.TempDir()}
	check := func(stopAt int) (*artifact.Bundle, []string) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		var replayed []string
		b, err := pass.Check(ctx, spec, pass.Options{Cache: cache, Progress: func(e pass.Event) {
			if r, ok := e.(pass.Replayed); ok {
				if replayed = append(replayed, r.Outcome); len(replayed) == stopAt {
					stop()
				}
			}
		}})
		if stopAt > 0 {
			require.ErrorIs(t, err, context.Canceled)
		} else {
			require.NoError(t, err)
		}
		return b, replayed
	}
	_, replayed := check(2)
	require.Len(t, replayed, 2)
	require.Len(t, manifests(t, cache), 3)
	kept := deepIn(t, cache)
	require.Len(t, kept.Refutations(), 1)
	require.NotEmpty(t, kept.Facts())
	resumed, replayed := check(0)
	require.Equal(t, artifact.False, resumed.Findings()[0].Verdict, resumed.Findings()[0].Reason)
	require.Equal(t, kept.Refutations()[0], resumed.Refutations()[0])
	require.Len(t, manifests(t, cache), 2)
	whole, before := check(0)
	require.Equal(t, whole.Findings()[0].Verdict, resumed.Findings()[0].Verdict)
	require.Equal(t, len(before)-1, len(replayed))
}

// deepIn is the bundle of a deep pass in a cache.
func deepIn(t *testing.T, c *kept.Cache) *artifact.Bundle {
	t.Helper()
	for _, m := range manifests(t, c) {
		if m.Pass == artifact.PassDeep {
			b, _, err := c.Get(m)
			require.NoError(t, err)
			return b
		}
	}
	require.Fail(t, "there is none")
	return nil
}

func manifests(t *testing.T, c *kept.Cache) []artifact.Manifest {
	t.Helper()
	all, err := c.Manifests()
	require.NoError(t, err)
	return all
}

package pass

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/recording"
)

// ordered is a test whose parallel subtests take two locks in opposite order, and nothing keeps them from it.
const ordered = `package p

import (
	"sync"
	"testing"
)

func TestOrder(t *testing.T) {
	var a, b sync.Mutex
	both := func(first, second *sync.Mutex) {
		first.Lock()
		second.Lock()
		second.Unlock()
		first.Unlock()
	}
	t.Run("one", func(t *testing.T) {
		t.Parallel()
		both(&a, &b)
	})
	t.Run("two", func(t *testing.T) {
		t.Parallel()
		both(&b, &a)
	})
}
`

// TestRecordReplay: an error is predicted from a recording of a run under control; the replay of it is recorded, and has the
// goroutines where they are stuck.
func TestRecordReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs record themselves")
	}
	t.Parallel()
	ctx, spec := context.Background(), programs.Write(t, "1.26", "p_test.go", ordered, "TestOrder")
	var run, replay bytes.Buffer
	seed := uint64(2)
	r, err := Record(ctx, spec, Recording{To: &run, Seed: &seed}, Options{Strategy: orchestrate.StrategyRandom})
	require.NoError(t, err)
	require.Empty(t, r.Limits)
	p, err := Predict(ctx, spec, Predicting{From: &run}, Options{})
	require.NoError(t, err)
	var test string
	for _, f := range p.Bundle.Findings() {
		if f.Verdict == artifact.Real {
			test = f.Test
		}
	}
	require.NotEmpty(t, test)
	v, err := Replay(ctx, p.Bundle, test, Options{Record: &replay})
	require.NoError(t, err)
	require.Equal(t, orchestrate.Reproduced, v.Status)
	require.Empty(t, v.Notes)
	tr, h, err := recording.Load(&replay, 0)
	require.NoError(t, err)
	require.Equal(t, "replay of "+test, h.Schedule)
	require.Equal(t, v.Reason, h.End)
	require.Empty(t, h.Notes)
	require.Len(t, tr.Goroutines, 3)
	require.Equal(t, []string{"wait waitgroup4"}, pendingOf(tr, "0"))
	require.ElementsMatch(t, []string{"lock mutex5", "lock mutex6"}, append(pendingOf(tr, "0.1"), pendingOf(tr, "0.2")...))

	var option *OptionError
	_, err = Record(ctx, spec, Recording{To: &run, Seed: &seed}, Options{Strategy: orchestrate.StrategyPortfolio})
	require.ErrorAs(t, err, &option)
}

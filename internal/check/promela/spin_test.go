package promela_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/check/internal/families"
	"github.com/vtrace/vtrace/internal/check/internal/spin"
	"github.com/vtrace/vtrace/internal/check/promela"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// export writes a network with a query, or fails the test.
func export(t testing.TB, net *uppaal.Network, q *uppaal.Query) []byte {
	t.Helper()
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, promela.Export(&out, info, q))
	return out.Bytes()
}

func needSpin(t testing.TB) {
	t.Helper()
	if err := spin.Available(); err != nil {
		t.Skip(err)
	}
}

func runSpin(t testing.TB, model []byte, o spin.Options) *spin.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	o.Quick = true
	if o.Depth == 0 {
		o.Depth = 1_000_000
	}
	r, err := spin.Run(ctx, model, o)
	require.NoError(t, err, "%s", model)
	require.False(t, r.Truncated)
	return r
}

// Without reductions Spin finds the same number of states and transitions.
func TestFamiliesCount(t *testing.T) {
	needSpin(t)
	for _, f := range families.All() {
		t.Run(f.Name, func(t *testing.T) {
			net, err := f.Build(f.Small)
			require.NoError(t, err)
			all, err := check.Verify(context.Background(), net, nil, check.Options{})
			require.NoError(t, err)
			model := export(t, net, nil)
			r := runSpin(t, model, spin.Options{Full: true, Continue: true})
			require.Zero(t, r.Errors, "%s\n%s", r.Output, model)
			require.Equal(t, all.Stats.States, r.States, "%s", model)
			require.Equal(t, all.Stats.Transitions, r.Transitions, "%s", model)
		})
	}
}

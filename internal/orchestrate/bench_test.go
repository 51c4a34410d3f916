package orchestrate

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// One process for each run of a plan.
func BenchmarkRun(b *testing.B) {
	target, _ := program(b)
	ctx := context.Background()
	bin, err := Build(ctx, target, BuildOptions{Overlay: runtimeOverlay(b)})
	require.NoError(b, err)
	defer func() { require.NoError(b, bin.Close()) }()
	plan := artifact.Plan{
		Steps:  steps("0 spawn, 0.1 snd, 0 rcv, 0.1 cls, 0 cls2"),
		Expect: artifact.Expect{Kind: artifact.KindCloseOfClosed, Goroutines: []artifact.At{{G: "0", Site: "cls2"}}},
	}
	for b.Loop() {
		v, err := bin.Run(ctx, plan, RunOptions{})
		require.NoError(b, err)
		require.Equal(b, Reproduced, v.Status)
	}
}

// Building with a warm build cache.
func BenchmarkBuild(b *testing.B) {
	target, _ := program(b)
	overlay := runtimeOverlay(b)
	for b.Loop() {
		bin, err := Build(context.Background(), target, BuildOptions{Overlay: overlay})
		require.NoError(b, err)
		require.NoError(b, bin.Close())
	}
}

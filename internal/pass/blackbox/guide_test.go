package blackbox_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
)

// What more replays would have shown, runs under other schedules do, with a test
// that repeats it; what the program never does stays open.
func TestGuide(t *testing.T) {
	programs.InLong(t)
	// Goroutines send in an order of which the model has six, and the program
	// closes before the last.
	const orders = `package main

import "bytes"

func main() {
	c := make(chan string, 3)
	for _, s := range []string{"a", "b", "c"} {
		go func() { c <- s }()
	}
	got := <-c + <-c
	if bytes.HasPrefix([]byte("cba"), []byte(got)) {
		close(c)
	}
	<-c
}
`
	for _, c := range []struct {
		name, text string
		verdicts   []string
	}{
		{"panic", thirdCall, []string{"main.go:14: real: panic"}},
		{"never", strings.ReplaceAll(thirdCall, `"b"`, `"z"`), []string{"main.go:14: false: panic"}},
		{"orders", orders, []string{"main.go:8: real: send on closed channel"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx, spec, opts := context.Background(), programs.Main(t, c.text), pass.Options{RunDepth: 1}
			b, err := pass.Check(ctx, spec, opts)
			require.NoError(t, err)
			require.Equal(t, c.verdicts, found(b), b.Findings())
			again, err := pass.Check(ctx, spec, opts)
			require.NoError(t, err)
			require.Equal(t, b.Findings(), again.Findings())
			f := b.Findings()[0]
			if f.Verdict == artifact.False { // after all, by every schedule
				require.Contains(t, f.Reason, "schedule")
				require.True(t, pass.Conclude(b).Proved)
				require.False(t, pass.Conclude(b).Inconclusive())
				return
			}
			require.Equal(t, 2, f.Attempts)
			require.Contains(t, f.Reason, "shown by run ")
			require.NotEmpty(t, f.Interleaving)
			v, err := pass.Replay(ctx, b, f.Test, pass.Options{Root: spec.Dir})
			require.NoError(t, err)
			require.Equal(t, orchestrate.Reproduced, v.Status, v.Reason)
		})
	}
}

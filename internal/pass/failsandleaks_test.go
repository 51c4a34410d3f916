package pass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/programs"
)

// TestExhaustFailsAndLeaks: a run in which the test fails and leaves a goroutine behind ends in
// both errors, in an exploration and in a check, also where another run leaves it, too, and does
// not fail.
func TestExhaustFailsAndLeaks(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	for name, c := range map[string]struct {
		send, late string
		kinds      []string
	}{
		"in every run": {"c <- 1", "true", []string{artifact.KindLeak, artifact.KindTestFailure}},
		"in some runs": {"c <- 1", "n == 2", []string{artifact.KindLeak, artifact.KindTestFailure}},
		"leaks":        {"c <- 1", "n == 3", []string{artifact.KindLeak}},
		"fails":        {"select { case c <- 1: default: }", "true", []string{artifact.KindTestFailure}},
		"neither":      {"select { case c <- 1: default: }", "n == 3", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := programs.Write(t, "1.25", "p_test.go", `package p

import "testing"

func TestProgram(t *testing.T) {
	c, d := make(chan int), make(chan int, 2)
	go func() { d <- 1 }()
	go func() { d <- 2 }()
	go func() { `+c.send+` }()
	if n := <-d; `+c.late+` {
		t.Error("late", n)
	}
	<-d
}
`, "TestProgram")
			x, err := Exhaust(t.Context(), spec, Exhaustion{}, Options{})
			require.NoError(t, err)
			require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
			require.Equal(t, c.kinds, programs.Errors(t, x.Ends, x.Covered.Limits))
			b, err := Check(t.Context(), spec, Options{})
			require.NoError(t, err)
			var real []string
			for _, f := range b.Findings() {
				if f.Verdict == artifact.Real {
					real = append(real, f.Kind)
				}
			}
			require.ElementsMatch(t, c.kinds, real, describe(b))
		})
	}
}

package analyze_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/trace"
)

// What has a witness keeps the order of the calls of code that is not instrumented, and what is read.
func TestStrict(t *testing.T) {
	t.Parallel()
	const flag = "mutex m\nchan c 1\nvar closed\nvar other\natomic flag\ngoroutine 1\n  go 2\n"
	for _, c := range []struct {
		name, trace string
		code        analyze.Code
		level       analyze.Level // "": it is not found
	}{
		{"a call orders two writes", "library l\nvar x\ngoroutine 1\n  go 2\n  write x\n  call l seq 1\n  call l from 1.3 seq 2\ngoroutine 2 of 1\n  call l from 1.4 seq 3\n  call l from 2.1 seq 4\n  write x", analyze.Race, analyze.Warning},
		{"a call that has not returned", "library l\nvar x\ngoroutine 1\n  go 2\n  write x\n  call l seq 1\ngoroutine 2 of 1\n  call l from 1.3 seq 2\n  write x", analyze.Race, analyze.Warning},
		{"calls behind them", "library l\nvar x\ngoroutine 1\n  go 2\n  write x\n  call l seq 1\ngoroutine 2 of 1\n  write x\n  call l from 1.3 seq 2", analyze.Race, analyze.Error},
		{"calls in front of them", "library l\nvar x\ngoroutine 1\n  go 2\n  call l seq 1\n  write x\ngoroutine 2 of 1\n  call l from 1.2 seq 2\n  write x", analyze.Race, analyze.Error},
		{"one goroutine calls", "library l\nvar x\ngoroutine 1\n  go 2\n  call l seq 1\n  write x\n  call l from 1.2 seq 2\ngoroutine 2 of 1\n  write x", analyze.Race, analyze.Error},
		{"a flag says that the channel is closed", flag + "  lock m first\n  read closed\n  send c\n  unlock m\ngoroutine 2 of 1\n  lock m from 1.5\n  write closed\n  close c\n  unlock m", analyze.SC, analyze.Warning},
		{"it is another flag", flag + "  lock m first\n  read other\n  send c\n  unlock m\ngoroutine 2 of 1\n  lock m from 1.5\n  write closed\n  close c\n  unlock m", analyze.SC, analyze.Error},
		{"the flag is looked at in front of the section", flag + "  lock m first\n  read closed\n  unlock m\n  lock m from 1.4\n  send c\n  unlock m\ngoroutine 2 of 1\n  lock m from 1.7\n  write closed\n  close c\n  unlock m", analyze.SC, analyze.Error},
		{"a turn is handed over", "mutex m\nchan c 1\nvar other\natomic turn\ngoroutine 1\n  go 2\n  go 3\n  load turn from 3.1\n  lock m first\n  send c\n  unlock m\ngoroutine 2 of 1\n  lock m from 1.6\n  close c\n  unlock m\ngoroutine 3 of 1\n  write other", analyze.SC, analyze.Error},
		{"an atomic flag is swapped", flag + "  lock m first\n  write other\n  rmw flag seq 1\n  send c\n  unlock m\ngoroutine 2 of 1\n  lock m from 1.6\n  rmw flag from 1.4 seq 2\n  close c\n  unlock m", analyze.SC, ""},
		{"it is not known what was read", flag + "  lock m first\n  send c\n  unlock m\ngoroutine 2 of 1\n  lock m from 1.4\n  close c\n  unlock m", analyze.SC, analyze.Warning},
		{"what was read is written in a section that is left out", "mutex m\nvar set\nvar x\ngoroutine 1\n  go 2\n  write x\n  lock m first\n  write set\n  unlock m\ngoroutine 2 of 1\n  lock m from 1.5\n  read set\n  unlock m\n  write x", analyze.ReorderedRace, analyze.Warning},
		{"something else was read", "mutex m\nvar set\nvar other\nvar x\ngoroutine 1\n  go 2\n  write x\n  lock m first\n  write set\n  unlock m\ngoroutine 2 of 1\n  lock m from 1.5\n  read other\n  unlock m\n  write x", analyze.ReorderedRace, analyze.Error},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr, err := trace.Parse([]byte("trace 1\n" + c.trace))
			require.NoError(t, err)
			r, predictions, err := analyze.Predict(tr, analyze.Limits{})
			require.NoError(t, err)
			var got analyze.Level
			for _, f := range r.Findings {
				if f.Code == c.code {
					got = f.Level
					require.Equal(t, got == analyze.Error, f.Witness)
					require.Equal(t, got == analyze.Warning, f.Unless != "")
				}
			}
			require.Equal(t, c.level, got, "%v", r.Findings)
			predicted := false
			for _, p := range predictions {
				predicted = predicted || p.Finding != nil && p.Finding.Code == c.code
			}
			require.Equal(t, c.level != "", predicted) // the program may show it
		})
	}
}

// To close the section of each of two goroutines takes the other one into its own.
func TestReorderingEnds(t *testing.T) {
	t.Parallel()
	tr, err := trace.Parse([]byte(`trace 1
mutex m
mutex n
mutex l
chan c 0
chan x 0
chan y 0
chan d 1
goroutine 1
  go 2
  go 3
  go 4
  recv c from 2.2
  lock l first
  send d
  unlock l
goroutine 2 of 1
  lock m first
  send c
  send y
  recv x from 3.3
  unlock m
goroutine 3 of 1
  lock n first
  recv y from 2.3
  send x
  unlock n
goroutine 4 of 1
  lock l from 1.7
  close d
  unlock l
`))
	require.NoError(t, err)
	r, _, err := analyze.Predict(tr, analyze.Limits{})
	require.NoError(t, err)
	require.Zero(t, r.Errors(), "%v", r.Findings)
}

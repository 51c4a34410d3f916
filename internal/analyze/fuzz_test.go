package analyze_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/trace"
)

// Whatever a valid trace says, however little it fits together, it is analysed, twice with the same result.
func FuzzAnalyze(f *testing.F) {
	for _, e := range examples {
		f.Add([]byte("trace 1\n" + e.trace))
	}
	f.Add([]byte("trace 1\nchan x 1\ngoroutine 1\nrecv x from 2.1\ngo 3\ngoroutine 2\nsend x from 1.1\ngoroutine 3\nrecv x from 2.1\ngo 2"))
	f.Fuzz(func(t *testing.T, text []byte) {
		tr, err := trace.Parse(text)
		if err != nil {
			return
		}
		limits := analyze.Limits{Orders: 20, Work: 10_000, Memory: 1 << 20}
		r, err := analyze.Analyze(tr, limits)
		again, errAgain := analyze.Analyze(tr, limits)
		require.Equal(t, err, errAgain)
		require.Equal(t, r, again)
		if err != nil {
			var large *analyze.TooLargeError
			require.ErrorAs(t, err, &large)
			return
		}
		_, err = json.Marshal(r)
		require.NoError(t, err)
	})
}

// A trace whose clocks need more memory than allowed is refused before they are made.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	tr := &trace.Trace{Goroutines: make([]trace.Goroutine, 2000)}
	for g := 1; g < len(tr.Goroutines); g++ {
		tr.Goroutines[0].Events = append(tr.Goroutines[0].Events, trace.Event{Phase: trace.Whole, Op: trace.OpGo, PC: int32(g), Partner: trace.Ref{Goroutine: trace.GoroutineID(g + 1)}})
		tr.Goroutines[g].Events = []trace.Event{{Phase: trace.Pre, Op: trace.OpRecv, PC: 1}}
	}
	_, err := analyze.Analyze(tr, analyze.Limits{Memory: 1 << 20})
	require.Equal(t, &analyze.TooLargeError{Goroutines: 2000, Events: 3998, Memory: 1 << 20}, err)
	r, err := analyze.Analyze(tr, analyze.Limits{})
	require.NoError(t, err)
	require.Equal(t, 1999, r.Warnings())
}

func TestInvalid(t *testing.T) {
	t.Parallel()
	for _, tr := range []*trace.Trace{nil, {}, {Goroutines: []trace.Goroutine{{Events: []trace.Event{{}}}}}} {
		var invalid *trace.InvalidError
		_, err := analyze.Analyze(tr, analyze.Limits{})
		require.ErrorAs(t, err, &invalid)
		_, _, err = analyze.Replay(tr, analyze.Limits{})
		require.ErrorAs(t, err, &invalid)
	}
}

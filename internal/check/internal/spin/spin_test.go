package spin

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const output = `
(Spin Version 6.5.2 -- 6 December 2019)

Full statespace search for:
	never claim         	- (none specified)

State-vector 128 byte, depth reached 6017, errors: 1
   531441 states, stored
  3720077 states, matched
  4251518 transitions (= stored+matched)
        0 atomic steps
  190.734	total actual memory usage
`

func TestParse(t *testing.T) {
	var r Result
	require.NoError(t, r.parse(output))
	require.Equal(t, 531441, r.States)
	require.Equal(t, 4251517, r.Transitions, "without the one into the initial state")
	require.Equal(t, 1, r.Errors)
	require.Equal(t, 128, r.Vector)
	require.InDelta(t, 190.734, float64(r.Memory)/(1<<20), 0.01)
	require.False(t, r.Truncated)
	require.NoError(t, r.parse("error: max search depth too small\n"+output))
	require.True(t, r.Truncated)
	require.ErrorContains(t, r.parse("pan: out of memory\n"), "out of memory")
}

func TestRun(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	const model = "byte n; active proctype p() { do :: n < 9 -> n++ od }"
	r, err := Run(context.Background(), []byte(model), Options{Full: true, Deadlock: true, Quick: true, Depth: 1000})
	require.NoError(t, err)
	require.Equal(t, 1, r.Errors, "the end is a deadlock")
	_, err = Run(context.Background(), []byte("no model"), Options{})
	require.ErrorContains(t, err, "spin:")
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = Run(ctx, []byte(model), Options{})
	require.Error(t, err)
}

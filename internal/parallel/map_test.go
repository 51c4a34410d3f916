package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever calls wait for others, the elements come in order; calls do run at the same time, and not too far ahead.
func TestMap(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 100, 1000} {
		var started atomic.Int64
		taken := 0
		for i, v := range Map(n, func(i int) int { started.Add(1); return 3 * i }) {
			require.Equal(t, taken, i)
			require.Equal(t, 3*i, v)
			taken++
			require.LessOrEqual(t, int(started.Load()), taken+2*runtime.GOMAXPROCS(0))
		}
		require.Equal(t, n, taken)
		require.Equal(t, n, int(started.Load()))
	}
	// The first is done only when the second has begun: that is for ever if one runs at a time.
	second := make(chan bool)
	for range Map(2, func(i int) bool {
		if i == 1 {
			close(second)
		}
		<-second
		return true
	}) {
	}
}

// Who leaves the loop early leaves no call running, and those that were not begun are never.
func TestMapLeft(t *testing.T) {
	var running, calls atomic.Int64
	for i := range Map(1000, func(i int) int {
		running.Add(1)
		defer running.Add(-1)
		calls.Add(1)
		runtime.Gosched()
		return i
	}) {
		if i == 10 {
			break
		}
	}
	require.Zero(t, running.Load())
	require.Less(t, int(calls.Load()), 11+2*runtime.GOMAXPROCS(0)+1)
}

// A panic in a call is one of the loop, after the elements before it.
func TestMapPanics(t *testing.T) {
	var taken []int
	defer func() {
		p, ok := recover().(*Panic)
		require.True(t, ok)
		require.Equal(t, "no element", p.Value)
		require.Contains(t, string(p.Stack), "TestMapPanics")
		require.Contains(t, p.Error(), "no element")
		require.Equal(t, []int{0, 1, 2}, taken)
	}()
	for i := range Map(100, func(i int) int {
		if i >= 3 {
			panic("no element")
		}
		return i
	}) {
		taken = append(taken, i)
	}
	require.Fail(t, "the panic is lost")
}

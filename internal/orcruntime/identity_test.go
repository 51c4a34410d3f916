package orcruntime

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCountOthers: a goroutine that is there for a moment when a run begins is not counted, one that stays is, after
// some runs, and is not any more when it has ended. The goroutines are made up: those of this process are not the
// test's alone.
func TestCountOthers(t *testing.T) {
	var count othersCount
	next := func(running int) int64 { return count.next(func() int { return running }) }
	require.EqualValues(t, 3, next(3))

	// Two of the run before come to their ends while it looks.
	looks := 0
	require.EqualValues(t, 3, count.next(func() int { looks++; return max(3, 6-looks) }))
	require.Equal(t, 3, looks)

	// One stays; others come and go beside it, but in the last run.
	for i := range leftForGood {
		require.EqualValues(t, 3, next(4+(leftForGood-1-i)%3))
	}
	require.EqualValues(t, 4, next(4), "it stays")
	require.EqualValues(t, 3, next(3), "it has ended")

	// Some that are there now and then do not stay.
	for i := range 5 * leftForGood {
		require.EqualValues(t, 3, next(3+min(1, i%leftForGood)))
	}
}

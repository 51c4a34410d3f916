package orcruntime

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCountOthers: a goroutine that is there for a moment when a run begins is not counted, and one that stays is, after
// some runs.
func TestCountOthers(t *testing.T) {
	before, beforeAbove, beforeLeast := idle, above, least
	defer func() { idle, above, least = before, beforeAbove, beforeLeast }()
	idle, above = 0, 0
	n := countOthers()
	end, ended := make(chan bool), make(chan bool)
	go func() { <-end; close(ended) }()
	for range leftForGood {
		require.Equal(t, n, countOthers())
	}
	require.Equal(t, n+1, countOthers(), "it stays")
	close(end)
	<-ended
	for range 100 {
		if countOthers() == n {
			return
		}
	}
	t.Fatal("it is counted still")
}

package check

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPace checks that a pace looks rarely at work that is fast, and at each piece of
// work that is slow.
func TestPace(t *testing.T) {
	var p pace
	_, due := p.due(1)
	require.True(t, due, "the first piece may be slow")
	now := p.last
	for range 20 {
		now = now.Add(time.Millisecond)
		p.look(now)
	}
	require.Equal(t, maxEvery, p.every)
	_, due = p.due(maxEvery - 1)
	require.False(t, due)
	_, due = p.due(1)
	require.True(t, due)

	now = p.last
	for range 20 {
		now = now.Add(time.Second)
		p.look(now)
	}
	require.Equal(t, 1, p.every)
	_, due = p.due(1)
	require.True(t, due)
}

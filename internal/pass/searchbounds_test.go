package pass

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSearchBounds: what bounds a search bounds the building of its traces, too.
func TestSearchBounds(t *testing.T) {
	require.True(t, Options{}.search().Deadline.IsZero())

	o := Options{Search: Search{Timeout: time.Hour}}
	limits := o.search()
	require.Equal(t, 54*time.Minute, limits.Timeout)
	require.WithinRange(t, limits.Deadline, time.Now().Add(55*time.Minute), time.Now().Add(time.Hour))

	o.Budget, o.start = 10*time.Minute, time.Now()
	limits = o.search()
	require.Equal(t, o.start.Add(o.Budget), limits.Deadline, "the budget ends first")

	o.Search.Timeout = time.Minute
	require.True(t, o.search().Deadline.Before(o.start.Add(o.Budget)))
}

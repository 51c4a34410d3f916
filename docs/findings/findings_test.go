package findings

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHelp: reports say what helps by a paragraph of the page, which every one has.
func TestHelp(t *testing.T) {
	for _, id := range IDs() {
		require.NotEmpty(t, Help(id), id)
	}
	require.Empty(t, Help("nothing"))
}

// TestHelpWaiting: of a list of what helps those who wait for one thing or another, some can be asked for.
func TestHelpWaiting(t *testing.T) {
	all, some := Help("deadlock"), Help("deadlock", "condition", "wait group")
	for _, label := range []string{"lock", "channel", "condition", "wait group"} {
		require.Contains(t, all, "\n- **"+label+"**: ")
		wanted := label == "condition" || label == "wait group"
		require.Equal(t, wanted, strings.Contains(some, "\n- "+label+": "), label)
	}
	require.True(t, strings.HasSuffix(some, "`wg.Go`."), some)
	require.True(t, strings.HasPrefix(some, "somebody who"), some)
	require.NotContains(t, some, "with a place for each", "lines of what was left out")
	require.Equal(t, Help("panic"), Help("panic", "lock"), "a page without a list")
}

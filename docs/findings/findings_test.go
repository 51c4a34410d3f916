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

// TestHelpWaiting: of a list of what helps in one case or another, some can be asked for.
func TestHelpWaiting(t *testing.T) {
	labels := map[string][]string{
		"deadlock":         {"lock", "read lock", "once", "channel", "select", "condition", "wait group"},
		"partial-deadlock": {"lock", "read lock", "once", "channel", "select", "condition", "wait group"},
		"goroutine-leak":   {"lock", "read lock", "once", "channel", "select", "condition", "wait group"},
		"panic":            {"runtime error", "panic"},
	}
	for _, id := range IDs() {
		require.Equal(t, len(labels[id]) > 0, strings.Contains(Help(id), "\n- **"), id)
		for _, of := range labels[id] {
			some := Help(id, of)
			for _, label := range labels[id] {
				require.Contains(t, Help(id), "\n- **"+label+"**: ")
				require.Equal(t, label == of, strings.Contains(some, "\n- "+label+": "), "%s, %s", id, label)
			}
		}
	}
	some := Help("deadlock", "condition", "wait group")
	require.True(t, strings.HasPrefix(some, "what goroutines wait for"), some)
	require.True(t, strings.HasSuffix(some, "that was counted."), some)
	require.NotContains(t, some, "with a place for each", "lines of what was left out")
	require.Equal(t, Help("exit"), Help("exit", "lock"), "a page without a list")
}

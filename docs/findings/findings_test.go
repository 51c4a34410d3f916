package findings

import (
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

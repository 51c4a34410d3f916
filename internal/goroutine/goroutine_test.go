package goroutine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCompare(t *testing.T) {
	order := []string{"0", "0.1", "0.1.1", "0.2", "0.10", "1"}
	for i, a := range order {
		for j, b := range order {
			require.Equal(t, i < j, Compare(a, b) < 0, "%s %s", a, b)
			require.Equal(t, i == j, Compare(a, b) == 0)
		}
	}
}

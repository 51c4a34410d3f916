package emission

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/sites"
)

// TestBlockCategory: an error of goroutines that are stuck is of the category of what they wait for.
func TestBlockCategory(t *testing.T) {
	for category, words := range map[string][]string{
		CategoryChannelDeadlock:   {"send", "receive", "range", "select"},
		CategoryMutexDeadlock:     {"lock", "rlock"},
		CategoryWaitGroupDeadlock: {"wait"},
		CategoryOnceDeadlock:      {"once", "oncefunc"},
		CategoryCondDeadlock:      {"condwait"},
		CategorySubtestDeadlock:   {"subtest", "parallel", "join"},
		CategoryExit:              {"exit"},
	} {
		for _, w := range words {
			k := sites.Named(w)
			require.NotEqual(t, sites.Invalid, k, w)
			require.Equal(t, category, blockCategory(k), w)
		}
	}
}

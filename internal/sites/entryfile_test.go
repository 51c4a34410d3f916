package sites

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEntryFile(t *testing.T) {
	require.Equal(t, "zz_benchmarkput_entry_test.go", EntryFile("BenchmarkPut"))
	require.True(t, IsEntryFile("a/b/"+EntryFile("BenchmarkPut")))
	for _, name := range []string{"zz_test.go", "a_entry_test.go", "zz_x_entry_test.go/a.go", ""} {
		require.False(t, IsEntryFile(name), name)
	}
}

package sites

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStartingRuns: however a subtest may come to t.Parallel, its t.Run starts a goroutine;
// those that can not are calls.
func TestStartingRuns(t *testing.T) {
	const file = "testdata/subtests.go"
	pkgs := loadSyntax(t, false, "./"+file)
	p := pkgs[0]
	starts := map[int]bool{} // lines with such a call
	for pos := range startingRuns([]Package{{Path: p.PkgPath, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo}}) {
		starts[p.Fset.Position(pos).Line] = true
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	found := map[bool]int{}
	for i, line := range strings.Split(string(text), "\n") {
		_, comment, ok := strings.Cut(line, "// ")
		if !ok || !strings.Contains(line, "t.Run(") {
			continue
		}
		want := strings.HasPrefix(comment, "starts")
		require.Equal(t, want, starts[i+1], "%s:%d: %s", file, i+1, line)
		require.True(t, want || strings.HasPrefix(comment, "calls"), "%s:%d: %s", file, i+1, comment)
		found[want]++
	}
	require.Greater(t, found[true], 20)
	require.Greater(t, found[false], 5)
}

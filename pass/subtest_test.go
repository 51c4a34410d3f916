package pass_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/pass"
	"github.com/vtrace/vtrace/source"
)

// Subtests are calls in a run. Where that decides, no error is called real, and
// a test without errors is not said to be free of them.
func TestSubtests(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		found []string
		limit bool
	}{
		"that meet": {`c := make(chan int)
	t.Run("send", func(t *testing.T) { t.Parallel(); c <- 1 })
	t.Run("receive", func(t *testing.T) { t.Parallel(); <-c })`, []string{"p_test.go:7: unconfirmed: deadlock"}, true},
		"behind the test": {`c := make(chan int, 1)
	defer close(c)
	t.Run("send", func(t *testing.T) { t.Parallel(); c <- 1 })`, nil, true},
		"skipped": {`c := make(chan int)
	go func() { <-c }()
	t.Run("skip", func(t *testing.T) { t.Skip() })
	close(c)`, []string{"p_test.go:7: unconfirmed: goroutine leak"}, false},
		"in the order of calls": {`c := make(chan int)
	t.Run("send", func(t *testing.T) { c <- 1 })`, []string{"p_test.go:7: real: deadlock"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for file, text := range map[string]string{
				"go.mod":    "module example.com/p\n\ngo 1.26\n",
				"p_test.go": "package p\n\nimport \"testing\"\n\nfunc TestP(t *testing.T) {\n\t" + c.body + "\n}\n",
			} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
			}
			b, err := pass.Check(context.Background(), source.Spec{Dir: dir, Entry: "TestP"}, pass.Options{})
			require.NoError(t, err)
			require.Equal(t, c.found, found(b))
			limits := strings.Join(pass.Conclude(b).Limits, "\n")
			require.Equal(t, c.limit, strings.Contains(limits, "parallel subtest"), limits)
		})
	}
}

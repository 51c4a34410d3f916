package blackbox_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/source"
)

// Subtests that may be parallel are goroutines in a run, others calls. Where that
// decides, no error is called real, and a test without errors is not said to be
// free of them.
func TestSubtests(t *testing.T) {
	if testing.Short() {
		t.Skip("has no goroutines that others have not")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		body  string
		found []string
		limit string
	}{
		"that meet": {`c := make(chan int)
	t.Run("send", func(t *testing.T) { t.Parallel(); c <- 1 })
	t.Run("receive", func(t *testing.T) { t.Parallel(); <-c })`, nil, ""},
		"behind the test": {`c := make(chan int, 1)
	defer close(c)
	t.Run("send", func(t *testing.T) { t.Parallel(); c <- 1 })`, []string{"p_test.go:8: real: send on closed channel"}, ""},
		"skipped in one that may be parallel": {`c := make(chan int)
	t.Run("skip", func(t *testing.T) { t.Skip(); t.Parallel() })
	<-c`, []string{"p_test.go:8: real: deadlock"}, ""},
		"by a goroutine": {`done := make(chan bool)
	go func() {
		t.Run("sub", func(t *testing.T) { t.Parallel() })
		close(done)
	}()
	<-done`, nil, "calls t.Run"},
		"parallel for a goroutine of its own": {`t.Run("sub", func(t *testing.T) {
		done := make(chan bool)
		go func() { t.Parallel(); close(done) }()
		<-done
	})`, nil, "calls t.Parallel"},
		"skipped": {`c := make(chan int)
	go func() { <-c }()
	t.Run("skip", func(t *testing.T) { t.Skip() })
	close(c)`, []string{"p_test.go:7: unconfirmed: goroutine leak"}, "subtest ends"},
		"an error behind one that is skipped": {`t.Run("skip", func(t *testing.T) { t.Skip() })
	go func() { <-make(chan int) }()`, nil, "subtest ends"},
		"skipped for a reason that is not followed": {`t.Run("skip", func(t *testing.T) {
		if testing.Short() {
			t.Skip()
		}
	})
	<-make(chan int)`, []string{"p_test.go:11: real: deadlock"}, ""},
		"in the order of calls": {`c := make(chan int)
	t.Run("send", func(t *testing.T) { c <- 1 })`, []string{"p_test.go:7: real: deadlock"}, ""},
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
			var outside []string // of the model; runs of every schedule do without it
			for _, a := range b.Sidecar().Approximations {
				if a.Direction == artifact.DirectionUnder {
					outside = append(outside, a.Reason)
				}
			}
			require.Contains(t, strings.Join(outside, "\n"), c.limit)
			require.Equal(t, c.limit == "", len(outside) == 0, "%q", outside)
		})
	}
}

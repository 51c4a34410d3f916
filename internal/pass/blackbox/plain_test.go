package blackbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
)

// TestPlainRuns: where a check finds no error, the program runs as it is, and a result that such a
// run contradicts does not stand. Runs under control cannot show these errors: there another test
// binary runs, and a test is alone.
func TestPlainRuns(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	const (
		alone    = "the program as it is, not under control, has failed, which nothing here explains: "
		together = "in a run of all tests of its package, as go test runs them, it has failed; a check does not look at what other tests leave behind: "
		stuck    = "fatal error: all goroutines are asleep - deadlock!"
	)
	for name, c := range map[string]struct {
		entry, text string
		limit       string // of a result that does not stand, the first one; "": the result stands
		budget      time.Duration
	}{
		"a lock that another test leaves locked": {"TestB", `import ("sync"; "testing")
var mu sync.Mutex
func TestA(t *testing.T) { mu.Lock() }
func TestB(t *testing.T) { mu.Lock(); defer mu.Unlock(); go func() {}() }`, together + stuck, 0},
		"the test that leaves it locked": {"TestA", `import ("sync"; "testing")
var mu sync.Mutex
func TestA(t *testing.T) { mu.Lock() }
func TestB(t *testing.T) { mu.Lock(); defer mu.Unlock() }`, "", 0},
		"a test that unlocks it": {"TestB", `import ("sync"; "testing")
var mu sync.Mutex
func TestA(t *testing.T) { mu.Lock(); mu.Unlock() }
func TestB(t *testing.T) { mu.Lock(); defer mu.Unlock(); go func() {}() }`, "", 0},
		"a deadlock where only one test is asked for": {"TestA", `import ("flag"; "testing")
func TestA(t *testing.T) {
	c := make(chan int, 1)
	if flag.Lookup("test.run").Value.String() != "^TestA$" { c <- 1 }
	<-c
}`, alone + stuck, 0},
		"a panic outside of test binaries, in a budget": {"main", `import ("os"; "strings"; "sync")
func main() {
	var wg sync.WaitGroup
	wg.Go(func() { if file, _ := os.Executable(); !strings.HasSuffix(file, ".test") { panic("no test") } })
	wg.Wait()
}`, alone + "panic: no test", 10 * time.Second},
		"a test that takes longer than plain runs may": {"TestA", `import ("testing"; "time")
func TestA(t *testing.T) { go func() {}(); time.Sleep(time.Hour) }
func TestB(t *testing.T) {}`, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, pkg := "p_test.go", "p"
			if c.entry == "main" {
				file, pkg = "main.go", "main"
			}
			spec := programs.Write(t, "1.26", file, "package "+pkg+"\n\n"+c.text+"\n", c.entry)
			b, err := pass.Check(t.Context(), spec, pass.Options{Budget: c.budget})
			require.NoError(t, err)
			got := pass.Conclude(b)
			require.Zero(t, got.Real)
			if c.limit == "" {
				require.Empty(t, got.Limits)
				return
			}
			require.True(t, got.Inconclusive())
			require.False(t, got.Proved)
			require.Equal(t, c.limit, got.Limits[0])
		})
	}
}

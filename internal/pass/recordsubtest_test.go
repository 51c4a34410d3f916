package pass

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/trace"
)

// subtests are tests with subtests, some of which have an error that the run does not have: what makes it harmless are pipes,
// which order nothing for an analysis.
const subtests = `package p

import (
	"os"
	"sync"
	"testing"
)

type turn struct{ r, w *os.File }

func newTurn() turn {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	return turn{r, w}
}

func (t turn) pass() { t.w.Write([]byte{1}) }

func (t turn) await() { t.r.Read(make([]byte, 1)) }

// both locks a and then b.
func both(a, b *sync.Mutex) {
	a.Lock()
	b.Lock()
	b.Unlock()
	a.Unlock()
}

// Two parallel subtests take two locks in opposite order.
func TestOrder(t *testing.T) {
	var a, b sync.Mutex
	first := newTurn()
	t.Run("one", func(t *testing.T) {
		t.Parallel()
		both(&a, &b)
		first.pass()
	})
	t.Run("two", func(t *testing.T) {
		t.Parallel()
		first.await()
		both(&b, &a)
	})
}

// One comes after the other.
func TestOrderFixed(t *testing.T) {
	var a, b sync.Mutex
	t.Run("one", func(t *testing.T) { both(&a, &b) })
	t.Run("two", func(t *testing.T) { both(&b, &a) })
}

// One of them is parallel, and comes when the other has ended.
func TestOrderLater(t *testing.T) {
	var a, b sync.Mutex
	t.Run("one", func(t *testing.T) {
		t.Parallel()
		both(&a, &b)
	})
	t.Run("two", func(t *testing.T) { both(&b, &a) })
	both(&b, &a)
}

// Parallel subtests write the same variable.
func TestShared(t *testing.T) {
	n := 0
	first := newTurn()
	t.Run("one", func(t *testing.T) {
		t.Parallel()
		n++
		first.pass()
	})
	t.Run("two", func(t *testing.T) {
		t.Parallel()
		first.await()
		n++
	})
}

// The function around does so while they wait, what it leaves to Cleanup when they have ended, and each group has the next one
// behind it. What the first part of a subtest does comes in front of the function's.
func TestSharedFixed(t *testing.T) {
	n, m := 0, 0
	t.Cleanup(func() { m++ })
	var mu sync.Mutex
	t.Run("group", func(t *testing.T) {
		for range 2 {
			t.Run("part", func(t *testing.T) {
				t.Cleanup(func() {
					mu.Lock()
					m++
					mu.Unlock()
				})
				n++
				t.Parallel()
				mu.Lock()
				m += n
				mu.Unlock()
			})
			n++
		}
	})
	n, m = n+1, m+1
	t.Run("later", func(t *testing.T) {
		t.Parallel()
		n++
	})
	n++
}

// A subtest waits for one that comes later: the run has luck that both are parallel.
func TestStuck(t *testing.T) {
	c := make(chan int)
	t.Run("one", func(t *testing.T) { <-c })
	t.Run("two", func(t *testing.T) { c <- 1 })
}
`

// recordedTrace is what a recording of a program has.
func recordedTrace(t *testing.T, spec source.Spec, how Recording) (*trace.Trace, recording.Header) {
	t.Helper()
	var file bytes.Buffer
	how.To = &file
	_, err := Record(context.Background(), spec, how, Options{})
	require.NoError(t, err, spec.Entry)
	tr, h, err := recording.Load(&file, 0)
	require.NoError(t, err, spec.Entry)
	return tr, h
}

// TestRecordSubtests: parallel subtests are recorded so that what can come at once can, and nothing else.
func TestRecordSubtests(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs record themselves")
	}
	t.Parallel()
	spec := programs.Write(t, "1.26", "p_test.go", subtests, "")
	record := func(test string, how Recording) (*trace.Trace, recording.Header) {
		spec.Entry = test
		return recordedTrace(t, spec, how)
	}
	seed := uint64(1)
	for test, want := range map[string]string{"TestOrder": "P05", "TestOrderFixed": "", "TestOrderLater": "", "TestShared": "P10", "TestSharedFixed": ""} {
		for _, by := range []*uint64{nil, &seed} {
			if by != nil && (test == "TestOrder" || test == "TestShared") {
				continue // no run under control can wait for a pipe
			}
			tr, h := record(test, Recording{Accesses: true, Seed: by})
			res, err := analyze.Analyze(tr, analyze.Limits{})
			require.NoError(t, err, test)
			var text bytes.Buffer
			require.NoError(t, trace.Format(&text, tr))
			found := ""
			for _, f := range res.Findings {
				switch f.Code {
				case "P05", "P06", "P09", "P03", "P10", "P11", "L10", "L11":
					if found == "" {
						found = string(f.Code)
					}
				}
			}
			require.Equal(t, want, found, "%s: %s %s\n%s\n%s", test, h.End, h.Schedule, res.Findings, &text)
		}
	}
	tr, h := record("TestStuck", Recording{})
	require.Equal(t, "exit status 2", h.End)
	var pending []string
	for i := range tr.Goroutines {
		pending = append(pending, pendingOf(tr, tr.Goroutines[i].Path)...)
	}
	require.Equal(t, []string{"wait waitgroup1", "recv chan2"}, pending)
}

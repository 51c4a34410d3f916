package check

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// noRaces skips a test where tests are short, as they are for the race detector: one goroutine does everything in
// its searches, or they have the workers that TestWorkersAgree, TestCombinations and TestSymmetryCombinations have.
func noRaces(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("has no goroutines that other tests have not")
	}
}

// TestWorkersAgree: the number of workers changes neither states nor traces.
func TestWorkersAgree(t *testing.T) {
	models := map[string]struct {
		text     string
		formulas []string
	}{
		"philosophers": {philosophers(9), []string{"A[] not deadlock", "E<> Phil(3).eat and Phil(5).eat and Phil(7).drop", "A[] not (Phil(0).eat and Phil(1).eat)"}},
		"buffer":       {buffer(2, 5), []string{"A[] n <= C", "E<> n == C and last == 2 and Consumer.ready", "A[] not deadlock"}},
		"invalid":      {buffer(2, 4) + "", []string{"A[] n < 4", "A[] cell[n] >= 0"}},
		"spawn":        {spawn(6), []string{"E<> Main.done and deadlock", "A[] not (own[2] == 2 and Main.done)"}},
	}
	for name, c := range models {
		for _, reductions := range []Reductions{plain.Reductions, {}} {
			for _, limit := range []int{0, 777} {
				var base *Report
				for workers := 1; workers <= 4; workers++ {
					r := verify(t, c.text, Options{Workers: workers, Reductions: reductions, MaxStates: limit}, c.formulas...)
					r.Stats.Elapsed, r.Stats.Bytes, r.Decided = 0, 0, nil
					if limit > 0 {
						r.Stats.Transitions = 0
					}
					for i := range r.Results {
						if tr := r.Results[i].Trace; tr != nil {
							for k := range tr.States {
								tr.States[k].Locations = nil // of another tree
							}
						}
					}
					if base == nil {
						base = r
					}
					require.Equal(t, base, r, "%s, %d workers", name, workers)
				}
			}
		}
	}
}

// A pass that would keep too many successors is done by one worker.
func TestPassSpills(t *testing.T) {
	values, memory := 4096, int64(12<<20)
	if testing.Short() {
		values, memory = 1024, 3<<20
	}
	text := strings.ReplaceAll(`
		int[0,7] x; int[0,LAST] y;
		template P
		loc a
		a > a select i : int[0,LAST] | x < 7 && i % 16 == x | | y = i, x++
		a > a select i : int[0,LAST] | x > 6 | | y = i
		system P;`, "LAST", strconv.Itoa(values-1))
	var states []int
	for _, workers := range []int{1, 3} {
		r := verify(t, text, Options{Workers: workers, eager: true, MaxMemory: memory, Reductions: plain.Reductions}, "A[] x < 16")
		require.Equal(t, True, r.Results[0].Verdict, r.Results[0].Reason)
		states = append(states, r.Stats.States, r.Stats.Transitions)
	}
	require.Equal(t, states[:2], states[2:], fmt.Sprint(states))
}

// The goroutines of a search's workers end with it.
func TestWorkersLeave(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, limit := range []int{0, 5000} {
		verify(t, philosophers(9), Options{Workers: 4, eager: true, MaxStates: limit, Reductions: plain.Reductions}, "A[] not (Phil(0).eat and Phil(1).eat)")
	}
	for range 1 << 20 {
		if runtime.NumGoroutine() <= before {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines instead of %d", runtime.NumGoroutine(), before)
}

// Workers write runs of new states that make up all for which there is room, in
// order, and begin at words of parents of their own.
func TestRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		workers, limit, old := 1+random.IntN(5), random.IntN(80), 1+random.IntN(5)
		store, err := newPackedStore(1, old+limit, false, &budget{})
		require.NoError(t, err)
		_, err = store.room(old)
		require.NoError(t, err)
		store.n = old
		s := &search{store: store}
		for range workers {
			w := &worker{s: s}
			w.run = make([][]freshState, workers)
			s.workers = append(s.workers, w)
		}
		n := random.IntN(60)
		for i := range n {
			w := s.workers[random.IntN(workers)]
			parent := uint64(i / 3)
			w.fresh = append(w.fresh, freshState{record: []uint64{0, parent<<32 | uint64(i%3), uint64(100 + i)}})
		}
		err = s.allot()
		if n > limit {
			require.ErrorIs(t, err, errMaxStates)
		} else {
			require.NoError(t, err)
		}
		for i, w := range s.workers {
			if first := int(w.first); i > 0 && first < old+n {
				require.Zero(t, first%2)
			}
		}
		for _, i := range random.Perm(workers) {
			s.workers[i].writeRun()
		}
		stored := min(n, limit)
		require.Equal(t, old+stored, store.len())
		for i := range stored {
			require.EqualValues(t, 100+i, store.state(uint32(old + i))[0])
			require.EqualValues(t, i/3, store.parent(uint32(old+i)))
		}
		for _, w := range s.workers {
			for _, f := range w.fresh {
				if i := int(f.record[2]) - 100; i < stored {
					require.EqualValues(t, old+i, f.number)
				} else {
					require.Zero(t, f.number)
				}
			}
		}
		store.release()
	}
}

package pass

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

var exhaustAll = flag.Bool("exhaustive", false, "all programs of the table in TestExhaustTable, not a few")

// racingFlags has statements that race, and others that show it.
const racingFlags = `package main

var ready, seen bool

func main() {
	done := make(chan bool)
	go func() {
		ready = true
		seen = false
		done <- true
	}()
	if ready {
		if seen {
			panic("before it is set back")
		}
		seen = true
	}
	if seen && !ready {
		panic("never")
	}
	<-done
	if seen {
		panic("after it is set back")
	}
}
`

// Statements that race are switched at, also if only others that do so show it.
func TestExhaustRaces(t *testing.T) {
	x, err := Exhaust(t.Context(), programs.Main(t, racingFlags), Exhaustion{}, Options{})
	require.NoError(t, err)
	require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
	require.NotEmpty(t, x.Guarded)
	var panics []string
	for _, e := range x.Ends {
		if e.Kind == artifact.KindPanic {
			panics = append(panics, e.Message)
		}
	}
	require.Equal(t, []string{"panic: after it is set back"}, panics)
}

// Where variables keep their values from run to run, each run has a process of its own: if they are not made in the
// same way in each, that is a limit.
func TestExhaustPersists(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	const program = `package main

import (
	"flag"
	"os"
	"sync"
)

var (
	name  string
	turns int
	mu    sync.Mutex
	begun = make(map[string]bool)
)

func init() {
	flag.StringVar(&name, "name", os.Getenv("NAME"), "")
	INIT
}

func note() { begun[name] = true }

func main() {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			turns++
		})
	}
	wg.Wait()
	if turns != WANT {
		panic("turns")
	}
}
`
	for init, want := range map[string]struct {
		turns  string
		proved bool
	}{
		"note()":                  {"2", true},
		"note() // and they fail": {"3", false},
		"go note()":               {"2", false},
		"begun[name] = len(make(chan bool, 1)) == 0": {"2", false},
	} {
		t.Run(init, func(t *testing.T) {
			t.Parallel()
			text := strings.NewReplacer("INIT", init, "WANT", want.turns).Replace(program)
			x, err := Exhaust(t.Context(), programs.Main(t, text), Exhaustion{}, Options{})
			require.NoError(t, err)
			if want.turns == "3" {
				require.True(t, x.Complete)
				require.Empty(t, x.Covered.Limits)
				require.Len(t, x.Ends, 1, "it fails in each")
				return
			}
			require.Equal(t, want.proved, x.Covered.Proved(), "%v", x.Covered.Limits)
			require.False(t, fails(x), "as in a process of its own")
		})
	}
}

// What a program leaves outside of its process is there for the next one: the exploration says that it chooses by itself.
func TestExhaustOutlives(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	const program = `package main

import "os"

func main() {
	f, _ := os.OpenFile(FILE, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	_, _ = f.WriteString("x")
	_ = f.Close()
	data, _ := os.ReadFile(FILE)
	done := make(chan bool, len(data))
	for range data {
		done <- true
	}
}
`
	file := filepath.Join(t.TempDir(), "file")
	x, err := Exhaust(t.Context(), programs.Main(t, strings.ReplaceAll(program, "FILE", strconv.Quote(file))), Exhaustion{}, Options{})
	require.NoError(t, err)
	require.False(t, x.Covered.Proved())
	require.True(t, slices.ContainsFunc(x.Covered.Limits, func(l string) bool { return strings.HasSuffix(l, "the program chooses by itself") }), x.Covered.Limits)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Greater(t, len(data), 3, "processes of their own were tried")
}

// FuzzFrontier: whatever a file has, it is a frontier that can be taken up or a typed error.
func FuzzFrontier(f *testing.F) {
	f.Add([]byte("{}"), 0, false)
	f.Add([]byte(`{"Stalls":1,"Guards":[1,2],"Groups":{"1":1},"Writes":{"2":true},"Nodes":{"Nodes":[]},"Earlier":{"Preemptions":[{}]}}`), 1, true)
	f.Fuzz(func(t *testing.T, data []byte, stalls int, bounded bool) {
		how := Exhaustion{Stalls: stalls}
		if bounded {
			how.Bounding = &Bounding{Last: 1}
		}
		got, err := readFrontier(data, "p", how)
		var refused *FrontierError
		if err != nil {
			require.ErrorAs(t, err, &refused)
			return
		}
		groups := newAccessGroups(&artifact.Sidecar{})
		got.restore(groups)
		groups.list()
		groups.keysOf()
		groups.ids()
		groups.racing()
		groups.add([]orchestrate.Race{{}}, true)
	})
}

// TestExhaustTable compares exhaustive exploration with the model and its replays over
// the programs of the table: where both engines say all, they say the same.
func TestExhaustTable(t *testing.T) {
	n := 0
	var (
		mu                  sync.Mutex
		all, complete, soon int // of programs: all, those explored completely, and within 20 s
		executions, cut     int
		wasteful            int // programs with more than 2 % cut
	)
	t.Cleanup(func() { // when the parallel tests have ended
		t.Logf("%d programs: %d explored completely, %d within 20 s with the build; %d executions, %d cut, in %d programs more than 2 %%", all, complete, soon, executions, cut, wasteful)
	})
	tablePrograms(t, func(name string, spec source.Spec) {
		if n++; !*exhaustAll && (n%180 != 29 || testing.Short()) {
			return
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			b, err := Check(ctx, spec, Options{Search: Search{MaxStates: 200_000}})
			require.NoError(t, err)
			steps := exhaustSteps
			if !*exhaustAll {
				steps /= 100 // enough for all programs but those that go on for ever
			}
			began := time.Now()
			x, err := Exhaust(ctx, spec, Exhaustion{MaxRuns: exhaustRuns, TotalSteps: steps}, Options{})
			require.NoError(t, err)
			mu.Lock()
			all++
			executions, cut = executions+x.Runs, cut+x.Cut
			if x.Complete {
				complete++
			}
			if x.Complete && time.Since(began) <= 20*time.Second {
				soon++
			}
			if x.Cut*50 > x.Runs+x.Cut {
				wasteful++
			}
			mu.Unlock()
			seen := programs.Errors(t, x.Ends, x.Covered.Limits)
			shown := slices.Clone(seen)
			for _, e := range x.Ends { // what the map panics for is a data race where accesses are recorded
				if e.Kind == artifact.KindRace && strings.Contains(e.Message, "concurrent map") {
					shown = append(shown, artifact.KindMapRace)
				}
			}
			t.Logf("%s; limits %v; ends %v", x.Covered.Coverage(), x.Covered.Limits, seen)
			var real []string
			for _, f := range b.Findings() {
				// Of main a leak is no end; a stall is another schedule.
				if f.Verdict == artifact.Real && len(f.Stalls) == 0 && (f.Kind != artifact.KindLeak && f.Kind != artifact.KindPartialDeadlock || strings.HasPrefix(spec.Entry, "Test")) {
					real = append(real, f.Kind)
				}
			}
			slices.Sort(real)
			real = slices.Compact(real)
			c := Conclude(b)
			if len(c.Limits) == 0 && c.Unconfirmed == 0 {
				for _, k := range seen {
					require.Contains(t, real, k, "the exploration has seen it, the check has not")
				}
			}
			if x.Complete && len(x.Covered.Limits) == 0 {
				for _, k := range real {
					require.Contains(t, shown, k, "the check has seen it, the exploration has not")
				}
			}
		})
	})
}

// TestExhaustLong: a program of one schedule that has more steps than a run is cut off after is explored to its end, and its
// error is found there; one that has no end stays cut off.
func TestExhaustLong(t *testing.T) {
	programs.InLong(t)
	for name, c := range map[string]struct {
		first, second string // iterations of the two
		proved        bool
		kinds         []string
	}{
		"correct":     {"i < 8000", "i < 8000", true, nil},
		"one more":    {"i <= 8000", "i < 8000", true, []string{artifact.KindDeadlock}},
		"without end": {"true", "true", false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, err := Exhaust(t.Context(), programs.Main(t, `package main

func main() {
	ping, pong, done := make(chan int), make(chan int), make(chan bool)
	go func() {
		for i := 0; `+c.first+`; i++ {
			ping <- i
			<-pong
		}
		close(done)
	}()
	go func() {
		for i := 0; `+c.second+`; i++ {
			pong <- <-ping
		}
	}()
	<-done
}
`), Exhaustion{}, Options{})
			require.NoError(t, err)
			require.Equal(t, c.proved, x.Covered.Proved(), "%v", x.Covered.Limits)
			if !c.proved {
				require.Equal(t, []string{orchestrate.CutOff}, x.Covered.Limits)
			}
			require.Equal(t, c.kinds, programs.Errors(t, x.Ends, x.Covered.Limits))
		})
	}
}

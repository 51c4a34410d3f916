package pass

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/programs"
)

// rareRace has a data race in two of its 326 schedules.
const rareRace = `package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func main() {
	var steps atomic.Int64
	odd := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 24 {
			steps.Add(1)
		}
		odd = 1
	})
	wg.Go(func() {
		from := steps.Load()
		to := steps.Load()
		if from == 3 && to == 21 {
			odd = 2
		}
	})
	wg.Wait()
	fmt.Println(odd)
}
`

// TestRareRace: hardly any random run shows the race, and the model has no error; the exploration shows it, and it is replayed
// in the program of the bundle. Where the second one to write knows that the first is done, there is none.
func TestRareRace(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	ordered := strings.Replace(rareRace, "odd = 1\n", "odd = 1\n\t\tsteps.Add(1)\n", 1)
	ordered = strings.Replace(ordered, "odd = 2\n", "if steps.Load() == 25 {\n\t\t\t\todd = 2\n\t\t\t}\n", 1)
	for name, opts := range map[string]Options{"asked for": {Model: &Model{Races: true}}, "not asked for": {}} {
		t.Run(name, func(t *testing.T) {
			b, err := Check(t.Context(), programs.Main(t, rareRace), opts)
			require.NoError(t, err)
			require.Len(t, b.Findings(), 1, describe(b))
			f := b.Findings()[0]
			require.Equal(t, []any{artifact.Real, artifact.KindRace, 17}, []any{f.Verdict, f.Kind, f.Line}, describe(b))

			b, err = Check(t.Context(), programs.Main(t, ordered), opts)
			require.NoError(t, err)
			require.Empty(t, b.Findings())
			require.Empty(t, Conclude(b).Limits)
			require.Zero(t, b.Runs().RaceRuns, "all of its schedules were looked at")
		})
	}
}

// TestRaceRuns: where there are too many schedules to look at all of them for data races, the result says in how many there was
// none.
func TestRaceRuns(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	b, err := Check(t.Context(), programs.Main(t, `package main

import "sync"

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 3 {
		wg.Go(func() {
			for range 4 {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
`), Options{timing: &engineTiming{steps: 1}})
	require.NoError(t, err)
	require.False(t, Conclude(b).Inconclusive(), describe(b))
	require.Equal(t, raceSchedules+raceSamples, b.Runs().RaceRuns)
}

// TestRacesWithoutProgram: where the program of the bundle was not built when the exploration has shown a data race, that is said.
func TestRacesWithoutProgram(t *testing.T) {
	write := artifact.FindingGoroutine{G: "0.1", Operation: "write of x", File: "a.go", Line: 3}
	read := artifact.FindingGoroutine{G: "0.2", Operation: "read of x", File: "a.go", Line: 5}
	d := &deep{raced: []*raced{{sides: []artifact.FindingGoroutine{write, read}}}, out: artifact.New(artifact.Manifest{})}
	require.NoError(t, d.confirmRaces(t.Context()))
	require.Equal(t, []string{"a data race, which no run has reproduced: write of x at a.go:3 and read of x at a.go:5, which nothing orders"}, d.runs.Races)
	require.Empty(t, d.observed)
}

// TestInitialiserStack: the stack of an initialiser names what Go does, not the function of the instrumented program that repeats
// it. So the runtime knows how the instrumenter names those.
func TestInitialiserStack(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	b, err := Check(t.Context(), programs.Main(t, `package main

import "fmt"

var size = 1

var ready = launch()

var double = 2 * size

func launch() chan bool {
	c := make(chan bool)
	go func() {
		size = 5
		close(c)
	}()
	return c
}

func main() {
	<-ready
	fmt.Println(size, double)
}
`), Options{Model: &Model{Races: true}})
	require.NoError(t, err)
	require.Len(t, b.Findings(), 1, describe(b))
	var stacks []string
	for _, g := range b.Findings()[0].Goroutines {
		stacks = append(stacks, g.Stack...)
	}
	require.Contains(t, stacks, "example.com/p.init main.go:9")
}

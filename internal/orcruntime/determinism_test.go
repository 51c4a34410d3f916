package orcruntime

import (
	"flag"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	stressPlans   = flag.Int("orc.plans", 6, "random plans per program")
	stressReplays = flag.Int("orc.replays", 4, "replays per plan")
	stressLoad    = flag.Int("orc.load", 0, "goroutines that keep the machine busy meanwhile")
)

// load keeps n threads busy, with garbage too, until the test ends.
func load(t *testing.T, n int) {
	stop := make(chan struct{})
	for range n {
		go func() {
			var keep [][]byte
			for {
				select {
				case <-stop:
					return
				default:
				}
				if keep = append(keep, make([]byte, 1<<12)); len(keep) > 1000 {
					keep = nil
				}
			}
		}()
	}
	t.Cleanup(func() { close(stop) })
}

// TestDeterminism is the bar that everything else stands on: a random run, and
// the replays of its recording, agree in all that they observe, whatever the
// number of processors and the load. The long form is
//
//	go test ./internal/orcruntime -run TestDeterminism -orc.plans 100 -orc.replays 200 -timeout 60m
//
// without and with -orc.load 4.
func TestDeterminism(t *testing.T) {
	require.GreaterOrEqual(t, len(programs), 15)
	load(t, *stressLoad)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(procs)
		for _, p := range programs {
			t.Run(fmt.Sprintf("%d/%s", procs, p.name), func(t *testing.T) {
				for seed := range *stressPlans {
					first := p.explore(t, uint64(seed))
					again := p.explore(t, uint64(seed))
					require.Empty(t, observed(first, again), "seed %d, once more\n%s\n%s", seed, first, again)
					for i := range *stressReplays {
						again := p.replay(t, first)
						require.Empty(t, observed(first, again), "seed %d, replay %d\n%s\n%s", seed, i, first, again)
					}
				}
			})
		}
	}
}

func (p testProgram) explore(t *testing.T, seed uint64) Result {
	cfg := p.config(bubble(t))
	cfg.Chooser = Random(seed)
	cfg.Plan.Seed = seed
	return Run(cfg)
}

// replay follows a recorded run.
func (p testProgram) replay(t *testing.T, first Result) Result {
	cfg := p.config(bubble(t))
	cfg.Plan.Steps, cfg.Plan.Seed, cfg.Plan.Choices = first.Trace, first.Seed, first.Choices
	return Run(cfg)
}

// observed says what two runs have seen differently.
func observed(a, b Result) string {
	for _, part := range []struct {
		name string
		a, b any
	}{
		{"verdict", a.Verdict, b.Verdict},
		{"message", a.Message, b.Message},
		{"outcome", a.Outcome, b.Outcome},
		{"steps", a.Steps, b.Steps},
		{"hash", a.Hash, b.Hash},
		{"trace", a.Trace, b.Trace},
		{"choices", a.Choices, b.Choices},
		{"log", a.Log, b.Log},
		{"goroutines", a.Goroutines, b.Goroutines},
		{"notes", a.Notes, b.Notes},
		{"virtual time", a.VirtualTime, b.VirtualTime},
		{"weakness", a.Weak, b.Weak},
	} {
		if x, y := fmt.Sprint(part.a), fmt.Sprint(part.b); x != y {
			return part.name + ": " + x + "\nthen " + y
		}
	}
	return ""
}

package orcruntime

import (
	"flag"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	measure   = flag.Int("orc.measure", 0, "runs per program to measure")
	only      = flag.String("orc.only", "", "measure programs with this in their name")
	recorded  = flag.Bool("orc.recorded", false, "measure with log and recording")
	unchecked = flag.Bool("orc.unchecked", false, "measure without the check for foreign goroutines")
)

func (p testProgram) config(b Bubble) Config {
	return Config{Bubble: b, Main: p.main, Entry: p.entry, EndSite: endSite, Record: true}
}

// TestOutcomes explores every program at random: it ends in all the ways it
// can, and in no other.
func TestOutcomes(t *testing.T) {
	inLong(t)
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			seen := map[string]int{}
			for seed := range 400 {
				cfg := p.config(bubble(t))
				cfg.Chooser = Random(uint64(seed))
				cfg.Plan.Seed = uint64(seed)
				res := Run(cfg)
				require.Equal(t, Completed, res.Verdict, "%s", res)
				require.Empty(t, res.Notes[len(res.Notes):])
				require.False(t, res.Weak, "%s", res)
				if seen[res.Outcome.Kind]++; !slices.Contains(p.outcomes, res.Outcome.Kind) {
					t.Fatalf("seed %d: unexpected end\n%s", seed, res)
				}
			}
			for _, k := range p.outcomes {
				require.NotZero(t, seen[k], "never ended with %q: %v", k, seen)
			}
		})
	}
}

// TestStuckIn: a goroutine that is queued for good is found in whatever operation it
// is, as the entry function of a program and beside that of a test.
func TestStuckIn(t *testing.T) {
	for name, f := range map[string]func(){
		"send":         func() { To(make(chan int)).Send(2, 1) },
		"receive":      func() { Recv(2, make(chan int)) },
		"nil channel":  func() { Recv[int](2, nil) },
		"select":       func() { Select(2, false, R(make(chan int)), To(make(chan int)).Case(1)) },
		"empty select": func() { Select(2, false) },
		"lock": func() {
			var m sync.Mutex
			Lock(3, &m)
			Lock(2, &m)
		},
		"write lock": func() {
			var m sync.RWMutex
			RLock(3, &m)
			WLock(2, &m)
		},
		"read lock": func() {
			var m sync.RWMutex
			WLock(3, &m)
			RLock(2, &m)
		},
		"wait": func() {
			var wg sync.WaitGroup
			Add(3, &wg, 1)
			Wait(2, &wg)
		},
		"once": func() {
			var o sync.Once
			OnceDo(3, &o, func() { OnceDo(2, &o, func() {}) })
		},
		"cond wait": func() {
			c := sync.NewCond(&sync.Mutex{})
			LockIface(3, c.L)
			CondWait(2, c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			res := Run(Config{Bubble: bubble(t), Main: f})
			require.Equal(t, KindDeadlock, res.Outcome.Kind, "%s", res)
			res = Run(Config{Bubble: bubble(t), Entry: EntryTest, Main: func() { Go(1, f) }})
			require.Equal(t, KindLeak, res.Outcome.Kind, "%s", res)
			require.Equal(t, []At{{"0.1", Site(2).key()}}, res.Observed().Goroutines)
		})
	}
}

// TestNothingLeft: runs end all their goroutines.
func TestNothingLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 1000 {
		p := programs[i%len(programs)]
		cfg := p.config(bubble(t))
		cfg.Chooser = Random(uint64(i))
		Run(cfg)
	}
	for i := 0; i < 1e6 && runtime.NumGoroutine() > before; i++ {
		runtime.Gosched() // they have come to their ends, but may not be gone
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}

// work does some rounds of four steps in each of n goroutines: lock, access,
// unlock and a communication.
func work(n, rounds int) func() {
	return func() {
		var m sync.Mutex
		var wg sync.WaitGroup
		c := make(chan int)
		sum := 0
		for i := range n {
			WGGo(1, &wg, func() {
				for range rounds {
					Lock(2, &m)
					Access(3)
					sum++
					Unlock(4, &m)
					if i%2 == 0 {
						To(c).Send(5, sum)
					} else {
						Recv(6, c)
					}
				}
			})
		}
		Wait(7, &wg)
	}
}

// TestThroughput measures random exploration in bubbles: with -orc.measure
// runs for each program. It is no benchmark since a bubble needs a *testing.T.
func TestThroughput(t *testing.T) {
	if *measure == 0 {
		t.Skip("needs -orc.measure=N")
	}
	list := append([]testProgram{
		{"one of 100 000 steps", EntryMain, work(4, 5000), nil},
		{"one of 20 steps", EntryMain, work(2, 2), nil},
	}, programs...)
	for _, p := range list {
		if !strings.Contains(p.name, *only) {
			continue
		}
		steps, start := 0, time.Now()
		runs := *measure
		if steps := 100_000; p.name == "one of 100 000 steps" {
			runs = max(1, runs*20/steps)
		}
		for i := range runs {
			cfg := p.config(bubble(t))
			cfg.Chooser, cfg.Record, cfg.NoLog, cfg.Unchecked = Random(uint64(i)), *recorded, !*recorded, *unchecked
			cfg.NoStacks = !*recorded
			cfg.Plan.MaxSteps = 1 << 30
			steps += Run(cfg).Steps
		}
		took := time.Since(start).Seconds()
		t.Logf("%-50s %8.0f schedules/s %9.0f steps/s %5.1f steps each", p.name,
			float64(runs)/took, float64(steps)/took, float64(steps)/float64(runs))
	}
}

// TestControlled: inside a run, and in its goroutines only.
func TestControlled(t *testing.T) {
	require.False(t, Controlled())
	var inside, child, foreign bool
	res := Run(Config{Bubble: bubble(t), Main: func() {
		inside = Controlled()
		done := make(chan bool)
		Go(1, func() {
			child = Controlled()
			To(done).Send(2, true)
		})
		Recv(3, done)
		native := make(chan bool)
		go func() { native <- Controlled() }()
		foreign = <-native
	}})
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.True(t, inside)
	require.True(t, child)
	require.False(t, foreign)
	require.False(t, Controlled())
}

// TestBubbleFails: package testing ends the goroutine of a bubble whose test has failed, as one in which the race detector has
// found something. Who has begun the run ends, too.
func TestBubbleFails(t *testing.T) {
	ended, returned := make(chan bool), false
	go func() {
		defer close(ended)
		b := bubble(t)
		run := b.Run
		b.Run = func(f func()) {
			run(f)
			runtime.Goexit()
		}
		Run(Config{Bubble: b, Main: func() {}})
		returned = true
	}()
	<-ended
	require.False(t, returned)
}

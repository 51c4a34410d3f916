package orcruntime

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNow: the first call of time.Now is noted, in a bubble.
func TestNow(t *testing.T) {
	ask := func() {
		Go(1, func() { Clock(0).Now() })
		Sleep(2, time.Hour)
		Clock(0).Now()
	}
	for _, tt := range []struct {
		name string
		cfg  Config
		want []string
	}{
		{"bubble", Config{Bubble: bubble(t), Main: ask},
			[]string{"in a run it is 2000-01-01 00:00:00 UTC, and later only by steps that let time pass; goroutine 0.1 asks for the time at time_test.go:14"}},
		{"never", Config{Bubble: bubble(t), Main: func() { Go(1, func() {}) }}, nil},
		{"real time", Config{Main: func() { Clock(0).Now() }}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := Run(tt.cfg)
			require.Equal(t, Completed, res.Verdict, "%s", res)
			require.Equal(t, tt.want, res.Notes)
			require.False(t, res.Weak)
		})
	}
	require.WithinDuration(t, time.Now(), Clock(0).Now(), time.Hour)
}

// TestOrdinaryClock: in a program that reads the clock nothing is due when a run begins,
// which depends on the seed, and a time that has been slept for has passed. In one that
// makes bubbles the clock is theirs.
func TestOrdinaryClock(t *testing.T) {
	set := func(clock, bubbles bool) {
		program.Lock()
		defer program.Unlock()
		program.clock, program.bubbles = clock, bubbles
	}
	t.Cleanup(func() { set(false, false) })
	run := func(seed uint64) (start time.Time, slept time.Duration) {
		cfg := Config{Bubble: bubble(t), Plan: Plan{Seed: seed}, Main: func() {
			start = Clock(0).Now()
			Sleep(1, time.Second)
			slept = Clock(0).Now().Sub(start)
		}}
		res := Run(cfg)
		require.Equal(t, Completed, res.Verdict, "%s", res)
		return start.UTC(), slept
	}
	midnight := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

	set(true, false)
	first, slept := run(0)
	require.Equal(t, "2026-06-13 10:23", first.Format("2006-01-02 15:04"))
	require.NotZero(t, first.Nanosecond())
	require.Equal(t, time.Second+2*lag, slept) // by the reading before, and by the wait
	again, _ := run(0)
	require.Equal(t, first, again)
	other, _ := run(7)
	require.NotEqual(t, first, other)

	for _, c := range [][2]bool{{false, false}, {true, true}} {
		set(c[0], c[1])
		start, slept := run(7)
		require.Equal(t, midnight, start)
		require.Equal(t, time.Second, slept)
	}
}

// TestReadings: of two readings of the clock the second is later, whether there is a step
// in between or not, and what a timer shows is no earlier than it has to be.
func TestReadings(t *testing.T) {
	readsDurations(t)
	var runs [2][]time.Time
	for i := range runs {
		res := Run(Config{Bubble: bubble(t), Main: func() {
			var mu sync.Mutex
			read := func() time.Time {
				now := Clock(0).Now()
				runs[i] = append(runs[i], now)
				return now
			}
			first := read()
			require.Positive(t, Clock(0).Since(first))
			read()
			Lock(1, &mu)
			start := read()
			require.Negative(t, Clock(0).Until(start))
			Unlock(2, &mu)
			start = read()
			after := time.After(time.Second)
			due := Recv(3, after)
			runs[i] = append(runs[i], due)
			require.Equal(t, time.Second, due.Sub(start))
			read()
			Sleep(4, time.Second)
			require.Greater(t, Clock(0).Since(due), time.Second)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		for k := 1; k < len(runs[i]); k++ {
			require.True(t, runs[i][k].After(runs[i][k-1]), "reading %d", k)
		}
	}
	require.Equal(t, runs[0], runs[1])
}

// TestTimeMayPass: what a Chooser is told about time is what asking every
// goroutine gives.
func TestTimeMayPass(t *testing.T) {
	told := [2]int{}
	for _, p := range programs {
		for seed := range 20 {
			cfg := p.config(bubble(t))
			cfg.Chooser = asking{Random(uint64(seed)), t, &told}
			Run(cfg)
		}
	}
	require.NotZero(t, told[0])
	require.NotZero(t, told[1])
}

type asking struct {
	Chooser
	t    *testing.T
	told *[2]int
}

func (c asking) Next(v View) Choice {
	s := active.Load()
	_, known := s.nextKnown()
	sleepers, settlers := 0, 0
	for _, g := range s.blocked {
		switch g.op {
		case opSleep:
			sleepers++
		case opSettle:
			settlers++
		}
	}
	if v.Time != (known && settlers == 0) || s.sleepers != sleepers || s.settlers != settlers {
		c.t.Errorf("told %t, known %t, sleepers %d, counted %d, settlers %d, counted %d", v.Time, known, sleepers, s.sleepers, settlers, s.settlers)
	}
	if v.Time {
		c.told[1]++
	} else {
		c.told[0]++
	}
	return c.Chooser.Next(v)
}

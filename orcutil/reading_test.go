//go:build go1.25

package orcutil

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReadingOrder: each of two goroutines can be the first to read the clock, though no
// time passes, also where one reads it right behind what lets the other one go on.
func TestReadingOrder(t *testing.T) {
	readsDurations(t)
	for _, meet := range []bool{false, true} {
		var first, second time.Time
		main := func() {
			met, done := make(chan int), make(chan int)
			Go(1, func() {
				if meet {
					To(met).Send(2, 1)
				}
				first = Clock(3).Now()
				To(done).Send(4, 1)
			})
			if meet {
				Recv(5, met)
			}
			second = Clock(6).Now()
			Recv(7, done)
		}
		seen := func(Result) string { return fmt.Sprint(first.Before(second)) }
		o := exhaust(t, Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: main}}, seen)
		require.True(t, o.complete)
		require.Empty(t, o.out.Bounds)
		require.Equal(t, []string{"false", "true"}, o.sorted(), "meet %v", meet)
	}
}

// TestReadingLate: a clock that is read twice shows that durations have passed meanwhile
// which the program does not name, and if a timer is pending only those that may have passed
// before it was set, or until it comes.
func TestReadingLate(t *testing.T) {
	readsDurations(t, time.Minute)
	limits := []time.Duration{30 * time.Second, 3 * time.Minute, 500 * time.Hour}
	for _, tt := range []struct {
		timer time.Duration
		want  []string
	}{
		{0, []string{"30s 3m0s", "30s", ""}},
		{2 * time.Minute, []string{"", "30s", "30s 3m0s", "fired ", "fired 30s", "fired 30s 3m0s"}},
	} {
		said := ""
		main := func() {
			said = ""
			start := Clock(1).Now()
			var timer *time.Timer
			if tt.timer > 0 {
				timer = time.NewTimer(Due(2, tt.timer))
			}
			passed := Clock(3).Since(start)
			if timer != nil {
				if r := R(timer.C); Select(4, true, r) == 0 {
					said = "fired "
				}
			}
			var over []string
			for _, d := range limits {
				if passed > d {
					over = append(over, d.String())
				}
			}
			said += strings.Join(over, " ")
		}
		o := exhaust(t, Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: main}, Stalls: -1}, func(Result) string { return said })
		require.True(t, o.complete)
		require.Empty(t, o.out.Bounds)
		require.ElementsMatch(t, tt.want, o.sorted())
	}
}

// TestCompared: a run notices durations that it does not know, and takes none for one that
// has passed between two readings, or that is what is left of one that is known.
func TestCompared(t *testing.T) {
	readsDurations(t, time.Minute)
	cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
		start := Clock(1).Now()
		Sleep(2, 10*time.Second)
		Compared(Clock(3).Since(start))
		Compared(Clock(4).Until(start))
		Compared(Clock(5).Until(start.Add(Compared(time.Minute))))
		Compared(Clock(6).Until(start.Add(Compared(30 * time.Second))))
		Compared(-5 * time.Second)
		Compared(0)
	}}
	want := []time.Duration{5 * time.Second, 30 * time.Second}
	res := Run(cfg)
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.Equal(t, want, res.Durations)
	o := exhaust(t, Exhaustion{Config: cfg, Stalls: -1}, func(Result) string { return "" })
	require.True(t, o.complete)
	require.Equal(t, want, o.out.Durations)
}

// TestMinimiseReading: a goroutine is slow for no longer than an error needs.
func TestMinimiseReading(t *testing.T) {
	readsDurations(t, time.Second, 5*time.Second, 10*time.Second, time.Minute)
	cfg := Config{Bubble: bubble(t), Delays: true, Record: true, Main: func() {
		start := Clock(1).Now()
		if Clock(2).Since(start) > 5*time.Second {
			panic(Panic(3, "late"))
		}
	}}
	longest := time.Duration(0)
	for seed := range uint64(40) {
		run := cfg
		run.Plan.Seed = seed
		res := Run(run)
		if res.Outcome.Kind != KindPanic || heldIn(res) <= 5*time.Second+instant {
			continue
		}
		longest = max(longest, heldIn(res))
		run = cfg
		run.Delays, run.Plan = false, planOf(res)
		got := Minimise(Minimisation{Config: run})
		require.Empty(t, got.Left)
		require.InDelta(t, 5*time.Second, got.After.Held, float64(instant), "%+v", got.Plan)
		run.Plan = got.Plan
		again := Run(run)
		require.True(t, sameEnd(again, res), again)
		require.Equal(t, got.After.Held, heldIn(again))
	}
	require.Greater(t, longest, time.Minute)
}

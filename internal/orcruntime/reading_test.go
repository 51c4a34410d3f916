//go:build go1.25

package orcruntime

import (
	"fmt"
	"math"
	"slices"
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

// TestCompared: of whatever is calculated from times that the clock has shown, at which
// deadlines were set, or that the program names, a run finds what has to pass between two of
// them so that a comparison comes out otherwise.
func TestCompared(t *testing.T) {
	inLong(t)
	readsDurations(t, time.Minute)
	for _, tt := range []struct {
		name string
		main func()
		want []time.Duration // in seconds
	}{
		{"named", func() { Compared(Clock(2).Since(Clock(1).Now()), time.Minute) }, nil},
		{"calculated", func() { Compared(Clock(2).Since(Clock(1).Now()), 5*time.Second) }, []time.Duration{5}},
		{"from the other side", func() { Compared(5*time.Second, Clock(2).Since(Clock(1).Now())) }, []time.Duration{5}},
		{"negative", func() { Compared(-5*time.Second, Clock(2).Until(Clock(1).Now())) }, []time.Duration{5}},
		{"has always", func() { Compared(Clock(2).Since(Clock(1).Now()), -5*time.Second) }, nil},
		{"what is left", func() { Compared(Clock(2).Until(Clock(1).Now().Add(time.Minute)), 3*time.Second) }, []time.Duration{57}},
		{"later than that", func() { Compared(Clock(2).Until(Clock(1).Now().Add(time.Minute)), -3*time.Second) }, []time.Duration{63}},
		{"a sum", func() {
			start := Clock(1).Now()
			Moment(Clock(2).Now()).After(start.Add(5 * time.Second).Add(2 * time.Second))
		}, []time.Duration{7}},
		{"a date", func() { Moment(Clock(1).Now().AddDate(0, 0, 1)).Before(Clock(2).Now()) }, []time.Duration{24 * 3600}},
		{"a difference", func() {
			start := Clock(1).Now()
			Sleep(2, time.Second)
			Compared(-(Clock(3).Since(start) - Clock(4).Since(start)), 5*time.Second)
		}, []time.Duration{5}},
		{"which of them", func() {
			var read [4]time.Time
			for i := range read {
				read[i] = Clock(1 + i).Now()
				Sleep(Site(11+i), time.Duration(i+1)*time.Second)
			}
			for i := range read {
				Compared(read[3].Sub(read[i]), 100*time.Second+time.Duration(i)*time.Second)
			}
		}, []time.Duration{100, 101, 102}},
		{"a deadline", func() {
			due := Recv(2, time.After(Due(1, 10*time.Second)))
			Compared(Clock(3).Since(due), 3*time.Second)
		}, []time.Duration{13}},
		{"when a program starts", func() {
			Compared(Clock(1).Now().Sub(active.Load().start.Truncate(instant).Add(13*time.Second)), 0)
		}, []time.Duration{13}},
		{"no clock", func() { Compared(3*time.Second, 4*time.Second) }, nil},
		{"never", func() {
			Compared(Clock(1).Since(Clock(2).Now()), math.MaxInt64)
			Compared(math.MinInt64, Clock(1).Since(Clock(2).Now()))
			Moment(time.Time{}).Equal(Clock(1).Now())
		}, nil},
		{"added", func() { Noted(4 * time.Second); Noted(-5 * time.Second); Noted(time.Minute); Noted(0) }, []time.Duration{4, 5}},
		{"added, less what has passed", func() { Noted(9*time.Second - Clock(1).Since(Clock(2).Now())) }, []time.Duration{9}},
		{"which of the deadlines", func() {
			start := Clock(1).Now()
			Sleep(20, time.Second)
			var due [2]time.Time
			for i := range due {
				due[i] = Recv(Site(11+i), time.After(Due(Site(2+i), time.Duration(i+1)*time.Second)))
			}
			for i := range due {
				Compared(due[i].Sub(start), 100*time.Second+time.Duration(10*i)*time.Second)
			}
		}, []time.Duration{99, 108}},
		{"the last two of three deadlines", func() {
			var due [3]time.Time
			for i := range due {
				due[i] = Recv(Site(11+i), time.After(Due(Site(2+i), time.Second)))
			}
			Compared(due[2].Sub(due[1]), 7*time.Second)
		}, []time.Duration{7}},
		{"in a bubble", func() {
			start := Clock(1).Now()
			Sleep(5, time.Second)
			InBubble(func() {
				if Compared(Clock(3).Since(Clock(2).Now()), 0) != 0 {
					t.Error("the clock is not exact")
				}
				Compared(Clock(4).Since(start), 5*time.Second)
			})
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: tt.main}
			res := Run(cfg)
			require.Equal(t, Completed, res.Verdict, "%s", res)
			require.Equal(t, seconds(tt.want), res.Durations)
			require.Empty(t, res.ClockLimits)
			o := exhaust(t, Exhaustion{Config: cfg, Stalls: -1}, func(Result) string { return "" })
			require.Empty(t, o.out.Bounds)
			slices.Sort(o.out.Durations)
			require.Equal(t, seconds(tt.want), o.out.Durations)
			cfg.Durations = o.out.Durations
			o = exhaust(t, Exhaustion{Config: cfg, Stalls: -1}, func(Result) string { return "" })
			require.Empty(t, o.out.Durations)
		})
	}
}

func seconds(list []time.Duration) (out []time.Duration) {
	for _, n := range list {
		out = append(out, n*time.Second)
	}
	return out
}

// TestBetween: an exploration comes between two limits, however they are calculated.
func TestBetween(t *testing.T) {
	readsDurations(t, 13*time.Second) // which is not yet known as one since a deadline
	for _, tt := range []struct {
		name string
		main func() (from, to int) // how the two comparisons come out
	}{
		{"since a deadline", func() (int, int) {
			late := Clock(3).Since(Recv(2, time.After(Due(1, 10*time.Second))))
			return Compared(late, 3*time.Second), Compared(late, 4*time.Second)
		}},
		{"between two deadlines", func() (int, int) {
			first := time.After(Due(1, 10*time.Second))
			passed := Recv(3, time.After(Due(2, 20*time.Second))).Sub(Recv(4, first))
			return Compared(passed, 13*time.Second), Compared(passed, 14*time.Second)
		}},
		{"what is left", func() (int, int) {
			end := Clock(1).Now().Add(10 * time.Second)
			left := Clock(2).Until(end)
			return Compared(4*time.Second, left), Compared(3*time.Second, left)
		}},
		{"an elapsed time since another one", func() (int, int) {
			start := Clock(1).Now()
			first := Clock(2).Since(start)
			passed := Clock(3).Since(start) - first
			return Compared(passed, 3*time.Second), Compared(passed, 4*time.Second)
		}},
		{"times", func() (int, int) {
			at := Clock(1).Now()
			now := Moment(Clock(2).Now())
			return now.Compare(at.Add(time.Second).Add(2 * time.Second)), now.Compare(at.Add(4 * time.Second))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seen := ""
			cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
				from, to := tt.main()
				seen = fmt.Sprint(from, to)
			}}
			for {
				o := exhaust(t, Exhaustion{Config: cfg, Stalls: -1}, func(Result) string { return seen })
				require.True(t, o.complete)
				require.Empty(t, o.out.Bounds)
				if len(o.out.Durations) == 0 {
					require.Equal(t, []string{"-1 -1", "1 -1", "1 1"}, o.sorted())
					return
				}
				cfg.Durations = union(cfg.Durations, o.out.Durations)
			}
		})
	}
}

// TestComparedSum: a sum of what has passed several times is no difference of two moments. An
// exploration says so, or finds other durations each time, and does not come to an end.
func TestComparedSum(t *testing.T) {
	readsDurations(t)
	for n := 2; n < 6; n++ {
		cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
			var total time.Duration
			for range n {
				total += Clock(2).Since(Clock(1).Now())
			}
			Compared(total, 10*time.Second)
		}}
		for round := 0; ; round++ {
			o := exhaust(t, Exhaustion{Config: cfg, Stalls: -1, Runs: 300}, func(Result) string { return "" })
			if len(o.out.Bounds) > 0 {
				require.Regexp(t, `^reading_test.go:\d+: (durations or times are|what the clock has shown is) compared`, o.out.Bounds[0])
				break
			}
			require.NotEmpty(t, o.out.Durations, "%d", n)
			if cfg.Durations = union(cfg.Durations, o.out.Durations); round == 3 {
				break
			}
		}
	}
}

// TestNotKept: a comparison with a reading that was taken for one that nothing is compared with
// is a limit.
func TestNotKept(t *testing.T) {
	readsDurations(t)
	always := Run(Config{Bubble: bubble(t), Main: func() { Compared(Clock(2).Since(Once(1).Now()), -time.Second) }})
	require.Empty(t, always.ClockLimits)
	cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
		Compared(Clock(2).Since(Once(1).Now()), 5*time.Second)
	}}
	o := exhaust(t, Exhaustion{Config: cfg, Stalls: -1}, func(Result) string { return "" })
	require.Empty(t, o.out.Durations)
	require.Len(t, o.out.Bounds, 1)
	require.Contains(t, o.out.Bounds[0], "an earlier reading of which nothing was to be kept")
}

// TestMoments: every difference of two moments tells which they are, whatever has passed
// between them.
func TestMoments(t *testing.T) {
	r := random(1)
	for range 200 {
		var m moments
		var firstKept moment
		keptOnes := 0
		at := time.Duration(0)
		for range 3 * maxMoments {
			at += time.Duration(r.next(3)) * time.Duration(r.next(1000)) * time.Microsecond
			at += time.Duration(r.next(3)) * time.Duration(r.next(700))
			at += m.apart(at)
			n := moment{at: at, kept: r.next(4) == 0, set: r.next(3) == 0}
			if n.kept {
				if keptOnes++; keptOnes == 1 {
					firstKept = n
				}
			}
			m.add(n)
			at += lag
		}
		require.Len(t, m.list, maxMoments)
		if first, ok := firstKept.at, keptOnes < maxMoments; ok {
			require.True(t, slices.ContainsFunc(m.list, func(o moment) bool { return o.at == first }), "a moment that is kept is forgotten before others")
		}
		for i, a := range m.list {
			for _, b := range m.list[:i] {
				rest := time.Duration(r.next(100)-50) * time.Microsecond
				first, later, back, got, ok := m.between(a.at - b.at + rest)
				require.True(t, ok)
				require.Equal(t, b.at, first.at)
				require.Equal(t, a.at, later.at)
				require.False(t, back)
				require.Equal(t, rest, got)
				first, later, back, got, ok = m.between(b.at - a.at + rest)
				require.True(t, ok)
				require.Equal(t, [2]time.Duration{b.at, a.at}, [2]time.Duration{first.at, later.at})
				require.True(t, back)
				require.Equal(t, rest, got)
			}
		}
	}
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

// TestReadingLoop: a loop that does nothing but look at the clock comes to an end, in an
// exploration after few schedules, whether others may be slow or not, and is no stall.
func TestReadingLoop(t *testing.T) {
	readsDurations(t, time.Second)
	cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
		done := make(chan int)
		Go(1, func() {
			start := Clock(2).Now()
			for Compared(Polled(3, Once(3).Since(start)), time.Second) < 0 {
			}
			Close(4, done)
		})
		Recv(5, done)
	}}
	for _, stalls := range []int{0, -1} {
		o := exhaust(t, Exhaustion{Config: cfg, Stalls: stalls, Awaits: []string{Site(3).key()}, Runs: 1000}, Result.end)
		require.True(t, o.complete)
		require.Empty(t, o.out.Bounds)
		require.Equal(t, []string{"completed\n\n"}, o.sorted())
	}
	res := Run(cfg)
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.Greater(t, res.VirtualTime, time.Second)
	require.Empty(t, res.Stalls)
}

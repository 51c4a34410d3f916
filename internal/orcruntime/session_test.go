package orcruntime

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestExhaustStops: an exploration ends when it is told to, and goes on from there; it says why
// if runs do not repeat, or leave something behind.
func TestExhaustStops(t *testing.T) {
	var mu sync.Mutex
	orders := Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
		for range 3 {
			Go(1, func() { Lock(2, &mu); Unlock(3, &mu) })
		}
	}}
	nothing := func(int, Result) {}
	whole := Exhaust(Exhaustion{Config: orders, Ran: nothing, Found: nothing})
	require.True(t, whole.Complete)
	require.Nil(t, whole.Frontier)
	for stop := 1; stop <= whole.Runs; stop++ {
		asked := 0
		e := Exhaustion{Config: orders, Ran: nothing, Found: nothing, Stop: func() bool { asked++; return asked == stop }}
		first := Exhaust(e)
		require.Equal(t, min(stop, whole.Runs), first.Runs)
		require.Equal(t, stop == whole.Runs, first.Complete)
		if first.Complete {
			continue
		}
		e.Frontier = first.Frontier
		second := Exhaust(e)
		require.True(t, second.Complete)
		first.Add(second)
		require.Equal(t, whole.Runs, first.Runs)
		require.True(t, first.Complete)
	}
	past := Exhaust(Exhaustion{Config: orders, Ran: nothing, Found: nothing, Until: time.Now().Add(-1)})
	require.Zero(t, past.Runs)
	require.NotNil(t, past.Frontier)
	past = Exhaust(Exhaustion{Config: orders, Ran: nothing, Found: nothing, Frontier: past.Frontier, Steps: 1})
	require.Equal(t, 1, past.Runs)
	other := Exhaust(Exhaustion{Config: orders, Ran: nothing, Found: nothing, Frontier: past.Frontier, Bounding: &Bounding{}})
	require.Contains(t, other.Left, "another kind of exploration")
	require.True(t, other.Tainted)

	// Of a frontier, what can be wrong with the program.
	kept := 0
	for what, c := range map[string]struct {
		main func()
		left string
	}{
		"another goroutine": {func() {
			if kept++; kept > 1 {
				Go(7, func() { Access(8) })
			}
			Go(1, func() { storeWord(2, new(atomic.Int32), 1) })
			Access(3)
		}, "state outlives runs"},
		"another choice": {func() { kept++; Choose(1, uint64(1+min(kept, 3))) }, "state outlives runs"},
		"another end": {func() {
			if kept++; kept > 1 {
				panic(Panic(1, "later"))
			}
		}, "two runs with the same choices differ"},
		"another step": {func() {
			if kept++; kept > 1 {
				Access(2)
			}
			Access(1)
		}, "two runs with the same choices differ"},
	} {
		kept = 0
		out := Exhaust(Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: c.main}, Ran: nothing, Found: nothing})
		require.Contains(t, out.Left, c.left, what)
		require.True(t, out.Tainted, what)
		require.False(t, out.Complete, what)
	}
	// What a run leaves ends the exploration, not what it has shown.
	for leaves, complete := range map[uint64]bool{0: false, 1: true} {
		runs := 0
		out := Exhaust(Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
			if n, _ := Choose(1, 2); n == leaves {
				Go(2, func() { <-make(chan int) })
			}
		}}, Ran: func(int, Result) { runs++ }, Found: nothing})
		require.Contains(t, out.Left, "after the run: deadlock")
		require.False(t, out.Tainted)
		require.Equal(t, complete, out.Complete)
		require.Equal(t, complete, out.Frontier == nil)
		require.Equal(t, out.Runs, runs)
		require.Equal(t, int(leaves)+1, runs)
	}
}

// TestExhaustUnordered: uses of memory of which it is not known whether they race are those of
// all runs.
func TestExhaustUnordered(t *testing.T) {
	out := Exhaust(Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Races: true, Main: func() {
		n, _ := Choose(1, 3)
		list := make([]byte, 8)
		Go(2, func() { Given(Place(10+n), list, true) })
		Given(20, list, true)
	}}, Ran: func(int, Result) {}, Found: func(int, Result) {}})
	require.True(t, out.Complete)
	require.Len(t, out.Unordered, 3)
	require.Empty(t, out.Races)
}

// TestPatience: with patience time passes when nobody can go on, but for one that has polled
// alone for long, be it how often it is asked, and not where no event is known to come.
func TestPatience(t *testing.T) {
	var told []bool
	c := Patient(choosing(func(v View) Choice {
		told = append(told, v.Time)
		return Choice{}
	}))
	one, two := []Parked{{}}, []Parked{{}, {}}
	ask := func(n int, v View) (passed int) {
		for range n {
			if c.Next(v).Index == TimePasses {
				passed++
			}
		}
		return passed
	}
	require.Zero(t, ask(polls, View{Ready: one, Time: true}))
	require.Equal(t, 1, ask(1, View{Ready: one, Time: true}))
	require.Zero(t, ask(polls, View{Ready: one, Time: true}))
	require.Zero(t, ask(1, View{Ready: two, Time: true}))
	require.Zero(t, ask(polls, View{Ready: one, Time: true}))
	require.Zero(t, ask(1, View{Time: true}))
	require.Zero(t, ask(polls+5, View{Ready: one}))
	require.Equal(t, 1, ask(2, View{Ready: one, Time: true}))
	require.False(t, slices.Contains(told, true))
}

// choosing is a Chooser.
type choosing func(View) Choice

func (c choosing) Next(v View) Choice { return c(v) }

// TestTurns: of those that could go on the last one goes on, but whoever has had a long turn, or
// polls, lets all others go first, and then time.
func TestTurns(t *testing.T) {
	c := &sticky{}
	at := func(o op, paths ...string) (all []Parked) {
		for _, g := range paths {
			all = append(all, Parked{G: g, Op: opNames[o]})
		}
		return all
	}
	next := func(v View) string {
		i := c.Next(v).Index
		if i == TimePasses {
			return TimeStep
		}
		return v.Ready[i].G
	}
	require.Equal(t, "0", next(View{Ready: at(opLock, "0", "1", "2")}))
	require.Equal(t, "1", next(View{Ready: at(opLock, "1", "2")}))
	for range turn - 1 {
		require.Equal(t, "1", next(View{Ready: at(opLock, "0", "1", "2")}))
	}
	require.Equal(t, "0", next(View{Ready: at(opSpin, "0", "1", "2")}))
	require.Equal(t, "2", next(View{Ready: at(opSpin, "0", "1", "2")}))
	require.Equal(t, TimeStep, next(View{Ready: at(opSpin, "0", "1", "2"), Time: true}))
	for range 2 {
		for _, g := range []string{"0", "1", "2"} {
			require.Equal(t, g, next(View{Ready: at(opSpin, "0", "1", "2"), Time: true}))
		}
		require.Equal(t, TimeStep, next(View{Ready: at(opSpin, "0", "1", "2"), Time: true}))
	}
	require.Equal(t, "0", next(View{Ready: at(opSpin, "0", "1")}))
	require.Equal(t, "1", next(View{Ready: at(opSpin, "0", "1")}))
	require.Equal(t, "0", next(View{Ready: at(opSpin, "0", "1")}), "where no time can pass they begin again")
	require.Equal(t, TimeStep, next(View{}))
	require.Equal(t, "0", next(View{Ready: at(opLock, "0", "1")}), "who goes on when time has passed is as at the beginning")
}

// TestTimeCompletes: what a library does when time has passed completes what goroutines wait for
// in channels: a case of a select that receives or sends, or finds the channel closed.
func TestTimeCompletes(t *testing.T) {
	later := func(f func()) { time.AfterFunc(Due(9, time.Second), f) }
	for name, c := range map[string]struct {
		main func() any
		want any
		kind string
	}{
		"a receive": {func() any { c := make(chan int); later(func() { c <- 5 }); return Recv(1, c) }, 5, ""},
		"a send": {func() any {
			c, d := make(chan int), make(chan int)
			later(func() { d <- <-c })
			To(c).Send(1, 5)
			return Recv(2, d)
		}, 5, ""},
		"the case that receives": {func() any {
			c, d := make(chan int), make(chan int)
			later(func() { d <- 5 })
			r := R(d)
			return []int{Select(1, false, R(c), r), r.V}
		}, []int{1, 5}, ""},
		"the case that sends": {func() any {
			c, d := make(chan int), make(chan int)
			later(func() { <-d })
			return Select(1, false, R(c), To(c).Case(1), To(d).Case(2), R[int](nil))
		}, 2, ""},
		"the case of a channel that is closed": {func() any {
			c, d := make(chan int), make(chan int)
			later(func() { close(d) })
			return Select(1, false, R(c), R(d))
		}, 1, ""},
		"a send to a channel that is closed": {func() any { c := make(chan int); later(func() { close(c) }); To(c).Send(1, 1); return nil }, nil, KindSendOnClosed},
		"a case that sends to a channel that is closed": {func() any {
			c := make(chan int)
			later(func() { close(c) })
			Select(1, false, R[int](nil), To(c).Case(1))
			return nil
		}, nil, KindSendOnClosed},
		"a deadline": {func() any {
			c := time.After(time.Until(DueAt(time.Now().Add(time.Second))))
			return Recv(1, c).IsZero()
		}, false, ""},
		"a deadline gone": {func() any { DueAt(time.Now().Add(-time.Second)); Sleep(1, time.Second); return 1 }, 1, ""},
	} {
		if raceDetector && c.kind == KindSendOnClosed {
			continue // which is a data race, too
		}
		for seed := range uint64(5) {
			var got any
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: Random(seed), Main: func() {
				Go(3, func() { got = c.main() })
				Access(4)
			}})
			require.Equal(t, Completed, res.Verdict, "%s %s", name, res)
			require.Equal(t, c.kind, res.Outcome.Kind, "%s %s", name, res)
			require.Equal(t, c.want, got, name)
		}
	}
}

// TestDueAt: where a deadline is pending that is known by its time, time may pass, and others may
// be slow to set theirs.
func TestDueAt(t *testing.T) {
	for set, timed := range map[string]bool{"future": true, "past": false, "none": false} {
		out := Exhaust(Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
			var c <-chan time.Time
			switch set {
			case "future":
				c = time.After(time.Until(DueAt(time.Now().Add(time.Second))))
			case "past":
				c = time.After(time.Until(DueAt(time.Now().Add(-time.Second))))
			}
			Access(1)
			Select(2, true, R(c))
		}}, Stalls: -1, Ran: func(int, Result) {}, Found: func(int, Result) {}})
		require.True(t, out.Complete)
		require.Equal(t, timed, out.Timed, set)
		require.Equal(t, timed, out.Runs > 1, set)
	}
}

// TestExhaustedAdd: what a part of an exploration has shown is in the sum, whichever part it was.
func TestExhaustedAdd(t *testing.T) {
	stays := []string{"Frontier", "Through"}        // see Add
	last := []string{"Complete", "Left", "Tainted"} // as the later part says
	race := []Race{{First: RaceAccess{Site: "x"}}}  // of a list of races
	values := []any{true, 3, []string{"x"}, []int{3}, "x", race, []Bounded{{Runs: 3}}, []time.Duration{3}, &Frontier{}}
	of := reflect.TypeFor[Exhausted]()
	for i := range of.NumField() {
		name := of.Field(i).Name
		for _, later := range []bool{false, true} {
			var sum, more Exhausted
			to := reflect.ValueOf(&sum)
			if later {
				to = reflect.ValueOf(&more)
			}
			k := slices.IndexFunc(values, func(v any) bool { return reflect.TypeOf(v) == of.Field(i).Type })
			require.GreaterOrEqual(t, k, 0, "no value for %s", name)
			to.Elem().Field(i).Set(reflect.ValueOf(values[k]))
			want := !slices.Contains(stays, name) && (later || !slices.Contains(last, name)) || slices.Contains(stays, name) && !later
			sum.Add(more)
			got := reflect.ValueOf(sum).Field(i)
			if !want {
				require.True(t, got.IsZero(), "%s, later %t", name, later)
				continue
			}
			require.Equal(t, values[k], got.Interface(), "%s, later %t", name, later)
			if got.Kind() == reflect.Slice { // each once
				sum.Add(more)
				sum.Add(sum)
				require.Equal(t, 1, reflect.ValueOf(sum).Field(i).Len(), name)
			}
		}
	}
	f := &Frontier{Timed: true, Bounds: []string{"x"}}
	out := Exhaust(Exhaustion{Frontier: f, Until: time.Now().Add(-1)})
	require.True(t, out.Timed)
	require.True(t, out.Frontier.Timed)
	require.Equal(t, f.Bounds, out.Bounds)
}

// TestStuckAtEnd: of a program whose main returns, who is blocked then for good is named, at each
// site once.
func TestStuckAtEnd(t *testing.T) {
	for entry, want := range map[string][]string{EntryMain: {"#10", "#3"}, EntryTest: nil} {
		out := Exhaust(Exhaustion{Config: Config{Bubble: bubble(t), Entry: entry, EndSite: endSite, Main: func() {
			c, done := make(chan int), make(chan int, 2)
			for range 2 {
				Go(1, func() { To(done).Send(7, 0); Recv(2, c) })
			}
			Go(4, func() { To(done).Send(8, 0); To(c).Send(3, 1); To(c).Send(3, 1); To(c).Send(3, 1) })
			for range 2 {
				Go(5, func() { Access(6); Recv[int](10, nil) })
			}
			for range 3 {
				Recv(9, done)
			}
		}}, Ran: func(int, Result) {}, Found: func(int, Result) {}})
		require.True(t, out.Complete)
		slices.Sort(out.Stuck)
		require.Equal(t, want, out.Stuck, entry)
	}
}

// TestBoundingTime: that time passes while a goroutine could go on is a preemption.
func TestBoundingTime(t *testing.T) {
	poll := func() {
		for range 2 {
			c := time.After(Due(1, time.Second))
			Access(2)
			if Select(3, true, R(c)) < 0 {
				return
			}
		}
		panic(Panic(4, "both have fired"))
	}
	for last, want := range [][]string{{""}, {""}, {"", KindPanic}, {"", KindPanic}} {
		e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: poll}, Stalls: -1, Bounding: &Bounding{Last: last}}
		o := exhaust(t, e, func(res Result) string { return res.Outcome.Kind })
		require.Equal(t, want, o.sorted(), "%d", last)
		require.Equal(t, last < 2, !o.complete)
		require.True(t, o.out.Preemptions[0].Postponed)
	}
}

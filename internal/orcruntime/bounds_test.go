package orcruntime

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// calledBack and notCalledBack call f, as functions of a library do: the first one holds a
// lock of the library meanwhile.
//
//go:noinline
func calledBack(f func()) { f() }

//go:noinline
func notCalledBack(f func()) { f() }

// restricted are programs of which something is not explored, or seen, and what is said of
// that; of the program beside it, which does nearly the same, nothing is said.
var restricted = []struct {
	says         string
	main, beside func()
	with         func(*Exhaustion) // for main
	clock        bool              // the program reads it
}{
	{says: ": a choice with more alternatives than are explored", main: func() { KeySlice(1, mapOf(5)) }, beside: func() { KeySlice(1, mapOf(4)) }},
	{says: "that time passes before a deadline is set", main: twoDeadlines, beside: twoDeadlines, with: func(e *Exhaustion) { e.Stalls, e.Bounding = -1, &Bounding{Last: AllPreemptions} }},
	{says: "runs that were cut off", main: func() { stand(50) }, beside: func() { stand(20) }, with: func(e *Exhaustion) { e.Config.Plan.MaxSteps = 40 }},
	{says: "runtime.NumGoroutine", main: func() { Goroutines(0).Count() }, beside: func() { Goroutines(1).Count() }},
	{says: "what finalizers and cleanups of package runtime do", main: func() { Finalized(new(int), func(*int) {}) }, beside: func() { Finalized(new(int), nil) }},
	{says: "finalizers or cleanups of the program", main: func() { Finalized(new(int), func(*int) {}); Recv[int](1, nil) }, beside: func() { Finalized(new(int), nil); Recv[int](1, nil) }},
	{says: "signals, which do not come in a run", main: func() { NotifySignals(nil)(make(chan os.Signal)); Recv[int](1, nil) }, beside: func() { NotifySignals(nil)(make(chan os.Signal)) }},
	{says: "the length of a channel, asked for where there is no guard", main: func() {
		c := make(chan int, 1)
		Go(1, func() { To(c).Send(2, 1) })
		_ = len(Measured(0, c))
	}, beside: func() {
		c, alone := make(chan int, 1), make(chan int, 1)
		_ = len(Measured(0, alone)) // with nobody there
		Go(1, func() { To(c).Send(2, 1) })
		_ = len(Measured(3, c))
	}},
	{says: ": entries that are created while a map is ranged over, of which at most", main: func() { createsTo(maxCreated + 1) }, beside: func() { createsTo(maxCreated) }},
	{says: "operations in what a library calls back with a lock of its own", main: func() { callBacks(calledBack) }, beside: func() { callBacks(notCalledBack) }},
	{says: "that time passes while somebody waits for a lock inside a library", main: func() { besideSleeper(true) }, beside: func() { besideSleeper(false) }, with: anyStalls},
	{says: "an RWMutex that is unlocked by a goroutine that has not locked it", main: func() {
		var rw sync.RWMutex
		RLock(1, &rw)
		Go(2, func() { RUnlock(3, &rw) })
	}, beside: func() {
		var rw sync.RWMutex
		RLock(1, &rw)
		Go(2, func() { RLock(3, &rw); RUnlock(4, &rw) })
		RUnlock(5, &rw)
		WLock(6, &rw)
		WUnlock(7, &rw)
	}},
	{says: ": a random number of a large range", main: func() { Entropy(1).Uint64() }, beside: func() { Choose(1, 6) }},
	{says: ": a random number of a large range", main: func() { MakeSeed(1)() }, beside: func() {}},
	{says: ": a random number of a large range", main: func() { LinkedRandom() }, beside: func() { LinkedRandomN(6) }},
	{says: "the clock of the Go runtime, which the program reads by its linker name", main: func() { LinkedNow() }, beside: func() {}},
	{says: ": a random number of a large range", main: func() { KeySlice(1, mapOf(9)) }, beside: func() { KeySlice(1, mapOf(1)) }},
	{says: loopBound, main: pollWord, beside: pollWord},
	{says: ": a call of uninstrumented code in one step with what was before it", main: func() { lockAndCall(0) }, beside: func() { lockAndCall(7) }},
	{says: "operation by a goroutine outside control", main: func() {
		c := make(chan int)
		go func() { To(c).Send(2, 1) }()
		Recv(3, c)
	}, beside: func() {
		c := make(chan int)
		Go(1, func() { To(c).Send(2, 1) })
		Recv(3, c)
	}},
	{says: "an iterator is stopped while it runs", main: func() {
		var stop func()
		next, stop := pull(func(func(int) bool) { stop() })
		next()
	}, beside: func() {
		next, stop := pull(func(func(int) bool) {})
		next()
		stop()
	}},
	{says: "blocked in code without guards", main: func() { time.Sleep(time.Second) }, beside: func() { Sleep(1, time.Second) }},
	{says: "atomic operation by a goroutine outside control", main: func() {
		var word atomic.Int32
		c := make(chan int, 1)
		go func() { Int32(0, 1, &word).Store(1); c <- 1 }()
		Recv(3, c)
	}, beside: func() {
		var word atomic.Int32
		c := make(chan int, 1)
		Go(1, func() { Int32(0, 1, &word).Store(1); To(c).Send(2, 1) })
		Recv(3, c)
	}},
	{says: "a subtest has ended early", main: func() { Subtest(0, runtime.Goexit) }, beside: func() { Subtest(0, func() {}) }},
	{says: "a parallel subtest is a call", main: func() { Subtest(0, func() { Parallel(0, nil) }) }, beside: func() { Parallel(0, nil) }},
	{says: "a subtest that is a call ends before its parallel subtests", main: func() {
		Subtest(0, func() { Subtest(10, func() { Parallel(11, nil) }) })
	}, beside: func() {
		Subtest(0, func() { Subtest(10, func() {}) })
	}},
	{says: "t.Parallel is called by a goroutine that a subtest has started", main: func() {
		Subtest(10, func() { Go(1, func() { Parallel(2, nil) }) })
	}, beside: func() {
		Subtest(10, func() { Parallel(2, nil) })
	}},
	{says: "of accesses to more than 65536 bytes", main: func() { writeLarge(maxLarge + 1) }, beside: func() { writeLarge(maxLarge) }},
	{says: "whether the library's accesses race is not seen", main: func() { given(true) }, beside: func() { given(false) }},
	{says: "durations or times are compared, and how they depend on the clock cannot be told", clock: true, main: func() {
		Compared(2*Clock(2).Since(Clock(1).Now()), time.Second)
	}, beside: func() { Compared(Clock(2).Since(Clock(1).Now()), time.Minute) }},
	{says: "an earlier reading of which nothing was to be kept", clock: true, main: func() {
		Compared(Clock(2).Since(Once(1).Now()), time.Minute)
	}, beside: func() { Compared(Clock(2).Since(Clock(1).Now()), time.Minute) }},
	{says: "the clock is compared with more than 32 durations", clock: true, main: func() { compareWith(maxCompared + 1) }, beside: func() { compareWith(maxCompared) }},
	{says: "more than 64 readings of the clock are kept", clock: true, main: func() { keepReadings(maxReadings + 1) }, beside: func() { keepReadings(maxReadings) }},
}

// unreachable are what programs so small do not show: too much memory, goroutines from before
// the run (see TestForeign), what has no place, and guards against what cannot be.
var unreachable = []string{
	"the program touches more than ", "outside control: goroutines that the program started before the run: ",
	"random numbers of a large range, the order of large maps and the like", "an unknown place",
	"orders in which goroutines queue that time has let go on",
}

func anyStalls(e *Exhaustion) { e.Stalls = -1 }

// besideSleeper calls a library while somebody sleeps. A goroutine of the library may wait for its
// lock meanwhile.
func besideSleeper(waits bool) {
	Go(1, func() { Sleep(2, time.Second) })
	inLibrary(func() {
		var mu sync.Mutex // of the library
		mu.Lock()
		inLibrary(func() {
			if waits {
				go func() {
					mu.Lock()
					defer mu.Unlock()
				}()
			}
		})
		Access(3)
		mu.Unlock()
	})
}

func mapOf(n int) map[int]int {
	m := map[int]int{}
	for k := range n {
		m[k] = k
	}
	return m
}

func stand(n int) {
	for range n {
		Access(1)
	}
}

func twoDeadlines() {
	Go(1, func() { Recv(3, time.After(Due(2, time.Second))) })
	Recv(5, time.After(Due(4, 2*time.Second)))
}

func callBacks(by func(func())) {
	c := make(chan int, 2)
	for range 2 {
		Go(1, func() { by(func() { To(c).Send(2, 1) }) })
	}
}

func pollWord() {
	var word atomic.Int32
	Go(1, func() { storeWord(2, &word, 1) })
	for loadWord(3, &word) == 0 {
	}
}

// createsTo ranges over a map with one entry and creates the next one each time, up to n.
func createsTo(n int) {
	m := map[int]int{0: 0}
	for k := range MapKeys(1, m) {
		if k < n {
			m[k+1] = 0
		}
	}
}

func lockAndCall(site Site) {
	for i := range 2 {
		Go(1, func() {
			var mu sync.Mutex
			Lock(Site(2+i), &mu)
			Back(Lib(site))
		})
	}
}

func given(both bool) {
	list := make([]byte, 8)
	Go(1, func() { Given(2, list, true) })
	if both {
		Given(3, list, true)
	}
}

func compareWith(n int) {
	for i := range n {
		Compared(Clock(2).Since(Clock(1).Now()), time.Duration(i+2)*time.Minute)
	}
}

func keepReadings(n int) {
	for range n {
		Clock(1).Now()
		Sleep(2, time.Second)
	}
}

// TestRestrictions: all that is not explored is said, and of a program in which all is explored
// nothing. There is a program for each text.
func TestRestrictions(t *testing.T) {
	if raceDetector {
		t.Skip("some of these programs do what the scheduler does not see: the clock orders it, which the race detector does not know")
	}
	RegisterHolding(runtime.FuncForPC(reflect.ValueOf(calledBack).Pointer()).Name())
	for _, c := range restricted {
		if c.clock {
			readsDurations(t, time.Minute)
		}
		said := func(main func(), with func(*Exhaustion)) string {
			if c.clock {
				res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Main: main})
				require.Equal(t, Completed, res.Verdict, "%s", res)
				return strings.Join(res.ClockLimits, "\n")
			}
			e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Races: true, Main: main}, Runs: 500, Ran: func(int, Result) {}, Found: func(int, Result) {}}
			if with != nil {
				with(&e)
			}
			out := Exhaust(e)
			require.True(t, out.Complete, "%s %v", c.says, out)
			return strings.Join(out.Bounds, "\n")
		}
		with := c.with
		if c.says == loopBound {
			with = nil
		}
		require.Contains(t, said(c.main, with), c.says)
		var beside func(*Exhaustion)
		if c.says == loopBound { // it does nothing but look
			beside = func(e *Exhaustion) { e.Awaits = []string{Site(3).key()} }
		}
		require.Empty(t, said(c.beside, beside), "beside %q", c.says)
	}
	for text, at := range saidTexts(t) {
		known := false
		for _, c := range restricted {
			known = known || strings.Contains(c.says, text) || strings.Contains(text, c.says)
		}
		for _, u := range unreachable {
			known = known || strings.Contains(text, u)
		}
		require.True(t, known, "%s: no program shows %q", at, text)
	}
}

// saidTexts are the texts of what is not explored or seen, with the places that have them.
func saidTexts(t *testing.T) map[string]string {
	says := map[string]bool{"bound": true, "weaken": true, "neverComes": true, "limit": true, "stop": true, "stopped": true}
	texts := map[string]string{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if f, ok := call.Fun.(*ast.SelectorExpr); !ok || !says[f.Sel.Name] {
				return true
			}
			found := false
			for _, arg := range call.Args {
				ast.Inspect(arg, func(n ast.Node) bool {
					if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && !found {
						text, _ := strconv.Unquote(l.Value)
						texts[text], found = fmt.Sprint(set.Position(l.Pos())), true
					}
					return true
				})
			}
			return true
		})
	}
	require.Greater(t, len(texts), 15)
	return texts
}

// TestRestrictionsMany: of many places at which something is not explored the first ones are
// said, and besides them what is said once.
func TestRestrictionsMany(t *testing.T) {
	const first = 5001
	var sites []SiteInfo
	for i := range 2 * maxBounds {
		sites = append(sites, SiteInfo{ID: first + 2*i, Key: fmt.Sprint("many.a", i), File: "many.go", Line: 2 * i}, SiteInfo{ID: first + 2*i + 1, Key: fmt.Sprint("many.b", i), File: "many.go", Line: 2*i + 1})
	}
	RegisterSites("example.com/many", sites)
	for n := 1; n < maxBounds+3; n++ {
		out := Exhaust(Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
			for i := range n {
				Entropy(Site(first + 2*i)).Uint64()
				KeySlice(Site(first+2*i+1), mapOf(5))
			}
			Goroutines(0).Count()
		}}, Ran: func(int, Result) {}, Found: func(int, Result) {}})
		require.True(t, out.Complete)
		// What is chosen is said first, then what is said once, in any case.
		require.Len(t, out.Bounds, max(min(2*n+1, maxBounds), min(n, maxBounds)+1), "%q", out.Bounds)
		require.Contains(t, strings.Join(out.Bounds, "\n"), "runtime.NumGoroutine")
	}
}

// writeLarge makes n large accesses, each to memory of its own.
func writeLarge(n int) {
	for range n {
		WrSlice(1, make([]byte, maxAccess+1))
	}
}

package orcutil

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

var scripts = flag.Int("orc.scripts", 1500, "random scripts to compare with the real operations")

// action is one operation of a script.
type action struct {
	kind string
	a, b int // channels
	v    int
}

// script is a program that any goroutine of which may take the next action.
type script struct {
	caps  []int
	goros [][]action
}

func randomScript(r *random) script {
	kinds := []string{"send", "recv", "send", "recv", "try send", "try recv", "close", "select", "add", "done", "wait"}
	var sc script
	for range 1 + r.next(3) {
		sc.caps = append(sc.caps, r.next(3))
	}
	for range 2 + r.next(4) {
		var list []action
		for range 1 + r.next(5) {
			list = append(list, action{kinds[r.next(len(kinds))], r.next(len(sc.caps)), r.next(len(sc.caps)), r.next(100)})
		}
		sc.goros = append(sc.goros, list)
	}
	return sc
}

// world is what a script works on, with real operations or controlled ones.
type world struct {
	chans      []chan int
	wg         *sync.WaitGroup
	controlled bool
	logs       [][]string
}

func newWorld(sc script, controlled bool) *world {
	w := &world{wg: new(sync.WaitGroup), controlled: controlled, logs: make([][]string, len(sc.goros))}
	for _, n := range sc.caps {
		w.chans = append(w.chans, make(chan int, n))
	}
	return w
}

// act does one action and returns what was seen.
func (w *world) act(site Site, x action) (seen string) {
	defer func() {
		if v := recover(); v != nil {
			seen = "panic: " + panicText(v)
		}
	}()
	a, b := w.chans[x.a], w.chans[x.b]
	switch x.kind {
	case "send":
		if w.controlled {
			To(a).Send(site, x.v)
		} else {
			a <- x.v
		}
		return "sent"
	case "recv":
		if w.controlled {
			return fmt.Sprint(Recv2(site, a))
		}
		v, ok := <-a
		return fmt.Sprint(v, ok)
	case "try send":
		if w.controlled {
			return fmt.Sprint(Select(site, true, To(a).Case(x.v)), len(a))
		}
		select {
		case a <- x.v:
			return fmt.Sprint(0, len(a))
		default:
			return fmt.Sprint(-1, len(a))
		}
	case "try recv":
		r := R(a)
		if w.controlled {
			return fmt.Sprint(Select(site, true, r), r.V, r.OK)
		}
		select {
		case r.V, r.OK = <-a:
			return fmt.Sprint(0, r.V, r.OK)
		default:
			return fmt.Sprint(-1, r.V, r.OK)
		}
	case "close":
		if w.controlled {
			Close(site, a)
		} else {
			close(a)
		}
		return "closed"
	case "select":
		if w.controlled {
			r, s := R(a), To(b).Case(x.v)
			return fmt.Sprint(Select(site, false, r, s), r.V, r.OK)
		}
		// Go chooses at random among ready cases, the scheduler in order.
		select {
		case v, ok := <-a:
			return fmt.Sprint(0, v, ok)
		default:
		}
		select {
		case b <- x.v:
			return fmt.Sprint(1, 0, false)
		default:
		}
		select {
		case v, ok := <-a:
			return fmt.Sprint(0, v, ok)
		case b <- x.v:
			return fmt.Sprint(1, 0, false)
		}
	case "add":
		if w.controlled {
			Add(site, w.wg, 1)
		} else {
			w.wg.Add(1)
		}
		return "added"
	case "done":
		// Below zero a WaitGroup is broken for good, so ask first, in the same
		// segment; the runtime sees what uninstrumented code does to the object.
		if w.controlled {
			Access(site)
		}
		if countAt(w.wg, waitGroupState) == 0 {
			return "not done"
		}
		w.wg.Done()
		return "done"
	case "wait":
		if w.controlled {
			Wait(site, w.wg)
		} else {
			w.wg.Wait()
		}
		return "waited"
	}
	panic("unknown action " + x.kind)
}

// step is who could take an action, and who did.
type step struct {
	ready []string
	took  string
}

// runReal runs the script with the real operations: one goroutine at a time
// passes the gate in front of its next action, then all settle.
func runReal(t *testing.T, sc script, r *random) (w *world, order []step) {
	defer func() {
		if v := recover(); v != nil { // goroutines that are blocked for ever
			require.Contains(t, fmt.Sprint(v), "deadlock")
		}
	}()
	synctest.Test(t, func(*testing.T) {
		w = newWorld(sc, false)
		gates := make([]chan bool, len(sc.goros))
		atGate := make([]atomic.Bool, len(sc.goros))
		for i, list := range sc.goros {
			gates[i] = make(chan bool)
			go func() {
				for k, x := range list {
					atGate[i].Store(true)
					<-gates[i]
					atGate[i].Store(false)
					w.logs[i] = append(w.logs[i], w.act(Site(k+1), x))
				}
			}()
		}
		for {
			synctest.Wait()
			var ready []string
			for i := range sc.goros {
				if atGate[i].Load() {
					ready = append(ready, "0."+strconv.Itoa(i+1))
				}
			}
			if len(ready) == 0 {
				return
			}
			st := step{ready, ready[r.next(len(ready))]}
			order = append(order, st)
			i, _ := strconv.Atoi(strings.TrimPrefix(st.took, "0."))
			gates[i-1] <- true
		}
	})
	return w, order
}

// follower is the Chooser that takes the same order.
type follower struct {
	t     *testing.T
	order []step
}

func (f *follower) Next(v View) Choice {
	var ready []string
	for i, p := range v.Ready {
		// The real operations are waited for to their ends.
		if _, _, _, ok := p.Site.major(); ok {
			return Choice{Index: i}
		}
		if p.G == entryPath || p.Op == "start" {
			return Choice{Index: i}
		}
		ready = append(ready, p.G)
	}
	if len(f.order) == 0 {
		f.same(nil, ready)
		return Choice{Index: Stop}
	}
	st := f.order[0]
	f.order = f.order[1:]
	if !f.same(st.ready, ready) {
		return Choice{Index: Stop}
	}
	return Choice{Index: slices.Index(ready, st.took)}
}

func (f *follower) same(real, controlled []string) bool {
	if !slices.Equal(real, controlled) {
		f.t.Errorf("ready are %v, with real operations %v", controlled, real)
		return false
	}
	return true
}

// testAgainstReal: under the same order of grants, controlled operations do
// what the real ones do.
func testAgainstReal(t *testing.T, seed uint64) {
	r := random(seed)
	sc := randomScript(&r)
	real, order := runReal(t, sc, &r)
	var w *world
	res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: &follower{t, order}, Main: func() {
		w = newWorld(sc, true)
		for i, list := range sc.goros {
			Go(50, func() {
				for k, x := range list {
					w.logs[i] = append(w.logs[i], w.act(Site(k+1), x))
				}
			})
		}
	}})
	require.NotEqual(t, Unsupported, res.Verdict, "%s", res)
	if t.Failed() {
		t.Fatalf("seed %d: %+v\n%v\nreal %v\ncontrolled %v\n%s", seed, sc, order, real.logs, w.logs, res)
	}
	require.Equal(t, real.logs, w.logs, "seed %d: %+v\n%s", seed, sc, res)
}

func TestAgainstReal(t *testing.T) {
	for seed := range *scripts {
		testAgainstReal(t, uint64(seed))
	}
}

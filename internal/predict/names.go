package predict

import (
	"fmt"
	"strconv"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/trace"
)

// entryPath is the creation path of the goroutine of the entry function.
const entryPath = "0"

// guard is what a plan calls an operation of a recorded run.
type guard struct {
	at artifact.At
	// occ counts, from 1, how often the goroutine has passed the site.
	occ int
	// passed: a goroutine has to be granted the guard for the operation. Others come by themselves, right
	// behind the guard in front of them.
	passed bool
	// again: the operation is the rest of one whose guard was passed, as the lock of a Cond.Wait is.
	again bool
	// seen: others see that it was done.
	seen bool
	// selects: it is a select, which has taken a case.
	selects bool
	taken   int32
}

// names are what plans call the goroutines and operations of a recorded run.
type names struct {
	t      *trace.Trace
	paths  []string // by goroutine; "" is not known
	guards [][]guard
}

// nameAll finds the names of a recorded run of a program, of which side has the sites.
func nameAll(t *trace.Trace, side *artifact.Sidecar, test bool) *names {
	kinds := map[string]sites.Kind{}
	for _, s := range side.Sites {
		kinds[s.Key] = sites.Named(s.Kind)
	}
	n := &names{t: t, paths: make([]string, len(t.Goroutines)), guards: make([][]guard, len(t.Goroutines))}
	w := walker{names: n, kinds: kinds, test: test, children: map[string]int{}, passed: map[artifact.At]int{}}
	if len(t.Goroutines) > 0 {
		w.nameCallbacks()
		w.walk(1, entryPath)
		for g := range t.Goroutines {
			if n.guards[g] == nil {
				w.walk(trace.GoroutineID(g+1), n.paths[g])
			}
		}
	}
	return n
}

// walker names the operations of goroutines, parents first.
type walker struct {
	*names
	kinds    map[string]sites.Kind
	test     bool
	children map[string]int
	passed   map[artifact.At]int
}

// nameCallbacks names the goroutines of functions that were handed to a library, by the site and the
// number of the call there: recordings number them in the order of the calls.
func (w *walker) nameCallbacks() {
	calls := map[trace.GoroutineID]string{}
	for g := range w.t.Goroutines {
		events := w.t.Goroutines[g].Events
		for i := range events {
			if e := &events[i]; e.Op == trace.OpGo && w.kinds[w.site(e)] == sites.Callback {
				calls[e.Partner.Goroutine] = w.site(e)
			}
		}
	}
	numbers := map[string]int{}
	for g := range w.t.Goroutines {
		if key, ok := calls[trace.GoroutineID(g+1)]; ok {
			numbers[key]++
			w.paths[g] = "F@" + key + "." + strconv.Itoa(numbers[key])
		}
	}
}

func (w *walker) site(e *trace.Event) string { return w.t.Position(e.Pos).Site }

// walk names the operations of a goroutine, and the goroutines that it starts.
func (w *walker) walk(id trace.GoroutineID, path string) {
	w.paths[id-1] = path
	events := w.t.Goroutines[id-1].Events
	w.guards[id-1] = make([]guard, 0, len(events))
	var started []trace.GoroutineID
	for i := range events {
		e := &events[i]
		if e.Phase == trace.Post {
			w.guards[id-1][e.PC-1].taken = e.Case
			continue
		}
		key := w.site(e)
		kind := w.kinds[key]
		g := guard{at: artifact.At{G: path, Site: key}, selects: e.Op == trace.OpSelect, taken: e.Case}
		g.seen = e.Op == trace.OpClose || e.Op == trace.OpAdd
		inWait := kind == sites.CondWait && e.Op != trace.OpCondWait
		switch {
		case key == "" || e.Op == trace.OpEnd || kind == sites.Callback:
		case e.Op == trace.OpRead || e.Op == trace.OpWrite || e.Op == trace.OpCall: // which are no guards
		case inWait:
			g.passed, g.again = e.Op == trace.OpLock || e.Op == trace.OpRLock, true
		case kind == sites.WaitGroupGo, kind == sites.Subtest: // the addition is recorded first
			g.passed = e.Op == trace.OpAdd && e.Delta > 0
		case kind == sites.Parallel, kind == sites.Join: // the additions come in front of the guard
			g.passed = e.Op == trace.OpWait
		default:
			g.passed = true
		}
		if g.passed && !g.again {
			w.passed[g.at]++
		}
		g.occ = w.passed[g.at]
		w.guards[id-1] = append(w.guards[id-1], g)
		if e.Op != trace.OpGo || kind == sites.Callback {
			continue
		}
		child := e.Partner.Goroutine
		switch {
		case key != "" && path != "":
			w.children[path]++
			w.paths[child-1] = path + "." + strconv.Itoa(w.children[path])
			started = append(started, child)
		case w.test && path != "":
			// Package testing starts the test; subtests that never come to t.Parallel are calls in a controlled run.
			w.walk(child, path)
		}
	}
	for _, child := range started {
		w.walk(child, w.paths[child-1])
	}
}

// guard is what a plan calls an operation.
func (n *names) guard(r trace.Ref) (guard, error) {
	if r.Goroutine < 1 || int(r.Goroutine) > len(n.guards) || r.PC < 1 || int(r.PC) > len(n.guards[r.Goroutine-1]) {
		return guard{}, fmt.Errorf("operation %d of goroutine %d is not recorded", r.PC, r.Goroutine)
	}
	g := n.guards[r.Goroutine-1][r.PC-1]
	if g.passed && g.at.G == "" {
		return g, fmt.Errorf("goroutine %d was started by code that is not instrumented, and has no name in a controlled run", r.Goroutine)
	}
	return g, nil
}

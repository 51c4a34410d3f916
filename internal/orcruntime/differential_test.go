package orcruntime

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
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
	// reflected: what is controlled does it by the functions of package reflect.
	reflected bool
}

var scriptKinds = []string{
	"send", "recv", "send", "recv", "try send", "try recv", "close", "select", "select", "select recv", "select send",
	"add", "done", "wait", "cond wait", "signal", "broadcast", "once",
	"try lock", "unlock", "try rlock", "runlock", "try wlock", "wunlock", "len",
}

// scriptFamilies are kinds that belong together, so that scripts come to what is special about
// them.
var scriptFamilies = [][]string{
	{"send", "recv", "close", "len"},
	{"send", "recv", "select", "select recv", "select send", "close"},
	{"send", "recv", "try send", "try recv", "select"},
	{"add", "done", "wait", "wait"},
	{"cond wait", "cond wait", "signal", "broadcast"},
	{"try rlock", "runlock", "try wlock", "wunlock", "try rlock"},
}

// noChannel is the capacity of a channel that is nil.
const noChannel = -1

// scriptSeen is what the scripts of an ordinary run have to show, of each kind at least so
// often, and begins with.
var scriptSeen = map[string]int{
	"send sent": 100, "send panic: send on closed channel": 20,
	"recv true": 100, "recv false": 50,
	"try send 0": 50, "try send -1": 50, "try send panic: send on closed channel": 10,
	"try recv 0 true": 50, "try recv 0 false": 10, "try recv -1 false": 50,
	"close closed": 100, "close panic: close of closed channel": 20, "close panic: close of nil channel": 10,
	"select 0 true": 50, "select 0 false": 20, "select 1 false": 50, "select panic: send on closed channel": 5,
	"select recv 0 true": 20, "select recv 0 false": 20, "select recv 1 true": 20, "select recv 1 false": 10,
	"select send 0": 50, "select send 1": 20, "select send panic: send on closed channel": 20,
	"add added": 100, "done done": 50, "done not done": 50, "wait waited": 100,
	"cond wait woken": 100, "signal signalled": 100, "broadcast signalled": 100,
	"once true": 50, "once false": 20,
	"try lock true": 50, "try lock false": 20, "unlock unlocked": 10,
	"try rlock true": 100, "try rlock false": 20, "runlock unlocked": 20,
	"try wlock true": 50, "try wlock false": 50, "wunlock unlocked": 10,
	"len 0": 20, "len 1": 10,
}

// script is a program that any goroutine of which may take the next action.
type script struct {
	caps  []int
	goros [][]action
}

func randomScript(r *random) script {
	kinds := scriptKinds
	if r.next(2) == 0 {
		kinds = scriptFamilies[r.next(len(scriptFamilies))]
	}
	var sc script
	for range 1 + r.next(3) {
		sc.caps = append(sc.caps, r.next(3))
	}
	if r.next(8) == 0 {
		sc.caps[0] = noChannel
	}
	for range 2 + r.next(4) {
		var list []action
		for range 1 + r.next(5) {
			list = append(list, action{kinds[r.next(len(kinds))], r.next(len(sc.caps)), r.next(len(sc.caps)), r.next(100), r.next(3) == 0})
		}
		sc.goros = append(sc.goros, list)
	}
	return sc
}

// world is what a script works on, with real operations or controlled ones.
type world struct {
	chans      []chan int
	wg         *sync.WaitGroup
	condMu     sync.Mutex
	cond       *sync.Cond
	mu         sync.Mutex
	rw         sync.RWMutex
	once       sync.Once
	controlled bool
	logs       [][]string
	holds      []map[string]int
}

func newWorld(sc script, controlled bool) *world {
	w := &world{wg: new(sync.WaitGroup), controlled: controlled, logs: make([][]string, len(sc.goros))}
	w.cond = sync.NewCond(&w.condMu)
	for range sc.goros {
		w.holds = append(w.holds, map[string]int{})
	}
	for _, n := range sc.caps {
		if n == noChannel {
			w.chans = append(w.chans, nil)
			continue
		}
		w.chans = append(w.chans, make(chan int, n))
	}
	return w
}

// behind is added to the site of what follows in an action, which both do at once.
const behind = 100

// act does one action and returns what was seen.
func (w *world) act(site Site, x action, holds map[string]int) (seen string) {
	defer func() {
		if v := recover(); v != nil {
			seen = "panic: " + panicText(v)
		}
	}()
	a, b := w.chans[x.a], w.chans[x.b]
	if x.a == x.b && x.kind != "select" {
		b = nil // else Go may complete either case
	}
	if w.controlled && x.reflected {
		if seen := reflectedAct(site, x, a, b); seen != "" {
			return seen
		}
	}
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
	case "select recv":
		r, s := R(a), R(b)
		if w.controlled {
			return fmt.Sprint(Select(site, false, r, s), r.V+s.V, r.OK || s.OK)
		}
		if r.try() {
			return fmt.Sprint(0, r.V, r.OK)
		} else if s.try() {
			return fmt.Sprint(1, s.V, s.OK)
		}
		select {
		case v, ok := <-a:
			return fmt.Sprint(0, v, ok)
		case v, ok := <-b:
			return fmt.Sprint(1, v, ok)
		}
	case "select send":
		if w.controlled {
			return fmt.Sprint(Select(site, false, To(a).Case(x.v), To(b).Case(-x.v)))
		}
		if To(a).Case(x.v).try() {
			return "0"
		} else if To(b).Case(-x.v).try() {
			return "1"
		}
		select {
		case a <- x.v:
			return "0"
		case b <- -x.v:
			return "1"
		}
	case "len":
		if w.controlled {
			Access(site)
		}
		return fmt.Sprint(len(a))
	case "cond wait":
		if w.controlled {
			Lock(site, &w.condMu)
			CondWait(site+behind, w.cond)
			Unlock(site+2*behind, &w.condMu)
		} else {
			w.condMu.Lock()
			w.cond.Wait()
			w.condMu.Unlock()
		}
		return "woken"
	case "signal":
		if w.controlled {
			CondSignal(site, w.cond)
		} else {
			w.cond.Signal()
		}
		return "signalled"
	case "broadcast":
		if w.controlled {
			CondBroadcast(site, w.cond)
		} else {
			w.cond.Broadcast()
		}
		return "signalled"
	case "once":
		called := false
		if w.controlled {
			OnceDo(site, &w.once, func() { called = true })
		} else {
			w.once.Do(func() { called = true })
		}
		return fmt.Sprint(called)
	case "try lock", "try rlock", "try wlock":
		ok := w.tries()[x.kind](site)
		if ok {
			holds["un"+strings.TrimPrefix(x.kind, "try ")]++
		}
		return fmt.Sprint(ok)
	case "unlock", "runlock", "wunlock":
		lock := map[string]string{"unlock": "unlock", "runlock": "unrlock", "wunlock": "unwlock"}[x.kind]
		if w.controlled {
			Access(site)
		}
		if holds[lock] == 0 {
			return "not held"
		}
		holds[lock]--
		w.unlocks()[x.kind](site + behind)
		return "unlocked"
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

// reflectedAct does an action on channels by reflection, under control, and returns what was seen, "" for other actions.
func reflectedAct(site Site, x action, a, b chan int) string {
	on := ReflectedOn(site, reflect.ValueOf(a))
	value := func(v reflect.Value) int64 {
		if !v.IsValid() {
			return 0
		}
		return v.Int()
	}
	send := func(ch chan int, v int) reflect.SelectCase {
		return reflect.SelectCase{Dir: reflect.SelectSend, Chan: reflect.ValueOf(ch), Send: reflect.ValueOf(v)}
	}
	receive := func(ch chan int) reflect.SelectCase {
		return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ch)}
	}
	switch x.kind {
	case "send":
		on.Send(reflect.ValueOf(x.v))
		return "sent"
	case "recv":
		v, ok := on.Recv()
		return fmt.Sprint(value(v), ok)
	case "try send":
		if x.v%2 == 0 {
			// Cases without a channel are never ready.
			i, _, _ := ReflectedSelect(site, []reflect.SelectCase{{Dir: reflect.SelectRecv}, {Dir: reflect.SelectDefault}, send(a, x.v)})
			return fmt.Sprint(map[int]int{1: -1, 2: 0}[i], len(a))
		}
		return fmt.Sprint(map[bool]int{true: 0, false: -1}[on.TrySend(reflect.ValueOf(x.v))], len(a))
	case "try recv":
		v, ok := on.TryRecv()
		return fmt.Sprint(map[bool]int{true: 0, false: -1}[v.IsValid()], value(v), ok)
	case "close":
		on.Close()
		return "closed"
	case "select":
		i, v, ok := ReflectedSelect(site, []reflect.SelectCase{receive(a), send(b, x.v)})
		return fmt.Sprint(i, value(v), ok)
	case "select recv":
		i, v, ok := ReflectedSelect(site, []reflect.SelectCase{receive(a), receive(b)})
		return fmt.Sprint(i, value(v), ok)
	case "select send":
		i, _, _ := ReflectedSelect(site, []reflect.SelectCase{send(a, x.v), send(b, -x.v)})
		return fmt.Sprint(i)
	}
	return ""
}

func (w *world) tries() map[string]func(Site) bool {
	if w.controlled {
		return map[string]func(Site) bool{
			"try lock":  func(s Site) bool { return TryLock(s, &w.mu) },
			"try rlock": func(s Site) bool { return TryRLock(s, &w.rw) },
			"try wlock": func(s Site) bool { return TryWLock(s, &w.rw) },
		}
	}
	return map[string]func(Site) bool{
		"try lock":  func(Site) bool { return w.mu.TryLock() },
		"try rlock": func(Site) bool { return w.rw.TryRLock() },
		"try wlock": func(Site) bool { return w.rw.TryLock() },
	}
}

func (w *world) unlocks() map[string]func(Site) {
	if w.controlled {
		return map[string]func(Site){
			"unlock":  func(s Site) { Unlock(s, &w.mu) },
			"runlock": func(s Site) { RUnlock(s, &w.rw) },
			"wunlock": func(s Site) { WUnlock(s, &w.rw) },
		}
	}
	return map[string]func(Site){
		"unlock":  func(Site) { w.mu.Unlock() },
		"runlock": func(Site) { w.rw.RUnlock() },
		"wunlock": func(Site) { w.rw.Unlock() },
	}
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
					w.logs[i] = append(w.logs[i], w.act(Site(k+1), x, w.holds[i]))
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
		if p.G == entryPath || p.Op == "start" || p.Site > behind {
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
func testAgainstReal(t *testing.T, seed uint64, seen map[string]int) {
	r := random(seed)
	sc := randomScript(&r)
	real, order := runReal(t, sc, &r)
	var w *world
	res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: &follower{t, order}, Main: func() {
		w = newWorld(sc, true)
		for i, list := range sc.goros {
			Go(50, func() {
				for k, x := range list {
					w.logs[i] = append(w.logs[i], w.act(Site(k+1), x, w.holds[i]))
				}
			})
		}
	}})
	require.NotEqual(t, Unsupported, res.Verdict, "%s", res)
	if t.Failed() {
		t.Fatalf("seed %d: %+v\n%v\nreal %v\ncontrolled %v\n%s", seed, sc, order, real.logs, w.logs, res)
	}
	require.Equal(t, real.logs, w.logs, "seed %d: %+v\n%s", seed, sc, res)
	for i, log := range w.logs {
		for k, text := range log {
			seen[sc.goros[i][k].kind+" "+withoutValues(sc.goros[i][k].kind, text)]++
		}
	}
}

// withoutValues is what an action has seen, without the values that were sent.
func withoutValues(kind, text string) string {
	f := strings.Fields(text)
	switch {
	case f[0] == "panic:":
	case kind == "recv":
		return f[1]
	case kind == "try recv", kind == "select", kind == "select recv":
		return f[0] + " " + f[2]
	case kind == "try send":
		return f[0]
	}
	return text
}

// aProcess is how many scripts a process compares. Of the goroutines that are blocked for ever by real operations each
// stays until its process ends, and all of them are looked at in the runs that follow: those of all scripts
// would take most of the time of the tests behind this one, too.
const aProcess = 100

// fromVariable has the first script in such a process, seenVariable the file for what it has seen.
const fromVariable, seenVariable = "VTRACE_TEST_FROM", "VTRACE_TEST_SEEN"

func TestAgainstReal(t *testing.T) {
	seen := map[string]int{}
	n := *scripts
	if raceDetector { // it looks for races of the runtime itself
		n /= 4
	}
	if text := os.Getenv(fromVariable); text != "" {
		from, err := strconv.Atoi(text)
		require.NoError(t, err)
		for seed := from; seed < min(from+aProcess, n); seed++ {
			testAgainstReal(t, uint64(seed), seen)
		}
		data, err := json.Marshal(seen)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(os.Getenv(seenVariable), data, 0o600))
		return
	}
	file := filepath.Join(t.TempDir(), "seen")
	for from := 0; from < n; from += aProcess {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAgainstReal$", fmt.Sprintf("-orc.scripts=%d", *scripts))
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", fromVariable, from), seenVariable+"="+file)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.Remove(file))
		some := map[string]int{}
		require.NoError(t, json.Unmarshal(data, &some))
		for what, n := range some {
			seen[what] += n
		}
	}
	if n < *scripts {
		return
	}
	for what, n := range scriptSeen {
		require.GreaterOrEqual(t, seen[what], n, "%s is too seldom in %v", what, seen)
	}
}

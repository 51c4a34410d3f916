package orcruntime

import (
	"flag"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	orderScripts = flag.Int("orc.order", 75, "random programs of which TestOrderRandom compares the races with those by definition")
	orderFrom    = flag.Int("orc.orderfrom", 0, "seed of the first of them")
)

// orderKinds are the operations of programs for TestOrderRandom, in families whose members have
// to do with each other; every program accesses memory besides.
var orderKinds = [][]string{
	{"send", "recv"},
	{"send", "recv", "recv", "close"},
	{"send", "recv", "try send", "poll"},
	{"select", "select", "send", "recv", "poll"},
	{"lock", "unlock", "try lock"},
	{"rlock", "runlock", "wlock", "wunlock", "try rlock", "try wlock"},
	{"add", "done", "wait", "wait"},
	{"once", "send", "recv"},
	{"store", "load", "cas", "swap", "count", "count"},
	{"send", "recv", "lock", "unlock", "store", "load", "add", "done", "wait", "once"},
}

// happening is an operation in the log of a run: where it begins or where it has ended. All
// that follows of the order of two of them is in the graph by the time the run is over.
type happening struct {
	g      int
	after  []int // what has happened right before it, by the memory model
	memory int   // that it accesses, -1: none
	writes bool
}

// orderProgram is a random program that keeps a log of what it does, of which the order of its
// accesses to memory follows by the words of the memory model of Go.
type orderProgram struct {
	goros [][]action
	caps  []int

	log   []happening
	last  []int // by goroutine
	shown []string
	chans []chan int
	// By value, which is another one in each send: where the send begins, and has ended.
	sendBegan, sendEnded map[int]int
	received             [][]int // by channel: values
	recvBegan            [][]int // by channel: where the receive began that has got it
	closed               []int   // by channel: where the close began, -1
	rest                 [][]int // by channel: values that nobody has received
}

func newOrderProgram(r *random, kinds []string) *orderProgram {
	p := &orderProgram{caps: []int{r.next(4), r.next(3)}}
	for range 2 + r.next(2) {
		var list []action
		for range 2 + r.next(5) {
			kind := kinds[r.next(len(kinds))]
			if r.next(3) == 0 {
				kind = []string{"rd", "wr"}[r.next(2)]
			}
			list = append(list, action{kind, r.next(2), r.next(2), 0, false})
		}
		p.goros = append(p.goros, list)
	}
	return p
}

// add notes a happening in a goroutine, behind what it has done before.
func (p *orderProgram) add(g int, after ...int) int {
	if p.last[g] >= 0 {
		after = append(after, p.last[g])
	}
	p.log = append(p.log, happening{g: g, after: after, memory: -1})
	p.last[g] = len(p.log) - 1
	return p.last[g]
}

// words is how many words of memory a program has. Behind them come its channels, which a send reads and a close writes.
const words = 2

// uses notes that a goroutine begins to send on a channel, or to close it.
func (p *orderProgram) uses(g, channel int, closes bool) int {
	at := p.add(g)
	p.log[at].memory, p.log[at].writes = words+channel, closes
	return at
}

func (p *orderProgram) main() {
	n := len(p.goros)
	p.log, p.last, p.shown, p.chans = nil, slices.Repeat([]int{-1}, n), make([]string, n), nil
	p.sendBegan, p.sendEnded = map[int]int{}, map[int]int{}
	p.received, p.recvBegan, p.closed = make([][]int, 2), make([][]int, 2), []int{-1, -1}
	for _, c := range p.caps {
		p.chans = append(p.chans, make(chan int, c))
	}
	var (
		mu                                 sync.Mutex
		rw                                 sync.RWMutex
		wg                                 sync.WaitGroup
		once                               sync.Once
		word                               atomic.Int32
		memory                             [words]int
		unlocks, unlocksR, dones           []int
		unlocksW, called, visible, counted []int
	)
	body := func(g int) {
		held := map[string]int{}
		for k, x := range p.goros[g] {
			site, value := Site(100*(g+1)+4*k), 100*(g+1)+k
			show := func(what ...any) { p.shown[g] += x.kind + fmt.Sprint(what...) + " " }
			// communicated is told of the case that was done.
			communicated := func(began, channel int, sends bool, v int, ok bool) {
				end := p.add(g)
				switch {
				case sends:
					p.sendBegan[value], p.sendEnded[value] = began, end
				case ok:
					p.log[end].after = append(p.log[end].after, p.sendBegan[v])
					p.received[channel], p.recvBegan[channel] = append(p.received[channel], v), append(p.recvBegan[channel], began)
				default:
					p.log[end].after = append(p.log[end].after, p.closed[channel])
				}
			}
			switch x.kind {
			case "rd":
				_ = *Rd(Place(1000+2*int(site)+x.a), &memory[x.a])
				p.log[p.add(g)].memory = x.a
			case "wr":
				Wr(Place(1000+2*int(site)+x.a), &memory[x.a])
				at := p.add(g)
				p.log[at].memory, p.log[at].writes = x.a, true
			case "send":
				p.sendBegan[value] = p.uses(g, x.a, false)
				To(p.chans[x.a]).Send(site, value)
				communicated(p.sendBegan[value], x.a, true, 0, true)
			case "recv":
				began := p.add(g)
				v, ok := Recv2(site, p.chans[x.a])
				communicated(began, x.a, false, v, ok)
				show(v, ok)
			case "try send", "poll", "select":
				p.sendBegan[value] = p.add(g)
				began := p.sendBegan[value]
				r, s := R(p.chans[x.b]), To(p.chans[x.a]).Case(value)
				chosen := -1
				switch x.kind {
				case "try send":
					if Select(site, true, s) == 0 {
						chosen = 1
					}
				case "poll":
					chosen = Select(site, true, r)
				default:
					chosen = Select(site, false, r, s)
				}
				switch chosen {
				case 0:
					communicated(began, x.b, false, r.V, r.OK)
				case 1:
					p.log[began].memory = words + x.a
					communicated(began, x.a, true, 0, true)
				}
				show(chosen, r.V, r.OK)
			case "close":
				p.closed[x.a] = p.uses(g, x.a, true)
				Close(site, p.chans[x.a])
			case "lock":
				Lock(site, &mu)
				held["m"]++
				p.add(g, unlocks...)
			case "try lock":
				if ok := TryLock(site, &mu); ok {
					held["m"]++
					p.add(g, unlocks...)
					show(ok)
				}
			case "unlock":
				if held["m"] > 0 {
					held["m"]--
					at := p.add(g)
					Unlock(site, &mu)
					unlocks = append(unlocks, at)
				}
			case "rlock":
				RLock(site, &rw)
				held["r"]++
				p.add(g, unlocksW...)
			case "try rlock":
				if ok := TryRLock(site, &rw); ok {
					held["r"]++
					p.add(g, unlocksW...)
					show(ok)
				}
			case "wlock":
				WLock(site, &rw)
				held["w"]++
				p.add(g, slices.Concat(unlocksR, unlocksW)...)
			case "try wlock":
				if ok := TryWLock(site, &rw); ok {
					held["w"]++
					p.add(g, slices.Concat(unlocksR, unlocksW)...)
					show(ok)
				}
			case "runlock":
				if held["r"] > 0 {
					held["r"]--
					at := p.add(g)
					RUnlock(site, &rw)
					unlocksR = append(unlocksR, at)
				}
			case "wunlock":
				if held["w"] > 0 {
					held["w"]--
					at := p.add(g)
					WUnlock(site, &rw)
					unlocksW = append(unlocksW, at)
				}
			case "add":
				Add(site, &wg, 1)
				held["wg"]++
			case "done":
				if held["wg"] > 0 {
					held["wg"]--
					dones = append(dones, p.add(g))
					Done(site, &wg)
				}
			case "wait":
				Wait(site, &wg)
				p.add(g, dones...)
			case "once":
				OnceDo(site, &once, func() {
					show("first")
					p.uses(g, x.a, false)
					To(p.chans[x.a]).Send(site+1, -value)
					called = []int{p.add(g)}
				})
				p.add(g, called...)
			case "store":
				at := p.add(g)
				Int32(site, 0, &word).Store(int32(value))
				visible, counted = []int{at}, nil
			case "count": // nobody sees which of two comes first
				Int32(site, 0, &word).Accumulate(int32(value))
				counted = append(counted, p.add(g, visible...))
			case "load":
				v := Int32(site, 0, &word).Load()
				p.add(g, slices.Concat(visible, counted)...)
				show(v)
			case "swap":
				v := Int32(site, 0, &word).Swap(int32(value))
				visible = append(slices.Clone(visible), p.add(g, slices.Concat(visible, counted)...))
				show(v)
			case "cas":
				ok := Int32(site, 0, &word).CompareAndSwap(0, int32(value))
				at := p.add(g, slices.Concat(visible, counted)...)
				if ok {
					visible = append(slices.Clone(visible), at)
				}
				show(ok)
			}
		}
		p.shown[g] += "end"
	}
	for g := 1; g < n; g++ {
		p.last[g] = p.add(0)
		Go(Site(10+g), func() { body(g) })
	}
	body(0)
}

// bubble is one in which what is left in the channels is looked at after a run.
func (p *orderProgram) bubble(t *testing.T) Bubble {
	b := bubble(t)
	run := b.Run
	b.Run = func(f func()) {
		run(func() {
			f()
			p.rest = make([][]int, len(p.chans))
			for c, ch := range p.chans {
				for len(ch) > 0 {
					p.rest[c] = append(p.rest[c], <-ch)
				}
			}
		})
	}
	return b
}

// racing are the words of memory, and the channels, with two accesses that nothing orders, of which one writes. It
// is to be called after a run. Where that has ended before all goroutines came to what they had begun, it is not asked
// for channels.
func (p *orderProgram) racing(ended bool) (out []int) {
	for c := range p.chans {
		// The k-th receive comes before what follows the send that it makes room for.
		for k, v := range slices.Concat(p.received[c], p.rest[c]) {
			if end, ok := p.sendEnded[v]; ok && k >= p.caps[c] && k-p.caps[c] < len(p.recvBegan[c]) {
				p.log[end].after = append(p.log[end].after, p.recvBegan[c][k-p.caps[c]])
			}
		}
	}
	before := make([]map[int]bool, len(p.log))
	var all func(i int) map[int]bool
	all = func(i int) map[int]bool {
		if before[i] == nil {
			before[i] = map[int]bool{i: true}
			for _, j := range p.log[i].after {
				for k := range all(j) {
					before[i][k] = true
				}
			}
		}
		return before[i]
	}
	for i, a := range p.log {
		for j, b := range p.log[:i] {
			if a.memory >= 0 && !(ended && a.memory >= words) && a.memory == b.memory && a.g != b.g && (a.writes || b.writes) && !all(i)[j] && !all(j)[i] && !slices.Contains(out, a.memory) {
				out = append(out, a.memory)
			}
		}
	}
	sort.Ints(out)
	return out
}

// raced are the words of memory and the channels of the races of a run, as racing has them.
func (p *orderProgram) raced(res Result) (out []int) {
	for _, r := range res.Races {
		n, _ := strconv.Atoi(strings.TrimPrefix(r.First.Site, "#"))
		at := n % words
		if r.First.Op == "send" || r.First.Op == "close" {
			at = words + p.goros[n/100-1][n%100/4].a
		}
		if !(res.Outcome.endsProgram() && at >= words) && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	sort.Ints(out)
	return out
}

// TestOrderRandom: of a random program, every run of plain enumeration shows the races that are
// there by the definition of the memory model, and no others. The reduced exploration, in one
// go and in parts, and the one that is bounded by preemptions show the same as plain enumeration
// of their schedules.
func TestOrderRandom(t *testing.T) {
	inLong(t)
	n := *orderScripts
	var programs, runs, racy, channels, bounded int
	for i := range n {
		seed := *orderFrom + i
		r := random(seed)
		kinds := orderKinds[seed%len(orderKinds)]
		p := newOrderProgram(&r, kinds)
		about := fmt.Sprintf("seed %d: capacities %v, %+v", seed, p.caps, p.goros)
		ended := false
		seen := func(res Result) string {
			ended = ended || res.Outcome.endsProgram()
			found := p.raced(res)
			require.Equal(t, p.racing(res.Outcome.endsProgram()), found, "%s\n%s", about, res)
			if len(found) > 0 {
				racy++
			}
			if slices.ContainsFunc(found, func(at int) bool { return at >= words }) {
				channels++
			}
			return fmt.Sprint(found, res.Outcome.endsProgram(), "\n", strings.Join(p.shown, "\n"))
		}
		cfg := Config{Bubble: p.bubble(t), Entry: EntryTest, Races: true, Main: p.main}
		plain := enumerate(cfg, seen, 600)
		runs += plain.runs
		if !plain.complete || ended {
			continue
		}
		programs++
		e := Exhaustion{Config: cfg}
		o := exhaust(t, e, seen)
		if ended || len(o.out.Bounds) > 0 {
			continue
		}
		require.True(t, o.complete, about)
		require.Empty(t, different(plain, o), about)
		if e.Misuse = o.misuse; o.out.Runs > 3 {
			whole := alone(t, e)
			got, _, _ := apart(t, e, split{begin: 1 + r.next(3), processes: 3, chunk: 1 + r.next(4)}, &r)
			requireSame(t, whole, got, about)
		}
		for c := range 2 {
			o := boundedTo(t, cfg, c, seen)
			within := enumerateBounded(cfg, o.misuse, c, seen, 600)
			if within.complete {
				bounded++
				require.Empty(t, different(within, o), "%d preemptions, %s", c, about)
			}
		}
	}
	t.Logf("%d of %d programs, %d runs, %d with races, %d of channels, %d bounded", programs, n, runs, racy, channels, bounded)
	require.Greater(t, programs, n/4)
	require.Positive(t, racy)
	require.Positive(t, channels)
}

// atomicWriters are the operations that change an atomic variable, which is 0 before, of the type with methods or of the functions.
func atomicWriters(n *atomic.Int32, word *int32) map[string]func() {
	return map[string]func(){
		"Store":          func() { Int32(2, 0, n).Store(1) },
		"Swap":           func() { Int32(2, 0, n).Swap(1) },
		"CompareAndSwap": func() { Int32(2, 0, n).CompareAndSwap(0, 1) },
		"Add":            func() { Int32(2, 0, n).Add(1) },
		"Or":             func() { Int32(2, 0, n).Or(1) },
		"And":            func() { Int32(2, 0, n).And(1) }, // of 2

		"StoreInt32":          func() { Storing(2, 0, atomic.StoreInt32)(word, 1) },
		"SwapInt32":           func() { Updating(2, 0, atomic.SwapInt32)(word, 1) },
		"CompareAndSwapInt32": func() { Swapping(2, 0, atomic.CompareAndSwapInt32)(word, 0, 1) },
		"AddInt32":            func() { Updating(2, 0, atomic.AddInt32)(word, 1) },
	}
}

// TestExhaustAtomics: whichever operation changes an atomic variable, what reads it comes before and after it: one that
// reads, and each of two.
func TestExhaustAtomics(t *testing.T) {
	var n atomic.Int32
	var word int32
	for name, write := range atomicWriters(&n, &word) {
		reset := func() {
			n.Store(0)
			if name == "And" {
				n.Store(2)
			}
			word = 0
		}
		read := func(site Site) int32 {
			if strings.HasSuffix(name, "Int32") {
				return Loading(site, 0, atomic.LoadInt32)(&word)
			}
			return Int32(site, 0, &n).Load()
		}
		explored := func(what string, main func()) {
			e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: main}}
			require.True(t, exhaust(t, e, func(res Result) string { return res.Outcome.Kind }).complete, "%s, %s", name, what)
		}
		for _, first := range []bool{true, false} { // main, which goes on until it waits, in the first run
			seen := map[int32]bool{}
			explored("one", func() {
				reset()
				here, there := write, func() { seen[read(4)] = true }
				if !first {
					here, there = there, here
				}
				done := make(chan bool)
				Go(1, func() {
					there()
					Close(3, done)
				})
				here()
				Recv(6, done)
			})
			require.Len(t, seen, 2, "%s, first: %v", name, first)
		}
		seen := map[[3]int32]bool{}
		explored("two", func() {
			reset()
			var values [3]int32
			var all sync.WaitGroup
			Add(10, &all, 3)
			for i := range values {
				Go(Site(11+i), func() {
					if i == 0 {
						write()
					}
					values[i] = read(Site(20 + i))
					Done(Site(30+i), &all)
				})
			}
			Wait(14, &all)
			seen[values] = true
		})
		require.Len(t, seen, 4, "%s: %v", name, seen)
	}
}

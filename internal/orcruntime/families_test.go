package orcruntime

import (
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// family is a kind of program of any size, with the number of its executions that are
// not equivalent. The numbers of lastZero, indexer and fileSystem are those of the
// literature on partial-order reduction (Flanagan and Godefroid 2005; Abdulla et al.
// 2014); the others follow from the orders of what depends on each other.
type family struct {
	name  string
	size  int
	count int
	main  func(n int)
}

// workers starts n goroutines and waits for them.
func workers(n int, body func(i int)) {
	var wg sync.WaitGroup
	Add(901, &wg, n)
	for i := range n {
		Go(902, func() {
			defer Done(903, &wg)
			body(i)
		})
	}
	Wait(904, &wg)
}

func loadWord(site Site, p *atomic.Int32) int { return int(Int32(site, 0, p).Load()) }

func storeWord(site Site, p *atomic.Int32, v int) { Int32(site, 0, p).Store(int32(v)) }

var allFamilies = []family{
	{"one lock for all", 4, 24, func(n int) { // every order
		var mu sync.Mutex
		workers(n, func(int) {
			Lock(1, &mu)
			Unlock(2, &mu)
		})
	}},
	{"a lock for each", 5, 1, func(n int) {
		locks := make([]sync.Mutex, n)
		workers(n, func(i int) {
			Lock(1, &locks[i])
			Unlock(2, &locks[i])
		})
	}},
	{"readers and a writer of memory", 8, 256, func(n int) { // each before or after
		var x atomic.Int32
		workers(n+1, func(i int) {
			if i == 0 {
				storeWord(1, &x, 1)
			} else {
				loadWord(2, &x)
			}
		})
	}},
	{"readers and a writer with a lock", 6, 64, func(n int) {
		var mu sync.RWMutex
		workers(n+1, func(i int) {
			if i == 0 {
				WLock(1, &mu)
				WUnlock(2, &mu)
			} else {
				RLock(3, &mu)
				RUnlock(4, &mu)
			}
		})
	}},
	{"last zero", 5, 64, lastZero},
	{"last zero", 8, 704, lastZero}, // (n+3) * 2^(n-2)
	{"indexer", 11, 1, indexer},
	{"indexer", 12, 8, indexer},
	{"indexer", 13, 64, indexer},
	{"file system", 13, 1, fileSystem},
	{"file system", 14, 2, fileSystem},
	{"file system", 16, 8, fileSystem},
	{"file system", 18, 32, fileSystem},
	{"philosophers, in order", 3, 6, func(n int) { // each fork has a first, but not all in a circle
		philosophers(n, true)
	}},
	{"accounts", 3, 6, func(n int) { // all transfers use the first account
		locks := make([]sync.Mutex, n+1)
		workers(n, func(i int) {
			Lock(1, &locks[0])
			Lock(2, &locks[i+1])
			Unlock(3, &locks[i+1])
			Unlock(4, &locks[0])
		})
	}},
	{"bounded buffer", 6, 1, func(n int) { // of one producer and one consumer
		c := make(chan int, 2)
		Go(1, func() {
			for i := range n {
				To(c).Send(2, i)
			}
		})
		for range n {
			Recv(3, c)
		}
	}},
	{"rendezvous", 6, 1, func(n int) {
		c := make(chan int)
		Go(1, func() {
			for i := range n {
				To(c).Send(2, i)
			}
			Close(3, c)
		})
		for range Range(4, c) {
		}
	}},
	{"fan in", 4, 24, func(n int) { // every order of the senders
		c := make(chan int)
		for i := range n {
			Go(1, func() { To(c).Send(2, i) })
		}
		for range n {
			Recv(3, c)
		}
	}},
	{"fan out", 4, 24, func(n int) { // every order of the receivers
		c := make(chan int)
		var wg sync.WaitGroup
		Add(1, &wg, n)
		for range n {
			Go(2, func() {
				Recv(3, c)
				Done(4, &wg)
			})
		}
		for i := range n {
			To(c).Send(5, i)
		}
		Wait(6, &wg)
	}},
	{"start barrier", 6, 1, func(n int) {
		start := make(chan struct{})
		var wg sync.WaitGroup
		Add(1, &wg, n)
		for range n {
			Go(2, func() {
				Recv(3, start)
				Done(4, &wg)
			})
		}
		Close(5, start)
		Wait(6, &wg)
	}},
	{"wait group", 8, 1, func(n int) { workers(n, func(int) {}) }},
	{"once", 4, 4, func(n int) { // who is first
		var o sync.Once
		workers(n, func(int) { OnceDo(1, &o, func() {}) })
	}},
}

// lastZero: writers fill an array from their left neighbours, and one looks for the last
// zero from the right.
func lastZero(n int) {
	array := make([]atomic.Int32, n+1)
	workers(n+1, func(i int) {
		if i > 0 {
			storeWord(Site(100+i), &array[i], loadWord(Site(200+i), &array[i-1])+1)
			return
		}
		for k := n; loadWord(Site(300+k), &array[k]) != 0; k-- {
		}
	})
}

// indexer: threads insert messages into a hash table.
func indexer(n int) {
	const size, messages = 128, 4
	table := make([]atomic.Int32, size)
	workers(n, func(i int) {
		for m := range messages {
			w := (m+1)*11 + i + 1
			for h := w * 7 % size; ; h = (h + 1) % size {
				if Int32(Site(1000+h), 0, &table[h]).CompareAndSwap(0, int32(w)) {
					break
				}
			}
		}
	})
}

// fileSystem: threads allocate blocks for inodes.
func fileSystem(n int) {
	const inodes, blocks = 32, 26
	inode, busy := make([]int, inodes), make([]bool, blocks)
	locki, lockb := make([]sync.Mutex, inodes), make([]sync.Mutex, blocks)
	workers(n, func(id int) {
		i := id % inodes
		Lock(1, &locki[i])
		for b := i * 2 % blocks; inode[i] == 0; b = (b + 1) % blocks {
			Lock(2, &lockb[b])
			if !busy[b] {
				busy[b] = true
				inode[i] = b + 1
			}
			Unlock(3, &lockb[b])
		}
		Unlock(4, &locki[i])
	})
}

func philosophers(n int, ordered bool) {
	forks := make([]sync.Mutex, n)
	workers(n, func(i int) {
		a, b := i, (i+1)%n
		if ordered && a > b {
			a, b = b, a
		}
		Lock(1, &forks[a])
		Lock(2, &forks[b])
		Unlock(3, &forks[b])
		Unlock(4, &forks[a])
	})
}

// cutShare: one of so many executions may turn out to be another one, which is 2 %.
const cutShare = 50

// TestFamilies: an exploration runs each execution once, and few that turn out to be
// another one.
func TestFamilies(t *testing.T) {
	inLong(t)
	for _, f := range allFamilies {
		t.Run(fmt.Sprint(f.name, " ", f.size), func(t *testing.T) {
			began := time.Now()
			out := Exhaust(Exhaustion{
				Config: Config{Bubble: bubble(t), Entry: EntryMain, Main: func() { f.main(f.size) }},
				Ran:    func(int, Result) {}, Found: func(int, Result) {},
			})
			t.Logf("%d executions, %d cut, %d steps, %.0f executions a second", out.Runs, out.Cut, out.Steps, float64(out.Runs+out.Cut)/time.Since(began).Seconds())
			require.True(t, out.Complete)
			require.Empty(t, out.Bounds)
			require.Equal(t, f.count, out.Runs)
			require.LessOrEqual(t, out.Cut, out.Runs/cutShare)
		})
	}
}

var familiesTable = flag.Bool("orc.families", false, "TestFamiliesBounded prints the table of benchmarks/benchmarks.md")

// atRandom chooses at random among the goroutines that could go on, and hashes the run.
type atRandom struct {
	random
	exec  *execution
	print fingerprint
}

func (c *atRandom) Next(v View) Choice {
	c.print.update(c.exec)
	c.exec.changed = c.exec.changed[:0]
	var all []int
	end := TimePasses
	for i, p := range v.Ready {
		if p.End {
			end = i
		} else if v.run.enabled(p.g) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return Choice{Index: end}
	}
	i := all[c.next(len(all))]
	return Choice{Index: i, Case: c.next(max(v.Ready[i].Cases, 1))}
}

// classes does random runs, up to limit, until so many were seen that are not equivalent.
func classes(cfg Config, count, limit int) (runs, seen int) {
	c := &atRandom{random: random(1), exec: &execution{next: -1}}
	c.exec.pick = func(_ *goroutine, _ Site, n, _ int) int { return c.next(n) }
	prints := map[uint64]bool{}
	cfg.Chooser, cfg.exec, cfg.NoLog, cfg.NoStacks = c, c.exec, true, true
	for runs < limit && len(prints) < count {
		c.exec.reset()
		c.print.reset()
		Run(cfg)
		runs++
		c.print.update(c.exec)
		prints[c.print.all(c.exec)] = true
	}
	return runs, len(prints)
}

// TestFamiliesBounded: a search bounded by preemptions comes to an end, and executions that
// are equivalent have the same fingerprint.
func TestFamiliesBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long with the race detector, which has TestBoundingRandom")
	}
	const plainLimit, randomLimit, within = 10_000, 10_000, 10 * time.Second
	if *familiesTable {
		fmt.Println("| program | size | exhaustive | 0 | 1 | 2 | all | plain | random |\n|---|---|---|---|---|---|---|---|---|")
	}
	for _, f := range allFamilies {
		cfg := Config{Bubble: bubble(t), Entry: EntryMain, EndSite: endSite, Main: func() { f.main(f.size) }}
		e := Exhaustion{Config: cfg, Ran: func(int, Result) {}, Found: func(int, Result) {}}
		if !*familiesTable {
			if f.count > 24 || testing.Short() && f.count > 8 {
				continue
			}
			e.Bounding, e.Steps = &Bounding{Last: 1}, 100_000
			out := Exhaust(e)
			require.True(t, out.Complete || len(out.Preemptions) == 3 || out.Steps >= e.Steps, f.name)
			require.Empty(t, out.Bounds)
			// In whose step main comes to its end makes some more.
			_, seen := classes(cfg, 2*f.count+1, 20*f.count)
			require.LessOrEqual(t, seen, 2*f.count, f.name)
			continue
		}
		speed := func(n int, began time.Time) string {
			return fmt.Sprintf("%d (%.0f/s)", n, float64(n)/time.Since(began).Seconds())
		}
		began := time.Now()
		out := Exhaust(e)
		fmt.Printf("| %s | %d | %s |", f.name, f.size, speed(out.Runs+out.Cut, began))
		began = time.Now()
		e.Bounding, e.Until = &Bounding{Last: AllPreemptions}, began.Add(within)
		out = Exhaust(e)
		for c := range 3 {
			switch {
			case c < len(out.Preemptions) && out.Preemptions[c].Complete:
				fmt.Printf(" %d + %d |", out.Preemptions[c].Runs, out.Preemptions[c].Cut)
			case c < len(out.Preemptions):
				fmt.Printf(" more |")
			default:
				fmt.Printf(" |")
			}
		}
		last := out.Preemptions[len(out.Preemptions)-1]
		if out.Complete {
			fmt.Printf(" %d: %d + %d; %s |", last.Preemptions, last.Runs, last.Cut, speed(out.Runs+out.Cut, began))
		} else {
			fmt.Printf(" %d, more; %s |", last.Preemptions, speed(out.Runs+out.Cut, began))
		}
		began = time.Now()
		plain := enumerate(cfg, func(Result) string { return "" }, plainLimit)
		text := speed(plain.runs, began)
		if !plain.complete {
			text = "more than " + text
		}
		began = time.Now()
		runs, seen := classes(cfg, f.count, randomLimit)
		fmt.Printf(" %s | %s", text, speed(runs, began))
		if seen < f.count {
			fmt.Printf(": %d of %d", seen, f.count)
		}
		fmt.Println(" |")
	}
}

// TestExhaustThroughput measures executions of a given number of steps, half of them with
// accesses to memory that are looked at for races: four goroutines, each with a lock of its
// own, that at last write and read the same word, in 576 orders. It is no benchmark since a
// bubble needs a *testing.T.
func TestExhaustThroughput(t *testing.T) {
	if *measure == 0 {
		t.Skip("needs -orc.measure=1")
	}
	for _, steps := range []int{20, 100, 1000, 5000} {
		for _, races := range []bool{false, true} {
			began := time.Now()
			out := Exhaust(Exhaustion{
				Config: Config{Bubble: bubble(t), Entry: EntryMain, Plan: Plan{MaxSteps: 10_000}, Races: races, Main: func() {
					var word atomic.Int32
					workers(4, func(int) {
						var mu sync.Mutex
						var x int
						for range (steps - 20) / 8 {
							Lock(1, &mu)
							*Rd(5, &x)++
							Wr(6, &x)
							Unlock(2, &mu)
						}
						storeWord(3, &word, 1)
						loadWord(4, &word)
					})
				}},
				Ran: func(int, Result) {}, Found: func(int, Result) {},
			})
			took := time.Since(began).Seconds()
			t.Logf("%d steps, accesses recorded: %t: %.0f executions/s, %.2f µs for a step", out.Steps/(out.Runs+out.Cut), races, float64(out.Runs+out.Cut)/took, took*1e6/float64(out.Steps))
			require.Equal(t, 576, out.Runs)
		}
	}
}

package orcruntime

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func actText(a Act) string { return fmt.Sprintf("%s %s %s at %s", a.G, a.Op, a.Object, a.Site) }

// TestOwners: the end of a run says who holds what since where, what counters are, and who
// has closed what somebody panics on.
func TestOwners(t *testing.T) {
	for _, p := range []struct {
		name string
		main func()
		want string // what goroutines hold, the counters, who has closed
	}{
		{"given back", func() { var m sync.Mutex; Lock(1, &m); Unlock(2, &m); Recv(3, make(chan int)) }, ""},
		{"given back by a library", func() { var m sync.Mutex; Lock(1, &m); m.Unlock(); Recv(3, make(chan int)) }, ""},
		{"one of two given back by a library", func() {
			var m sync.RWMutex
			var n sync.Mutex
			WLock(1, &m)
			Lock(2, &n)
			m.Unlock()
			Recv(3, make(chan int))
		}, "0 lock mutex#1 at #2"},
		{"held", func() { var m sync.Mutex; Lock(1, &m); Recv(3, make(chan int)) }, "0 lock mutex#1 at #1"},
		{"in order", func() {
			var a, b sync.Mutex
			Lock(1, &a)
			Lock(2, &b)
			Unlock(3, &a)
			Lock(4, &a)
			Lock(5, &b)
		}, "0 lock mutex#2 at #2; 0 lock mutex#1 at #4"},
		{"tried", func() { var m sync.Mutex; TryLock(1, &m); TryLock(2, &m); Lock(3, &m) }, "0 lock mutex#1 at #1"},
		{"tried to read and write", func() {
			var a, b sync.RWMutex
			TryWLock(1, &a)
			TryRLock(2, &b)
			TryRLock(3, &a)
			WLock(4, &b)
		}, "0 lock rwmutex#1 at #1; 0 read lock rwmutex#2 at #2"},
		{"of the ended", func() {
			var m sync.Mutex
			Go(1, func() { Lock(2, &m) })
			Recv(3, make(chan int))
		}, "0.1 lock mutex#1 at #2"},
		{"given back by another", func() {
			var m sync.Mutex
			Lock(1, &m)
			Go(2, func() { Unlock(3, &m); Lock(4, &m) })
			Recv(5, make(chan int))
		}, "0.1 lock mutex#1 at #4"},
		{"readers", func() {
			var m sync.RWMutex
			RLock(1, &m)
			Go(2, func() { RLock(3, &m); RLock(4, &m); RUnlock(5, &m); Recv(6, make(chan int)) })
			Recv(7, make(chan int))
		}, "0 read lock rwmutex#1 at #1; 0.1 read lock rwmutex#1 at #4"},
		{"the right reader gives back", func() {
			var m sync.RWMutex
			RLock(1, &m)
			c := make(chan int)
			Go(2, func() { RLock(3, &m); RUnlock(4, &m); To(c).Send(5, 1) })
			Recv(6, c)
			WLock(7, &m)
		}, "0 read lock rwmutex#1 at #1"},
		{"a waiting writer gets it", func() {
			var m sync.RWMutex
			RLock(1, &m)
			c := make(chan int)
			Go(2, func() { WLock(3, &m); To(c).Send(4, 1); Recv(5, c) })
			Go(6, func() { RUnlock(7, &m) })
			Recv(8, c)
			RLock(9, &m)
		}, "0.1 lock rwmutex#1 at #3"},
		{"Cond gives back", func() {
			var m sync.Mutex
			Lock(1, &m)
			CondWait(2, sync.NewCond(&m))
		}, ""},
		{"Cond takes again", func() {
			var m sync.Mutex
			c := sync.NewCond(&m)
			Go(1, func() { Lock(2, &m); CondSignal(3, c); Unlock(4, &m) })
			Lock(5, &m)
			CondWait(6, c)
			Recv(7, make(chan int))
		}, "0 lock mutex#1 at #6"},
		{"Once", func() {
			var o sync.Once
			OnceDo(1, &o, func() { OnceDo(2, &o, func() {}) })
		}, "0 once once#1 at #1"},
		{"Once is over", func() {
			var o sync.Once
			OnceDo(1, &o, func() {})
			OnceDo(2, &o, func() {})
			Recv(3, make(chan int))
		}, ""},
		{"counter", func() {
			var wg sync.WaitGroup
			Add(1, &wg, 3)
			Done(2, &wg)
			Wait(3, &wg)
		}, "0 counts 2"},
		{"send on closed", func() {
			c := make(chan int)
			Close(1, c)
			To(c).Send(2, 1)
		}, "0 close chan#1 at #1"},
		{"close of closed", func() {
			c, d := make(chan int), make(chan int)
			Close(1, d)
			Go(2, func() { Close(3, c) })
			Access(4)
			Recv(5, c)
			Close(6, c)
		}, "0.1 close chan#2 at #3"},
		{"closed while it was queued", func() {
			c := make(chan int)
			Go(1, func() { Access(2); Close(3, c) })
			To(c).Send(4, 1)
		}, "0.1 close chan#1 at #3"},
		{"a select sends on closed", func() {
			c, d := make(chan int), make(chan int)
			Close(1, c)
			Select(2, false, R(d), To(c).Case(1))
		}, "0 close chan#1 at #1"},
		{"another panic", func() {
			c := make(chan int, 1)
			To(c).Send(1, 1)
			Close(2, c)
			panic("x")
		}, ""},
	} {
		t.Run(p.name, func(t *testing.T) {
			res := Run(Config{Bubble: bubble(t), Chooser: &inTurn{}, Main: p.main})
			var got []string
			for _, g := range res.Goroutines {
				for _, a := range g.Holds {
					require.Equal(t, g.G, a.G)
					got = append(got, actText(a))
				}
				if g.Counter != 0 {
					got = append(got, fmt.Sprintf("%s counts %d", g.G, g.Counter))
				}
				if g.Closed != nil {
					got = append(got, actText(*g.Closed))
				}
			}
			require.Equal(t, p.want, strings.Join(got, "; "), "%s", res)
		})
	}
}

// TestOwnersOfAll: whatever goroutines do with locks, in any order, those that are held at the
// end have an owner, and no others.
func TestOwnersOfAll(t *testing.T) {
	held := 0
	for seed := range uint64(400) {
		var mutexes [2]sync.Mutex
		var rws [2]sync.RWMutex
		r := rand.New(rand.NewPCG(seed, 1))
		body := func(ops []int) func() {
			return func() {
				var undo [8]int // how often what is undone by an operation was done
				for i, o := range ops {
					site, m, rw := Site(i+1), &mutexes[o%2], &rws[o%2]
					switch o / 2 {
					case 0:
						Lock(site, m)
						undo[o]++
					case 1:
						if TryLock(site, m) {
							undo[o-2]++
						}
					case 2:
						WLock(site, rw)
						undo[o]++
					case 3:
						RLock(site, rw)
						undo[o]++
					case 4:
						if undo[o%2] > 0 {
							Unlock(site, m)
							undo[o%2]--
						}
					case 5:
						if undo[4+o%2] > 0 {
							WUnlock(site, rw)
							undo[4+o%2]--
						}
					case 6:
						if undo[6+o%2] > 0 {
							RUnlock(site, rw)
							undo[6+o%2]--
						}
					}
				}
			}
		}
		random := func() []int {
			ops := make([]int, 2+r.IntN(6))
			for i := range ops {
				ops[i] = r.IntN(14)
			}
			return ops
		}
		first, second := body(random()), body(random())
		res := Run(Config{Bubble: bubble(t), Chooser: Random(seed), Main: func() {
			Go(101, second)
			first()
			Recv(102, make(chan int))
		}})
		ways := map[string]int{}
		for _, g := range res.Goroutines {
			for _, a := range g.Holds {
				ways[a.Op+" "+a.Object]++
			}
		}
		want := map[string]int{}
		for i := range mutexes {
			if mutexRef(&mutexes[i]).held() {
				want["lock mutex"]++
			}
		}
		for i := range rws {
			if writeRef(&rws[i]).held() {
				want["lock rwmutex"]++
			}
			if readRef(&rws[i]).held() {
				want["read lock rwmutex"]++
			}
		}
		got := map[string]int{}
		for way := range ways {
			kind, _, _ := strings.Cut(way, "#")
			got[kind]++
			held++
		}
		require.Equal(t, want, got, "seed %d: %s", seed, res)
	}
	require.Greater(t, held, 300)
}

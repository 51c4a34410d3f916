package orcruntime

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// meeting is a program in which one goroutine writes a word and another one reads it. What
// they do between is to order the read after the write, or not.
type meeting struct {
	word   int
	passed bool // the first goroutine is done, as the schedule has it
	wrote  bool
	reads  int // after the write, as the schedule has it

	c, d    chan int // without a buffer
	one     chan int // with room for one
	two     chan int
	events  chan struct{}
	mu, nu  sync.Mutex
	rw      sync.RWMutex
	wg, wh  sync.WaitGroup
	once    sync.Once
	pool    sync.Pool
	nothing chan int
}

func newMeeting() *meeting {
	return &meeting{c: make(chan int), d: make(chan int), one: make(chan int, 1), two: make(chan int, 2), events: make(chan struct{})}
}

func (x *meeting) write() {
	x.word++
	Wr(1, &x.word)
	x.wrote = true
}

func (x *meeting) read() {
	_ = *Rd(2, &x.word)
	if x.wrote {
		x.reads++
	}
}

// readLater reads if the first goroutine is done.
func (x *meeting) readLater() {
	if x.passed {
		x.read()
	}
}

// start runs two goroutines, and whoever is to help them.
func (x *meeting) start(first, second func(), others ...func()) {
	Go(90, func() {
		first()
		x.passed = true
	})
	Go(91, second)
	for _, f := range others {
		Go(92, f)
	}
}

// locked is a critical section.
func locked(mu *sync.Mutex, f func()) {
	Lock(10, mu)
	f()
	Unlock(11, mu)
}

// edges are the ways in which operations order goroutines, and next to them what looks like
// one and is none, by the Go memory model and the documentation of the packages.
var edges = []struct {
	name    string
	ordered bool
	main    func(x *meeting)
}{
	{"nothing", false, func(x *meeting) { x.start(x.write, x.read) }},
	{"one goroutine", true, func(x *meeting) { x.write(); x.read() }},
	{"go", true, func(x *meeting) { x.write(); Go(3, x.read) }},
	{"behind go", false, func(x *meeting) { Go(3, x.read); x.write() }},
	{"the end of a goroutine", false, func(x *meeting) { x.start(func() { x.write() }, x.readLater) }},
	{"from a goroutine to one that another has started", false, func(x *meeting) {
		x.start(x.write, func() { Go(3, x.readLater) })
	}},
	{"through two goroutines", true, func(x *meeting) {
		x.start(func() { x.write(); To(x.c).Send(3, 0) }, func() { Recv(4, x.d); x.read() }, func() { Recv(5, x.c); To(x.d).Send(6, 0) })
	}},
	{"through two goroutines, in the wrong order", false, func(x *meeting) {
		x.start(func() { x.write(); To(x.c).Send(3, 0) }, func() { Recv(4, x.one); x.readLater() }, func() { To(x.one).Send(6, 0); Recv(5, x.c) })
	}},

	// Channels without a buffer.
	{"send, receive", true, func(x *meeting) {
		x.start(func() { x.write(); To(x.c).Send(3, 0) }, func() { Recv(4, x.c); x.read() })
	}},
	{"receive, behind send", true, func(x *meeting) {
		x.start(func() { x.write(); Recv(4, x.c) }, func() { To(x.c).Send(3, 0); x.read() })
	}},
	{"behind send, behind receive", false, func(x *meeting) {
		x.start(func() { To(x.c).Send(3, 0); x.write() }, func() { Recv(4, x.c); Access(5); x.read() })
	}},
	{"again behind send, behind receive", false, func(x *meeting) {
		x.start(func() { x.write(); To(x.c).Send(3, 0); x.write() }, func() { Recv(4, x.c); Access(5); x.readLater() })
	}},
	{"behind receive, behind send", false, func(x *meeting) {
		x.start(func() { Recv(4, x.c); x.write() }, func() { To(x.c).Send(3, 0); Access(5); x.read() })
	}},
	{"send, receive of another", false, func(x *meeting) {
		x.start(func() { x.write(); To(x.c).Send(3, 0) }, func() { Recv(4, x.d); x.readLater() },
			func() { Recv(4, x.c) }, func() { To(x.d).Send(3, 0) })
	}},
	{"select that sends, select that receives", true, func(x *meeting) {
		x.start(func() { x.write(); Select(3, false, R(x.d), To(x.c).Case(0)) }, func() { Select(4, false, R(x.c), R(x.d)); x.read() })
	}},
	{"select that receives, select that sends", true, func(x *meeting) {
		x.start(func() { x.write(); Select(3, false, R(x.c), To(x.d).Case(0)) }, func() { Select(4, false, To(x.c).Case(0), R(x.nothing)); x.read() })
	}},
	{"poll that sends", true, func(x *meeting) {
		x.start(func() { x.write(); Select(3, true, To(x.c).Case(0)) }, func() { Recv(4, x.c); x.read() })
	}},
	{"poll that finds nobody", false, func(x *meeting) {
		x.start(func() { x.write(); Select(3, true, To(x.c).Case(0)) }, func() { Select(4, true, R(x.c)); x.readLater() })
	}},
	{"case that is not chosen", false, func(x *meeting) {
		x.start(func() { x.write(); Select(3, false, To(x.c).Case(0), To(x.one).Case(0)) },
			func() {
				if Select(4, false, R(x.c), R(x.two)) == 1 {
					x.readLater()
				}
			}, func() { To(x.two).Send(5, 0) })
	}},
	{"range", true, func(x *meeting) {
		x.start(func() { x.write(); Close(3, x.c) }, func() {
			for range Range(4, x.c) {
			}
			x.read()
		})
	}},
	{"range without functions", true, func(x *meeting) {
		x.start(func() { x.write(); To(x.c).Send(3, 0) }, func() {
			if r := RangeCh(x.c); r.Next(4) {
				x.read()
			}
		})
	}},

	// Channels with a buffer.
	{"send into a buffer, receive", true, func(x *meeting) {
		x.start(func() { x.write(); To(x.two).Send(3, 0) }, func() { Recv(4, x.two); x.read() })
	}},
	{"second send, second receive", true, func(x *meeting) {
		x.start(func() { To(x.two).Send(3, 0); x.write(); To(x.two).Send(3, 0) }, func() { Recv(4, x.two); Recv(4, x.two); x.read() })
	}},
	{"second send, first receive", false, func(x *meeting) {
		x.start(func() { To(x.two).Send(3, 0); x.write(); To(x.two).Send(3, 0) }, func() { Recv(4, x.two); x.readLater() })
	}},
	{"send, receive of the value of another", false, func(x *meeting) {
		To(x.two).Send(2, 0)
		x.start(func() { x.write(); To(x.two).Send(3, 0) }, func() { Recv(4, x.two); x.readLater() })
	}},
	{"receive that makes room, send", true, func(x *meeting) {
		To(x.two).Send(2, 0)
		To(x.two).Send(2, 0)
		x.start(func() { x.write(); Recv(4, x.two) }, func() { To(x.two).Send(3, 0); x.read() })
	}},
	{"receive, send that finds other room", false, func(x *meeting) {
		To(x.two).Send(2, 0)
		x.start(func() { x.write(); Recv(4, x.two) }, func() { To(x.two).Send(3, 0); x.readLater() })
	}},
	{"second receive, send that needs the first", false, func(x *meeting) {
		To(x.two).Send(2, 0)
		To(x.two).Send(2, 0)
		x.start(func() { Recv(4, x.two); x.write(); Recv(4, x.two) }, func() { To(x.two).Send(3, 0); x.readLater() })
	}},
	{"second receive, second send", true, func(x *meeting) {
		To(x.two).Send(2, 0)
		To(x.two).Send(2, 0)
		x.start(func() { Recv(4, x.two); x.write(); Recv(4, x.two) }, func() { To(x.two).Send(3, 0); To(x.two).Send(3, 0); x.read() })
	}},
	{"send, send", false, func(x *meeting) {
		x.start(func() { x.write(); To(x.two).Send(3, 0) }, func() { To(x.two).Send(3, 0); x.readLater() })
	}},
	{"receive, receive", false, func(x *meeting) {
		To(x.two).Send(2, 0)
		To(x.two).Send(2, 0)
		x.start(func() { x.write(); Recv(4, x.two) }, func() { Recv(4, x.two); x.readLater() })
	}},
	{"a channel with one place as a lock", true, func(x *meeting) {
		hold := func(f func()) { To(x.one).Send(3, 0); f(); Recv(4, x.one) }
		x.start(func() { hold(x.write) }, func() { hold(x.readLater) })
	}},
	{"a channel with two places is no lock", false, func(x *meeting) {
		hold := func(f func()) { To(x.two).Send(3, 0); f(); Recv(4, x.two) }
		x.start(func() { hold(x.write) }, func() { hold(x.readLater) })
	}},
	{"length", false, func(x *meeting) {
		x.start(func() { x.write(); To(x.two).Send(3, 0) }, func() {
			Access(4)
			if len(Measured(5, x.two)) == 1 {
				x.read()
			}
		})
	}},

	// Closing.
	{"close, receive", true, func(x *meeting) {
		x.start(func() { x.write(); Close(3, x.c) }, func() { Recv2(4, x.c); x.read() })
	}},
	{"close, poll", true, func(x *meeting) {
		x.start(func() { x.write(); Close(3, x.c) }, func() {
			if r := R(x.c); Select(4, true, r) == 0 {
				x.read()
			}
		})
	}},
	{"close of an event, select", true, func(x *meeting) {
		x.start(func() { x.write(); Close(3, x.events) }, func() { Select(4, false, R(x.c), R(x.events)); x.read() })
	}},
	{"behind close, receive", false, func(x *meeting) {
		x.start(func() { Close(3, x.c); x.write() }, func() { Recv2(4, x.c); x.readLater() })
	}},
	{"close, receive of what was sent before", false, func(x *meeting) {
		To(x.two).Send(2, 0)
		x.start(func() { x.write(); Close(3, x.two) }, func() { Recv2(4, x.two); x.readLater() })
	}},
	{"close, receive behind the last value", true, func(x *meeting) {
		To(x.two).Send(2, 0)
		x.start(func() { x.write(); Close(3, x.two) }, func() { Recv2(4, x.two); Recv2(4, x.two); x.read() })
	}},
	{"receive, close", false, func(x *meeting) {
		To(x.one).Send(2, 0)
		x.start(func() { x.write(); Recv2(4, x.one) }, func() { Close(3, x.one); x.readLater() })
	}},
	{"close, send that panics", false, func(x *meeting) {
		x.start(func() { x.write(); Close(3, x.c) }, func() {
			defer func() {
				recover()
				x.read()
			}()
			To(x.c).Send(4, 0)
		})
	}},

	// Channels that uninstrumented code uses too: nothing is known of their order.
	{"send on a channel of a library", true, func(x *meeting) {
		x.two <- 0
		x.start(func() { x.write(); To(x.two).Send(3, 0) }, func() { Recv(4, x.two); Recv(4, x.two); x.read() })
	}},
	{"send in a library, receive", true, func(x *meeting) {
		x.start(func() { x.write(); m := Lib(3); x.two <- 0; Back(m) }, func() { Recv(4, x.two); x.read() })
	}},
	{"close in a library, receive", true, func(x *meeting) {
		x.start(func() { x.write(); m := Lib(3); close(x.c); Back(m) }, func() { Recv2(4, x.c); x.read() })
	}},
	{"send, receive when a library has sent later", true, func(x *meeting) {
		c := make(chan int, 3)
		x.start(func() { x.write(); To(c).Send(3, 0) }, func() { Recv(4, c); x.readLater() }, func() {
			if Access(5); x.passed && len(c) == 1 {
				c <- 0
				To(c).Send(6, 0)
			}
		})
	}},
	{"receive, send that needs the room when a library has sent meanwhile", true, func(x *meeting) {
		c, sent := make(chan int, 3), false
		To(c).Send(2, 0)
		x.start(func() { x.write(); Recv(3, c) }, func() {
			if Access(4); sent {
				To(c).Send(4, 0)
				x.read()
			}
		}, func() {
			if Access(5); x.passed {
				c <- 0
				To(c).Send(6, 0)
				sent = true
			}
		})
	}},
	{"close of a channel that a library has used, receive", true, func(x *meeting) {
		x.two <- 0
		Recv(2, x.two)
		x.start(func() { x.write(); Close(3, x.two) }, func() { Recv2(4, x.two); x.read() })
	}},
	{"receive of what a library has sent long ago", false, func(x *meeting) {
		m := Lib(2)
		x.two <- 0
		Back(m)
		x.start(x.write, func() { Recv(4, x.two); x.readLater() })
	}},

	// Locks.
	{"lock, lock", true, func(x *meeting) {
		x.start(func() { locked(&x.mu, x.write) }, func() { locked(&x.mu, x.readLater) })
	}},
	{"lock, try lock", true, func(x *meeting) {
		x.start(func() { locked(&x.mu, x.write) }, func() {
			if TryLock(4, &x.mu) {
				x.readLater()
			}
		})
	}},
	{"try lock, lock", true, func(x *meeting) {
		x.start(func() {
			if TryLock(3, &x.mu) {
				x.write()
				Unlock(4, &x.mu)
			}
		}, func() { locked(&x.mu, x.readLater) })
	}},
	{"lock, try lock that fails", false, func(x *meeting) {
		Lock(2, &x.nu)
		x.start(func() { x.write(); TryLock(3, &x.nu) }, func() { TryLock(4, &x.nu); x.readLater() })
	}},
	{"lock that is kept, try lock that fails", false, func(x *meeting) {
		x.start(func() { x.write(); Lock(3, &x.mu) }, func() {
			if !TryLock(4, &x.mu) {
				x.read()
			}
		})
	}},
	{"two locks", false, func(x *meeting) {
		x.start(func() { locked(&x.mu, x.write) }, func() { locked(&x.nu, x.readLater) })
	}},
	{"behind unlock, behind lock", false, func(x *meeting) {
		x.start(func() { locked(&x.mu, func() {}); x.write() }, func() { locked(&x.mu, x.readLater) })
	}},
	{"unlock by another", true, func(x *meeting) {
		Lock(2, &x.mu)
		x.start(func() { x.write(); Unlock(3, &x.mu) }, func() { Lock(4, &x.mu); x.read() })
	}},
	{"lock behind an interface", true, func(x *meeting) {
		x.start(func() { LockIface(2, &x.mu); x.write(); UnlockIface(3, &x.mu) }, func() { locked(&x.mu, x.readLater) })
	}},

	{"write lock, write lock", true, func(x *meeting) {
		x.start(func() { WLock(2, &x.rw); x.write(); WUnlock(3, &x.rw) }, func() { WLock(4, &x.rw); x.readLater() })
	}},
	{"write lock, read lock", true, func(x *meeting) {
		x.start(func() { WLock(2, &x.rw); x.write(); WUnlock(3, &x.rw) }, func() { RLock(4, &x.rw); x.readLater() })
	}},
	{"write lock, try read lock", true, func(x *meeting) {
		x.start(func() { WLock(2, &x.rw); x.write(); WUnlock(3, &x.rw) }, func() {
			if TryRLock(4, &x.rw) {
				x.readLater()
			}
		})
	}},
	{"read lock, write lock", true, func(x *meeting) {
		x.start(func() { RLock(2, &x.rw); x.write(); RUnlock(3, &x.rw) }, func() { WLock(4, &x.rw); x.readLater() })
	}},
	{"read lock, try write lock", true, func(x *meeting) {
		x.start(func() { RLock(2, &x.rw); x.write(); RUnlock(3, &x.rw) }, func() {
			if TryWLock(4, &x.rw) {
				x.readLater()
			}
		})
	}},
	{"try read lock, write lock", true, func(x *meeting) {
		x.start(func() {
			if TryRLock(2, &x.rw) {
				x.write()
				RUnlock(3, &x.rw)
			}
		}, func() { WLock(4, &x.rw); x.readLater() })
	}},
	{"read lock behind an interface, write lock", true, func(x *meeting) {
		x.start(func() { LockIface(2, x.rw.RLocker()); x.write(); UnlockIface(3, x.rw.RLocker()) }, func() { LockIface(4, &x.rw); x.readLater() })
	}},
	{"read lock, read lock", false, func(x *meeting) {
		x.start(func() { RLock(2, &x.rw); x.write(); RUnlock(3, &x.rw) }, func() { RLock(4, &x.rw); x.readLater() })
	}},
	{"read lock, try read lock", false, func(x *meeting) {
		x.start(func() { RLock(2, &x.rw); x.write(); RUnlock(3, &x.rw) }, func() {
			if TryRLock(4, &x.rw) {
				x.readLater()
			}
		})
	}},
	{"read lock behind an interface, read lock", false, func(x *meeting) {
		x.start(func() { LockIface(2, x.rw.RLocker()); x.write(); UnlockIface(3, x.rw.RLocker()) }, func() { RLock(4, &x.rw); x.readLater() })
	}},
	{"write lock, try locks that fail", false, func(x *meeting) {
		WLock(2, &x.rw)
		x.start(func() { x.write(); TryWLock(3, &x.rw); TryRLock(3, &x.rw) }, func() { TryWLock(4, &x.rw); TryRLock(4, &x.rw); x.readLater() })
	}},

	// Groups.
	{"done, wait", true, func(x *meeting) {
		Add(2, &x.wg, 1)
		x.start(func() { x.write(); Done(3, &x.wg) }, func() { Wait(4, &x.wg); x.read() })
	}},
	{"done of two, wait", true, func(x *meeting) {
		Add(2, &x.wg, 2)
		x.start(func() { x.write(); Done(3, &x.wg) }, func() { Wait(4, &x.wg); x.read() }, func() { Done(5, &x.wg) })
	}},
	{"add of less, wait", true, func(x *meeting) {
		Add(2, &x.wg, 2)
		x.start(func() { x.write(); Add(3, &x.wg, -2) }, func() { Wait(4, &x.wg); x.read() })
	}},
	{"add, wait", false, func(x *meeting) {
		x.start(func() { x.write(); Add(3, &x.wg, 1) }, func() {
			Access(5)
			if x.passed {
				Done(4, &x.wg)
				Wait(4, &x.wg)
				x.read()
			}
		})
	}},
	{"done, done", false, func(x *meeting) {
		Add(2, &x.wg, 2)
		x.start(func() { x.write(); Done(3, &x.wg) }, func() { Done(4, &x.wg); x.readLater() })
	}},
	{"wait, add", false, func(x *meeting) {
		x.start(func() { x.write(); Wait(3, &x.wg) }, func() { Add(4, &x.wg, 1); x.readLater() })
	}},
	{"done, wait for another group", false, func(x *meeting) {
		Add(2, &x.wg, 1)
		Add(2, &x.wh, 1)
		x.start(func() { x.write(); Done(3, &x.wg) }, func() { Wait(4, &x.wh); x.readLater() }, func() { Done(5, &x.wh) })
	}},
	{"go of a group, its function", true, func(x *meeting) { x.write(); WGGo(3, &x.wg, x.read) }},
	{"behind go of a group", false, func(x *meeting) { WGGo(3, &x.wg, x.read); x.write() }},
	{"function of a group, wait", true, func(x *meeting) { WGGo(3, &x.wg, x.write); Wait(4, &x.wg); x.read() }},
	{"functions of a group", false, func(x *meeting) { WGGo(3, &x.wg, x.write); WGGo(4, &x.wg, x.read) }},
	{"function of a group that ends its goroutine, wait", true, func(x *meeting) {
		WGGo(3, &x.wg, func() { x.write(); Goexit(5) })
		Wait(4, &x.wg)
		x.read()
	}},

	// Once.
	{"function of once, once", true, func(x *meeting) {
		x.start(func() { OnceDo(3, &x.once, x.write) }, func() { OnceDo(4, &x.once, func() {}); x.read() })
	}},
	{"before the once that calls, once", true, func(x *meeting) {
		x.start(func() { x.write(); OnceDo(3, &x.once, func() { Access(5); x.passed = true }) }, func() {
			OnceDo(4, &x.once, func() {})
			x.readLater()
		})
	}},
	{"behind the once that calls, once", false, func(x *meeting) {
		x.start(func() { OnceDo(3, &x.once, func() {}); x.write() }, func() { OnceDo(4, &x.once, func() {}); x.readLater() })
	}},
	{"once that does not call, once", false, func(x *meeting) {
		OnceDo(2, &x.once, func() {})
		x.start(func() { x.write(); OnceDo(3, &x.once, func() {}) }, func() { OnceDo(4, &x.once, func() {}); x.readLater() })
	}},
	{"function of once that panics, once", true, func(x *meeting) {
		x.start(func() {
			defer func() { recover() }()
			OnceDo(3, &x.once, func() {
				Access(5)
				x.write()
				panic("in once")
			})
		}, func() { OnceDo(4, &x.once, func() {}); x.read() })
	}},
	{"function of once that ends its goroutine, once", true, func(x *meeting) {
		x.start(func() { OnceDo(3, &x.once, func() { x.write(); Goexit(5) }) }, func() { OnceDo(4, &x.once, func() {}); x.read() })
	}},

	// Conditions. Who signals does not hold the lock.
	{"signal, wait", true, func(x *meeting) {
		c := sync.NewCond(&x.mu)
		x.start(func() { x.write(); CondSignal(3, c) }, func() { Lock(4, &x.mu); CondWait(5, c); x.read() })
	}},
	{"broadcast, wait", true, func(x *meeting) {
		c := sync.NewCond(&x.mu)
		x.start(func() { x.write(); CondBroadcast(3, c) }, func() { Lock(4, &x.mu); CondWait(5, c); x.read() })
	}},
	{"signal, wait over a lock of the program's", true, func(x *meeting) {
		c := sync.NewCond(&loggedLock{log: make(chan int, 8)})
		x.start(func() { x.write(); CondSignal(3, c) }, func() { c.L.Lock(); CondWait(5, c); x.read() })
	}},
	{"behind signal, wait", false, func(x *meeting) {
		c := sync.NewCond(&x.mu)
		x.start(func() { CondSignal(3, c); x.write() }, func() { Lock(4, &x.mu); CondWait(5, c); x.readLater() })
	}},
	{"signal to nobody", false, func(x *meeting) {
		c := sync.NewCond(&x.mu)
		x.start(func() { x.write(); CondSignal(3, c) }, func() {
			Lock(4, &x.mu)
			Access(6)
			if x.passed {
				CondWait(5, c)
				x.read()
			}
		}, func() { CondSignal(7, c) })
	}},
	{"signal to one, another who waits", false, func(x *meeting) {
		c := sync.NewCond(x.rw.RLocker())
		var woken *goroutine
		wait := func() {
			RLock(4, &x.rw)
			if CondWait(5, c); woken != active.Load().caller() {
				x.readLater()
			}
		}
		x.start(func() {
			Access(3)
			if queue := active.Load().conds[c]; len(queue) == 2 {
				woken = queue[0].g
				x.write()
				CondSignal(6, c)
			}
		}, wait, wait, func() {
			if Access(7); x.passed {
				CondSignal(8, c)
			}
		})
	}},
	{"wait, signal", false, func(x *meeting) {
		c := sync.NewCond(&x.mu)
		x.start(func() { Lock(3, &x.mu); x.write(); CondWait(4, c) }, func() { CondSignal(5, c); x.read() })
	}},
	{"wait that gives the lock back, lock", true, func(x *meeting) {
		c := sync.NewCond(&x.mu)
		x.start(func() { Lock(3, &x.mu); x.write(); CondWait(4, c) }, func() { Lock(5, &x.mu); x.read() })
	}},
	{"unlock, wait that takes the lock again", true, func(x *meeting) {
		c := sync.NewCond(&x.mu)
		x.start(func() { Lock(3, &x.mu); CondSignal(6, c); x.write(); Unlock(7, &x.mu) }, func() { Lock(4, &x.mu); CondWait(5, c); x.read() })
	}},

	// Time, contexts and what else comes through libraries.
	{"sleep", false, func(x *meeting) { x.start(x.write, func() { Sleep(3, time.Second); x.read() }) }},
	{"timer", false, func(x *meeting) { x.start(x.write, func() { Recv(3, time.After(Due(4, time.Second))); x.read() }) }},
	{"function of a timer", true, func(x *meeting) { x.write(); AfterFunc(3, time.Second, x.read); Sleep(5, time.Minute) }},
	{"function that a library calls", true, func(x *meeting) {
		x.write()
		time.AfterFunc(Due(3, time.Second), Callback(4, x.read))
		Sleep(5, time.Minute)
	}},
	{"behind what sets the timer of a function", false, func(x *meeting) { AfterFunc(3, time.Second, x.read); x.write(); Sleep(5, time.Minute) }},
	{"functions of timers", false, func(x *meeting) {
		AfterFunc(3, time.Second, x.write)
		AfterFunc(4, 2*time.Second, x.read)
		Sleep(5, time.Minute)
	}},
	{"calls of libraries", true, func(x *meeting) {
		x.start(func() { x.write(); Back(Lib(3)) }, func() { Access(5); Back(Lib(4)); x.readLater() })
	}},
	{"behind a call of a library", false, func(x *meeting) {
		x.start(func() { Back(Lib(3)); x.write() }, func() { Access(5); Back(Lib(4)); x.readLater() })
	}},
	{"before a call of a library", false, func(x *meeting) {
		x.start(func() { x.write(); Back(Lib(3)) }, func() { Access(5); x.readLater(); Back(Lib(4)) })
	}},
	{"a library that lets others go on", true, func(x *meeting) {
		x.start(func() { m := Lib(3); x.write(); Access(5); Back(m) }, func() { Access(5); Back(Lib(4)); x.read() })
	}},
	{"a library in which one waits for another", true, func(x *meeting) {
		c := make(chan int)
		x.start(func() { x.write(); m := Lib(3); c <- 1; Back(m) }, func() { m := Lib(4); <-c; Back(m); x.read() })
	}},
	{"calls of libraries, within one that goes on", true, func(x *meeting) {
		x.start(func() { x.write(); Back(Lib(3)) }, func() { m := Lib(4); Access(5); x.readLater(); Back(m) })
	}},
	{"a call of a library, a timer that has fired long ago", true, func(x *meeting) {
		x.start(func() { x.write(); Back(Lib(3)) }, func() {
			c := time.After(Due(4, time.Second))
			Sleep(5, 2*time.Second)
			Recv(6, c)
			x.readLater()
		})
	}},
	{"cancel, done", true, func(x *meeting) {
		ctx, cancel := context.WithCancel(context.Background())
		x.start(func() { x.write(); m := Lib(3); cancel(); Back(m) }, func() { Recv2(4, ctx.Done()); x.read() })
	}},
	{"cancel, function of the context", true, func(x *meeting) {
		ctx, cancel := context.WithCancel(context.Background())
		context.AfterFunc(ctx, Callback(4, x.read))
		x.start(func() { x.write(); m := Lib(3); cancel(); Back(m) }, func() {})
	}},
	{"behind cancel, function of the context", false, func(x *meeting) {
		ctx, cancel := context.WithCancel(context.Background())
		context.AfterFunc(ctx, Callback(4, x.readLater))
		x.start(func() { m := Lib(3); cancel(); Back(m); x.write() }, func() {})
	}},
	{"behind cancel, done", false, func(x *meeting) {
		ctx, cancel := context.WithCancel(context.Background())
		x.start(func() { m := Lib(3); cancel(); Back(m); x.write() }, func() { Recv2(4, ctx.Done()); x.readLater() })
	}},
	{"close of a context of the program's, done of its child", true, func(x *meeting) {
		ctx, cancel := context.WithCancel(ownContext{context.Background(), x.events})
		_ = cancel
		wait := func() { Recv2(4, ctx.Done()) }
		x.start(func() { x.write(); Close(3, x.events) }, func() { wait(); x.read() }, wait)
	}},
	{"close of something else, done of a context", false, func(x *meeting) {
		ctx, cancel := context.WithCancel(context.Background())
		x.start(func() { x.write(); Close(3, x.c) }, func() { Recv2(4, ctx.Done()); x.readLater() }, func() { m := Lib(3); cancel(); Back(m) })
	}},
	{"put, get", true, func(x *meeting) {
		x.start(func() { x.write(); Pool(3, &x.pool).Put(x) }, func() {
			if Access(5); Pool(4, &x.pool).Get() != nil {
				x.read()
			}
		})
	}},
	{"behind put, get", false, func(x *meeting) {
		x.start(func() { Pool(3, &x.pool).Put(x); x.write() }, func() {
			if Access(5); Pool(4, &x.pool).Get() != nil {
				x.readLater()
			}
		})
	}},
	{"put, get of another", false, func(x *meeting) {
		Pool(2, &x.pool).Put(0)
		x.start(func() { x.write(); Pool(3, &x.pool).Put(1) }, func() {
			if Access(5); Pool(4, &x.pool).Get() == 0 {
				x.readLater()
			}
		})
	}},

	// Subtests.
	{"subtest, what follows", true, func(x *meeting) { Subtest(3, x.write); x.read() }},
	{"before a subtest", true, func(x *meeting) { x.write(); Subtest(3, x.read) }},
	{"before parallel, what follows the subtest", true, func(x *meeting) {
		Subtest(3, func() { x.write(); Parallel(4, nil) })
		x.read()
	}},
	{"what follows the subtest, behind parallel", true, func(x *meeting) {
		Subtest(3, func() { Parallel(4, nil); x.read() })
		x.write()
	}},
	{"what follows the subtest, before parallel", true, func(x *meeting) {
		Subtest(3, func() { x.read(); Parallel(4, nil) })
		x.write()
		x.read()
	}},
	{"parallel subtests", false, func(x *meeting) {
		Subtest(3, func() { Parallel(4, nil); x.write() })
		Subtest(5, func() { Parallel(6, nil); x.read() })
	}},
	{"parallel subtest, what follows the group", true, func(x *meeting) {
		Subtest(3, func() { Subtest(5, func() { Parallel(4, nil); x.write() }) })
		x.read()
	}},
	{"parallel subtest, cleanup", true, func(x *meeting) {
		Cleanup(nil, x.read)
		Subtest(3, func() { Parallel(4, nil); x.write() })
	}},
	{"cleanup of a subtest, what follows", true, func(x *meeting) {
		Subtest(3, func() { Cleanup(nil, x.write) })
		x.read()
	}},
}

// atomicOps are the operations on one atomic variable.
type atomicOps struct {
	p         unsafe.Pointer
	size      uintptr
	load      func()
	store     func()
	swap      func()
	swapped   func()
	unswapped func()
	updates   map[string]func() // those of integers
}

// opsOf are the operations of a, whose value is raw; it is never wrong.
func opsOf[T any](a, raw cell[T], p unsafe.Pointer, size uintptr, v, wrong T) atomicOps {
	return atomicOps{
		p: p, size: size,
		load:  func() { a.Load() },
		store: func() { a.Store(v) },
		swap:  func() { a.Swap(v) },
		swapped: func() {
			for !a.CompareAndSwap(raw.Load(), v) { // another one came between
			}
		},
		unswapped: func() {
			if a.CompareAndSwap(wrong, v) {
				panic("swapped")
			}
		},
	}
}

func numberOps[T any](a, raw integer[T], p unsafe.Pointer, size uintptr, v, wrong T) atomicOps {
	ops := opsOf(a, raw, p, size, v, wrong)
	ops.updates = map[string]func(){"add": func() { a.Add(v) }, "and": func() { a.And(v) }, "or": func() { a.Or(v) }}
	return ops
}

// functions are the functions of package sync/atomic in the shape of a type.
type functions struct {
	p *int64
}

func (f functions) Load() int64        { return Loading(6, 7, atomic.LoadInt64)(f.p) }
func (f functions) Store(v int64)      { Storing(6, 7, atomic.StoreInt64)(f.p, v) }
func (f functions) Swap(v int64) int64 { return Updating(6, 7, atomic.SwapInt64)(f.p, v) }
func (f functions) Add(v int64) int64  { return Updating(6, 7, atomic.AddInt64)(f.p, v) }
func (f functions) And(v int64) int64  { return Updating(6, 7, atomic.AndInt64)(f.p, v) }
func (f functions) Or(v int64) int64   { return Updating(6, 7, atomic.OrInt64)(f.p, v) }
func (f functions) CompareAndSwap(old, v int64) bool {
	return Swapping(6, 7, atomic.CompareAndSwapInt64)(f.p, old, v)
}

// atomicForms are the ways to have an atomic variable.
var atomicForms = map[string]func() atomicOps{
	"Int32": func() atomicOps {
		p := new(atomic.Int32)
		return numberOps(Int32(6, 7, p), p, unsafe.Pointer(p), unsafe.Sizeof(*p), 1, 99)
	},
	"Int64": func() atomicOps {
		p := new(atomic.Int64)
		return numberOps(Int64(6, 7, p), p, unsafe.Pointer(p), unsafe.Sizeof(*p), 1, 99)
	},
	"Uint32": func() atomicOps {
		p := new(atomic.Uint32)
		return numberOps(Uint32(6, 7, p), p, unsafe.Pointer(p), unsafe.Sizeof(*p), 1, 99)
	},
	"Uint64": func() atomicOps {
		p := new(atomic.Uint64)
		return numberOps(Uint64(6, 7, p), p, unsafe.Pointer(p), unsafe.Sizeof(*p), 1, 99)
	},
	"Uintptr": func() atomicOps {
		p := new(atomic.Uintptr)
		return numberOps(Uintptr(6, 7, p), p, unsafe.Pointer(p), unsafe.Sizeof(*p), 1, 99)
	},
	"Bool": func() atomicOps {
		p := new(atomic.Bool)
		return opsOf(Bool(6, 7, p), p, unsafe.Pointer(p), unsafe.Sizeof(*p), false, true)
	},
	"Pointer": func() atomicOps {
		p := new(atomic.Pointer[int])
		return opsOf(Pointer(6, 7, p), p, unsafe.Pointer(p), unsafe.Sizeof(*p), new(int), new(int))
	},
	"Value": func() atomicOps {
		p := new(atomic.Value)
		return opsOf(Value(6, 7, p), p, unsafe.Pointer(p), unsafe.Sizeof(*p), any(1), any(99))
	},
	"functions": func() atomicOps {
		p := new(int64)
		return numberOps(functions{p}, integer[int64]((*atomic.Int64)(unsafe.Pointer(p))), unsafe.Pointer(p), unsafe.Sizeof(*p), 1, 99)
	},
}

// TestEdges: in no schedule is there a race where something orders the read after the write,
// and there is one in every schedule that comes to both where nothing does.
func TestEdges(t *testing.T) {
	for _, e := range edges {
		requireEdge(t, e.name, e.ordered, e.main)
	}
}

// TestEdgesOfAll: what releases all who wait comes before what each of them does next, not only
// the first. Locks that they take would order them by each other: they take none, or read locks.
func TestEdgesOfAll(t *testing.T) {
	inLong(t)
	all := func(name string, main func(x *meeting) (release, wait func())) {
		requireEdge(t, name+", three who wait", true, func(x *meeting) {
			release, wait := main(x)
			then := func() { wait(); x.read() }
			x.start(func() { x.write(); release() }, then, then, then)
		})
	}
	all("broadcast", func(x *meeting) (release, wait func()) {
		c := sync.NewCond(x.rw.RLocker())
		return func() { CondBroadcast(3, c) }, func() { RLock(4, &x.rw); CondWait(5, c) }
	})
	all("close, receive", func(x *meeting) (release, wait func()) {
		return func() { Close(3, x.c) }, func() { Recv(4, x.c) }
	})
	all("close with a buffer, receive", func(x *meeting) (release, wait func()) {
		return func() { Close(3, x.two) }, func() { Recv2(4, x.two) }
	})
	all("close, select", func(x *meeting) (release, wait func()) {
		return func() { Close(3, x.c) }, func() { Select(4, false, R(x.d), R(x.c)) }
	})
	all("done, wait", func(x *meeting) (release, wait func()) {
		Add(3, &x.wg, 1)
		return func() { Done(4, &x.wg) }, func() { Wait(5, &x.wg) }
	})
	all("unlock, read locks", func(x *meeting) (release, wait func()) {
		WLock(3, &x.rw)
		return func() { WUnlock(4, &x.rw) }, func() { RLock(5, &x.rw) }
	})
	requireEdge(t, "once, three who come", true, func(x *meeting) {
		once := func() { OnceDo(3, &x.once, x.write); x.read() }
		x.start(once, once, once)
	})
	all("cancel, done", func(x *meeting) (release, wait func()) {
		ctx, cancel := context.WithCancel(context.Background())
		return func() { m := Lib(3); cancel(); Back(m) }, func() { Recv2(4, ctx.Done()) }
	})
}

// TestAtomicEdges: an operation that sees what another one has stored comes after it, whatever
// the type, and nothing else is ordered by them.
func TestAtomicEdges(t *testing.T) {
	for form, makes := range atomicForms {
		pair := func(name string, ordered bool, a, b func(atomicOps)) {
			requireEdge(t, form+": "+name, ordered, func(x *meeting) {
				v := makes()
				x.start(func() { x.write(); a(v) }, func() { b(v); x.readLater() })
			})
		}
		load, store := func(v atomicOps) { v.load() }, func(v atomicOps) { v.store() }
		swapped, unswapped := func(v atomicOps) { v.swapped() }, func(v atomicOps) { v.unswapped() }
		changes := map[string]func(atomicOps){"swap": func(v atomicOps) { v.swap() }, "compare and swap": swapped}
		for name := range makes().updates {
			changes[name] = func(v atomicOps) { v.updates[name]() }
		}
		pair("store, load", true, store, load)
		for name, change := range changes {
			pair(name+", load", true, change, load)
			pair("store, "+name, true, store, change)
		}
		pair("store, compare and swap in vain", true, store, unswapped)
		pair("compare and swap in vain, load", false, unswapped, load)
		pair("load, load", false, load, load)
		pair("load, store", false, load, store)
		pair("store, store", false, store, store)
		requireEdge(t, form+": store, store and load", false, func(x *meeting) {
			v := makes()
			x.start(func() { x.write(); v.store() }, func() {
				if Access(5); x.passed {
					v.store()
					v.load()
					x.read()
				}
			})
		})
		requireEdge(t, form+": behind store, load", false, func(x *meeting) {
			v := makes()
			x.start(func() { v.store(); x.write() }, func() { v.load(); x.readLater() })
		})
		requireEdge(t, form+": store of one, load of another", false, func(x *meeting) {
			v, w := makes(), makes()
			x.start(func() { x.write(); v.store() }, func() { w.load(); x.readLater() })
		})
	}
}

func requireEdge(t *testing.T, name string, ordered bool, main func(*meeting)) {
	t.Helper()
	var x *meeting
	met := 0
	cfg := Config{Bubble: bubble(t), Entry: EntryTest, Races: true, Main: func() {
		x = newMeeting()
		main(x)
	}}
	look := func(res Result) string {
		require.False(t, res.Outcome.endsProgram(), "%s\n%s", name, res)
		if x.reads > 0 {
			met++
			require.Equal(t, !ordered, len(res.Races) > 0, "%s\n%s", name, res)
		}
		return ""
	}
	plain := enumerate(cfg, look, 200)
	for seed := uint64(0); seed < 300 && (!plain.complete || met == 0); seed++ { // pools give what they like
		cfg.Chooser, cfg.Plan.Seed, cfg.NoLog, cfg.NoStacks = Random(seed), seed, true, true
		look(Run(cfg))
	}
	require.Positive(t, met, "%s: in no schedule is the read after the write", name)
}

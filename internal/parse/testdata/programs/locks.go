package programs

import (
	"sync"

	"example.com/programs/show"
)

var locks = []show.Program{
	{Name: "locks: embedded, in arrays and maps", Run: lockPlaces, Allowed: []string{"4 4 4 4"}},
	{Name: "locks: behind interfaces", Run: lockInterfaces, Allowed: []string{"3 3 1 own true true false true false false"}},
	{Name: "locks: mutual exclusion", Run: lockExclusion, Allowed: []string{"a1 a2 b1 b2", "b1 b2 a1 a2"}},
	{Name: "locks: TryLock", Run: lockTry, Allowed: []string{"locked", "busy"}},
	{Name: "locks: method values and expressions", Run: lockValues, Allowed: []string{"false true false"}},
	{Name: "locks: readers share", Run: lockReaders, Allowed: []string{"both"}},
	{Name: "locks: a writer keeps new readers out", Run: lockWriter, Allowed: []string{"true 0 1", "true 1 1", "false 1 1"}},
	{Name: "locks: AB and BA", Run: lockCycle, Controlled: true, Allowed: []string{"done", "[deadlock]"}},
	{Name: "locks: unlock of unlocked", Run: lockMisuse, Controlled: true, Allowed: []string{"done", "[unlock of unlocked mutex]"}},
	{Name: "cond: over an RLocker", Run: condReaders, Allowed: []string{"1 1"}},
	{Name: "cond: tickets", Run: condTickets, Allowed: []string{"a b", "b a"}},
	{Name: "cond: a lost signal", Run: condLost, Controlled: true, Allowed: []string{"woken", "[deadlock]"}},
	{Name: "cond: broadcast", Run: condBroadcast, Allowed: []string{"3"}},
}

type base struct{ sync.Mutex }
type derived struct {
	*base
	sync.RWMutex
	n int
}

func lockPlaces(o *show.Out) {
	d := derived{base: &base{}}
	arr := [2]struct {
		sync.Mutex
		n int
	}{}
	m := map[string]*sync.Mutex{"k": {}}
	var anon struct {
		mu *sync.RWMutex
		n  int
	}
	anon.mu = &sync.RWMutex{}
	n := 0
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			d.base.Lock()
			d.n++
			d.base.Mutex.Unlock()
			i := 0
			next := func() int { i++; return i }
			arr[next()].Lock()
			arr[i].n++
			arr[i].Unlock()
			m["k"].Lock()
			n++
			m["k"].Unlock()
			anon.mu.Lock()
			anon.n++
			anon.mu.Unlock()
		}()
	}
	wg.Wait()
	o.Print(d.n, arr[1].n, n, anon.n)
}

type own struct{ sync.Mutex }

func (o *own) Lock() { o.Mutex.Lock() }

type locker interface {
	sync.Locker
	TryLock() bool
}

func lockInterfaces(o *show.Out) {
	var rw sync.RWMutex
	var mu sync.Mutex
	for _, l := range []sync.Locker{&mu, &rw, &own{}} {
		n := 0
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				l.Lock()
				defer l.Unlock()
				n++
			})
		}
		wg.Wait()
		if l != &rw {
			if _, ok := l.(*own); ok {
				o.Print(1, "own")
				continue
			}
		}
		o.Print(n)
	}
	var l locker = &own{}
	l.Lock()
	o.Print(!l.TryLock())
	for _, l := range []locker{&mu, &rw} { // nobody else has it then
		o.Print(l.TryLock(), l.TryLock())
	}
	o.Print(rw.TryRLock())
}

func lockExclusion(o *show.Out) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			o.Print(name + "1")
			full(1) <- 2
			o.Print(name + "2")
			mu.Unlock()
		}()
	}
	wg.Wait()
}

func lockTry(o *show.Out) {
	var mu sync.Mutex
	done := make(chan bool)
	go func() {
		mu.Lock()
		done <- true
		mu.Unlock()
		done <- true
	}()
	<-done
	if mu.TryLock() {
		o.Print("locked")
		mu.Unlock()
	} else {
		o.Print("busy")
	}
	<-done
}

func lockValues(o *show.Out) {
	var mus [2]sync.Mutex
	i := 0
	lock, try := mus[i].Lock, mus[i].TryLock
	i = 1
	lock()
	o.Print(try())
	unlock := (*sync.Mutex).Unlock
	unlock(&mus[0])
	var l sync.Locker = &mus[1]
	f, g := l.Lock, sync.Locker.Unlock
	f()
	g(l)
	o.Print(mus[i].TryLock())
	o.Print((*sync.Mutex).TryLock(&mus[1]))
}

func lockReaders(o *show.Out) {
	var rw sync.RWMutex
	c := make(chan int)
	done := make(chan bool)
	go func() {
		rw.RLock()
		defer rw.RUnlock()
		c <- 1
		done <- true
	}()
	rw.RLock()
	<-c
	o.Print("both")
	rw.RUnlock()
	<-done
}

func lockWriter(o *show.Out) {
	var rw sync.RWMutex
	n := 0
	rw.RLock()
	done := make(chan bool)
	go func() { rw.Lock(); n++; rw.Unlock(); done <- true }()
	ok := rw.TryRLock() // not while the writer waits
	o.Print(ok)
	if ok {
		rw.RUnlock()
	}
	rw.RUnlock()
	rw.RLock()
	o.Print(n)
	rw.RUnlock()
	<-done
	o.Print(n)
}

func lockCycle(o *show.Out) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		a.Lock()
		b.Lock()
		b.Unlock()
		a.Unlock()
	}()
	go func() {
		defer wg.Done()
		b.Lock()
		defer b.Unlock()
		a.Lock()
		defer a.Unlock()
	}()
	wg.Wait()
	o.Print("done")
}

func lockMisuse(o *show.Out) {
	var mu sync.Mutex
	done := make(chan bool, 1)
	mu.Lock()
	go func() { mu.Unlock(); done <- true }()
	if mu.TryLock() {
		mu.Unlock()
	} else {
		mu.Unlock()
		mu.Lock()
	}
	<-done
	o.Print("done")
}

func condReaders(o *show.Out) {
	var rw sync.RWMutex
	cond := sync.NewCond(rw.RLocker())
	n := 0
	out := make(chan int)
	for range 2 {
		go func() {
			cond.L.Lock()
			for n == 0 {
				cond.Wait()
			}
			v := n
			cond.L.Unlock()
			out <- v
		}()
	}
	rw.Lock()
	n = 1
	rw.Unlock()
	cond.Broadcast()
	o.Print(<-out, <-out)
}

func condTickets(o *show.Out) {
	var mu sync.Mutex
	cond := sync.Cond{L: &mu}
	woken, waiting := 0, 0
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			waiting++
			for woken == 0 {
				cond.Wait()
			}
			woken--
			o.Print(name)
			cond.Signal()
		})
	}
	mu.Lock()
	woken = 2
	mu.Unlock()
	cond.Broadcast()
	wg.Wait()
}

func condLost(o *show.Out) {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	go func() {
		mu.Lock()
		cond.Signal()
		mu.Unlock()
	}()
	mu.Lock()
	cond.Wait()
	mu.Unlock()
	o.Print("woken")
}

func condBroadcast(o *show.Out) {
	var s struct {
		sync.Mutex
		cond sync.Cond
		wg   sync.WaitGroup
	}
	s.cond.L = &s
	open, n := false, 0
	for range 3 {
		s.wg.Add(1)
		go func() {
			defer s.wg.Done()
			s.Lock()
			defer s.Unlock()
			for !open {
				s.cond.Wait()
			}
			n++
		}()
	}
	s.cond.L.Lock()
	open = true
	wake := s.cond.Broadcast
	s.cond.L.Unlock()
	wake()
	s.wg.Wait()
	o.Print(n)
}

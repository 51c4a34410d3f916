// Package races has programs with and without data races, each for one way to
// order two goroutines, or one way to touch memory. In the racy ones there is a
// schedule under which two accesses are not ordered; in the safe ones there is
// none.
package races

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// go statements, and that the end of a goroutine orders nothing.

func SafeGo() {
	x := 1
	done := make(chan int)
	go func() { done <- x }()
	<-done
	x = 2
}

func RacyGo() {
	x := 1
	go func() { x = 2 }()
	time.Sleep(time.Second)
	_ = x
}

// A send happens before its receive, a receive from an unbuffered channel before
// the end of the send.

func SafeSend() {
	x, c := 0, make(chan bool, 1)
	go func() {
		x = 1
		c <- true
	}()
	<-c
	x = 2
	_ = x
}

func SafeReceiveUnbuffered() {
	x, c := 0, make(chan bool)
	go func() {
		x = 1
		<-c
	}()
	c <- true
	x = 2
	_ = x
}

func RacyReceiveBuffered() {
	x, c := 0, make(chan bool, 1)
	go func() {
		x = 1
		<-c
	}()
	c <- true
	x = 2
	_ = x
}

// The k-th receive happens before the send k + capacity.

func SafeCapacity() {
	x, limit, done := 0, make(chan bool, 1), make(chan bool, 2)
	for range 2 {
		go func() {
			limit <- true
			x++
			<-limit
			done <- true
		}()
	}
	<-done
	<-done
	_ = x
}

func RacyCapacity() {
	x, limit, done := 0, make(chan bool, 2), make(chan bool, 2)
	for range 2 {
		go func() {
			limit <- true
			x++
			<-limit
			done <- true
		}()
	}
	<-done
	<-done
	_ = x
}

func SafeClose() {
	x, c := 0, make(chan bool)
	go func() {
		x = 1
		close(c)
	}()
	<-c
	_ = x
}

func RacyAfterClose() {
	x, c := 0, make(chan bool)
	go func() {
		close(c)
		x = 1
	}()
	for range c {
	}
	_ = x
}

func SafeSelect() {
	x, a, b := 0, make(chan bool), make(chan bool)
	go func() {
		x = 1
		select {
		case a <- true:
		case b <- true:
		}
	}()
	select {
	case <-a:
	case <-b:
	}
	_ = x
}

func RacySelectDefault() {
	x, a := 0, make(chan bool, 1)
	go func() {
		x = 1
		a <- true
	}()
	select {
	case <-a:
	default:
	}
	_ = x
}

// Locks.

func SafeMutex() {
	var mu sync.Mutex
	x := 0
	go func() {
		mu.Lock()
		x++
		mu.Unlock()
	}()
	mu.Lock()
	defer mu.Unlock()
	x++
}

func RacyTwoMutexes() {
	var a, b sync.Mutex
	x := 0
	go func() {
		a.Lock()
		x++
		a.Unlock()
	}()
	b.Lock()
	defer b.Unlock()
	x++
}

func RacyTryLock() {
	var mu sync.Mutex
	x := 0
	go func() {
		if mu.TryLock() {
			defer mu.Unlock()
		}
		x++
	}()
	mu.Lock()
	x++
	mu.Unlock()
}

func SafeRWMutex() {
	var mu sync.RWMutex
	x := 0
	for range 2 {
		go func() {
			mu.RLock()
			_ = x
			mu.RUnlock()
		}()
	}
	mu.Lock()
	x++
	mu.Unlock()
}

func RacyReadersWrite() {
	var mu sync.RWMutex
	x := 0
	go func() {
		mu.RLock()
		x++
		mu.RUnlock()
	}()
	mu.RLock()
	x++
	mu.RUnlock()
}

// The lock orders the two in most schedules; in one it does not.
func RacyInOneOrder() {
	var mu sync.Mutex
	x, first := 0, make(chan bool, 2)
	go func() {
		first <- true
		mu.Lock()
		x = 1
		mu.Unlock()
	}()
	go func() { first <- false }()
	if <-first {
		mu.Lock()
		x++
		mu.Unlock()
	} else {
		x++
	}
}

func SafeInEveryOrder() {
	var mu sync.Mutex
	x, first := 0, make(chan bool, 2)
	go func() {
		first <- true
		mu.Lock()
		x = 1
		mu.Unlock()
	}()
	go func() { first <- false }()
	if <-first {
		mu.Lock()
		x++
		mu.Unlock()
	} else {
		mu.Lock()
		x++
		mu.Unlock()
	}
}

// WaitGroup, Once, Cond.

func SafeWaitGroup() {
	var wg sync.WaitGroup
	x := [2]int{}
	for i := range x {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x[i]++
		}()
	}
	wg.Wait()
	_ = x
}

func SafeWaitGroupGo() {
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() { x++ })
	wg.Wait()
	x++
}

func RacyDoneEarly() {
	var wg sync.WaitGroup
	x := 0
	wg.Add(1)
	go func() {
		wg.Done()
		x++
	}()
	wg.Wait()
	x++
}

func SafeOnce() {
	var once sync.Once
	var x *int
	get := func() int {
		once.Do(func() { x = new(int) })
		return *x
	}
	go get()
	get()
}

func RacyOnceElse() {
	var once sync.Once
	x := 0
	go once.Do(func() { x = 1 })
	if x == 0 {
		once.Do(func() {})
	}
}

func SafeOnceValue() {
	get := sync.OnceValue(func() *int { return new(int) })
	go func() { _ = *get() }()
	_ = *get()
}

func SafeCond() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	x, ready := 0, false
	go func() {
		mu.Lock()
		x, ready = 1, true
		cond.Signal()
		mu.Unlock()
	}()
	mu.Lock()
	for !ready {
		cond.Wait()
	}
	mu.Unlock()
	_ = x
}

func RacyCondFlag() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	ready := false
	go func() {
		ready = true
		cond.Broadcast()
	}()
	mu.Lock()
	if !ready {
		mu.Unlock()
		return
	}
	mu.Unlock()
}

// Atomics.

func SafeAtomicFlag() {
	var flag atomic.Bool
	x := 0
	go func() {
		x = 1
		flag.Store(true)
	}()
	if flag.Load() {
		_ = x
	}
}

func RacyAtomicFlag() {
	var flag atomic.Bool
	x := 0
	go func() {
		flag.Store(true)
		x = 1
	}()
	if flag.Load() {
		_ = x
	}
}

func SafeAtomicCounter() {
	var n int64
	for range 2 {
		go func() { atomic.AddInt64(&n, 1) }()
	}
	_ = atomic.LoadInt64(&n)
}

func RacyAtomicAndPlain() {
	var n int64
	go func() { atomic.AddInt64(&n, 1) }()
	_ = n
}

func SafeAtomicPointer() {
	type config struct{ a, b int }
	var p atomic.Pointer[config]
	go func() {
		c := &config{}
		c.a, c.b = 1, 2
		p.Store(c)
	}()
	if c := p.Load(); c != nil {
		_ = c.a + c.b
	}
}

func SafeCompareAndSwap() {
	var owner atomic.Int32
	x := 0
	for i := range 2 {
		go func() {
			if owner.CompareAndSwap(0, int32(i)+1) {
				x++
				owner.Store(0)
			}
		}()
	}
}

func RacyFailedSwap() {
	var owner atomic.Int32
	x := 0
	for i := range 2 {
		go func() {
			owner.CompareAndSwap(0, int32(i)+1)
			x++
		}()
	}
}

func SafeAtomicValue() {
	var v atomic.Value
	go func() {
		m := map[string]int{}
		m["a"] = 1
		v.Store(m)
	}()
	if m, ok := v.Load().(map[string]int); ok {
		_ = m["a"]
	}
}

// Code of the library that synchronises.

func SafeContext() {
	ctx, cancel := context.WithCancel(context.Background())
	x := 0
	go func() {
		x = 1
		cancel()
	}()
	<-ctx.Done()
	_ = x
}

func SafeContextErr() {
	ctx, cancel := context.WithCancel(context.Background())
	x := 0
	go func() {
		x = 1
		cancel()
	}()
	if ctx.Err() != nil {
		_ = x
	}
}

func SafeAfterFunc() {
	x, done := 0, make(chan bool)
	x++
	time.AfterFunc(time.Second, func() {
		x++
		close(done)
	})
	<-done
	x++
}

func RacyAfterFunc() {
	x := 0
	time.AfterFunc(time.Second, func() { x++ })
	x++
	time.Sleep(2 * time.Second)
}

func SafeTimerReset() {
	x, done := 0, make(chan bool)
	t := time.AfterFunc(time.Hour, func() {
		x++
		close(done)
	})
	if t.Stop() {
		x++
		t.Reset(time.Second)
	}
	<-done
}

func SafeSyncMap() {
	var m sync.Map
	go func() {
		x := new(int)
		*x = 1
		m.Store("x", x)
	}()
	if x, ok := m.Load("x"); ok {
		_ = *x.(*int)
	}
}

func SafePool() {
	pool := sync.Pool{New: func() any { return new(int) }}
	for range 2 {
		go func() {
			x := pool.Get().(*int)
			*x++
			pool.Put(x)
		}()
	}
}

func SafeSyncMapRange() {
	var m sync.Map
	x := 0
	go func() {
		x = 1
		m.Store(1, 1)
	}()
	m.Range(func(any, any) bool {
		_ = x
		return true
	})
}

// What wakes a waiter comes before what it does then, also without the lock.
func SafeSignal() { wakes((*sync.Cond).Signal) }

func SafeBroadcast() { wakes((*sync.Cond).Broadcast) }

func wakes(wake func(*sync.Cond)) {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	x := 0
	waits, done := make(chan bool, 1), make(chan bool)
	go func() {
		mu.Lock()
		waits <- true
		c.Wait()
		mu.Unlock()
		_ = x
		done <- true
	}()
	<-waits
	mu.Lock()
	mu.Unlock()
	x = 1
	wake(c)
	<-done
}

func SafeDirectSignal() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	x := 0
	waits, done := make(chan bool, 1), make(chan bool)
	go func() {
		mu.Lock()
		waits <- true
		c.Wait()
		mu.Unlock()
		_ = x
		done <- true
	}()
	<-waits
	mu.Lock()
	mu.Unlock()
	x = 1
	c.Signal()
	<-done
}

// What follows a wait for parallel parts of a group comes after them.
func SafeGroupGo() {
	var wg sync.WaitGroup
	x := 0
	wg.Go(func() { x = 1 })
	wg.Wait()
	_ = x
}

func RacyAppendExact() {
	b := make([]int, 1, 2)
	f := func() { _ = append(b, 2) }
	both(f, f)
}

func RacyAppendTwoExact() {
	b := make([]int, 1, 3)
	both(func() { _ = append(b, 2, 3) }, func() { _ = append(b, 4) })
}

func SafeAppendBeyond() {
	b := make([]int, 1, 2)
	f := func() { _ = append(b, 2, 3) }
	both(f, f)
}

func RacyCopyTo() {
	b := make([]int, 2)
	both(func() { copy(b, []int{1}) }, func() { _ = b[0] })
}

// A swap that fails stores nothing.
func RacyFailedSwapBefore() {
	var f atomic.Int32
	x := 0
	both(func() { x = 1; f.CompareAndSwap(5, 6) }, func() {
		time.Sleep(1)
		f.Load()
		_ = x
	})
}

// Who loads the second value has not seen the first one.
func RacyStoreOver() {
	var f atomic.Int32
	x := 0
	go func() { x = 1; f.Store(1) }()
	both(func() { time.Sleep(1); f.Store(2) }, func() {
		time.Sleep(2)
		f.Load()
		_ = x
	})
}

func RacyReadThenWrite() {
	x := 0
	both(func() {
		if x == 0 {
			x = 1
		}
	}, func() { time.Sleep(1); _ = x })
}

// The second send does not need the place of the first.
func RacyBufferedEarly() {
	x := 0
	c := make(chan int, 2)
	go func() { x = 1; <-c }()
	c <- 1
	time.Sleep(1)
	c <- 2
	_ = x
}

// Operations that are values.

func SafeMutexValues() {
	var mu sync.Mutex
	x, c := 0, make(chan bool, 1)
	add := func() {
		lock, unlock := mu.Lock, mu.Unlock
		lock()
		x++
		unlock()
	}
	go func() {
		add()
		c <- true
	}()
	add()
	mu.Lock()
	unlock := mu.Unlock
	x++
	unlock()
	<-c
}

func SafeMutexValuesGiven() {
	var mu sync.Mutex
	x, c := 0, make(chan bool, 1)
	between := func(before, after func()) {
		before()
		defer after()
		x++
	}
	go func() {
		between(mu.Lock, mu.Unlock)
		c <- true
	}()
	between(mu.Lock, mu.Unlock)
	<-c
}

func SafeRWMutexValues() {
	var mu sync.RWMutex
	x, c := 0, make(chan bool, 1)
	go func() {
		lock, unlock := mu.RLock, mu.RUnlock
		lock()
		_ = x
		unlock()
		c <- true
	}()
	lock, unlock := mu.Lock, mu.Unlock
	lock()
	x++
	unlock()
	<-c
}

func SafeMethodExpressions() {
	var mu sync.Mutex
	x, c := 0, make(chan bool, 1)
	go func() {
		(*sync.Mutex).Lock(&mu)
		x++
		(*sync.Mutex).Unlock(&mu)
		c <- true
	}()
	lock, unlock := (*sync.Mutex).Lock, (*sync.Mutex).Unlock
	lock(&mu)
	x++
	unlock(&mu)
	<-c
}

func SafeWaitGroupValues() {
	var wg sync.WaitGroup
	x := 0
	add, done, wait := wg.Add, wg.Done, wg.Wait
	add(1)
	go func() {
		x++
		done()
	}()
	wait()
	x++
}

func SafeOnceDoValue() {
	var once sync.Once
	x, c := 0, make(chan bool, 1)
	do := once.Do
	first := func() { x++ }
	go func() {
		do(first)
		_ = x
		c <- true
	}()
	do(first)
	_ = x
	<-c
}

func SafeCondValues() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	x, ready := 0, false
	go func() {
		x++
		mu.Lock()
		ready = true
		signal := cond.Signal
		signal()
		mu.Unlock()
	}()
	mu.Lock()
	wait := cond.Wait
	for !ready {
		wait()
	}
	mu.Unlock()
	x++
}

func SafeAtomicValues() {
	var flag atomic.Bool
	x, c := 0, make(chan bool, 1)
	store, load := flag.Store, flag.Load
	go func() {
		x++
		store(true)
		c <- true
	}()
	if load() {
		x++
	}
	<-c
}

// Receives in declarations.

func SafeReceiveDeclared() {
	x, c := 0, make(chan bool)
	go func() {
		x = 1
		c <- true
	}()
	var v = <-c
	x = 2
	_, _ = v, x
}

func SafeReceiveDeclaredOk() {
	x, c := 0, make(chan bool)
	go func() {
		x = 1
		c <- true
	}()
	var v, ok = <-c
	x = 2
	_, _, _ = v, ok, x
}

// Deferred builtins, and those of a goroutine, write when they run.

func SafeDeferDelete() {
	m, c := map[int]bool{}, make(chan bool)
	go func() {
		m[1] = true
		c <- true
	}()
	func() {
		defer delete(m, 1)
		<-c
	}()
}

func RacyDeferDelete() {
	m, c := map[int]bool{}, make(chan bool)
	go func() {
		<-c
		_ = m[1]
	}()
	func() {
		defer delete(m, 1)
		c <- true
	}()
}

func SafeDeferDeleteKey() {
	m, c := map[int]bool{}, make(chan bool)
	go func() {
		m[1] = true
		c <- true
	}()
	func() {
		defer delete(m, three())
		<-c
	}()
}

func three() int { return 3 }

func SafeDeferClear() {
	m, c := map[int]bool{}, make(chan bool)
	go func() {
		m[1] = true
		c <- true
	}()
	func() {
		defer clear(m)
		<-c
	}()
}

func SafeDeferClearSlice() {
	s, c := make([]int, 2), make(chan bool)
	go func() {
		s[1] = 1
		c <- true
	}()
	func() {
		defer clear(s)
		<-c
	}()
}

func RacyDeferClearSlice() {
	s, c := make([]int, 2), make(chan bool)
	go func() {
		<-c
		s[1]++
	}()
	func() {
		defer clear(s)
		c <- true
	}()
}

func RacyGoDelete() {
	m := map[int]bool{}
	go delete(m, 1)
	_ = m[1]
}

func RacyGoClearSlice() {
	s := make([]int, 2)
	go clear(s)
	s[1]++
}

// A variable of which another goroutine has a part, or whose method it calls, and that no
// function literal names.

func RacyArrayGiven() {
	var a [2]int
	c := make(chan bool)
	go fill(a[:], c)
	a[0]++
	<-c
}

func fill(s []int, c chan<- bool) {
	s[0] = 1
	c <- true
}

type counted struct{ n int }

func (c *counted) count() { c.n++ }

func RacyMethodValueGiven() {
	var v counted
	c := make(chan bool)
	go calls(v.count, c)
	v.n++
	<-c
}

func calls(f func(), c chan<- bool) {
	f()
	c <- true
}

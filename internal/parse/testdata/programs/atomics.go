package programs

import (
	"sync"
	"sync/atomic"

	"example.com/programs/show"
)

var atomics = []show.Program{
	{Name: "atomic: typed", Run: atomicTyped, Allowed: []string{"4 true 2 b [1]"}},
	{Name: "atomic: functions", Run: atomicFunctions, Allowed: []string{"4 7 true"}},
	{Name: "atomic: load and store", Run: atomicLost, Allowed: []string{"1", "2"}},
	{Name: "atomic: compare and swap", Run: atomicSwap, Allowed: []string{"a", "b"}},
	{Name: "shared: increments", Run: sharedIncrements, Allowed: []string{"2 2"}},
	{Name: "atomic: spinning with channels", Run: atomicSpin, Allowed: []string{"go"}},
}

func atomicTyped(o *show.Out) {
	var n atomic.Int64
	var b atomic.Bool
	var p atomic.Pointer[int]
	var v atomic.Value
	var s struct{ u atomic.Uint32 }
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { n.Add(1); b.Store(true); s.u.Or(2) })
	}
	wg.Wait()
	v.Store("a")
	v.CompareAndSwap("a", "b")
	one := 1
	p.Store(&one)
	add := n.Add
	add(0)
	o.Print(n.Load(), b.Load(), s.u.Load(), v.Load(), []int{*p.Load()})
}

func atomicFunctions(o *show.Out) {
	var n int32
	var u uint64
	c := make(chan bool)
	for range 4 {
		go func() { atomic.AddInt32(&n, 1); c <- true }()
	}
	for range 4 {
		<-c
	}
	atomic.StoreUint64(&u, 7)
	o.Print(atomic.LoadInt32(&n), atomic.SwapUint64(&u, 1), atomic.CompareAndSwapUint64(&u, 1, 2))
}

func atomicLost(o *show.Out) {
	var n atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			v := n.Load()
			v++
			n.Store(v)
		})
	}
	wg.Wait()
	o.Print(n.Load())
}

func atomicSwap(o *show.Out) {
	var taken atomic.Bool
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Go(func() {
			if taken.CompareAndSwap(false, true) {
				o.Print(name)
			}
		})
	}
	wg.Wait()
}

func sharedIncrements(o *show.Out) {
	var mu sync.RWMutex
	a, b := 0, 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mu.Lock()
			a++
			mu.Unlock()
			mu.Lock()
			v := b
			v++
			b = v
			mu.Unlock()
		})
	}
	wg.Wait()
	o.Print(a, b)
}

func atomicSpin(o *show.Out) {
	var ready atomic.Bool
	c := make(chan bool, 1)
	go func() { ready.Store(true) }()
	for !ready.Load() {
		select {
		case c <- true:
			<-c
		default:
		}
	}
	o.Print("go")
}

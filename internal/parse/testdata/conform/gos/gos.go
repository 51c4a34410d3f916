package gos

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

type named bool

type T struct {
	n  int
	f  func(int)
	wg sync.WaitGroup
	mu sync.Mutex
}

func (t T) value(out chan int)         { out <- t.n }
func (t *T) pointer(out chan int)      { out <- t.n }
func (t *T) result(out chan int) error { out <- -1; return nil }

type iface interface{ value(chan int) }

var calls []string

func note(s string, v int) int { calls = append(calls, s); return v }

func two() (int, chan int) { return 2, out }

func sum(out chan int, vs ...int) {
	n := 0
	for _, v := range vs {
		n += v
	}
	out <- n
}

func generic[V any](out chan int, v V) { fmt.Sprint(v); out <- 11 }

func takes(out chan interface{}, a float64, b interface{}, c error, d func() int, e named) {
	out <- fmt.Sprint(a, b, c, d == nil, e)
}

func pair(n int, c chan int) { c <- n }

var out = make(chan int, 1)

type box[V any] struct{ v V }

func (b box[V]) send(c chan V) { c <- b.v }

func Run() {
	x := 1
	go func() { out <- x }()
	fmt.Println(<-out)
	go func(v int) { out <- v }(x)
	x = 2
	fmt.Println(<-out)
	go func(v, w int) {
		out <- v + w
	}(
		note("a", 1),
		note("b", 2),
	)
	fmt.Println(<-out, calls)
	go func() int { out <- 3; return 0 }()
	fmt.Println(<-out)
	t := T{n: 5}
	go t.value(out)
	t.n = 6
	fmt.Println(<-out)
	go t.pointer(out)
	fmt.Println(<-out)
	go t.result(out)
	fmt.Println(<-out)
	var i iface = t
	go i.value(out)
	i = T{n: 70}
	fmt.Println(<-out)
	go T.value(t, out)
	fmt.Println(<-out)
	go (*T).pointer(&t, out)
	fmt.Println(<-out)
	go sum(out, 1, 2, 3)
	fmt.Println(<-out)
	vs := []int{4, 5}
	go sum(out, vs...)
	fmt.Println(<-out)
	go sum(out, nil...)
	fmt.Println(<-out)
	go generic(out, "s")
	fmt.Println(<-out)
	go generic[int](out, 1)
	fmt.Println(<-out)
	go (func() { out <- 12 })()
	fmt.Println(<-out)
	go pair(two())
	fmt.Println(<-out)
	fp := pair
	go fp(two())
	fp = nil
	fmt.Println(<-out)
	t.f = func(n int) { out <- n }
	go t.f(13)
	t.f = nil
	fmt.Println(<-out)
	fs := []func(int){func(n int) { out <- n * 2 }}
	go fs[0](7)
	fmt.Println(<-out)
	go func() func() { return func() { out <- 15 } }()()
	fmt.Println(<-out)
	anyc := make(chan interface{}, 1)
	go takes(anyc, 1, nil, nil, nil, true)
	fmt.Println(<-anyc)
	go takes(anyc, 1<<3, x > 1, nil, func() int {
		return 1
	}, false)
	fmt.Println(<-anyc)
	go box[int]{16}.send(out)
	fmt.Println(<-out)
	done := make(chan int)
	go close(done)
	<-done
	m := map[string]int{"a": 1}
	go delete(m, "a")
	for range 100 {
		time.Sleep(time.Microsecond)
	}
	t.wg.Add(2)
	go t.wg.Done()
	go (&t.wg).Done()
	t.wg.Wait()
	t.mu.Lock()
	go t.mu.Unlock()
	t.mu.Lock()
	go print()
	var n atomic.Int32
	var wg sync.WaitGroup
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			n.Add(int32(i))
		}()
	}
	for i := range 3 {
		wg.Go(func() { n.Add(int32(i)) })
	}
	wg.Wait()
	fmt.Println(n.Load())
	once := sync.Once{}
	wg.Add(1)
	go once.Do(wg.Done)
	wg.Wait()
	go time.Sleep(1)
	go time.AfterFunc(1, func() { out <- 17 })
	fmt.Println(<-out)
	if true {
		go sum(out, 1)
	}
	fmt.Println(<-out)
L:
	go sum(out, note("c", 1))
	if <-out == 1 && len(calls) < 5 {
		goto L
	}
	fmt.Println(calls)
	go func() {
		defer func() { fmt.Println(recover()); out <- 0 }()
		panic("in goroutine")
	}()
	<-out
	nested()
}

func nested() {
	c := make(chan int)
	go func(f func(int) int) {
		go func(g func() int) {
			c <- g()
		}(func() int { return f(<-c) })
	}(func(i int) int {
		return i * 2
	})
	c <- 21
	fmt.Println(<-c)
}

// Command recorded knows who has met whom: it prints, for each goroutine that receives, by which
// path it is created and which values it has got. A value names its sender, and which of its sends it was.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// value is by a sender and its number, from 1.
type value struct {
	sender, n int
	text      string // a pointer, so that buffers are of their own
}

const each = 200

var report struct {
	sync.Mutex
	lines []string
}

// got is what a goroutine has received, in its order. Closed channels are "-".
type got []string

func (g *got) add(v value, ok bool) {
	if !ok {
		*g = append(*g, "-")
		return
	}
	*g = append(*g, fmt.Sprintf("%d:%d", v.sender, v.n))
}

func (g got) print(path int) {
	report.Lock()
	defer report.Unlock()
	report.lines = append(report.lines, fmt.Sprintf("recv 0.%d %s", path, strings.Join(g, " ")))
}

// paths number the goroutines that main starts.
var paths int

func start(f func(path int)) {
	paths++
	path := paths
	go func() { f(path) }()
}

// plain has many senders and receivers at one channel, with a buffer or without.
func plain(size int) {
	c := make(chan value, size)
	var senders, receivers sync.WaitGroup
	for range 3 {
		senders.Add(1)
		start(func(path int) {
			defer senders.Done()
			for n := 1; n <= each; n++ {
				c <- value{path, n, "x"}
			}
		})
	}
	for range 3 {
		receivers.Add(1)
		start(func(path int) {
			defer receivers.Done()
			var g got
			for {
				v, ok := <-c
				g.add(v, ok)
				if !ok {
					break
				}
			}
			select {
			case v, ok := <-c:
				g.add(v, ok)
			default:
				panic("a closed channel is ready")
			}
			g.print(path)
		})
	}
	senders.Wait()
	close(c)
	receivers.Wait()
}

// selects has selects at both ends, of several channels, numbers without pointers, and of one that is
// sent to and received from by the same select.
func selects(size int) {
	c, d := make(chan value, size), make(chan value, size)
	both := make(chan value)
	stop := make(chan struct{})
	var senders, receivers sync.WaitGroup
	for range 2 {
		senders.Add(1)
		start(func(path int) {
			defer senders.Done()
			for n := 1; n <= each; n++ {
				v := value{path, n, "x"}
				select {
				case c <- v:
				case d <- v:
				}
			}
		})
	}
	for range 2 {
		receivers.Add(1)
		start(func(path int) {
			defer receivers.Done()
			var g got
			for more := true; more; {
				var v value
				ok := true
				select {
				case v, ok = <-c:
				case v = <-d:
				case <-stop:
					more, ok = false, false
				}
				g.add(v, ok)
			}
			// What is left in the buffers.
			for more := true; more; {
				var v value
				select {
				case v = <-c:
				case v = <-d:
				default:
					more = false
				}
				if more {
					g.add(v, true)
				}
			}
			g.print(path)
		})
	}
	senders.Wait()
	close(stop)
	receivers.Wait()

	for range 2 {
		receivers.Add(1)
		start(func(path int) {
			defer receivers.Done()
			var g got
			for n := 1; n <= 1; n++ {
				var v value
				select {
				case both <- value{path, n, "x"}:
				case v = <-both:
					g.add(v, true)
				}
			}
			g.print(path)
		})
	}
	receivers.Wait()
}

// words are the types that memory of channels is laid out for differently.
func words() {
	var wg sync.WaitGroup
	empty, bytes := make(chan struct{}, 3), make(chan byte, 5)
	wg.Add(2)
	start(func(path int) {
		defer wg.Done()
		for range 50 {
			empty <- struct{}{}
			bytes <- 1
		}
		close(bytes)
	})
	sender := paths
	start(func(path int) {
		defer wg.Done()
		var g got
		for n := 1; ; n += 2 {
			_, ok := <-empty
			g.add(value{sender, n, ""}, ok)
			_, ok = <-bytes
			g.add(value{sender, n + 1, ""}, ok)
			if n == 99 {
				break
			}
		}
		g.print(path)
	})
	wg.Wait()
}

// others use each operation, and code that is not instrumented.
func others() {
	var (
		mu    sync.Mutex
		rw    sync.RWMutex
		once  sync.Once
		wg    sync.WaitGroup
		n     atomic.Int64
		ready bool
		cond  = sync.NewCond(&mu)
	)
	ctx, cancel := context.WithCancel(context.Background())
	_ = ctx.Done() // before it is cancelled, so that there is a channel to close
	for range 3 {
		wg.Go(func() {
			rw.RLock()
			once.Do(func() { n.Add(1) })
			rw.RUnlock()
			if rw.TryLock() {
				rw.Unlock()
			}
			mu.Lock()
			for !ready {
				cond.Wait()
			}
			mu.Unlock()
			<-ctx.Done()
		})
	}
	mu.Lock()
	ready = true
	cond.Broadcast()
	mu.Unlock()
	cond.Signal()
	wg.Add(1)
	time.AfterFunc(time.Millisecond, func() { wg.Done() })
	cancel()
	wg.Wait()
	<-time.After(time.Millisecond)
	func() {
		defer func() { recover() }()
		c := make(chan int)
		close(c)
		close(c)
	}()
	func() {
		defer func() { recover() }()
		once := new(sync.Once)
		once.Do(func() {
			c := make(chan int)
			close(c)
			select {
			case c <- 1:
			case <-ctx.Done():
				panic("the other case")
			}
		})
	}()
	for i := 0; !n.CompareAndSwap(1, 2) && i < 3; i++ {
	}
}

func main() {
	mode := "meet"
	if len(os.Args) > 1 {
		mode = os.Args[1]
	}
	c := make(chan int, 1)
	c <- 1
	<-c
	switch mode {
	case "meet":
		for _, size := range []int{0, 1, 3} {
			plain(size)
			selects(size)
		}
		words()
		others()
		sort.Strings(report.lines)
		fmt.Println(strings.Join(report.lines, "\n"))
	case "deadlock":
		var mu sync.Mutex
		mu.Lock()
		go func() { mu.Lock() }()
		<-c
	case "panic":
		go func() { panic(errors.New("boom")) }()
		<-c
	case "exit":
		os.Exit(7)
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	default:
		possible[mode]()
	case "closed":
		close(c)
		c <- 1
	case "many":
		for range 400_000 {
			c <- 1
			<-c
		}
	}
}

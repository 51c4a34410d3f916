package programs

import (
	"sync"

	"example.com/programs/show"
)

var waits = []show.Program{
	{Name: "wait group: Go, Add, Done", Run: waitAll, Allowed: []string{"6"}},
	{Name: "wait group: embedded, by pointer and by value", Run: waitPlaces, Allowed: []string{"5"}},
	{Name: "wait group: several wait", Run: waitSeveral, Allowed: []string{"2 1"}},
	{Name: "wait group: reused", Run: waitReused, Allowed: []string{"1 2"}},
	{Name: "wait group: counts", Run: waitCounts, Controlled: true, Allowed: []string{"done", "[negative WaitGroup counter]"}},
	{Name: "wait group: Go that ends otherwise", Run: waitGoexit, Allowed: []string{"deferred waited"}},
}

func waitAll(o *show.Out) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	n := 0
	add := func() { mu.Lock(); n++; mu.Unlock() }
	wg.Go(add)
	wg.Go(func() {
		wg.Go(add)
		add()
	})
	wg.Add(2)
	for range 2 {
		go func() { add(); wg.Done() }()
	}
	start, done := wg.Go, wg.Done
	start(func() { wg.Add(1); done() })
	(*sync.WaitGroup).Add(&wg, 1)
	go func() { defer wg.Done(); add() }()
	wg.Wait()
	o.Print(n)
}

type task struct {
	*sync.WaitGroup
	out chan int
}

func (t task) run(v int) {
	defer t.Done()
	t.out <- v
}

func waitPlaces(o *show.Out) {
	t := task{&sync.WaitGroup{}, make(chan int)}
	t.Add(2)
	go t.run(2)
	go t.run(3)
	go func() { defer close(t.out); t.Wait() }()
	n := 0
	for v := range t.out {
		n += v
	}
	o.Print(n)
}

func waitSeveral(o *show.Out) {
	var work, waiters sync.WaitGroup
	var mu sync.Mutex
	n := 0
	work.Add(1)
	for range 2 {
		waiters.Go(func() {
			work.Wait()
			mu.Lock()
			defer mu.Unlock()
			n++
		})
	}
	before := 0
	mu.Lock()
	before = n
	mu.Unlock()
	work.Done()
	waiters.Wait()
	o.Print(n, before+1)
}

func waitReused(o *show.Out) {
	var wg sync.WaitGroup
	c := make(chan int, 1)
	for i := range 2 {
		wg.Add(1)
		go func() { c <- i + 1; wg.Done() }()
		wg.Wait()
		o.Print(<-c)
	}
}

func waitCounts(o *show.Out) {
	var wg sync.WaitGroup
	done := make(chan bool)
	go func() { wg.Add(1); close(done) }()
	wg.Add(-1)
	<-done
	o.Print("done")
}

func waitGoexit(o *show.Out) {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer o.Print("deferred")
		func() {
			select {
			case <-closed[int]():
				return
			}
		}()
	}()
	wg.Wait()
	o.Print("waited")
}

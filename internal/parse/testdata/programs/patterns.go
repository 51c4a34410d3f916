package programs

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"example.com/programs/show"
)

var patterns = []show.Program{
	{Name: "pattern: worker pool", Run: workerPool, Allowed: []string{"[0 1 4 9 16]"}},
	{Name: "pattern: semaphore", Run: semaphore, Allowed: []string{"2", "1"}},
	{Name: "pattern: group of errors", Run: errorGroup, Allowed: []string{"bad", "worse"}},
	{Name: "pattern: prime sieve", Run: sieve, Allowed: []string{"2 3 5 7 11"}},
	{Name: "pattern: subscribers", Run: subscribers, Allowed: []string{"6"}},
	{Name: "pattern: futures", Run: futures, Allowed: []string{"1 2 3"}},
	{Name: "pattern: channels of channels", Run: requests, Allowed: []string{"2 4"}},
	{Name: "pattern: philosophers", Run: philosophers, Allowed: []string{"3"}},
}

func workerPool(o *show.Out) {
	jobs, results := make(chan int), make(chan int, 2)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				results <- j * j
			}
		}()
	}
	go func() {
		for j := range 5 {
			jobs <- j
		}
		close(jobs)
		wg.Wait()
		close(results)
	}()
	var all []int
	for r := range results {
		all = append(all, r)
	}
	slices.Sort(all)
	o.Print(all)
}

func semaphore(o *show.Out) {
	sem := make(chan struct{}, 2)
	var mu sync.Mutex
	var wg sync.WaitGroup
	now, most := 0, 0
	for range 3 {
		wg.Go(func() {
			sem <- struct{}{}
			defer func() { <-sem }()
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			mu.Lock()
			now--
			mu.Unlock()
		})
	}
	wg.Wait()
	o.Print(most)
}

type group struct {
	wg     sync.WaitGroup
	once   sync.Once
	err    error
	cancel context.CancelFunc
}

func (g *group) do(f func() error) {
	g.wg.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() { g.err = err; g.cancel() })
		}
	})
}

func errorGroup(o *show.Out) {
	ctx, cancel := context.WithCancel(context.Background())
	g := &group{cancel: cancel}
	g.do(func() error { return errors.New("bad") })
	g.do(func() error { return errors.New("worse") })
	g.do(func() error { <-ctx.Done(); return ctx.Err() })
	g.wg.Wait()
	o.Print(g.err)
}

func sieve(o *show.Out) {
	stop := make(chan bool)
	defer close(stop)
	c := make(chan int)
	go func(c chan<- int) {
		for i := 2; ; i++ {
			select {
			case c <- i:
			case <-stop:
				return
			}
		}
	}(c)
	for range 5 {
		p := <-c
		o.Print(p)
		next := make(chan int)
		go func(in <-chan int, out chan<- int) {
			for {
				select {
				case v := <-in:
					if v%p == 0 {
						continue
					}
					select {
					case out <- v:
					case <-stop:
						return
					}
				case <-stop:
					return
				}
			}
		}(c, next)
		c = next
	}
}

func subscribers(o *show.Out) {
	var mu sync.RWMutex
	subs := map[int]chan int{}
	sum := make(chan int)
	for i := range 2 {
		c := make(chan int, 1)
		mu.Lock()
		subs[i] = c
		mu.Unlock()
		go func() {
			n := 0
			for v := range c {
				n += v
			}
			sum <- n
		}()
	}
	for v := range 3 {
		mu.RLock()
		for _, k := range slices.Sorted(maps.Keys(subs)) {
			subs[k] <- v
		}
		mu.RUnlock()
	}
	mu.Lock()
	for _, k := range slices.Sorted(maps.Keys(subs)) {
		close(subs[k])
		delete(subs, k)
	}
	mu.Unlock()
	o.Print(<-sum + <-sum)
}

func futures(o *show.Out) {
	future := func(v int) func() int {
		c := make(chan int, 1)
		go func() { c <- v }()
		return sync.OnceValue(func() int { return <-c })
	}
	a, b := future(1), future(2)
	o.Print(a(), b(), a()+b())
}

func requests(o *show.Out) {
	type request struct {
		v     int
		reply chan<- int
	}
	c := make(chan request)
	go func() {
		for r := range c {
			r.reply <- r.v * 2
		}
	}()
	reply := make(chan int)
	c <- request{1, reply}
	o.Print(<-reply)
	c <- request{reply: reply, v: 2}
	o.Print(<-reply)
	close(c)
}

func philosophers(o *show.Out) {
	var forks [3]sync.Mutex
	var wg sync.WaitGroup
	var mu sync.Mutex
	meals := 0
	for i := range forks {
		wg.Go(func() {
			first, second := i, (i+1)%len(forks)
			if first > second {
				first, second = second, first
			}
			forks[first].Lock()
			defer forks[first].Unlock()
			forks[second].Lock()
			defer forks[second].Unlock()
			mu.Lock()
			meals++
			mu.Unlock()
		})
	}
	wg.Wait()
	o.Print(meals)
}

package programs

import (
	"sync"

	"example.com/programs/show"
)

var globals = []show.Program{
	{Name: "globals: channels and locks of the package", Run: global, Allowed: []string{"1 2 3 init 1"}},
	{Name: "globals: anew in every run", Run: anew, Allowed: []string{"1 1 true"}},
}

var (
	later       = <-queue + 1
	queue       = full(1, 2)
	one, other2 = pair()
	globalMu    sync.Mutex
	inits       []string
	uses, _         = len(inits), func() int { globalMu.Lock(); defer globalMu.Unlock(); return 0 }()
	signal          = make(chan int)
	_           any = one
)

func pair() (int, chan int) { return 1, make(chan int, 1) }

func init() {
	inits = append(inits, "init")
	other2 <- 3
	select {
	case v := <-queue:
		queue <- v
	default:
		panic("empty")
	}
}

func global(o *show.Out) {
	globalMu.Lock()
	defer globalMu.Unlock()
	go func() { signal <- one }()
	// What the last run has taken is back in the next one, free runs put it
	// back themselves.
	v, w := <-queue, <-other2
	o.Print(<-signal, v, w)
	o.Print(inits[0], len(inits))
	queue <- v
	other2 <- w
}

func anew(o *show.Out) {
	uses++
	o.Print(uses, uses)
	uses--
	o.Print(later == 2)
}

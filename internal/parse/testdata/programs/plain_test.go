package programs_test

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"example.com/programs"
	"example.com/programs/show"
)

var external = []show.Program{
	{Name: "files: external tests", Run: outside, Allowed: []string{"true 5", "false 5"}},
}

func outside(o *show.Out) {
	c := make(chan int, 1)
	done := make(chan int)
	go func() { c <- 5; done <- <-c }()
	select {
	case v := <-c:
		c <- v
		o.Print(true)
	default:
		o.Print(false)
	}
	o.Print(<-done)
}

func all() []show.Program {
	return slices.Concat(programs.All(), programs.InTests, external)
}

// TestPlain runs the programs free: they must give what the language allows.
// Others that keep the processors busy make them give more than one output.
func TestPlain(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var stop atomic.Bool
	var busy sync.WaitGroup
	for range 2 {
		busy.Go(func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	defer busy.Wait()
	defer stop.Store(true)
	names := map[string]bool{}
	for _, p := range all() {
		if names[p.Name] {
			t.Errorf("two programs %q", p.Name)
		}
		names[p.Name] = true
		if p.Controlled {
			continue
		}
		for i := range 8 {
			runtime.GOMAXPROCS(i%4 + 1)
			var o show.Out
			p.Run(&o)
			if got := o.String(); !slices.Contains(p.Allowed, got) && !slices.Contains(p.Fine, got) {
				t.Errorf("%s: %q is not allowed", p.Name, got)
				break
			}
		}
	}
}

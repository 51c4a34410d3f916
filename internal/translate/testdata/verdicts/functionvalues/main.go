package main

import (
	"os"
	"runtime"
	"sync"
	"time"
)

type options struct {
	sleep func(time.Duration)
	exit  func(int)
	end   func()
}

var defaults = options{time.Sleep, os.Exit, runtime.Goexit} // want "exit" // note "every run ends so"

func work(o options, wg *sync.WaitGroup, fail bool) {
	defer wg.Done()
	o.sleep(time.Millisecond)
	if fail {
		o.end()
	}
}

func main() {
	var wg sync.WaitGroup
	wg.Add(2)
	o := defaults
	go work(o, &wg, true)
	go work(o, &wg, false)
	wg.Wait()
	o.exit(1)
}

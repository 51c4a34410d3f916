package main

import (
	"fmt"
	"sync"
)

var (
	mu    sync.Mutex
	state int
)

func step(n int) {
	mu.Lock()
	defer mu.Unlock()
	if state == 2 {
		//vtrace:unreachable one is first // the next line has the error
		fmt.Println("second") // want "reachability"
	}
	if state == 3 {
		fmt.Println("third") //vtrace:reachable // want "never reached" // unconfirmed "no run shows that"
	}
	state = n
}

func main() {
	var wg sync.WaitGroup
	wg.Go(func() { step(1) })
	wg.Go(func() { step(2) })
	wg.Wait()
}

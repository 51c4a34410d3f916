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
	switch state {
	case 0:
		state = n
	case 1:
		//vtrace:reachable the other was first
		fmt.Println("second")
	case 2:
		fmt.Println("first") //vtrace:unreachable
	default:
		//vtrace:unreachable
		panic("what state is this")
	}
}

func unused() {
	//vtrace:reachable
	fmt.Println("nobody calls this")
}

func main() {
	var wg sync.WaitGroup
	wg.Go(func() { step(1) })
	wg.Go(func() { step(1) })
	wg.Wait()
	//vtrace:reachable
	if state == 1 {
		return
	}
	//vtrace:unreachable
	close(make(chan bool))
}

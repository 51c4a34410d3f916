package main

import "sync"

func main() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	cond.Signal()
	cond.Wait() // want "unlock of unlocked mutex"
}

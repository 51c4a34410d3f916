package main

import (
	"os"
	"sync"
)

func counts() [2]int { return [2]int{1, 1} }

// An index of which nothing is known is one of those that there are: of an array that
// is nowhere, of one of two slices, of a slice of which the length is not fixed.
func main() {
	k := len(os.Args[0]) % 2
	c := make(chan int, counts()[1])
	if counts()[k] != 1 {
		<-c // unreal "deadlock"
	}
	c <- 1
	var mu sync.Mutex
	all := []int{1, 2, 3}
	some := all[:1]
	go func() {
		mu.Lock()
		some = all[:2]
		mu.Unlock()
	}()
	mu.Lock()
	n := some[len(os.Args)%len(some)]
	mu.Unlock()
	switch n {
	case 1:
		c <- 1 // want "deadlock"
	case 2:
		<-c
		<-c // want "deadlock"
	default:
		panic("never")
	}
}

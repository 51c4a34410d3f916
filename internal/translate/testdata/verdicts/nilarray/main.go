package main

import (
	"os"
	"sync"
)

// An array behind a nil pointer is sliced, indexed, and ranged over: what is recovered from there leaves out what comes
// behind it.
func main() {
	var wg sync.WaitGroup
	wg.Go(func() {})
	wg.Wait()
	var a *[3]int
	sliced, indexed, ranged := make(chan int), make(chan int), make(chan int)
	func() {
		defer func() { recover() }()
		keep(a[:])
		close(sliced)
	}()
	func() {
		defer func() { recover() }()
		a[1] = 2
		close(indexed)
	}()
	func() {
		defer func() { recover() }()
		for range a {
			// The length of the array is that of its type.
		}
		close(ranged)
	}()
	<-ranged
	if len(os.Args) > 1000 {
		<-sliced // want "deadlock"
	}
	<-indexed // want "deadlock"
}

func keep([]int) {}

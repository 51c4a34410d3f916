package main

import (
	"container/list"
	"sync"
)

// Both may find the list empty: nobody locks it.
func main() {
	l := list.New()
	jobs := make(chan int, 1)
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if l.Len() == 0 {
				l.PushBack(i)
				jobs <- i
			}
		}()
	}
	wg.Wait() // want "deadlock"
}

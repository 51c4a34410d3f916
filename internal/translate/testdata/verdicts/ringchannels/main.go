package main

import "container/ring"

// Round robin over three workers, the last of which nobody starts.
func main() {
	r := ring.New(3)
	for i := range 3 {
		c := make(chan int)
		r.Value = c
		r = r.Next()
		if i < 2 {
			go func() {
				<-c
			}()
		}
	}
	for range 2 {
		r.Value.(chan int) <- 1
		r = r.Next()
	}
	if r.Len() != 3 {
		panic("three channels")
	}
	r.Value.(chan int) <- 1 // want "deadlock"
}

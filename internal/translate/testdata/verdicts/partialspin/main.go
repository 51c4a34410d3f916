package main

import "sync"

// Two goroutines are stuck at each other's lock while another one never rests.
func main() {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		a.Lock()
		b.Lock() // want "partial deadlock" // unconfirmed "the others never rest, so no run shows that it lasts"
		b.Unlock()
		a.Unlock()
	}()
	go func() {
		defer wg.Done()
		b.Lock()
		a.Lock() // want "partial deadlock" // unconfirmed "the others never rest, so no run shows that it lasts"
		a.Unlock()
		b.Unlock()
	}()
	c := make(chan int)
	go func() {
		for {
			select {
			case c <- 1:
			default:
			}
		}
	}()
	wg.Wait() // want "partial deadlock" // unconfirmed "the others never rest, so no run shows that it lasts"
}

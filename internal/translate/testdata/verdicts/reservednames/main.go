// Variables with names that mean something in the language of models.
package main

import "sync"

var erfc, random_tri, clock, deadlock, stuck, enum, int8_t, M_PI, slot, ended, hash32, größe int

func main() {
	var mu sync.Mutex
	var process, committed, sup sync.WaitGroup
	urgent := make(chan int, 1)
	for range 2 {
		process.Go(func() {
			mu.Lock()
			erfc++
			random_tri, clock, deadlock, stuck = erfc, erfc, erfc, erfc
			enum, int8_t, M_PI, slot = erfc, erfc, erfc, erfc
			ended, hash32, größe = erfc, erfc, erfc
			mu.Unlock()
		})
	}
	process.Wait()
	committed.Wait()
	sup.Wait()
	if random_tri+clock+deadlock+stuck == 8 && enum+int8_t+M_PI+slot == 8 && ended+hash32+größe == 6 {
		urgent <- 1
	}
	urgent <- 2 // want "deadlock"
}

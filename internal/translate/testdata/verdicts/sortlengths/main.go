package main

import (
	"sort"
	"sync"
)

type byCap []chan int

func (a byCap) Len() int           { return len(a) }
func (a byCap) Less(i, j int) bool { return cap(a[i]) < cap(a[j]) }
func (a byCap) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }

func channels(caps ...int) (all []chan int) {
	for _, k := range caps {
		all = append(all, make(chan int, k))
	}
	return all
}

// What is sorted may be of several lengths, or of one that is not known, or too long.
func main() {
	var mu sync.Mutex
	all := channels(3, 2, 1)
	some := all[:2]
	done := make(chan bool)
	go func() {
		mu.Lock()
		some = all
		mu.Unlock()
		done <- true
	}()
	mu.Lock()
	sort.Sort(byCap(some))
	switch {
	case cap(all[0]) == 1 && cap(all[1]) == 2 && cap(all[2]) == 3:
		all[1] <- 1
		all[1] <- 1
		mu.Unlock()
		<-done
		all[1] <- 1 // want "deadlock"
	case cap(all[0]) == 2 && cap(all[1]) == 3 && cap(all[2]) == 1:
		all[2] <- 1
		mu.Unlock()
		<-done
		all[2] <- 1 // want "deadlock"
	default:
		panic("never")
	}
}

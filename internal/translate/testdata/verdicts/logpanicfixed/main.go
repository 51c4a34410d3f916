// Package main recovers the panics of package log, which are texts, and locks nothing in front
// of them.
package main

import (
	"log"
	"sync"
)

func main() {
	var mu sync.Mutex
	never := make(chan int)
	work := func(bad bool) {
		defer func() {
			if _, ok := recover().(error); ok {
				<-never
			}
		}()
		if bad {
			log.Panicf("bad")
			<-never
		}
		mu.Lock()
		mu.Unlock()
	}
	go work(true)
	work(false)
	mu.Lock()
}

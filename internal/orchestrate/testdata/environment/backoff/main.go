package main

import (
	"math/rand"
	"sync"
	"time"
)

func main() {
	var mu sync.Mutex
	closed := false
	done := make(chan bool)
	for range 2 {
		go func() {
			time.Sleep(time.Duration(rand.Int63n(1000)) * time.Millisecond)
			mu.Lock()
			defer mu.Unlock()
			if closed && time.Now().Nanosecond()/1e6 < 500 { // limit "the clock decides as a number, of which a run has one (a condition)"
				panic("both early") // want "panic"
			}
			closed = true
			done <- true
		}()
	}
	<-done
	<-done
}

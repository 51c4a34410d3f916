package main

import (
	"sync"
	"time"
)

// Two of the same call, which race with each other and with main.
func main() {
	var once sync.Once
	c := make(chan int)
	for range 2 {
		time.AfterFunc(time.Second, func() {
			close(c) // want "close of closed channel"
		})
	}
	time.AfterFunc(time.Second, func() { once.Do(func() {}) })
	time.Sleep(time.Minute)
}

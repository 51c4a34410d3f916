package main

import "sync"

// Main is stuck for ever, while two goroutines go on for ever.
func main() {
	ping, pong := make(chan bool), make(chan bool)
	go func() {
		for {
			ping <- true
			<-pong
		}
	}()
	go func() {
		for {
			<-ping
			pong <- true
		}
	}()
	var mu sync.Mutex
	mu.Lock()
	mu.Lock() // want "partial deadlock" // unconfirmed "the others never rest, so no run shows that it lasts"
}

package main

import "sync"

// What is received is a key where it is received.
func main() {
	c := make(chan string)
	go func() {
		for _, k := range []string{"a", "b", "a", "b", "a", "b"} {
			c <- k
		}
	}()
	var m sync.Map
	done := make(chan bool, 2)
	for range 4 {
		if _, loaded := m.LoadOrStore(<-c, true); !loaded {
			done <- true
		}
	}
	plain := map[string]int{"a": 1}
	if plain[<-c] != 1 || plain[<-c] != 0 {
		panic("never")
	}
	<-done
	<-done
	<-done // want "deadlock"
}

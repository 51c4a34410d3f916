package main

import "time"

// Once the one has come that was to come first, the other one comes.
func main() {
	first := time.After(time.Second)
	second := time.After(2 * time.Second)
	<-first
	<-second
	panic("both are over") // want "panic"
}

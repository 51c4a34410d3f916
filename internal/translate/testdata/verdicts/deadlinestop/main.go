package main

import "time"

// One that is stopped does not keep the others from coming.
func main() {
	first := time.NewTimer(time.Second)
	second := time.After(2 * time.Second)
	if first.Stop() {
		<-second
		panic("the second is over") // want "panic"
	}
}

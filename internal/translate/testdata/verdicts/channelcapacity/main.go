package main

import "os"

// room is a number that is not tracked.
func room(s string) int {
	n := 0
	for _, r := range s {
		n = n*10 + int(r-'0')
	}
	return n
}

// The capacity of a channel that is not known is taken as 1, and the model says so.
func main() {
	c := make(chan int, room(os.Getenv("ROOM"))) // under "channel-capacity"
	c <- 1                                       // want "deadlock"
	<-c
}

package main

import "time"

// The channel of time.Tick, and that of a ticker that is set anew, go on.
func main() {
	tick := time.Tick(time.Millisecond)
	<-tick
	<-tick
	ticker := time.NewTicker(time.Hour)
	ticker.Stop()
	ticker.Reset(time.Millisecond)
	<-ticker.C
	<-ticker.C
	ticker.Stop()
	<-ticker.C // want "deadlock"
}

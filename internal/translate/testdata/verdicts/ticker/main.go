package main

import "time"

func main() {
	t := time.NewTicker(time.Second)
	for range 3 {
		<-t.C
	}
	t.Stop()
	<-t.C // want "deadlock"
}

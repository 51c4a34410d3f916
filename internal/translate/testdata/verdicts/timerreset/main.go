package main

import "time"

func main() {
	t := time.NewTimer(time.Hour)
	t.Stop()
	t.Reset(time.Second)
	<-t.C
	t.Reset(0)
	<-t.C
	select {
	case <-t.C:
		panic("it fires once")
	default:
	}
	<-t.C // want "deadlock"
}

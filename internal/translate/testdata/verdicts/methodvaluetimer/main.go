package main

import "time"

func main() {
	c := make(chan bool)
	t := time.AfterFunc(time.Hour, func() { close(c) })
	stop := t.Stop
	if stop() {
		<-c // want "deadlock"
	}
	<-c
}

package main

import "time"

func main() {
	t := time.NewTimer(time.Hour)
	done := make(chan bool)
	go func() {
		<-t.C
		done <- true
	}()
	if t.Stop() {
		<-done // want "deadlock"
	}
	<-done
}

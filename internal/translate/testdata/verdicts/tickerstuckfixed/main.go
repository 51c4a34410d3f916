package main

import "time"

// The keeper goes on until it is told to end.
func keep(renew chan<- bool, done <-chan bool, lost chan<- bool) {
	t := time.NewTicker(time.Second)
	for {
		select {
		case <-t.C:
			select {
			case renew <- true:
			default:
			}
		case <-done:
			lost <- true
			return
		}
	}
}

func main() {
	renew, done, lost := make(chan bool), make(chan bool), make(chan bool)
	go keep(renew, done, lost)
	close(done)
	<-lost
}

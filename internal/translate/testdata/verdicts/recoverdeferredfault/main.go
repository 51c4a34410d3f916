package main

import "errors"

type notice struct{ error }

// A failed assertion is recovered from by a recover that is deferred itself: what would have
// been received is not.
func main() {
	c, done := make(chan error, 2), make(chan bool)
	go func() { c <- notice{errors.New("first")} }()
	go func() { c <- errors.New("second") }()
	func() {
		defer func() { defer recover() }()
		_ = (<-c).(notice)
		close(done)
	}()
	<-done // want "deadlock"
}

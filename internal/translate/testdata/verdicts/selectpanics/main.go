package main

// A select that panics, since a channel that it would send on is closed, waits for no other
// channel any more.
func main() {
	c, d := make(chan int), make(chan int)
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() { _ = recover() }()
		select {
		case c <- 1:
		case d <- 2:
		}
	}()
	close(c)
	<-done
	select {
	case <-d:
	default:
		<-d // want "deadlock"
	}
}

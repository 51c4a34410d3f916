package main

// Who has waited in a select and gone another way does not wait any more.
func main() {
	c, quit, done := make(chan int), make(chan bool), make(chan bool)
	go func() {
		select {
		case c <- 1:
		case <-quit:
		}
		done <- true
	}()
	close(quit)
	<-done
	select {
	case <-c:
		panic("nobody sends")
	default:
	}
}

package main

func main() {
	quit, tick := make(chan bool), make(chan int)
	go func() {
		tick <- 1
		close(quit)
	}()
loop:
	for {
		select {
		case <-tick:
			continue loop
		case <-quit:
			break loop
		}
	}
	<-tick // want "deadlock"
}

package main

import "time"

func main() {
	c, sent := make(chan int, 1), make(chan bool)
	go func() {
		time.Sleep(10 * time.Millisecond)
		<-sent
		close(c)
	}()
	time.Sleep(5 * time.Millisecond)
	c <- 1
	close(sent)
}

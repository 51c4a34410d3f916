// Command lost waits for an answer that nobody gives if the other goroutine has gone first.
package main

import "os"

func main() {
	answer, quit := make(chan int), make(chan int, 1)
	go func() { quit <- 1 }()
	go func() { answer <- 1 }()
	select {
	case <-answer:
	case <-quit:
		<-quit
	}
	if len(os.Args) > 3 { // nobody calls it so
		close(quit)
		close(quit)
	}
}

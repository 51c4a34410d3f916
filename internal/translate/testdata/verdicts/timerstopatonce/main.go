// A timer may fire between the call that arms it and the next statement.
package main

import "time"

func main() {
	results := make(chan int, 1)
	t := time.AfterFunc(time.Millisecond, func() { results <- 1 })
	if !t.Stop() {
		panic("it has fired") // want "panic"
	}
}

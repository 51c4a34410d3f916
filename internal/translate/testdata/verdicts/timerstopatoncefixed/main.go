package main

import "time"

func main() {
	results := make(chan int, 1)
	t := time.AfterFunc(time.Millisecond, func() { results <- 1 })
	if !t.Stop() && <-results != 1 {
		panic("it has not fired")
	}
}

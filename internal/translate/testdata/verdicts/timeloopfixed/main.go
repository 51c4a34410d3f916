package main

import "time"

func main() {
	work := make(chan int)
	go func() {
		for i := range 2 {
			work <- i
		}
	}()
	got := 0
	for got < 2 {
		select {
		case <-work:
			got++
		case <-time.After(time.Second):
			continue
		}
	}
}

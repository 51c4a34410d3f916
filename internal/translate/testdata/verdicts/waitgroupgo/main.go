package main

import "sync"

func main() {
	var wg sync.WaitGroup
	c := make(chan int, 3)
	for i := range 3 {
		wg.Go(func() { c <- i })
	}
	wg.Wait()
	close(c)
	sum := 0
	for v := range c {
		sum += v
	}
	if sum != 3 {
		panic("sum")
	}
}

package main

import "sync"

func main() {
	var wg sync.WaitGroup
	c := make(chan int, 3)
	for i := 0; i < 3; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			c <- i
		}()
	}
	wg.Wait()
	close(c)
	sum := 0
	for v := range c {
		sum += v
	}
	if sum != 3 {
		panic("one variable for all")
	}
}

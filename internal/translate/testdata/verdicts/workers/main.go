package main

import "sync"

func main() {
	jobs := make(chan int)
	results := make(chan int, 4)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				results <- j * 2
			}
		}()
	}
	for i := range 4 {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	close(results)
	n := 0
	for range results {
		n++
	}
	if n != 4 {
		panic("lost a result")
	}
}

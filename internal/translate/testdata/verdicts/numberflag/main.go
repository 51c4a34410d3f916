package main

import (
	"flag"
	"sync"
)

var workers = flag.Int("workers", 2, "how many")

func main() {
	flag.Parse()
	var wg sync.WaitGroup
	jobs := make(chan int)
	for range *workers {
		wg.Go(func() {
			for range jobs {
			}
		})
	}
	for i := range 2 {
		jobs <- i // want "deadlock" // unconfirmed "with -workers=0"
	}
	close(jobs)
	wg.Wait()
}

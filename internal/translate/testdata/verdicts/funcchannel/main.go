package main

func main() {
	work := make(chan func() int)
	results := make(chan int)
	go func() {
		for f := range work {
			results <- f()
		}
		close(results)
	}()
	work <- func() int { return 1 }
	if <-results != 1 {
		panic("another function")
	}
	work <- func() int { return 2 }
	close(work)
	if <-results != 2 {
		panic("another function")
	}
	if _, ok := <-results; ok {
		panic("one too many")
	}
}

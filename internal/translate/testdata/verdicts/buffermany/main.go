package main

// Nine functions are in the buffer of a channel at a time, of which eight are kept.
func main() {
	tasks := make(chan func(), 100)
	results := make(chan int, 1)
	for range 9 {
		tasks <- func() { results <- 1 } // unreal "bound exceeded"
	}
	for range 9 {
		(<-tasks)()
	}
}

package main

// A goroutine that waits for work when main returns is no error.
func main() {
	jobs := make(chan int)
	done := make(chan bool)
	go func() {
		for range jobs {
			done <- true
		}
	}()
	for range 3 {
		jobs <- 1
		<-done
	}
}

package main

func main() {
	result := make(chan int)
	quit := make(chan bool, 1)
	quit <- true
	go func() {
		result <- 1
	}()
	select {
	case <-result:
	case <-quit:
	}
	done := make(chan bool)
	go func() { done <- true }()
	<-done
}

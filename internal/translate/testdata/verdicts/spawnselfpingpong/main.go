package main

func ping(n int, done chan bool) {
	if n == 0 {
		done <- true
		return
	}
	go pong(n-1, done)
}

// pong is started by ping, and starts it.
func pong(n int, done chan bool) {
	go func() { done <- false }()
	go ping(n, done)
}

func main() {
	done := make(chan bool)
	go ping(2, done)
	<-done
	<-done
	<-done
	<-done // want "deadlock"
}

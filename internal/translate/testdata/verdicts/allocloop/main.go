package main

func main() {
	stop := make(chan bool)
	go func() { stop <- true }()
	for {
		done := make(chan bool)
		go func() {
			done <- true
		}()
		select {
		case <-stop:
			return
		case <-done:
		}
	}
}

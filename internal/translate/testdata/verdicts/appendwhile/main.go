package main

// An append reads what it appends, and what it copies where there is no room, while another
// goroutine writes there: it may see what is there only for a moment.
func main() {
	a, full := make(chan int, 1), make(chan int)
	appended, copied := []chan int{a}, []chan int{a}
	go func() {
		appended[0] = full
		appended[0] = a
	}()
	own := append([]chan int(nil), appended...)
	own[0] <- 1 // want "deadlock"
	<-a
	go func() {
		copied[0] = full
		copied[0] = a
	}()
	own = append(copied, nil)
	own[0] <- 2 // want "deadlock"
}

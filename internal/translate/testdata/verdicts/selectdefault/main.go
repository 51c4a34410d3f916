package main

func main() {
	h := make(chan int)
	c := make(chan int)
	go func() {
		h <- 1
		<-c
	}()
	<-h
	sent := false
	select {
	case c <- 1:
		sent = true
	default:
	}
	if !sent {
		panic("dropped") // want "panic"
	}
}

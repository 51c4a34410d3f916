package main

// Nobody recovers from the start of a goroutine without a function.
func main() {
	defer func() { recover() }()
	var f func()
	var g func(int)
	c := make(chan bool)
	go func() { c <- true }()
	select {
	case <-c:
		go g(1) // want "panic"
		<-c
	default:
		go f() // want "call of nil function"
	}
}

package main

func try(f func()) (failed bool) {
	defer func() { failed = recover() != nil }()
	f()
	return
}

// A nil function that is deferred is called in the end, once.
func main() {
	var f func()
	c := make(chan int, 2)
	if !try(func() { defer f(); c <- 1 }) {
		panic("it was called")
	}
	if !try(func() { defer f(); defer func() { recover() }(); c <- 1; panic("first") }) {
		panic("it was not called")
	}
	<-c
	<-c
	if len(c) == 0 {
		<-c // want "deadlock"
	}
}

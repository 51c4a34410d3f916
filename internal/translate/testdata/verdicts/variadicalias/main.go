package main

// f(xs...) hands over the slice itself.
func clearFirst(cs ...chan int) { cs[0] = nil }

func main() {
	c := make(chan int, 1)
	c <- 1
	list := []chan int{c}
	clearFirst(c) // a slice of its own
	<-list[0]
	clearFirst(list...)
	<-list[0] // want "deadlock"
}

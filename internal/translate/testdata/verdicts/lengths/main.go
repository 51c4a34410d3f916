package main

var calls = 0

func three() [3]int { calls++; return [3]int{1, 2, 3} }

func four() *[4]bool { calls++; return &[4]bool{} }

// The length of an array is known, whoever makes it, and is made for it where that is a call.
func main() {
	c := make(chan int, len(three())+cap(four()))
	for range len(three()) + len(*four()) {
		c <- 1
	}
	if calls != 4 {
		panic("calls")
	}
	arrays := make(chan [2]int, 1)
	arrays <- [2]int{}
	for range len(<-arrays) - 1 {
		<-c
	}
	c <- 1
	if len(arrays) != 0 || cap(arrays) != 1 {
		panic("channel")
	}
	c <- 1 // want "deadlock"
}

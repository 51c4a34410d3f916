package main

import "sync"

func main() {
	var m sync.Map
	m.Store("a", make(chan int))
	v, _ := m.Load("a")
	<-v.(chan int) // refused "channel operation: the channel is not tracked: a value that the model does not keep"
}

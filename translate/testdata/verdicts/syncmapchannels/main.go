package main

import "sync"

func main() {
	var m sync.Map
	m.Store("a", make(chan int))
	v, _ := m.Load("a")
	<-v.(chan int) // refused "channel operation: the channel is not tracked: a result of (*sync.Map).Load, which the model does not keep"
}

package main

import "sync"

func main() {
	var m sync.Map
	m.Store("a", make(chan int))
	v, _ := m.Load("a")
	<-v.(chan int) // want "deadlock"
}

package main

import "sync"

func main() {
	var m sync.Map
	m.Store("a", 1)
	c := make(chan int)
	if _, ok := m.Load("a"); !ok {
		<-c
	}
	if _, loaded := m.LoadOrStore("a", 2); loaded {
		return
	}
	<-c
}

package main

import "sync"

// More values are put into a pool than the model keeps.
func main() {
	var p sync.Pool
	c := make(chan int)
	for range 5 {
		p.Put(c) // unreal "bound exceeded"
	}
	if c, ok := p.Get().(chan int); ok {
		<-c // missed "deadlock"
	}
}

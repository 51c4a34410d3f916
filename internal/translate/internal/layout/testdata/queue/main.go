package main

import "sync"

var queue struct {
	sync.Mutex
	items []*int
	taken int
}

func main() {
	queue.Lock()
	queue.items = append(queue.items, new(int))
	queue.taken++
	queue.Unlock()
}

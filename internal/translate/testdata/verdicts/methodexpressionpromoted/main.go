package main

import "sync"

type box struct {
	sync.Mutex
	n int
}

func main() {
	lock, unlock := (*box).Lock, (*box).Unlock
	b := &box{}
	lock(b) // unreal "bound exceeded"
	b.n++
	unlock(b)
	unlock(b)
}

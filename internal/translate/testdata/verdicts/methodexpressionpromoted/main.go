package main

import "sync"

type box struct {
	sync.Mutex
	n int
}

func main() {
	lock, unlock := (*box).Lock, (*box).Unlock
	b := &box{}
	lock(b) // refused "lock: the call has no guard: it is reached through a function value of the library, or from code outside of the program"
	b.n++
	unlock(b)
	unlock(b)
}

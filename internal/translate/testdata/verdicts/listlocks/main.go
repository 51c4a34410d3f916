package main

import (
	"container/list"
	"sync"
)

// account is an element of a list of accounts.
type account struct {
	mu      sync.Mutex
	balance int
}

// audit locks all accounts, from one end of the list or the other.
func audit(accounts *list.List, backward bool) {
	e, next := accounts.Front(), (*list.Element).Next
	if backward {
		e, next = accounts.Back(), (*list.Element).Prev
	}
	for ; e != nil; e = next(e) {
		a := e.Value.(*account)
		a.mu.Lock() // want "deadlock"
		defer a.mu.Unlock()
	}
}

func main() {
	accounts := list.New()
	accounts.PushBack(&account{balance: 1})
	accounts.PushFront(&account{balance: 2})
	go audit(accounts, true)
	audit(accounts, false)
}

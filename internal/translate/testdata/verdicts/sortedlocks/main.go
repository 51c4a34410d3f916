package main

import (
	"slices"
	"sort"
	"strings"
	"sync"
)

type account struct {
	sync.Mutex
	id      string
	balance int
}

// transfer takes the locks in the order of the accounts' names.
func transfer(from, to *account, n int) {
	both := []*account{from, to}
	sort.Slice(both, func(i, j int) bool { return both[i].id < both[j].id })
	for _, a := range both {
		a.Lock()
		defer a.Unlock()
	}
	from.balance -= n
	to.balance += n
}

// merge takes them the other way round.
func merge(a, b *account) {
	both := []*account{a, b}
	slices.SortFunc(both, func(a, b *account) int { return strings.Compare(b.id, a.id) })
	both[0].Lock()
	both[1].Lock()
	a.balance, b.balance = a.balance+b.balance, 0
	both[1].Unlock()
	both[0].Unlock()
}

func main() {
	a, b := &account{id: "a"}, &account{id: "b"}
	var wg sync.WaitGroup
	wg.Go(func() { transfer(a, b, 1) })
	wg.Go(func() { transfer(b, a, 2) })
	wg.Go(func() { merge(b, a) })
	wg.Wait() // want "deadlock"
}

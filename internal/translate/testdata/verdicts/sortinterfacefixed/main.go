package main

import (
	"sort"
	"sync"
)

type account struct {
	sync.Mutex
	id int
}

type byID []*account

func (a byID) Len() int           { return len(a) }
func (a byID) Less(i, j int) bool { return a[i].id < a[j].id }
func (a byID) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }

type byIDDown struct{ byID }

func (a byIDDown) Less(i, j int) bool { return a.byID[i].id < a.byID[j].id }

// lock takes both locks, in the order in which they are sorted.
func lock(all sort.Interface, accounts []*account) {
	sort.Sort(all)
	for _, a := range accounts {
		a.Lock()
		defer a.Unlock()
	}
}

// Both sort the same way.
func main() {
	a, b := &account{id: 1}, &account{id: 2}
	var wg sync.WaitGroup
	wg.Go(func() { up := []*account{b, a}; lock(byID(up), up) })
	wg.Go(func() { down := []*account{a, b}; lock(byIDDown{down}, down) })
	wg.Wait()
}

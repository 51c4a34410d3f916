package main

import (
	"slices"
	"sort"
	"sync"
)

// The model does not keep the entries of this map, with all their parts.
type entry struct {
	name, from, to, by, at, host, port, path, user, group, mode, kind, size, seen, last, next string

	do    func()
	each  func(k, v any) bool
	make  func() any
	cmp   func(a, b int) int
	value any
	m     *sync.Map
	pool  *sync.Pool
}

// Functions that come out of it are passed to be called, and objects of package sync are
// used: what they do is not in the model.
func main() {
	var once sync.Once
	var wg sync.WaitGroup
	var m, n sync.Map
	c, made := make(chan int, 9), make(chan int, 1)
	send := func() { c <- 1 }
	of := map[string]entry{"a": {
		do:    send,
		each:  func(k, v any) bool { send(); return true },
		make:  func() any { send(); return made },
		cmp:   func(a, b int) int { send(); return b - a },
		value: made,
		m:     &n,
		pool:  new(sync.Pool),
	}}
	e := of["a"]
	once.Do(e.do) // under "unknown-call"
	once.Do(func() { panic("it is done once") })
	wg.Go(e.do) // under "unknown-call"
	wg.Wait()
	m.Store(1, 1)
	m.Range(e.each)       // under "unknown-call"
	sync.OnceFunc(e.do)() // under "unknown-call"
	p := sync.Pool{New: e.make}
	p.Get()         // under "unknown-call"
	p.Put(e.value)  // under "unknown-memory"
	e.m.Store(1, 1) // under "unknown-memory"
	e.pool.Put(1)   // under "unknown-memory"
	list := []int{1, 2}
	slices.SortFunc(list, e.cmp) // under "sort"
	sort.Slice(list, func(i, j int) bool { return list[i] > list[j] })
	for range 6 {
		<-c // unreal "deadlock"
	}
	if _, ok := n.Load(1); ok && p.Get() == any(made) && list[0] == 2 {
		<-made // missed "deadlock"
	}
}

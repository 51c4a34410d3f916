package main

import (
	"container/list"
	"context"
	"sync"
	"sync/atomic"
)

// Methods of what a container of the library has kept are those of what it was given, each of
// a type that nothing else calls them of.
type job interface{ run(c chan int) }

type (
	pooled          struct{}
	loaded          struct{}
	swapped         struct{}
	entry           struct{}
	entryOrNew      struct{}
	entryDeleted    struct{}
	entrySwapped    struct{}
	entryOfFunction struct{}
	entryOfAll      struct{}
	contextual      struct{}
	element         struct{}
)

func (pooled) run(c chan int)          { c <- 1 }
func (loaded) run(c chan int)          { c <- 2 }
func (swapped) run(c chan int)         { c <- 3 }
func (entry) run(c chan int)           { c <- 4 }
func (entryOrNew) run(c chan int)      { c <- 5 }
func (entryDeleted) run(c chan int)    { c <- 6 }
func (entrySwapped) run(c chan int)    { c <- 7 }
func (entryOfFunction) run(c chan int) { c <- 8 }

func (entryOfAll) run(c chan int) { c <- 9 }
func (contextual) run(c chan int) { c <- 10 }
func (element) run(c chan int)    { c <- 11 }

type key struct{}

func main() {
	c := make(chan int, 1)
	var pool sync.Pool
	pool.Put(pooled{})
	if j, ok := pool.Get().(job); ok {
		j.run(c)
		<-c
	}
	var value atomic.Value
	value.Store(loaded{})
	value.Load().(job).run(c)
	<-c
	var other atomic.Value
	other.Store(swapped{})
	other.Swap(swapped{}).(job).run(c)
	<-c
	var a, b, d, e, f sync.Map
	a.Store(1, entry{})
	v, _ := a.Load(1)
	v.(job).run(c)
	<-c
	v, _ = b.LoadOrStore(1, entryOrNew{})
	v.(job).run(c)
	<-c
	d.Store(1, entryDeleted{})
	v, _ = d.LoadAndDelete(1)
	v.(job).run(c)
	<-c
	e.Store(1, entrySwapped{})
	v, _ = e.Swap(1, entrySwapped{})
	v.(job).run(c)
	<-c
	f.Store(1, entryOfFunction{})
	f.Range(func(_, v any) bool {
		v.(job).run(c)
		<-c
		return true
	})
	var g sync.Map
	g.Store(1, entryOfAll{})
	for _, v := range g.Range {
		v.(job).run(c)
		<-c
	}
	context.WithValue(context.Background(), key{}, contextual{}).Value(key{}).(job).run(c)
	<-c
	l := list.New()
	l.PushBack(element{})
	l.Front().Value.(job).run(c)
	<-c
	<-c // want "deadlock"
}

package main

import "sync"

type group[T any] interface {
	Submit(f func() T) group[T]
	Wait() []T
}

type base struct {
	wg   sync.WaitGroup
	mu   sync.Mutex
	done chan struct{}
}

type resultGroup[T any] struct {
	base
	results future[T]
}

type future[T any] interface {
	put(v T)
	get() []T
}

type list[T any] struct {
	mu sync.Mutex
	vs []T
}

func (l *list[T]) put(v T) {
	l.mu.Lock()
	l.vs = append(l.vs, v)
	l.mu.Unlock()
}

func (l *list[T]) get() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.vs
}

func newGroup[T any]() group[T] { return &resultGroup[T]{results: newList[T]()} }

func newList[T any]() future[T] { return &list[T]{} }

func (g *resultGroup[T]) Submit(f func() T) group[T] {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		g.results.put(f())
	}()
	return g
}

func (g *resultGroup[T]) Wait() []T {
	g.wg.Wait()
	return g.results.get()
}

func main() {
	g := newGroup[int]()
	g.Submit(func() int { return 1 }).Submit(func() int { return 2 })
	g.Wait()
	g.Wait()
}

package main

import (
	"container/heap"
	"sync"
)

// A waiter waits with a priority.
type waiter struct {
	priority int
	ready    chan struct{}
}

type queue []*waiter

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].priority > q[j].priority }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*waiter)) }

func (q *queue) Pop() any {
	old := *q
	w := old[len(old)-1]
	*q = old[:len(old)-1]
	return w
}

// main wakes the two that do not take part.
func main() {
	var q queue
	var started, done sync.WaitGroup
	done.Add(2)
	for _, p := range []int{2, 1, 3} {
		w := &waiter{p, make(chan struct{})}
		heap.Push(&q, w)
		started.Add(1)
		go func() {
			started.Done()
			<-w.ready
			if p == 1 {
				done.Wait() // it takes part itself
			}
			done.Done()
		}()
	}
	started.Wait()
	for range 2 {
		close(heap.Pop(&q).(*waiter).ready)
	}
	done.Wait()
}

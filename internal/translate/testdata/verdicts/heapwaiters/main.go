package main

import "container/heap"

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

// main wakes the first only, but waits for the second.
func main() {
	q := make(queue, 0, 2)
	second := make(chan struct{})
	for _, p := range []int{1, 2} {
		w := &waiter{p, make(chan struct{})}
		heap.Push(&q, w)
		go func() {
			<-w.ready
			if p == 1 {
				close(second)
			}
		}()
	}
	close(heap.Pop(&q).(*waiter).ready)
	<-second // want "deadlock"
}

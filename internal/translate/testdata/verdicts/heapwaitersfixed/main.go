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

// main waits for the one it wakes.
func main() {
	q := make(queue, 0, 2)
	first := make(chan struct{})
	for _, p := range []int{1, 2} {
		w := &waiter{p, make(chan struct{})}
		heap.Push(&q, w)
		go func() {
			<-w.ready
			if p == 2 {
				close(first)
			}
		}()
	}
	close(heap.Pop(&q).(*waiter).ready)
	<-first
}

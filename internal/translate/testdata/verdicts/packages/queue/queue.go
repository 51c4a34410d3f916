// Package queue is a queue, and one that there is from the beginning.
package queue

// Default is ready before main.
var Default = New(size)

const size = 1

// Queue is a queue.
type Queue struct{ c chan int }

// New makes a queue.
func New(n int) *Queue { return &Queue{make(chan int, n)} }

func init() {
	Default.Put(0)
	if Default.Get() != 0 {
		panic("not the default")
	}
}

// Put waits for a place.
func (q *Queue) Put(v int) {
	q.c <- v // want "deadlock"
}

// Get waits for a value.
func (q *Queue) Get() int { return <-q.c }

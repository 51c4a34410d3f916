package main

import "container/list"

type task interface{ do() }

type none struct{}

func (none) do() {}

type send struct{ c chan int }

func (s send) do() { s.c <- 1 } // want "deadlock"

type queue struct{ l *list.List }

func (q *queue) next() task {
	e := q.l.Front()
	if e == nil {
		return none{}
	}
	q.l.Remove(e)
	return e.Value.(task)
}

func main() {
	q := &queue{list.New()}
	q.l.PushBack(send{make(chan int)})
	q.next().do()
	q.next().do()
}

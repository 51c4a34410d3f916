package main

import "github.com/vtrace/vtrace/internal/translate/testdata/verdicts/packages/queue"

func main() {
	q := queue.New(1)
	q.Put(1)
	queue.Default.Put(2)
	if q.Get()+queue.Default.Get() != 3 {
		panic("mixed up")
	}
	q.Put(3)
	q.Put(4)
}

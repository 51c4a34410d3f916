// What is sorted by times, which the model does not keep, may come in any order.
package main

import (
	"sort"
	"time"
)

type job struct {
	at   time.Time
	done chan int
}

type jobs []*job

func (j jobs) Len() int           { return len(j) }
func (j jobs) Less(a, b int) bool { return j[a].at.Before(j[b].at) }
func (j jobs) Swap(a, b int)      { j[a], j[b] = j[b], j[a] }

func main() {
	now := time.Now()
	first, second := &job{at: now.Add(time.Hour), done: make(chan int, 1)}, &job{at: now, done: make(chan int)}
	queue := jobs{first, second}
	sort.Stable(queue)
	queue[0].done <- 1 // want "deadlock"
}

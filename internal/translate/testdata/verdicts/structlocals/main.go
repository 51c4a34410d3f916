package main

import (
	"errors"
	"sync"
)

type job struct {
	id   int
	tags [2]bool
}

type result struct {
	job job
	err error
}

func run(j job) (r result) {
	defer func() { recover() }()
	r.job = j
	r.job.tags[1] = j.id%2 == 1
	if r.job.tags[1] {
		r.err = errors.New("odd")
	}
	return r
}

func main() {
	jobs, results := make(chan job), make(chan result)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				r := run(j)
				if r.err != nil && r.job.tags[1] {
					return
				}
				results <- r
			}
		}()
	}
	go func() {
		for i := range 4 {
			jobs <- job{id: i}
		}
		close(jobs)
		wg.Wait()
		close(results)
	}()
	for r := range results {
		if r.job.id == 2 {
			panic("the third job has a result") // want "panic"
		}
	}
}

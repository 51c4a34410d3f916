package main

import (
	"flag"
	"sync"
)

type shard struct {
	mu sync.Mutex
	n  int
}

func main() {
	n := flag.Int("shards", 2, "")
	flag.Parse()
	shards := make([]shard, 0, *n)
	for i := 0; i < *n; i++ {
		shards = append(shards, shard{})
	}
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, s := range shards { // a copy of each, with a lock of its own
				s.mu.Lock()
				s.mu.Unlock()
			}
			for k := range shards {
				// One from the left, the other from the right.
				s := &shards[k]
				if i == 1 {
					s = &shards[len(shards)-1-k]
				}
				s.mu.Lock()
				defer s.mu.Unlock()
			}
		}()
	}
	wg.Wait() // want "deadlock"
}

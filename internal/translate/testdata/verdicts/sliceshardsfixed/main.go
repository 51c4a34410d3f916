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
	var shards []*shard
	for i := 0; i < *n; i++ {
		shards = append(shards, &shard{})
	}
	var wg sync.WaitGroup
	for i := 0; i < 2; i++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, s := range shards {
				s.mu.Lock()
				s.n++
				defer s.mu.Unlock()
			}
		}()
	}
	wg.Wait()
	for _, s := range shards {
		s.mu.Lock()
		s.n = 0
		s.mu.Unlock()
	}
}

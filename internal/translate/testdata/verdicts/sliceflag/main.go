package main

import (
	"flag"
	"sync"
)

type store struct{ subs []chan string }

func (s *store) set(k string) {
	for _, c := range s.subs {
		c <- k
	}
}

func main() {
	n := flag.Int("n", 2, "writers")
	flag.Parse()
	s := &store{}
	c := make(chan string)
	s.subs = append(s.subs, c)
	var wg sync.WaitGroup
	for range *n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.set("k")
		}()
	}
	wg.Wait() // want "deadlock"
}

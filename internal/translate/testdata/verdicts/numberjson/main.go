package main

import (
	"encoding/json"
	"os"
)

type config struct {
	Workers int
	Names   []string
	quit    chan bool
}

func main() {
	c := config{quit: make(chan bool)}
	if err := json.Unmarshal([]byte(`{"Workers": 2, "Names": ["a", "b", "c"]}`), &c); err != nil {
		os.Exit(1)
	}
	names := make(chan string, len(c.Names))
	for range c.Workers {
		go func() {
			for range names {
			}
			c.quit <- true
		}()
	}
	for _, n := range c.Names {
		names <- n
	}
	close(names)
	for range c.Workers {
		<-c.quit
	}
	<-c.quit // want "deadlock"
}

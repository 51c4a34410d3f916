package main

import "flag"

type config struct {
	workers int
	name    string
}

func main() {
	var c config
	flag.IntVar(&c.workers, "workers", 5, "how many")
	flag.StringVar(&c.name, "name", "x", "name")
	flag.Parse()
	done := make(chan bool, c.workers)
	for range c.workers {
		go func() { done <- true }()
	}
	for range c.workers {
		<-done
	}
	<-done // want "deadlock"
}

package main

import (
	"time"
)

func main() {
	waits := map[string]time.Duration{"a": time.Second, "b": 2 * time.Second}
	done := make(chan string, 2)
	for name, d := range waits {
		time.Sleep(d)
		done <- name
	}
	if <-done == "b" {
		panic(time.Now()) // want "panic"
	}
}

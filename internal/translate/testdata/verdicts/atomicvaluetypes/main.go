package main

import (
	"errors"
	"sync/atomic"
)

type failure struct{}

func (*failure) Error() string { return "failure" }

var (
	err  atomic.Value
	quit = make(chan bool)
)

// Only values of one type can be stored.
func fail(e error) {
	err.Store(e) // want "panic"
}

func main() {
	go fail(errors.New("first"))
	go fail(&failure{})
	if err.Load() == nil {
		return
	}
	close(quit)
}

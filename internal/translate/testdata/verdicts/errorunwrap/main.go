package main

import "errors"

var errStop = errors.New("stop")

type inner struct{ at int }

type wrap struct{ *inner }

func (w wrap) Error() string { return "wrapped" }

func (w wrap) Unwrap() error { return errStop }

func run(n int) error { return wrap{&inner{n}} }

func main() {
	c := make(chan int)
	if err := run(1); errors.Is(err, errStop) {
		close(c)
	}
	close(c) // want "close of closed channel"
}

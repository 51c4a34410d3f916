// Package main takes an error for what it is, and asks it for more than there is.
package main

import "errors"

type asker interface {
	error
	Ask()
}

type fault struct{ c chan int }

func (f *fault) Error() string { return "fault" }

func (f *fault) Ask() {
	<-f.c // want "deadlock"
}

func work() error { return &fault{make(chan int)} }

func main() {
	var a asker
	if errors.As(work(), &a) {
		a.Ask()
	}
}

package main

import (
	"context"
	"errors"
	"time"
)

type key struct{}

type own struct{ context.Context }

func faults(f func()) (is bool) {
	defer func() { is = recover() != nil }()
	f()
	return false
}

// Contexts are asked for all that they have, in forms of which the model knows little.
func main() {
	c := make(chan bool, 1)
	base, cancel := context.WithCancelCause(context.Background())
	if !faults(func() { c <- context.WithValue(base, nil, 1).Err() == nil; <-c }) {
		panic("a key that is nil")
	}
	if _, has := base.Deadline(); has {
		c <- true
	}
	ctx, stop := context.WithTimeout(own{base}, time.Hour) // under "context"
	defer stop()
	kept := context.WithoutCancel(context.WithValue(base, key{}, "v"))
	cancel(errors.New("over"))
	if context.Cause(own{base}) == nil || kept.Value(key{}) != "v" || kept.Err() != nil {
		c <- true // unreal "deadlock"
	}
	<-kept.Done() // want "deadlock"
	<-ctx.Done()
}

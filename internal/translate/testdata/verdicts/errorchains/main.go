package main

import (
	"errors"
	"fmt"
	"os"
)

var (
	errFirst  = errors.New("first")
	errSecond = fmt.Errorf("second: %w", errFirst)
	errPlain  = fmt.Errorf("plain %d", 3)
	errOther  error
)

type own struct{ code int }

func (o *own) Error() string { return "own" }

type is struct{ what string }

func (i is) Error() string        { return i.what }
func (i is) Is(target error) bool { return target == errPlain }

func wrap(err error) error { return fmt.Errorf("wrap: %w", err) }

// Whether an error is another one is known as far as it is seen what it wraps.
func main() {
	if !errors.Is(errSecond, errFirst) || errors.Is(errPlain, errFirst) || errors.Is(errFirst, errSecond) || errors.Is(nil, errFirst) || !errors.Is(errOther, nil) {
		panic("never")
	}
	c := make(chan int)
	errOther = errPlain
	if errors.Is(&own{1}, errFirst) || errors.Is(&own{1}, &own{1}) {
		<-c // never
	}
	if !errors.Is(is{"a"}, errPlain) {
		<-c // unreal "deadlock"
	}
	if !errors.Is(wrap(errFirst), errFirst) || errors.Is(wrap(&own{2}), errFirst) {
		<-c // unreal "deadlock"
	}
	if !errors.Is(fmt.Errorf("both %w %w", errFirst, errOther), errPlain) || !errors.Is(fmt.Errorf(os.Args[0]+" %w", errFirst), errFirst) {
		<-c // unreal "deadlock"
	}
	if local := errFirst; !errors.Is(fmt.Errorf("local %w", local), errFirst) {
		<-c // never
	}
	if errors.Is(fmt.Errorf("value %w", &own{3}), errFirst) {
		<-c // unreal "deadlock"
	}
	for _, target := range []error{errFirst, errOther} {
		if !errors.Is(errFirst, target) && target == errFirst {
			<-c // never
		}
	}
	<-c // want "deadlock"
}

package testmainsets

import (
	"os"
	"testing"
)

type config struct{ on, off bool }

var (
	names        = map[string]bool{}
	flags        [2]bool
	conf         = &config{}
	list         = []bool{false}
	called, took bool
	level        int
	other        bool
)

func setUp(f func()) { f() }

func take() { took = true }

// TestMain sets variables, and what they refer to, in several ways.
func TestMain(m *testing.M) {
	names["a"] = true
	flags[1] = true
	conf.on = true
	list[0] = true
	setUp(func() { called = true })
	setUp(take)
	func() {
		defer func() { level++ }()
	}()
	os.Exit(m.Run())
}

func TestProgram(t *testing.T) {
	which := make(chan int, 1)
	select {
	case which <- 0:
	case which <- 1:
	case which <- 2:
	case which <- 3:
	case which <- 4:
	case which <- 5:
	case which <- 6:
	case which <- 7:
	}
	switch n := <-which; {
	case n == 0 && names["a"]:
		<-which // want "deadlock"
	case n == 1 && flags[1]:
		<-which // want "deadlock"
	case n == 2 && conf.on:
		<-which // want "deadlock"
	case n == 3 && list[0]:
		<-which // want "deadlock"
	case n == 4 && called:
		<-which // want "deadlock" // unconfirmed "a replay does not know that it is set"
	case n == 5 && took:
		<-which // want "deadlock" // unconfirmed "a replay does not know that it is set"
	case n == 6 && level > 0:
		<-which // want "deadlock"
	case n == 7 && other:
		<-which // it never is
	}
}

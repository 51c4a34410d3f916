package p

import (
	"os"
	"testing"
)

var (
	size  int
	limit = 1
	conns map[string]chan int
	other = make(chan int, 1)
)

func setUp(f func()) { f() }

// What TestMain sets in a function literal, in a map, or through a pointer is not known.
func TestMain(m *testing.M) {
	setUp(func() { size = 2 })
	conns = map[string]chan int{}
	conns["a"] = other
	p := &limit
	*p = 2
	os.Exit(m.Run())
}

func TestProgram(t *testing.T) {
	if size != 2 {
		<-other // unreal "deadlock" // unconfirmed "a replay is without TestMain"
	}
	if limit == 2 {
		<-other // want "deadlock" // unconfirmed "a replay is without TestMain"
	}
}

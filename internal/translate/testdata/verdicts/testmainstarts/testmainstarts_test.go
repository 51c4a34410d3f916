package testmainstarts

import (
	"os"
	"testing"
)

var c = make(chan int)

func serve() {
	for v := range c {
		c <- v
	}
}

func TestMain(m *testing.M) { // under "test-main"
	start()
	os.Exit(m.Run())
}

func start() { go serve() }

// The goroutine that answers is started around the test.
func TestProgram(t *testing.T) {
	c <- 1 // unreal "deadlock"
	<-c
}

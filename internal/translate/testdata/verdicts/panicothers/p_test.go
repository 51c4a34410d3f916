// Others go on while a test that panics comes to its cleanups.
package p

import "testing"

func TestProgram(t *testing.T) {
	c := make(chan int, 1)
	d := make(chan int, 1)
	go func() { d <- 1 }()
	close(c)
	close(c) // want "close of closed channel"
}

// Others go on while a test that panics comes to its cleanups.
package p

import "testing"

func TestProgram(t *testing.T) {
	c := make(chan int, 1)
	go func() { c <- 1 }()
	panic("failed") // want "panic"
}

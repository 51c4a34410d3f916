package p

import (
	"testing"
	"testing/synctest"
)

// The second message is for nobody.
func TestProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // under "synctest"
		c := make(chan int)
		go func() {
			c <- 1
			c <- 2 // want "goroutine leak"
		}()
		<-c
	})
}

package p

import (
	"testing"
	"testing/synctest"
)

// The goroutine has stored its answer when Wait returns.
func TestProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // under "synctest"
		done := false
		go func() { done = true }()
		synctest.Wait()
		if !done {
			t.Error("too early") // unreal "test failure"
		}
	})
}

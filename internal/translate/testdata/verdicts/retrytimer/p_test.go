package p

import (
	"errors"
	"testing"
	"time"
)

var errTimeout = errors.New("timeout")

// call waits for a reply. The goroutine is stuck when the time is over.
func call() error {
	reply := make(chan error)
	go func() {
		time.Sleep(2 * time.Millisecond)
		reply <- nil // want "goroutine leak"
	}()
	select {
	case err := <-reply:
		return err
	case <-time.After(time.Millisecond):
		return errTimeout
	}
}

func TestProgram(t *testing.T) {
	for range 3 {
		if call() != errTimeout {
			return
		}
	}
}

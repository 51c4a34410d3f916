package p

import (
	"errors"
	"testing"
	"time"
)

var errTimeout = errors.New("timeout")

// call waits for a reply.
func call() error {
	reply := make(chan error, 1)
	go func() {
		time.Sleep(2 * time.Millisecond)
		reply <- nil
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

// Sleeps of nothing, and a select with a timer that is due at once, end after the test.
package timerdueselect

import (
	"testing"
	"time"
)

func TestProgram(t *testing.T) {
	stop := make(chan struct{})
	for range 2 {
		go func() {
			time.Sleep(0)
			select {
			case <-time.After(0):
			case <-stop:
			}
		}()
	}
}

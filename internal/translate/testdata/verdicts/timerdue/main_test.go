// A timer that is due at once is the last that happens in the program.
package timerdue

import (
	"testing"
	"time"
)

func TestProgram(t *testing.T) {
	go func() {
		<-time.NewTimer(0).C
	}()
}

package assertionnilerror

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type failure struct{}

func (*failure) Error() string { return "text" }

// A pointer that is nil is an error that is not, for what compares it with nil.
func TestProgram(t *testing.T) {
	c := make(chan int)
	var f *failure
	go func() {
		c <- 1 // want "goroutine leak"
	}()
	require.NoError(t, f) // want "test failure"
	<-c
}

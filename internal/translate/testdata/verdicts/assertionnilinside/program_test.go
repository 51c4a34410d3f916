package assertionnilinside

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type failure struct{}

func (*failure) Error() string { return "text" }

func none() error {
	var f *failure
	return f
}

// An error that holds a pointer that is nil counts as nil.
func TestProgram(t *testing.T) {
	c := make(chan int)
	go func() {
		c <- 1 // want "goroutine leak"
	}()
	require.NotNil(t, none()) // want "test failure"
	<-c
}

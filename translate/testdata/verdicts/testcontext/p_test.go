package p

import "testing"

// The context of a test ends before its cleanups run.
func TestProgram(t *testing.T) {
	stopped := make(chan bool)
	t.Cleanup(func() { <-stopped })
	go func() {
		<-t.Context().Done() // refused "channel operation: the channel is not tracked: a value that the model does not keep"
		close(stopped)
	}()
}

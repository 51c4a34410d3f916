package p

import "testing"

// The context of a test ends before its cleanups run.
func TestProgram(t *testing.T) {
	stopped := make(chan bool)
	t.Cleanup(func() { <-stopped })
	go func() {
		<-t.Context().Done()
		close(stopped)
	}()
}

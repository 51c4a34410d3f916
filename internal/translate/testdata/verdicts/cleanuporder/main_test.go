package cleanuporder

import "testing"

// The functions run in the wrong order: the wait comes before the close.
func TestProgram(t *testing.T) {
	quit, done := make(chan bool), make(chan bool)
	go func() {
		<-quit
		close(done)
	}()
	t.Cleanup(func() { close(quit) })
	t.Cleanup(func() {
		<-done // want "deadlock"
	})
	t.Fatal("end") // want "test failure"
}

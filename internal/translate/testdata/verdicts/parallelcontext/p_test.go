package p

import "testing"

// Each parallel subtest has a context of its own, which ends before its cleanups;
// that of the test ends when all have ended.
func TestProgram(t *testing.T) {
	ctx := t.Context()
	done := make(chan bool)
	go func() {
		<-ctx.Done()
		close(done)
	}()
	t.Cleanup(func() { <-done })
	for i := range 2 {
		t.Run("sub", func(t *testing.T) {
			t.Parallel()
			sub := t.Context()
			ended := make(chan bool)
			t.Cleanup(func() { <-ended })
			go func() {
				<-sub.Done()
				close(ended)
			}()
			if i == 1 {
				select {
				case <-ctx.Done():
					t.Error("it has ended")
				default:
				}
			}
		})
	}
}

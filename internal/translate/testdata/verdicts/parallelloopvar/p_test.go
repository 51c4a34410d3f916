//go:build go1.21

package p

import "testing"

// Up to Go 1.21 the variable of a loop is one: when the subtests go on, all see
// the last value.
func TestProgram(t *testing.T) {
	jobs := make(chan int, 2)
	t.Cleanup(func() {
		if <-jobs+<-jobs != 1 {
			t.Error("a job is done twice") // want "test failure"
		}
	})
	for _, k := range []int{0, 1} {
		t.Run("job", func(t *testing.T) {
			t.Parallel()
			jobs <- k
		})
	}
}

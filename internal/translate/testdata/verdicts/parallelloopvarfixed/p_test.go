package p

import "testing"

func TestProgram(t *testing.T) {
	jobs := make(chan int, 2)
	t.Cleanup(func() {
		if <-jobs+<-jobs != 1 {
			t.Error("a job is done twice")
		}
	})
	for _, k := range []int{0, 1} {
		t.Run("job", func(t *testing.T) {
			t.Parallel()
			jobs <- k
		})
	}
}

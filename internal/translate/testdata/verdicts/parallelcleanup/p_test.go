package p

import "testing"

func TestProgram(t *testing.T) {
	jobs := make(chan int, 2)
	t.Cleanup(func() { close(jobs) })
	for i := range 2 {
		t.Run("job", func(t *testing.T) {
			t.Parallel()
			jobs <- i
		})
	}
}

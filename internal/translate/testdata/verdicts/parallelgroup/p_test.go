package p

import "testing"

// A group returns when its parallel subtests have ended.
func TestProgram(t *testing.T) {
	jobs := make(chan int, 2)
	t.Run("group", func(t *testing.T) {
		for i := range 2 {
			t.Run("job", func(t *testing.T) {
				t.Parallel()
				jobs <- i
			})
		}
	})
	close(jobs)
	n := 0
	for range jobs {
		n++
	}
	if n != 2 {
		t.Fatal("not all jobs are there")
	}
	<-jobs
	t.Run("late", func(t *testing.T) {
		jobs <- 1 // want "send on closed channel"
	})
}

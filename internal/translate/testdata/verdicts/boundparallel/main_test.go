package boundparallel

import "testing"

// More subtests are parallel than the model counts, in a test that has a goroutine besides.
func TestProgram(t *testing.T) {
	begun := make(chan bool)
	go close(begun)
	<-begun
	four := func() {
		for range 4 {
			t.Run("part", func(t *testing.T) {
				t.Parallel() // unreal "bound exceeded"
			})
		}
	}
	four()
	four()
	four()
	four()
	four()
	four()
	four()
	four()
	four()
	var c chan int
	<-c // missed "deadlock"
}

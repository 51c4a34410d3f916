package subtestsok

import "testing"

func TestProgram(t *testing.T) {
	for _, tc := range []struct {
		name string
		cap  int
	}{{"buffered", 1}, {"more", 2}} {
		t.Run(tc.name, func(t *testing.T) {
			c := make(chan int, tc.cap)
			c <- 1
			<-c
		})
	}
}

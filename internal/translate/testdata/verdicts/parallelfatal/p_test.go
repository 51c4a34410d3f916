package p

import "testing"

// A subtest that ends does not end the others, nor what waits for it.
func TestProgram(t *testing.T) {
	c, d := make(chan int), make(chan bool, 3)
	t.Cleanup(func() {
		for range 3 {
			<-d
		}
	})
	for _, tc := range []struct {
		name       string
		skip, fail bool
	}{{"fails", false, true}, {"skips", true, false}, {"passes", false, false}} {
		t.Run(tc.name, func(t *testing.T) {
			defer func() { d <- true }()
			if tc.skip {
				t.Skip()
			}
			t.Parallel()
			if tc.fail {
				<-c
				t.Fatal("fails") // want "test failure"
			}
			c <- 1
		})
	}
}

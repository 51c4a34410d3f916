package boundcleanup

import "testing"

// More functions are registered by one call of Cleanup than the model counts.
func TestProgram(t *testing.T) {
	for range 6 {
		t.Cleanup(func() {}) // unreal "bound exceeded"
	}
	var c chan int
	<-c // missed "deadlock"
}

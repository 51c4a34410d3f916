package p

import "testing"

func TestProgram(t *testing.T) {
	<-swept
}

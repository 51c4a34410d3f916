package p

import "testing"

func TestProgram(t *testing.T) {
	Add(1)
	Add(2)
}

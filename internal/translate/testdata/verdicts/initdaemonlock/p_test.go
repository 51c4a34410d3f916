package p

import "testing"

func TestProgram(t *testing.T) {
	req <- 1
	req <- 2
	req <- 1
}

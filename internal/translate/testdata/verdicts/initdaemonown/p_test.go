package p

import "testing"

func TestProgram(t *testing.T) {
	srv.req <- 1
	start().req <- 2
}

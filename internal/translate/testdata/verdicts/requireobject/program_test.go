package p

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type own struct{ n int }

func (o own) Check(err error) {}

// An assertion of an object that has the test ends it; one of another object does not, nor
// one that only reports.
func TestProgram(t *testing.T) {
	c := make(chan error, 1)
	go func() { c <- nil }()
	err := <-c
	own{1}.Check(err)
	assert.NoError(t, err)
	r := require.New(t)
	r.NoError(err)
	stopped := make(chan bool)
	go func() {
		<-stopped // want "goroutine leak"
	}()
	defer func() {
		if len(c) == 0 {
			close(stopped)
		}
	}()
	if err == nil {
		c <- nil
		assert.FailNow(t, "over") // want "test failure"
	}
	<-c
	<-c
}

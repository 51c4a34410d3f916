package assertionnil

import (
	"testing"

	"github.com/stretchr/testify/require"
)

type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// none is no failure, in an error that is not nil.
func none(c chan int) error {
	var f *failure
	if <-c > 1 {
		f = &failure{"text"}
	}
	return f
}

func held(v any) any { return v }

// What an interface holds is nil for these assertions, though the interface is not.
func TestProgram(t *testing.T) {
	c := make(chan int, 4)
	c <- 1
	err := none(c)
	require.Nil(t, err)
	require.Error(t, err)
	c <- 2
	err = none(c)
	require.NotNil(t, err)
	require.Nil(t, held((chan int)(nil)))
	require.NotNil(t, held(c))
	require.Nil(t, held(map[int]int(nil)))
	require.NotNil(t, held(map[int]int{}))
	require.Nil(t, held((func())(nil)))
	require.NotNil(t, held(func() {}))
	require.Nil(t, []int(nil))
	require.NotNil(t, []int{})
	require.NotNil(t, held(0))
	require.NotNil(t, failure{})
	require.Nil(t, held(nil))
	var f *failure
	require.Error(t, f)
	<-c // want "deadlock"
}

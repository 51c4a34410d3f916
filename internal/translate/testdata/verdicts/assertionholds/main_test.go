package assertionholds

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

type resource struct{ used bool }

func acquire(free <-chan *resource) (*resource, error) {
	r, ok := <-free
	if !ok {
		return nil, errors.New("closed")
	}
	return r, nil
}

// Assertions of a library that hold: behind them there is a resource.
func TestProgram(t *testing.T) {
	free := make(chan *resource)
	go func() {
		free <- &resource{}
		close(free)
	}()
	r, err := acquire(free)
	require.NoError(t, err)
	require.NotNil(t, r)
	require.False(t, r.used)
	r.used = true
	s, err := acquire(free)
	require.Error(t, err)
	require.Nil(t, s)
	require.Equal(t, true, r.used)
}

package assertionends

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type resource struct{ used bool }

func acquire(ctx context.Context, free <-chan *resource) (*resource, error) {
	select {
	case r := <-free:
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// An assertion of a library ends the test where the deadline comes first: there
// is no resource then, and nobody waits for the goroutine.
func TestProgram(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	free := make(chan *resource)
	go func() {
		free <- &resource{} // want "goroutine leak" // unconfirmed "the test fails by its own deadline: timing-dependent"
	}()
	r, err := acquire(ctx, free)
	require.NoError(t, err) // want "test failure" // unconfirmed "the test fails by its own deadline: timing-dependent"
	r.used = true
}

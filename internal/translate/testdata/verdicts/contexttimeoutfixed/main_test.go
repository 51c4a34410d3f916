package contexttimeout

import (
	"context"
	"testing"
	"time"
)

func query(ctx context.Context) (int, error) {
	res := make(chan int, 1)
	go func() {
		time.Sleep(time.Second)
		res <- 1
	}()
	select {
	case n := <-res:
		return n, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func TestProgram(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if _, err := query(ctx); err == context.Canceled {
		panic("nobody cancels")
	}
}

// Package other is used by the programs.
package other

import "sync"

// Box hands over values.
type Box[T any] struct {
	mu   sync.Mutex
	cond sync.Cond
	vs   []T
}

// NewBox makes a box with room for n values.
func NewBox[T any](n int) *Box[T] {
	b := &Box[T]{vs: make([]T, 0, n)}
	b.cond.L = &b.mu
	return b
}

// Put waits for room.
func (b *Box[T]) Put(v T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.vs) == cap(b.vs) {
		b.cond.Wait()
	}
	b.vs = append(b.vs, v)
	b.cond.Broadcast()
}

// Get waits for a value.
func (b *Box[T]) Get() T {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.vs) == 0 {
		b.cond.Wait()
	}
	v := b.vs[0]
	copy(b.vs, b.vs[1:])
	b.vs = b.vs[:len(b.vs)-1]
	b.cond.Broadcast()
	return v
}

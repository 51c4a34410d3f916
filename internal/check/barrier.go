package check

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A barrier holds workers back until all have come. Phases are short, and the
// workers about equally fast: who waits looks again for some time before it
// sleeps, since waking up takes longer than that.
type barrier struct {
	workers int32
	come    atomic.Int32
	_       [padding]byte
	round   atomic.Uint32
	_       [padding]byte
	mu      sync.Mutex
	next    sync.Cond
}

// Looks at a barrier before the worker lets others run, and before it sleeps.
const (
	barrierLooks = 1 << 8
	barrierTurns = 1 << 13
)

func newBarrier(workers int) *barrier {
	b := &barrier{workers: int32(workers)}
	b.next.L = &b.mu
	return b
}

// wait returns when all workers have called it. The last one first runs last, if
// there is one.
func (b *barrier) wait(last func()) {
	round := b.round.Load()
	if b.come.Add(1) == b.workers {
		if last != nil {
			last()
		}
		b.come.Store(0)
		b.mu.Lock()
		b.round.Add(1)
		b.mu.Unlock()
		b.next.Broadcast()
		return
	}
	for range barrierTurns {
		for range barrierLooks {
			if b.round.Load() != round {
				return
			}
		}
		runtime.Gosched()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.round.Load() == round {
		b.next.Wait()
	}
}

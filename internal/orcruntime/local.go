//go:build go1.25

package orcruntime

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

var (
	localStates   sync.Map // of *localState, by goid
	channelStates sync.Map // of *channelState, by address
	goroutineIDs  uint64
	objectIDs     uint64
)

func localOf() *localState {
	id := goid()
	if s, ok := localStates.Load(id); ok {
		return s.(*localState)
	}
	s, _ := localStates.LoadOrStore(id, new(localState))
	return s.(*localState)
}

// forgetLocal is called at the end of a goroutine.
func forgetLocal() { localStates.Delete(goid()) }

// channelOf returns what a channel has for itself. The channel is kept.
func channelOf(p unsafe.Pointer) *channelState {
	s, _ := channelStates.LoadOrStore(p, new(channelState))
	return s.(*channelState)
}

// newGoroutine is the number of a goroutine that is about to be started.
func newGoroutine() uint64 { return atomic.AddUint64(&goroutineIDs, 1) }

// newObject is the number of an object that has none.
func newObject() uint64 { return atomic.AddUint64(&objectIDs, 1) }

// noteCloser notes which operation is about to close a channel.
func noteCloser(p unsafe.Pointer, tag uint64) { atomic.StoreUint64(&channelOf(p).closer, tag) }

// atExit has f called when the program exits by itself; never, where the Go runtime is not changed.
func atExit(func()) {}

// leakedGoroutines are the numbers of the goroutines that the garbage collector says nothing can wake, and of the others that
// wait; false if it was not asked.
func leakedGoroutines() (leaked, reachable []uint64, judged bool) { return nil, nil, false }

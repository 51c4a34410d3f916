//go:build go1.25

package orcutil

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// localState is what a recorded goroutine has for itself. Its fields belong to the goroutine, but for
// partner, which another one sets while this one is blocked.
//
// A program that is built to be recorded has this file replaced: there, the state is a part of what
// the Go runtime keeps of the goroutine, and the Go runtime sets partner, see package parse. As it
// is here, it serves where that is not so: partners are not known, and to find the state takes a
// microsecond.
type localState struct {
	local unsafe.Pointer // *recorder
	// tag is the operation that is being done, 0 for none, and partner who has completed it.
	tag, partner uint64
	// next is the tag of the operation to come, 0 if the goroutine is not known yet.
	next uint64
	// self is the number that the goroutine has been given when it was started, and creator the
	// operation that has done so; 0 if that was not recorded.
	self, creator uint64
	// pend is what the goroutine has done by uninstrumented code since its last operation: to
	// start a goroutine, or to close a channel.
	pend [maxPend]uint64
	n    uint32
}

const maxPend = 6

// channelState is what a channel has for itself.
type channelState struct {
	id     uint64 // its number as an object, 0 if it has none yet; with unseen, if there is no record of it
	closer uint64 // the operation that has closed it
}

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

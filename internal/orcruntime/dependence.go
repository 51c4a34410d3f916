//go:build go1.25

package orcruntime

import "unsafe"

// Two steps of different goroutines depend on each other if their order can matter: to
// what they do, to what others can do after them, or to whether they can be done at
// all. All else commutes, and executions that differ only in the order of steps that
// commute are equivalent. This file says what depends on what; everything that
// exhaustive exploration knows of operations stands here and in operations.go.
//
// A step touches objects. Sends and receives are done in two phases, see the package
// comment: who finds no partner queues. So a send and a receive on one channel commute,
// whichever queues first: either way the value passes, and both go on. The steps after
// them are ordered, as the memory model of Go says: the k-th send before what follows
// the k-th receive, the k-th receive before what follows send k+C of a channel with
// room for C.

// touchKind is how a step touches an object.
type touchKind uint8

const (
	touchSend touchKind = iota // also one that has queued
	// A receive that has got a value; one that has found the channel closed, or for
	// which it has been closed; one that is queued still.
	touchRecv
	touchRecvClosed
	touchRecvQueued
	// A select that has not taken the case, though it would have if it had been ready.
	touchOfferSend
	touchOfferRecv
	// A send has come through, and has filled a place that another one might have
	// found; a receive has taken a value. That they had to wait for it makes no
	// difference: in an equivalent execution they need not.
	touchFilled
	touchTaken
	touchFreed // a receive has let a sender go on that was queued
	touchClose
	touchMeasured // its length has been asked for

	touchLock
	touchRLock
	touchUnlock
	touchRUnlock
	touchTried         // a TryLock that has got the lock, besides touchLock or touchRLock
	touchTryFailed     // one that has not
	touchForeignUnlock // an Unlock by who does not hold the mutex, besides touchUnlock

	// In what order a WaitGroup is counted shows nowhere, unless somebody waits
	// meanwhile, or a Done may come before its Add: then exploration begins again, with
	// touchAny for all that is done to WaitGroups, see happensBefore.count.
	touchAdd
	touchWait

	touchOnceFirst // the Do that calls the function
	touchOnceLater

	touchRead // of memory
	touchWrite
	touchAccumulate // an addition of which nobody sees the result

	touchAny // depends on every other one

	touchLibrary    // a call of uninstrumented code that may order goroutines
	touchLibrarySee // the receive of what such code may have sent

	touchSet // of a deadline, which may be behind others that are pending

	// Time has passed, which is a step of nobody. Somebody has changed when that comes next, or for whom: he has set a
	// deadline, waits in a Sleep or where he receives ticks, or waits no more.
	touchPassed
	touchDue

	touchBorn    // a goroutine, or coroutine, has been started
	touchOver    // one has ended
	touchCounted // all have been counted

	touchKinds
)

// pairs are the kinds that are dependent, in either order, on one object: each could
// have come first. That one enables the other, as an Unlock does a Lock, is no such
// pair: it orders, see happensBefore.
var pairs = [...][2]touchKind{
	{touchSend, touchSend},
	{touchSend, touchClose}, // the send panics
	{touchSend, touchOfferRecv},
	{touchRecv, touchRecv},
	{touchRecv, touchRecvClosed},
	{touchRecv, touchRecvQueued},
	{touchRecv, touchOfferSend},
	{touchRecvQueued, touchOfferSend},
	{touchRecvClosed, touchOfferSend},
	{touchFilled, touchOfferSend},
	{touchTaken, touchOfferRecv},
	{touchOfferSend, touchOfferRecv}, // the first, if it has no default, would have queued
	{touchClose, touchFreed},         // else the sender panics
	{touchClose, touchClose},
	{touchClose, touchOfferSend},
	{touchClose, touchOfferRecv},
	// It tells how many have sent and how many have received, whoever was first; that
	// somebody who has to wait is queued makes no difference.
	{touchMeasured, touchSend},
	{touchMeasured, touchRecv},

	{touchLock, touchLock},
	{touchLock, touchRLock},
	{touchTried, touchUnlock},
	{touchTried, touchRUnlock},
	{touchForeignUnlock, touchLock},
	{touchForeignUnlock, touchUnlock},

	{touchAdd, touchWait},

	{touchOnceFirst, touchOnceLater},

	{touchRead, touchWrite},
	{touchWrite, touchWrite},
	// Several come to the same sum in any order.
	{touchAccumulate, touchRead},
	{touchAccumulate, touchWrite},

	{touchAny, touchAny},

	{touchLibrary, touchLibrary},
	{touchLibrary, touchLibrarySee},

	{touchSet, touchSet},

	// Uninstrumented code may wait for time, too, and sees what time it is.
	{touchPassed, touchDue},
	{touchPassed, touchLibrary},
	{touchPassed, touchLibrarySee},

	// How many there are tells who has started and who has ended, not in which order.
	{touchCounted, touchBorn},
	{touchCounted, touchOver},
}

// oneWay are kinds of which only the second could have come before the first, and would
// make a difference: where a TryLock fails nobody could take the lock instead.
var oneWay = [...][2]touchKind{
	{touchLock, touchTryFailed},
	{touchRLock, touchTryFailed},
	{touchTryFailed, touchUnlock},
	{touchTryFailed, touchRUnlock},
}

// dependent is pairs and oneWay, by the kinds of the first and the second step.
var dependent = func() (d [touchKinds][touchKinds]bool) {
	for _, p := range pairs {
		d[p[0]][p[1]], d[p[1]][p[0]] = true, true
	}
	for _, p := range oneWay {
		d[p[0]][p[1]] = true
	}
	return d
}()

// touched identifies an object in one run. The pointer keeps it alive, so that no other
// gets its address.
type touched struct {
	p     unsafe.Pointer
	space touchSpace
	n     int32 // of what has no address
}

// touchSpace tells objects apart that may have the same address, such as a struct and
// its first field.
type touchSpace uint32 // of that size, so that touched has no gaps and is hashed at once

const (
	spaceChan touchSpace = iota
	spaceLock
	spaceWaitGroup
	spaceOnce
	spaceCond
	spaceAtomic
	spaceAccess // statements that may race with each other, by number
	spaceScope
	spaceTest
	spaceMap
	spaceLibrary
	spaceDeadlines // that are pending
	spaceGoroutines
)

// touch is what a step does to one object.
type touch struct {
	object touched
	kind   touchKind
}

// independent reports whether no touch of a and one of b depend on each other.
func independent(a, b []touch) bool {
	for _, x := range a {
		for _, y := range b {
			if x.object == y.object && (dependent[x.kind][y.kind] || dependent[y.kind][x.kind]) {
				return false
			}
		}
	}
	return true
}

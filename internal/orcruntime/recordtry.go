//go:build go1.25

package orcruntime

import (
	"sync/atomic"
	"unsafe"
)

// A select with one case and a default does not wait. Where it is recorded it is one record, written when it is done.

// TryRecv is such a select, which receives, in a program that is recorded: taken is the case, 0, or -1 for the default. It
// is not, and nothing is done, if is is false. Generated code calls it.
func TryRecv[T any](site Site, ch <-chan T) (v T, ok bool, taken int, is bool) {
	r := triesRecorded()
	if r == nil {
		return v, false, 0, false
	}
	p := *(*unsafe.Pointer)(unsafe.Pointer(&ch))
	obj := r.channel(p, cap(ch))
	r.start()
	select {
	case v, ok = <-ch:
	default:
		taken = noCase
	}
	switch {
	case taken == noCase:
		r.tried(site, obj<<1|1, 0, 0, noCase)
	case ok:
		partner := r.state.met()
		r.tried(site, obj<<1|1, 0, partner, 0)
		if !isEvent[T]() {
			r.learns(partner)
		}
	default:
		closer := atomic.LoadUint64(&channelOf(p).closer)
		r.tried(site, obj<<1|1, postClosed, closer, 0)
		r.learns(closer)
	}
	return v, ok, taken, true
}

// TrySend is TryRecv for a select that sends.
func TrySend[T any](site Site, ch chan<- T, v T) (taken int, is bool) {
	r := triesRecorded()
	if r == nil {
		return 0, false
	}
	obj := r.channel(*(*unsafe.Pointer)(unsafe.Pointer(&ch)), cap(ch))
	r.start()
	defer r.tryPanicked(r.tag, site, obj)
	select {
	case ch <- v:
	default:
		taken = noCase
	}
	if taken == noCase {
		r.tried(site, obj<<1, 0, 0, noCase)
	} else {
		r.tried(site, obj<<1, 0, r.state.met(), 0)
	}
	return taken, true
}

// triesRecorded is the recorder of the calling goroutine, if nobody controls it. What the goroutine has done before is written.
func triesRecorded() *recorder {
	if active.Load() != nil {
		return nil
	}
	r := recording()
	if r != nil {
		r.comes()
	}
	return r
}

// tryPanicked is deferred around a send: the channel was closed.
func (r *recorder) tryPanicked(tag uint64, site Site, obj uint64) {
	if r.tag == tag {
		r.tried(site, obj<<1, postPanicked, 0, 0)
	}
}

// tried writes a select with one case, as of a recording, and a default, which is done.
func (r *recorder) tried(site Site, of uint64, flags byte, partner uint64, taken int) {
	b := r.record()
	r.doing(0)
	b[0] = recSelect | recDefault
	n := putUvarint(b, 1, uint64(site))
	n = putUvarint(b, n, 1)
	n = putUvarint(b, n, of)
	n = putPost(b, n, flags, partner, 0)
	r.wrote(putVarint(b, n, int64(taken)))
	r.goesOn()
}

//go:build go1.25

package orcruntime

import (
	"math/rand/v2"
	"time"
)

// Programs reach functions of the Go runtime by their linker names: its clock, which is not that of a run, and its random
// numbers. In the instrumented program these are functions of this package.

// LinkedNow is time.now of the Go runtime. Generated code calls it.
func LinkedNow() (sec int64, nsec int32, mono int64) {
	now := time.Now()
	return now.Unix(), int32(now.Nanosecond()), LinkedNano()
}

// LinkedNano is runtime.nanotime. It counts from 1970, as the clock of a bubble does: only differences matter. Generated
// code calls it.
func LinkedNano() int64 {
	if g := asks(); g != nil {
		g.run.unchosen("the clock of the Go runtime, which the program reads by its linker name, is not chosen by the run")
	}
	return time.Now().UnixNano()
}

// LinkedRandom is runtime.rand. Generated code calls it.
func LinkedRandom() uint64 {
	if s := Entropy(0); s != nil {
		return s.Uint64()
	}
	return rand.Uint64()
}

// LinkedRandomN is runtime.cheaprandn. Generated code calls it.
func LinkedRandomN(n uint64) uint64 {
	if v, ok := Choose(0, n); ok {
		return v
	}
	if n == 0 {
		return 0
	}
	return LinkedRandom() % n
}

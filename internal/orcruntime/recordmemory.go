//go:build go1.25

package orcruntime

import (
	"sync/atomic"
	"unsafe"
)

// Where a program is built for that, its accesses to memory are recorded as well: each is an operation on a word of memory,
// or on the part of one that is read or written. That a part of a word and all of it are the same memory is not seen, so
// that no two accesses are taken for accesses to the same memory which are not.

// maxRecordedWords is of how many words of an access there are records.
const maxRecordedWords = 8

// statements are those in which the places are that touch memory, by the numbers of these. It is replaced when another
// package registers places.
var statements atomic.Pointer[[]Site]

// registerStatements adds places. The caller holds program.
func registerStatements(places []PlaceInfo) {
	var list []Site
	if old := statements.Load(); old != nil {
		list = append(list, *old...)
	}
	for _, a := range places {
		for len(list) <= a.ID {
			list = append(list, 0)
		}
		list[a.ID] = Site(a.Site)
	}
	statements.Store(&list)
}

// recordAccess records an access of a goroutine.
func recordAccess(r *recorder, at Place, p unsafe.Pointer, size uintptr, kind accessKind) {
	list := statements.Load()
	if list == nil || p == nil || size == 0 || kind&perhaps != 0 {
		return
	}
	site := Site(0)
	if at >= 0 && int(at) < len(*list) {
		site = (*list)[at]
	}
	op := recRead
	if kind&writes != 0 {
		op = recWrite
	}
	if size <= wordSize || kind&ofMap != 0 {
		r.access(op, site, at, p)
		return
	}
	for i := range min((size+wordSize-1)/wordSize, maxRecordedWords) {
		r.access(op, site, at, unsafe.Add(p, i*wordSize))
	}
}

// access records one of a word. Memory has the name of the expression of the place that is the first to touch it.
func (r *recorder) access(op byte, site Site, at Place, p unsafe.Pointer) {
	r.whole(op, site, r.knowsAs(recMemory, p, max(int(at), 0)).id, 0, 0)
}

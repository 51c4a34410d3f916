//go:build go1.25

package orcruntime

import (
	"maps"
	"slices"
	"unsafe"
)

// largeAccess is an access to more than maxAccess bytes, as of an array of megabytes: one record for all of them, not
// one for each word.
type largeAccess struct {
	begin, end uintptr
	p          unsafe.Pointer // keeps the memory from being used for another object
	record     record
}

// maxLarge is how many large accesses are kept.
const maxLarge = 64

// overlaps reports whether it is of some of the bytes from begin to end.
func (a *largeAccess) overlaps(begin, end uintptr) bool { return a.begin < end && begin < a.end }

// accessLarge records a large access. It returns a race with an earlier access that is not known yet: to the lowest
// address, or with another large one.
func (r *races) accessLarge(rec record, p unsafe.Pointer, size uintptr, now clock, stack int32) *foundRace {
	n := largeAccess{uintptr(p), uintptr(p) + size, p, rec}
	n.record.mask = 0xff
	for i := range r.larges {
		if o := &r.larges[i]; o.begin == n.begin && o.end == n.end && o.record.g == rec.g && o.record.clock == rec.clock && o.record.kind == rec.kind {
			return nil // as in a loop
		}
	}
	if stack < 0 {
		stack = r.stack()
	}
	n.record.stack = stack
	first, ok := r.inPages(&n, now)
	if !ok {
		first, ok = r.inLarges(n.begin, n.end, n.record, now)
	}
	r.larges = slices.DeleteFunc(r.larges, func(o largeAccess) bool {
		return n.begin <= o.begin && o.end <= n.end && stands(n.record, o.record, now)
	})
	if len(r.larges) < maxLarge {
		r.larges = append(r.larges, n)
	} else {
		r.cut = true
	}
	if !ok {
		return nil
	}
	return r.conflicting(first, n.record)
}

// inPages finds an access to a word that a large one conflicts with.
func (r *races) inPages(n *largeAccess, now clock) (first record, ok bool) {
	const bytes = 8 * pageWords
	for _, base := range slices.Sorted(maps.Keys(r.pages)) {
		if !n.overlaps(base*bytes, (base+1)*bytes) {
			continue
		}
		for i := range r.pages[base] {
			rec, at := n.record, base*bytes+8*uintptr(i)
			if at < n.begin { // it begins within the word
				rec.mask <<= min(n.begin-at, 8)
			}
			if at+8 > n.end {
				rec.mask &= uint8(0xff) >> min(at+8-n.end, 8)
			}
			if first, ok := r.pages[base][i].conflict(rec, now); ok {
				return first, true
			}
		}
	}
	return record{}, false
}

// inLarges finds a large access that one to the bytes from begin to end conflicts with.
func (r *races) inLarges(begin, end uintptr, rec record, now clock) (first record, ok bool) {
	rec.mask = 0xff
	for i := range r.larges {
		if o := &r.larges[i]; o.overlaps(begin, end) {
			if first, ok := (&word{records: []record{o.record}}).conflict(rec, now); ok {
				return first, true
			}
		}
	}
	return record{}, false
}

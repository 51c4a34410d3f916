package translate

import (
	"math"
	"slices"
	"sort"
)

// abs is a set of integers: what a scalar may hold. It is a small explicit
// set, an interval, or top, which means that the scalar is not tracked. The
// zero abs is empty.
type abs struct {
	top    bool
	iv     bool
	lo, hi int32
	set    []int32 // sorted; used when neither top nor iv
}

const (
	// maxSet is the size from which an explicit set of plain integers becomes
	// an interval. Sets of references always stay explicit.
	maxSet = 24
	// maxRefSet is the most addresses that a reference may stand for.
	maxRefSet = 512
	// maxWidth is the widest interval that is tracked.
	maxWidth = 1 << 24
)

func absConst(k int32) abs {
	if leastMade <= k && k <= mostMade {
		i := k - leastMade
		return abs{set: singles[i : i+1 : i+1]}
	}
	return abs{set: []int32{k}}
}

// either is what a condition can be of which nothing is known.
var either = [2]int32{0, 1}

func absTop() abs  { return abs{top: true} }
func absBool() abs { return abs{set: either[:2:2]} }

func absRange(lo, hi int32) abs {
	if lo > hi {
		return abs{}
	}
	if int64(hi)-int64(lo) < maxSet {
		var a abs
		for k := lo; k <= hi; k++ {
			a.set = append(a.set, k)
		}
		return a
	}
	return abs{iv: true, lo: lo, hi: hi}
}

func (a abs) empty() bool { return !a.top && !a.iv && len(a.set) == 0 }

// single returns the only element.
func (a abs) single() (int32, bool) {
	if !a.top && !a.iv && len(a.set) == 1 {
		return a.set[0], true
	}
	return 0, false
}

// bounds returns the least and the greatest element of a non-empty abs that is
// not top.
func (a abs) bounds() (lo, hi int32) {
	if a.iv {
		return a.lo, a.hi
	}
	if len(a.set) == 0 {
		return 0, 0
	}
	return a.set[0], a.set[len(a.set)-1]
}

func (a abs) has(k int32) bool {
	if a.top {
		return true
	}
	if a.iv {
		return a.lo <= k && k <= a.hi
	}
	_, ok := slices.BinarySearch(a.set, k)
	return ok
}

func (a abs) equal(b abs) bool {
	return a.top == b.top && a.iv == b.iv && (!a.iv || a.lo == b.lo && a.hi == b.hi) && (a.iv || slices.Equal(a.set, b.set))
}

// within reports that every element of a is one of b.
func (a abs) within(b abs) bool {
	switch {
	case b.top || a.empty():
		return true
	case a.top:
		return false
	case a.iv:
		lo, hi := b.bounds()
		return b.iv && lo <= a.lo && a.hi <= hi
	}
	for _, k := range a.set {
		if !b.has(k) {
			return false
		}
	}
	return true
}

// join returns the union. Explicit sets larger than limit become intervals.
func (a abs) join(b abs, limit int) abs {
	switch {
	case a.empty():
		return b
	case b.empty():
		return a
	case a.top || b.top:
		return absTop()
	case !a.iv && !b.iv:
		if len(a.set) <= limit && b.within(a) {
			return a
		}
		out := make([]int32, 0, len(a.set)+len(b.set))
		i, j := 0, 0
		for i < len(a.set) || j < len(b.set) {
			switch {
			case j == len(b.set) || i < len(a.set) && a.set[i] < b.set[j]:
				out = append(out, a.set[i])
				i++
			case i == len(a.set) || b.set[j] < a.set[i]:
				out = append(out, b.set[j])
				j++
			default:
				out = append(out, a.set[i])
				i, j = i+1, j+1
			}
		}
		if len(out) <= limit {
			return abs{set: out}
		}
	}
	alo, ahi := a.bounds()
	blo, bhi := b.bounds()
	return abs{iv: true, lo: min(alo, blo), hi: max(ahi, bhi)}
}

// widen joins b to a and, if the result grew as an interval, extends the bound
// that grew to the next threshold; beyond the last one the value is not
// tracked.
func (a abs) widen(b abs, limit int, thresholds []int32) abs {
	j := a.join(b, limit)
	if !j.iv || j.within(a) {
		return j
	}
	lo, hi := j.bounds()
	if a.empty() {
		return j.capped()
	}
	alo, ahi := a.bounds()
	if lo < alo {
		i := sort.Search(len(thresholds), func(i int) bool { return thresholds[i] > lo }) - 1
		if i < 0 {
			return absTop()
		}
		lo = thresholds[i]
	}
	if hi > ahi {
		i := sort.Search(len(thresholds), func(i int) bool { return thresholds[i] >= hi })
		if i == len(thresholds) {
			return absTop()
		}
		hi = thresholds[i]
	}
	return abs{iv: true, lo: lo, hi: hi}.capped()
}

func (a abs) capped() abs {
	if a.iv && int64(a.hi)-int64(a.lo) > maxWidth {
		return absTop()
	}
	return a
}

// filter keeps the elements for which keep holds; an interval only if it is
// small enough to be listed, else it is returned as it is.
func (a abs) filter(keep func(int32) bool) abs {
	if a.top {
		return a
	}
	if a.iv {
		if int64(a.hi)-int64(a.lo) > 1<<12 {
			return a
		}
		var out []int32
		for k := a.lo; ; k++ {
			if keep(k) {
				out = append(out, k)
			}
			if k == a.hi {
				break
			}
		}
		if len(out) > maxSet {
			return abs{iv: true, lo: out[0], hi: out[len(out)-1]}
		}
		return abs{set: out}
	}
	var out []int32
	for _, k := range a.set {
		if keep(k) {
			out = append(out, k)
		}
	}
	return abs{set: out}
}

// clamp keeps the elements between lo and hi.
func (a abs) clamp(lo, hi int64) abs {
	if a.top {
		if lo >= math.MinInt32 && hi <= math.MaxInt32 && hi-lo <= maxWidth {
			return absRange(int32(lo), int32(hi))
		}
		return a
	}
	if a.iv {
		l, h := max(int64(a.lo), lo), min(int64(a.hi), hi)
		if l > h {
			return abs{}
		}
		return absRange(int32(l), int32(h))
	}
	return a.filter(func(k int32) bool { return lo <= int64(k) && int64(k) <= hi })
}

// combine applies f to all pairs if these are few, and else falls back to the
// interval that bound gives from the bounds of the operands; ok is false where
// the result does not fit or is undefined.
func combine(a, b abs, f func(x, y int64) (int64, bool), bound func(al, ah, bl, bh int64) (int64, int64, bool)) abs {
	if a.empty() || b.empty() {
		return abs{}
	}
	if a.top || b.top {
		return absTop()
	}
	if !a.iv && !b.iv && len(a.set)*len(b.set) <= 1<<12 {
		var out []int32
		for _, x := range a.set {
			for _, y := range b.set {
				z, ok := f(int64(x), int64(y))
				if !ok {
					continue
				}
				if z < math.MinInt32 || z > math.MaxInt32 {
					return absTop()
				}
				out = append(out, int32(z))
			}
		}
		slices.Sort(out)
		out = slices.Compact(out)
		if len(out) <= maxRefSet {
			return abs{set: out}
		}
		return abs{iv: true, lo: out[0], hi: out[len(out)-1]}
	}
	al, ah := a.bounds()
	bl, bh := b.bounds()
	lo, hi, ok := bound(int64(al), int64(ah), int64(bl), int64(bh))
	if !ok || lo < math.MinInt32 || hi > math.MaxInt32 {
		return absTop()
	}
	return absRange(int32(lo), int32(hi))
}

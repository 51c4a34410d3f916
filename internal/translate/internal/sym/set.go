package sym

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Set is a set of integers: what a scalar may hold. It is a small explicit
// set, an interval, or top, which means that the scalar is not tracked. The
// zero Set is empty.
type Set struct {
	Top      bool
	Interval bool
	Lo, Hi   int32
	Elems    []int32 // sorted; used if neither Top nor Interval
}

const (
	// MaxSet is the size from which an explicit set of plain integers becomes
	// an interval. Sets of references always stay explicit.
	MaxSet = 24
	// MaxRefSet is the most addresses that a reference may stand for.
	MaxRefSet = 512
	// MaxWidth is the widest interval that is tracked.
	MaxWidth = 1 << 24
)

// Single is the set of one integer.
func Single(k int32) Set {
	if leastMade <= k && k <= mostMade {
		i := k - leastMade
		return Set{Elems: singles[i : i+1 : i+1]}
	}
	return Set{Elems: []int32{k}}
}

// either are the elements of that set.
var either = [2]int32{0, 1}

// Anything is the set of what a scalar may hold that is not tracked.
func Anything() Set { return Set{Top: true} }

// Either is the set of a condition of which nothing is known.
func Either() Set { return Set{Elems: either[:2:2]} }

// Range is the set of the integers from lo to hi.
func Range(lo, hi int32) Set {
	if lo > hi {
		return Set{}
	}
	if int64(hi)-int64(lo) < MaxSet {
		var a Set
		for k := lo; k <= hi; k++ {
			a.Elems = append(a.Elems, k)
		}
		return a
	}
	return Set{Interval: true, Lo: lo, Hi: hi}
}

// String lists the integers of a set, or says which they are.
func (a Set) String() string {
	switch {
	case a.Top:
		return "anything"
	case a.Interval:
		return fmt.Sprintf("[%d, %d]", a.Lo, a.Hi)
	}
	out := make([]string, len(a.Elems))
	for i, k := range a.Elems {
		out[i] = strconv.Itoa(int(k))
	}
	return "{" + strings.Join(out, ", ") + "}"
}

// Empty reports that there is no element.
func (a Set) Empty() bool { return !a.Top && !a.Interval && len(a.Elems) == 0 }

// Single returns the only element.
func (a Set) Single() (int32, bool) {
	if !a.Top && !a.Interval && len(a.Elems) == 1 {
		return a.Elems[0], true
	}
	return 0, false
}

// Bounds returns the least and the greatest element of a non-empty set that is
// not top.
func (a Set) Bounds() (lo, hi int32) {
	if a.Interval {
		return a.Lo, a.Hi
	}
	if len(a.Elems) == 0 {
		return 0, 0
	}
	return a.Elems[0], a.Elems[len(a.Elems)-1]
}

// Has reports that k is in the set.
func (a Set) Has(k int32) bool {
	if a.Top {
		return true
	}
	if a.Interval {
		return a.Lo <= k && k <= a.Hi
	}
	_, ok := slices.BinarySearch(a.Elems, k)
	return ok
}

// Equal reports that two sets are written in the same way, and so have the same elements.
func (a Set) Equal(b Set) bool {
	return a.Top == b.Top && a.Interval == b.Interval && (!a.Interval || a.Lo == b.Lo && a.Hi == b.Hi) && (a.Interval || slices.Equal(a.Elems, b.Elems))
}

// Within reports that every element of a is one of b.
func (a Set) Within(b Set) bool {
	switch {
	case b.Top || a.Empty():
		return true
	case a.Top:
		return false
	case a.Interval:
		lo, hi := b.Bounds()
		return b.Interval && lo <= a.Lo && a.Hi <= hi
	}
	for _, k := range a.Elems {
		if !b.Has(k) {
			return false
		}
	}
	return true
}

// Join returns the union. Explicit sets larger than limit become intervals.
func (a Set) Join(b Set, limit int) Set {
	switch {
	case a.Empty():
		return b
	case b.Empty():
		return a
	case a.Top || b.Top:
		return Anything()
	case !a.Interval && !b.Interval:
		if len(a.Elems) <= limit && b.Within(a) {
			return a
		}
		out := make([]int32, 0, len(a.Elems)+len(b.Elems))
		i, j := 0, 0
		for i < len(a.Elems) || j < len(b.Elems) {
			switch {
			case j == len(b.Elems) || i < len(a.Elems) && a.Elems[i] < b.Elems[j]:
				out = append(out, a.Elems[i])
				i++
			case i == len(a.Elems) || b.Elems[j] < a.Elems[i]:
				out = append(out, b.Elems[j])
				j++
			default:
				out = append(out, a.Elems[i])
				i, j = i+1, j+1
			}
		}
		if len(out) <= limit {
			return Set{Elems: out}
		}
	}
	alo, ahi := a.Bounds()
	blo, bhi := b.Bounds()
	return Set{Interval: true, Lo: min(alo, blo), Hi: max(ahi, bhi)}
}

// Widen joins b to a and, if the result grew as an interval, extends the bound
// that grew to the next threshold; beyond the last one the value is not
// tracked.
func (a Set) Widen(b Set, limit int, thresholds []int32) Set {
	j := a.Join(b, limit)
	if !j.Interval || j.Within(a) {
		return j
	}
	lo, hi := j.Bounds()
	if a.Empty() {
		return j.capped()
	}
	alo, ahi := a.Bounds()
	if lo < alo {
		i := sort.Search(len(thresholds), func(i int) bool { return thresholds[i] > lo }) - 1
		if i < 0 {
			return Anything()
		}
		lo = thresholds[i]
	}
	if hi > ahi {
		i := sort.Search(len(thresholds), func(i int) bool { return thresholds[i] >= hi })
		if i == len(thresholds) {
			return Anything()
		}
		hi = thresholds[i]
	}
	return Set{Interval: true, Lo: lo, Hi: hi}.capped()
}

func (a Set) capped() Set {
	if a.Interval && int64(a.Hi)-int64(a.Lo) > MaxWidth {
		return Anything()
	}
	return a
}

// Filter keeps the elements for which keep holds; an interval only if it is
// small enough to be listed, else it is returned as it is.
func (a Set) Filter(keep func(int32) bool) Set {
	if a.Top {
		return a
	}
	if a.Interval {
		if int64(a.Hi)-int64(a.Lo) > 1<<12 {
			return a
		}
		var out []int32
		for k := a.Lo; ; k++ {
			if keep(k) {
				out = append(out, k)
			}
			if k == a.Hi {
				break
			}
		}
		if len(out) > MaxSet {
			return Set{Interval: true, Lo: out[0], Hi: out[len(out)-1]}
		}
		return Set{Elems: out}
	}
	var out []int32
	for _, k := range a.Elems {
		if keep(k) {
			out = append(out, k)
		}
	}
	return Set{Elems: out}
}

// Clamp keeps the elements between lo and hi.
func (a Set) Clamp(lo, hi int64) Set {
	if a.Top {
		if lo >= math.MinInt32 && hi <= math.MaxInt32 && hi-lo <= MaxWidth {
			return Range(int32(lo), int32(hi))
		}
		return a
	}
	if a.Interval {
		l, h := max(int64(a.Lo), lo), min(int64(a.Hi), hi)
		if l > h {
			return Set{}
		}
		return Range(int32(l), int32(h))
	}
	return a.Filter(func(k int32) bool { return lo <= int64(k) && int64(k) <= hi })
}

// combine applies f to all pairs if these are few, and else falls back to the
// interval that bound gives from the bounds of the operands; ok is false where
// the result does not fit or is undefined.
func combine(a, b Set, f func(x, y int64) (int64, bool), bound func(al, ah, bl, bh int64) (int64, int64, bool)) Set {
	if a.Empty() || b.Empty() {
		return Set{}
	}
	if a.Top || b.Top {
		return Anything()
	}
	if !a.Interval && !b.Interval && len(a.Elems)*len(b.Elems) <= 1<<12 {
		var out []int32
		for _, x := range a.Elems {
			for _, y := range b.Elems {
				z, ok := f(int64(x), int64(y))
				if !ok {
					continue
				}
				if z < math.MinInt32 || z > math.MaxInt32 {
					return Anything()
				}
				out = append(out, int32(z))
			}
		}
		slices.Sort(out)
		out = slices.Compact(out)
		if len(out) <= MaxRefSet {
			return Set{Elems: out}
		}
		return Set{Interval: true, Lo: out[0], Hi: out[len(out)-1]}
	}
	al, ah := a.Bounds()
	bl, bh := b.Bounds()
	lo, hi, ok := bound(int64(al), int64(ah), int64(bl), int64(bh))
	if !ok || lo < math.MinInt32 || hi > math.MaxInt32 {
		return Anything()
	}
	return Range(int32(lo), int32(hi))
}

package check

// recent holds some states that were seen not long ago, one for each value of
// some bits of the hash. More than half of the successors that a search meets
// were met shortly before, by way of a neighbour; they need no look at the
// table, which is out of the processor's caches.
type recent struct {
	width int
	shift uint8
	words []uint64
}

const (
	recentWords = 1 << 14 // in all: 128 KiB, half of a small second-level cache
	recentBytes = 8 * recentWords
	recentFrom  = 1 << 12 // states from which it is worth its memory
	recentWidth = 1 << 10 // of the widest states
)

func newRecent(width int) *recent {
	r := &recent{width: width, shift: 64}
	for n := recentWords; n >= 2*width; n /= 2 {
		r.shift--
	}
	r.words = make([]uint64, width<<(64-r.shift))
	r.clear()
	return r
}

func (r *recent) slot(h uint64) []uint64 {
	at := int(h>>(r.shift&63)) * r.width
	return r.words[at : at+r.width : at+r.width]
}

// clear forgets all states: each slot gets one that does not belong there.
func (r *recent) clear() {
	for i := range r.words {
		r.words[i] = ^uint64(0)
	}
	wrong := make([]uint64, r.width)
	for i := range wrong {
		wrong[i] = ^uint64(0)
	}
	own := hash(wrong) >> (r.shift & 63)
	for clear(wrong); hash(wrong)>>(r.shift&63) == own; {
		wrong[0]++
	}
	copy(r.slot(own<<(r.shift&63)), wrong)
}

// seen reports whether a state with this hash is among them, and adds it.
func (r *recent) seen(words []uint64, h uint64) bool {
	if r.width == 1 {
		w := &r.words[h>>(r.shift&63)]
		same := *w == words[0]
		*w = words[0]
		return same
	}
	slot := r.slot(h)
	if equalWords(slot, words) {
		return true
	}
	copy(slot, words)
	return false
}

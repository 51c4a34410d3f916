package check

const (
	segBits  = 6 // segments of a table, as a power of two
	segments = 1 << segBits
	minHomes = 16 // home slots of a new segment
)

// segment is one part of the table of a store: an ordered hash table with
// linear probing. An entry is a 32-bit hash tag above the 32-bit state number
// plus one; 0 is a free slot. Entries are in the order of their tags and lie
// at or after their home slots, which are in proportion to the tags. So a
// search ends where a greater tag is met, and growing is one pass over slots
// that needs no look at states. Slots follow the last home for what is
// displaced beyond; the last one stays free.
//
// The table grows by a quarter, one segment at a time, which wastes little and
// keeps the memory spike of growing small.
type segment struct {
	slots []uint64
	homes uint32
	count uint32
}

// slotsFor is the number of slots for some homes.
func slotsFor(homes int) int { return homes + 16 + homes/256 }

// split gives the segment and the tag of a hash, from disjoint bits.
func split(h uint64) (seg uint32, tag uint32) {
	return uint32(h) & (segments - 1), uint32(h >> 32)
}

func (g *segment) home(tag uint32) uint32 {
	return uint32(uint64(tag) * uint64(g.homes) >> 32)
}

// first is the first entry with the tag, or 0.
func (g *segment) first(tag uint32) uint64 {
	for pos := g.home(tag); ; pos++ {
		e := g.slots[pos]
		switch {
		case e == 0 || uint32(e>>32) > tag:
			return 0
		case uint32(e>>32) == tag:
			return e
		}
	}
}

// beyond is the sum of two slots behind the home of a tag, as far away from each
// other as a cache line is long. At the load of the table, a new entry moves some
// twenty others.
func (g *segment) beyond(tag uint32) uint64 {
	home := g.home(tag)
	return g.slots[home+8] + g.slots[home+16]
}

// position is where a new entry with the tag goes.
func (g *segment) position(tag uint32) uint32 {
	pos := g.home(tag)
	for e := g.slots[pos]; e != 0 && uint32(e>>32) <= tag; e = g.slots[pos] {
		pos++
	}
	return pos
}

// full reports that the segment should not take another entry.
func (g *segment) full() bool { return uint64(g.count+1)*20 > uint64(g.homes)*17 }

// place adds an entry at its position. It reports false if there is no slot
// for what that displaces.
func (g *segment) place(pos uint32, e uint64) bool {
	end := pos
	for g.slots[end] != 0 {
		end++
	}
	if int(end) == len(g.slots)-1 {
		return false
	}
	copy(g.slots[pos+1:end+1], g.slots[pos:end])
	g.slots[pos] = e
	g.count++
	return true
}

// fill adds the entries of a smaller table to an empty one. It reports false if
// they do not fit.
func (g *segment) fill(slots []uint64) bool {
	next := uint32(0)
	last := uint32(len(g.slots) - 1)
	for _, e := range slots {
		if e == 0 {
			continue
		}
		pos := max(next, g.home(uint32(e>>32)))
		if pos >= last {
			return false
		}
		g.slots[pos] = e
		g.count++
		next = pos + 1
	}
	return true
}

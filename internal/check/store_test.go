package check

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStoreCollisions: states are told apart by all of their words, also where their
// hashes are equal, or the parts of them that the table keeps. Hashes that collide are
// put in by hand: a search meets two such states once in many millions.
func TestStoreCollisions(t *testing.T) {
	hashes := map[string]func(i uint64) uint64{
		"equal":          func(uint64) uint64 { return 0 },
		"equal, not 0":   func(uint64) uint64 { return 0x123456789abcdef0 },
		"few":            func(i uint64) uint64 { return i % 3 << 40 },
		"equal tags":     func(i uint64) uint64 { return 24<<32 | i<<segBits },
		"few tags":       func(i uint64) uint64 { return i%16<<32 | i<<segBits },
		"greatest tags":  func(i uint64) uint64 { return ^(i % 2 << 32) },
		"equal segments": func(i uint64) uint64 { return i<<35 | 5 },
	}
	for name, hash := range hashes {
		for width := 1; width <= 3; width++ {
			for different := range width { // the word in which the states differ
				t.Run(fmt.Sprintf("%s/%d of %d", name, different, width), func(t *testing.T) {
					s, err := newPackedStore(width, 0, false, &budget{})
					require.NoError(t, err)
					const n = 300
					state := func(i uint64) []uint64 {
						words := make([]uint64, width)
						words[different] = i
						return words
					}
					// Every state twice, near to and far from each other.
					for _, order := range []func(i uint64) uint64{
						func(i uint64) uint64 { return i - i%4/2*2 },
						func(i uint64) uint64 { return i },
						func(i uint64) uint64 { return n - 1 - i },
					} {
						for i := range uint64(n) {
							k := order(i)
							require.NoError(t, s.add(state(k), noParent))
							if s.pending > 0 {
								s.pendHash[s.pending-1] = hash(k)
							}
							if s.pending == batchLen-1 { // before it is done with the true hashes
								require.NoError(t, s.flush())
							}
						}
					}
					require.NoError(t, s.flush())
					require.Equal(t, n, s.len())
					for i := range uint64(n) {
						seg, tag := split(hash(i))
						g := &s.segs[seg]
						e, _ := s.probe(g, tag, state(i), hash(i))
						require.NotZero(t, e)
						require.Equal(t, state(i), s.state(uint32(e)-1))
						require.True(t, s.holds(state(i), hash(i), g.first(tag)))
						seg, tag = split(hash(n + i))
						g = &s.segs[seg]
						require.False(t, s.holds(state(n+i), hash(n+i), g.first(tag)), "it was not inserted")
					}
					s.release()
				})
			}
		}
	}
}

// TestDistinctCollisions: the same of states that several workers have found.
func TestDistinctCollisions(t *testing.T) {
	for _, hash := range []func(i uint64) uint64{
		func(uint64) uint64 { return 0 },
		func(i uint64) uint64 { return i % 4 << 40 },
		func(i uint64) uint64 { return i }, // equal places in the table of a pass
	} {
		const n = 200
		store, err := newPackedStore(2, 0, false, &budget{})
		require.NoError(t, err)
		s := &search{store: store, prog: &program{width: 2}}
		for range 2 {
			s.workers = append(s.workers, &worker{s: s})
		}
		for i, w := range s.workers {
			w.out = append(w.out, shardOut{})
			for k := range uint64(n) {
				w.out[0].records = append(w.out[0].records, hash(k), uint64(i)<<32|k, 7, k)
			}
		}
		w := s.workers[0]
		w.distinguish(0)
		require.Len(t, w.fresh, n)
		for k, f := range w.fresh {
			require.Equal(t, []uint64{7, uint64(k)}, f.record[2:])
		}
		store.release()
	}
}

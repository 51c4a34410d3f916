package check

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// FuzzModel runs any model that type-checks: no panic, no hang, and the two
// implementations agree.
func FuzzModel(f *testing.F) {
	noRaces(f)
	for _, c := range semantics {
		f.Add(c.model)
	}
	f.Add(peterson)
	f.Add(philosophers(3))
	f.Fuzz(func(t *testing.T, text string) {
		hang := time.AfterFunc(time.Minute, func() { panic("hangs: " + text) }) // much, for loaded machines
		defer hang.Stop()
		net, err := parseModel(text)
		if err != nil {
			return
		}
		info, err := uppaal.Check(net)
		if err != nil {
			return
		}
		opts := Options{MaxStates: 300, MaxMemory: 64 << 20, Timeout: 2 * time.Second}
		qs := queries(t, "A[] true", "E<> deadlock", "A<> false")
		if info.HasPriorities() {
			qs = queries(t, "A[] true")
		}
		r, err := Verify(context.Background(), net, qs, opts)
		if err != nil {
			return
		}
		for _, x := range r.Results {
			require.NotContains(t, x.Reason, "internal", text)
		}
	})
}

func TestStore(t *testing.T) {
	for width := 1; width <= 4; width++ {
		mem := budget{}
		s, err := newPackedStore(width, 0, false, &mem)
		require.NoError(t, err)
		type key [4]uint64
		index := map[key]uint32{}
		state := func(i uint64) key {
			var k key
			for w := range width {
				k[w] = (i * 0x9e3779b97f4a7c15) >> (8 * uint(w)) & 0xffff
			}
			return k
		}
		const n = 60000
		for i := range uint64(n) {
			k := state(i * i % 45000)
			if _, ok := index[k]; !ok {
				index[k] = uint32(len(index))
			}
			require.NoError(t, s.add(k[:width], uint32(i)))
		}
		require.NoError(t, s.flush())
		require.Equal(t, len(index), s.len())
		got := make([]uint64, width)
		for k, i := range index {
			at, ok := s.find(k[:width])
			require.True(t, ok)
			require.Equal(t, i, at)
			s.load(at, got)
			require.Equal(t, k[:width], got)
		}
		_, ok := s.find([]uint64{1 << 40, 0, 0, 0}[:width])
		require.False(t, ok)
		require.Equal(t, mem.used, s.bytes())
		s.release()
		require.Zero(t, mem.used)
	}
}

// One network may be verified by several goroutines at a time.
func TestConcurrentUse(t *testing.T) {
	net := model(t, philosophers(6))
	qs := queries(t, "A[] not deadlock", "E<> Phil(2).eat", "A[] not (Phil(1).left and stuck(Phil(1)))")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			r, err := Verify(context.Background(), net, qs, Options{})
			if err != nil || r.Results[0].Verdict != False || r.Results[1].Verdict != True || r.Results[2].Verdict != False {
				t.Errorf("%v %+v", err, r)
			}
		})
	}
	wg.Wait()
}

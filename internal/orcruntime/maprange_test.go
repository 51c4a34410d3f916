package orcruntime

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// changing is a map that a program ranges over while it changes it.
type changing interface {
	insert(k int)
	remove(k int)
	clear()
	iterate(yield func(k int) bool)
}

// plainMap is that of the language.
type plainMap map[int]int

func (m plainMap) insert(k int) { m[k] = k }
func (m plainMap) remove(k int) { delete(m, k) }
func (m plainMap) clear()       { clear(m) }
func (m plainMap) iterate(yield func(k int) bool) {
	for k := range m {
		if !yield(k) {
			return
		}
	}
}

// runMap is that of a run.
type runMap map[int]int

func (m runMap) insert(k int)                   { m[k] = k }
func (m runMap) remove(k int)                   { Deletes(m)(k) }
func (m runMap) clear()                         { Clears(m) }
func (m runMap) iterate(yield func(k int) bool) { MapKeys(1, m)(yield) }

// specMap follows the specification of the language: an entry that was there at the
// beginning comes once, unless it is removed before; one that is created during the range
// may come or not. It chooses by choose.
type specMap struct {
	entries map[int]int // by key, a number of each entry
	made    int
	choose  func(n int) int
}

func (m *specMap) insert(k int) {
	if _, ok := m.entries[k]; !ok {
		m.made++
		m.entries[k] = m.made
	}
}

func (m *specMap) remove(k int) { delete(m.entries, k) }
func (m *specMap) clear()       { clear(m.entries) }

func (m *specMap) iterate(yield func(k int) bool) {
	atFirst, came := m.made, map[int]bool{}
	for {
		var next []int
		owed := false
		for _, k := range slices.Sorted(maps.Keys(m.entries)) {
			if entry := m.entries[k]; !came[entry] {
				next = append(next, k)
				owed = owed || entry <= atFirst
			}
		}
		n := len(next)
		if !owed {
			n++
		}
		i := 0
		if n > 0 {
			i = m.choose(n)
		}
		if i == len(next) {
			return
		}
		came[m.entries[next[i]]] = true
		if !yield(next[i]) {
			return
		}
	}
}

// changes is a random program: what it does in its first iterations, by how many there were,
// and with the key that has come.
type changes struct {
	first []int
	does  [][]change
}

type change struct {
	what byte // insert, remove, clear, iterate, or break
	k    int  // more than the key that has come
}

func randomChanges(r *rand.Rand) (c changes) {
	for range r.IntN(4) {
		c.first = append(c.first, r.IntN(4))
	}
	nested := false
	for range 1 + r.IntN(3) {
		var list []change
		for range r.IntN(4) {
			what := "iiirrrrcnb"[r.IntN(10)]
			if what == 'n' && nested {
				continue
			}
			nested = nested || what == 'n'
			list = append(list, change{what, r.IntN(3)})
		}
		c.does = append(c.does, list)
	}
	return c
}

// run returns what has come.
func (c changes) run(m changing) string {
	out := ""
	for _, k := range c.first {
		m.insert(k)
	}
	n := 0
	m.iterate(func(k int) bool { return c.body(m, &n, k, &out) })
	return out
}

func (c changes) body(m changing, n *int, k int, out *string) bool {
	*out += fmt.Sprint(k)
	if *n == len(c.does) {
		return true
	}
	list := c.does[*n]
	*n++
	for _, ch := range list {
		switch at := (k + ch.k) % 4; ch.what {
		case 'i':
			m.insert(at)
		case 'r':
			m.remove(at)
		case 'c':
			m.clear()
		case 'n':
			*out += "("
			m.iterate(func(k int) bool { return c.body(m, n, k, out) })
			*out += ")"
		case 'b':
			return false
		}
	}
	return true
}

// specified returns all that the specification allows, nil if that is too much.
func (c changes) specified() map[string]bool {
	all := map[string]bool{}
	var values, of []int
	for runs := 0; ; runs++ {
		if runs == 3000 {
			return nil
		}
		at := 0
		all[c.run(&specMap{entries: map[int]int{}, choose: func(n int) int {
			if at == len(values) {
				values, of = append(values, 0), append(of, n)
			}
			at++
			return values[at-1]
		}})] = true
		i := len(values) - 1
		for ; i >= 0 && values[i]+1 == of[i]; i-- {
		}
		if i < 0 {
			return all
		}
		values[i]++
		values, of = values[:i+1], of[:i+1]
	}
}

// TestMapRange: of random programs that change a map in a range over it, an exploration finds
// exactly what the specification of the language allows, and Go does nothing else.
func TestMapRange(t *testing.T) {
	programs, several := 0, 0
	for seed := range uint64(400) {
		c := randomChanges(rand.New(rand.NewPCG(seed, 2)))
		want := c.specified()
		if want == nil {
			continue
		}
		programs++
		if len(want) > 1 {
			several++
		}
		for range 20 {
			require.True(t, want[c.run(plainMap{})], "%+v", c)
			require.True(t, want[c.run(runMap{})], "%+v", c)
		}
		got := map[string]bool{}
		out := ""
		seen := Exhaust(Exhaustion{
			Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: func() { out = c.run(runMap{}) }},
			Ran:    func(int, Result) { got[out] = true }, Found: func(int, Result) {},
		})
		require.True(t, seen.Complete)
		require.Empty(t, seen.Bounds)
		require.Equal(t, want, got, "%+v", c)
		for s := range uint64(5) {
			res := inRun(t, s, func() { out = c.run(runMap{}) })
			require.True(t, want[out], "%+v", c)
			again := out
			Run(Config{Bubble: bubble(t), Plan: Plan{Choices: res.Choices}, Main: func() { out = c.run(runMap{}) }})
			require.Equal(t, again, out)
		}
	}
	require.Greater(t, programs, 300)
	require.Greater(t, several, 200)
}

// TestMapCreates: a range whose body creates an entry in each iteration ends, and an
// exploration of it says how far it goes.
func TestMapCreates(t *testing.T) {
	var n int
	endless := map[string]func(){
		"map": func() {
			m := map[int]int{0: 0}
			for r := RangeMap(1, m, false); r.Next(); n++ {
				m[r.K+1] = 0
			}
		},
		"sync.Map": func() {
			var m sync.Map
			m.Store(0, 0)
			SyncMap(1, &m).Range(func(k, _ any) bool {
				n++
				m.Store(k.(int)+1, 0)
				return true
			})
		},
	}
	for name, body := range endless {
		main := func() { n = 0; body() }
		iterations := map[int]bool{}
		out := Exhaust(Exhaustion{
			Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: main},
			Ran:    func(int, Result) { iterations[n] = true }, Found: func(int, Result) {},
		})
		require.True(t, out.Complete, name)
		require.Len(t, out.Bounds, 1, name)
		require.Contains(t, out.Bounds[0], "entries that are created while a map is ranged over")
		require.Equal(t, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, slices.Sorted(maps.Keys(iterations)), name)
		clear(iterations)
		for seed := range uint64(100) {
			inRun(t, seed, main)
			iterations[n] = true
		}
		require.Greater(t, len(iterations), 4, name)
	}
}

// TestSyncMapStores: what is stored in a sync.Map while it is ranged over may come or not, and
// no key comes twice.
func TestSyncMapStores(t *testing.T) {
	came := map[string]bool{}
	out := ""
	seen := Exhaust(Exhaustion{
		Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
			var m sync.Map
			m.Store(1, 1)
			m.Store(2, 2)
			out = ""
			SyncMap(1, &m).Range(func(k, v any) bool {
				out += fmt.Sprint(k, v, " ")
				if k == 1 {
					m.Store(3, 3)
					m.Delete(2)
					m.Delete(1)
					m.Store(1, 4)
				}
				return true
			})
		}},
		Ran: func(int, Result) { came[out] = true }, Found: func(int, Result) {},
	})
	require.True(t, seen.Complete)
	require.Empty(t, seen.Bounds)
	require.Equal(t, []string{"1 1 ", "1 1 3 3 ", "2 2 1 1 ", "2 2 1 1 3 3 "}, slices.Sorted(maps.Keys(came)))
}

// TestDeletesByLibrary: what code that is not instrumented has removed and put back is new: it may come again.
func TestDeletesByLibrary(t *testing.T) {
	twice, once := 0, 0
	for seed := range uint64(50) {
		inRun(t, seed, func() {
			m := map[int]int{1: 1, 2: 2, 3: 3}
			came := map[int]int{}
			r := RangeMap(1, m, false)
			require.True(t, r.Next())
			first := r.K
			came[first]++
			delete(m, first)
			require.True(t, r.Next())
			came[r.K]++
			m[first] = 4
			for r.Next() {
				came[r.K]++
			}
			if came[first] == 2 {
				twice++
			} else {
				once++
			}
			delete(came, first)
			for _, n := range came {
				require.Equal(t, 1, n)
			}
		})
	}
	require.Positive(t, once)
	require.Positive(t, twice)
}

// TestDeletesElsewhere: a range learns of what another function removes, and ranges that
// have ended do not stay.
func TestDeletesElsewhere(t *testing.T) {
	inRun(t, 0, func() {
		m := map[int]int{1: 1, 2: 2}
		for range 1000 {
			for r := RangeMap(2, m, false); r.Next(); {
			}
		}
		require.LessOrEqual(t, asks().run.ranges.n, 100)
		for range 10 {
			RangeMap(1, m, false).Next()
		}
		r := RangeMap(1, m, false)
		require.True(t, r.Next())
		Deletes(m)(2)
		m[2] = 2
		require.False(t, r.Next()) // without a seed, what is new does not come
	})
}

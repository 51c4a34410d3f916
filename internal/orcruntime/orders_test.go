package orcruntime

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// iterations are the ways to come by what is in a map, up to a number of entries. They return
// the keys in their order, and of values the keys that have them.
var iterations = map[string]func(m map[int]int, most int) []int{
	"range": func(m map[int]int, most int) (out []int) {
		for r := RangeMap(1, m, false); len(out) < most && r.Next(); {
			out = append(out, r.K)
		}
		return out
	},
	"range with values": func(m map[int]int, most int) (out []int) {
		for r := RangeMap(1, m, true); len(out) < most && r.Next(); {
			out = append(out, r.V-100)
		}
		return out
	},
	"maps.Keys": func(m map[int]int, most int) (out []int) {
		for k := range MapKeys(1, m) {
			if out = append(out, k); len(out) >= most {
				break
			}
		}
		return out
	},
	"maps.Values": func(m map[int]int, most int) (out []int) {
		for v := range MapValues(1, m) {
			if out = append(out, v-100); len(out) >= most {
				break
			}
		}
		return out
	},
	"maps.All": func(m map[int]int, most int) (out []int) {
		for k, v := range MapAll(1, m) {
			if v != k+100 {
				panic("another value")
			}
			if out = append(out, k); len(out) >= most {
				break
			}
		}
		return out
	},
	"slice of keys":   func(m map[int]int, most int) []int { return cutTo(KeySlice(1, m), most) },
	"slice of values": func(m map[int]int, most int) []int { return cutTo(less100(ValueSlice(1, m)), most) },
	"reflected keys": func(m map[int]int, most int) (out []int) {
		for _, k := range ReflectedKeys(1, reflect.ValueOf(m).MapKeys()) {
			out = append(out, int(k.Int()))
		}
		return cutTo(out, most)
	},
	"sync.Map": func(m map[int]int, most int) (out []int) {
		var s sync.Map
		for k, v := range m {
			s.Store(k, v)
		}
		SyncMap(1, &s).Range(func(k, v any) bool {
			if v != k.(int)+100 {
				panic("another value")
			}
			out = append(out, k.(int))
			return len(out) < most
		})
		return out
	},
}

func cutTo(list []int, most int) []int { return list[:min(len(list), most)] }

func less100(list []int) (out []int) {
	for _, v := range list {
		out = append(out, v-100)
	}
	return out
}

// TestIterations: an exploration comes by every order of the entries of a map, whichever way they
// are asked for, and a random run by one; outside of runs all entries come.
func TestIterations(t *testing.T) {
	for name, iterate := range iterations {
		for n := range 5 {
			m := map[int]int{}
			orders := 1
			for k := range n {
				m[k] = k + 100
				orders *= k + 1
			}
			for _, most := range []int{n, 2} {
				if most > n {
					continue
				}
				var got []int
				prefixes := map[string]bool{}
				check := func() {
					sorted := slices.Sorted(slices.Values(got))
					require.Len(t, slices.Compact(sorted), min(most, n), "%s: %v", name, got)
					require.False(t, slices.ContainsFunc(got, func(k int) bool { return k < 0 || k >= n }), "%s: %v", name, got)
					prefixes[fmt.Sprint(got)] = true
				}
				got = iterate(m, max(most, 1))
				check()
				clear(prefixes)
				out := Exhaust(Exhaustion{
					Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: func() { got = iterate(m, max(most, 1)) }},
					Ran:    func(int, Result) { check() }, Found: func(int, Result) {},
				})
				require.True(t, out.Complete)
				require.Empty(t, out.Bounds)
				require.Equal(t, orders, out.Runs, "%s of %d", name, n)
				want := orders
				for k := 2; k <= n-most; k++ {
					want /= k
				}
				require.Len(t, prefixes, want, "%s, %d of %d", name, most, n)
			}
		}
	}
}

// TestSyncMapRange: entries that go while a sync.Map is ranged over do not come, those whose keys
// are not equal to themselves come once, and who stops gets no more.
func TestSyncMapRange(t *testing.T) {
	for seed := range uint64(20) {
		inRun(t, seed, func() {
			var m sync.Map
			for k := range 4 {
				m.Store(k, k)
			}
			n := 0
			SyncMap(1, &m).Range(func(k, _ any) bool {
				n++
				for o := range 4 {
					if o != k {
						m.Delete(o)
					}
				}
				return true
			})
			require.Equal(t, 1, n)
			m.Clear()
			m.Store(math.NaN(), "strange")
			m.Store(1, "one")
			for _, most := range []int{1, 2, 3} {
				var values []any
				SyncMap(2, &m).Range(func(_, v any) bool {
					values = append(values, v)
					return len(values) < most
				})
				require.Equal(t, []any{"one", "strange"}[:min(most, 2)], values)
			}
		})
	}
	// Of several such keys one order comes, and of keys that differ in their addresses only:
	// the run says so.
	var strange sync.Map
	strange.Store(math.NaN(), 1)
	strange.Store(math.NaN(), 2)
	addresses := reflect.ValueOf(map[*int]int{new(int): 1, new(int): 2})
	for text, f := range map[string]func(){
		"not equal to themselves":         func() { SyncMap(1, &strange).Range(func(any, any) bool { return true }) },
		"differ in their addresses only":  func() { ReflectedKeys(1, addresses.MapKeys()) },
		"a tide is not chosen by the run": func() { require.Equal(t, 5, Undecided(1, "a tide", 5)) },
	} {
		res := inRun(t, 1, f)
		require.Len(t, res.Notes, 1)
		require.Contains(t, res.Notes[0], text)
		f()
	}
}

// TestHashes: in a run, as outside, equal values have one hash with one seed, and others have
// others; what is written to a hash counts as the text, and of more than a buffer it is said.
func TestHashes(t *testing.T) {
	type pair struct {
		a int
		b any
	}
	p, q, c, d := new(int), new(int), make(chan int), make(chan int)
	zero := 0.0
	distinct := []any{
		nil, true, false, 1, 2, int8(1), uint(1), uint8(1), uintptr(1), 0.0, 1.5, float32(1.5), complex(1, 2), complex(2, 1), "", "a", "b",
		[2]int{1, 2}, [2]int{2, 1}, [1]any{nil}, pair{1, nil}, pair{1, 1}, pair{2, 1}, pair{1, pair{}}, p, q, c, d,
	}
	same := [][2]any{{zero, -zero}, {math.Copysign(0, -1), 0.0}, {pair{1, math.Copysign(0, -1)}, pair{1, 0.0}}, {complex(0, math.Copysign(0, -1)), complex(0, 0)}, {"ab"[:1], "a"}}
	check := func() {
		one, two := MakeSeed(1)(), MakeSeed(1)()
		inRun := Controlled() // outside, what is in an interface counts without its type
		for i, v := range distinct {
			require.Equal(t, HashComparable(one, v), HashComparable(one, v), "%v", v)
			require.NotEqual(t, HashComparable(one, v), HashComparable(two, v), "%v", v)
			for _, w := range distinct[:i] {
				require.False(t, inRun && HashComparable(one, w) == HashComparable(one, v), "%#v %#v", v, w)
			}
		}
		for _, s := range same {
			require.Equal(t, HashComparable(one, s[0]), HashComparable(one, s[1]), "%v", s)
		}
		for _, text := range []string{"", "a", "ab", strings.Repeat("a", 100)} {
			require.Equal(t, HashString(one, text), HashBytes(one, []byte(text)))
			require.NotEqual(t, HashString(one, text+"x"), HashBytes(one, []byte(text)))
			require.NotEqual(t, HashString(two, text), HashBytes(one, []byte(text)))
			var h maphash.Hash
			h.SetSeed(one)
			h.WriteString(text)
			require.Equal(t, HashString(one, text), Hash(3, &h).Sum64())
			require.Len(t, Hash(3, &h).Sum([]byte("ab")), 10)
			require.True(t, bytes.HasPrefix(Hash(3, &h).Sum([]byte("ab")), []byte("ab")))
			h.WriteString("more")
			require.Equal(t, HashString(one, text+"more"), Hash(3, &h).Sum64())
		}
	}
	check()
	hashes := map[uint64]bool{}
	for seed := range uint64(5) {
		require.Empty(t, inRun(t, seed, check).Notes)
		for range 2 {
			inRun(t, seed, func() { hashes[HashString(MakeSeed(1)(), "a")] = true })
		}
		// A seed that the run has not made is one, whatever it is.
		var of []uint64
		for range 2 {
			inRun(t, seed, func() { of = append(of, HashString(maphash.MakeSeed(), "a")) })
		}
		require.Equal(t, of[0], of[1])
	}
	require.Len(t, hashes, 5)
	res := inRun(t, 1, func() {
		var h maphash.Hash
		h.WriteString(strings.Repeat("a", 1000))
		require.Equal(t, h.Sum64(), Hash(3, &h).Sum64())
	})
	require.Len(t, res.Notes, 1)
	require.Contains(t, res.Notes[0], "a hash of more than a buffer")
}

// What locks may be behind.
type (
	holdsLock    struct{ sync.Mutex }
	holdsPointer struct {
		_ int
		*sync.Mutex
	}
	holdsLocker   struct{ sync.Locker }
	holdsHolder   struct{ holdsLock }
	holdsRW       struct{ *sync.RWMutex }
	besideNothing struct {
		noLocks
		sync.Mutex
	}
	besideDeeper struct {
		holdsHolder
		sync.Mutex
	}
	beforeDeeper struct {
		sync.Mutex
		*holdsPointer
	}
	ofTwoDepths struct {
		holdsLock
		holdsHolder2
	}
	holdsHolder2   struct{ holdsHolder }
	noLocks        struct{ n int }
	locksItself    struct{ sync.Mutex }
	locksOtherwise struct{ locksItself }
	unlocksItself  struct{ sync.Mutex }
	isNoStruct     int
)

func (l *locksItself) Lock()     {}
func (l *unlocksItself) Unlock() {}
func (isNoStruct) Lock()         {}
func (isNoStruct) Unlock()       {}

// TestBehind: the lock behind an interface is the one that a call of Lock takes.
func TestBehind(t *testing.T) {
	var mu sync.Mutex
	var rw sync.RWMutex
	_ = besideNothing{noLocks: noLocks{n: 1}}
	none := func() bool { return true }
	lock := &holdsLock{}
	deep := &holdsHolder{}
	nothing, deeper, before := &besideNothing{}, &besideDeeper{}, &beforeDeeper{holdsPointer: &holdsPointer{Mutex: new(sync.Mutex)}}
	for name, c := range map[string]struct {
		l    sync.Locker
		free func() bool // that of the lock; none: it is not known
		none bool
	}{
		"a mutex":                              {&mu, mu.TryLock, false},
		"an RWMutex":                           {&rw, rw.TryLock, false},
		"embedded":                             {lock, lock.Mutex.TryLock, false},
		"embedded pointer":                     {holdsPointer{Mutex: &mu}, mu.TryLock, false},
		"pointer to an embedded pointer":       {&holdsPointer{Mutex: &mu}, mu.TryLock, false},
		"embedded pointer to an RWMutex":       {holdsRW{&rw}, rw.TryLock, false},
		"embedded interface":                   {holdsLocker{&mu}, mu.TryLock, false},
		"embedded interface with an interface": {holdsLocker{&holdsLocker{lock}}, lock.Mutex.TryLock, false},
		"embedded twice":                       {deep, deep.Mutex.TryLock, false},
		"beside something else":                {nothing, nothing.Mutex.TryLock, false},
		"beside one that is deeper":            {deeper, deeper.Mutex.TryLock, false},
		"before one that is deeper":            {before, before.Mutex.TryLock, false},
		"of several in depth":                  {&ofTwoDepths{}, none, true},
		"a method of its own":                  {&locksItself{}, none, true},
		"one that is embedded":                 {&locksOtherwise{}, none, true},
		"Unlock of its own":                    {&unlocksItself{}, none, true},
		"no struct":                            {isNoStruct(1), none, true},
		"nil in an interface":                  {holdsLocker{}, none, true},
		"nil pointer":                          {(*holdsLock)(nil), none, true},
		"nil that is embedded":                 {holdsPointer{}, none, true},
	} {
		ref, ok := lockBehind(c.l)
		require.Equal(t, !c.none, ok, name)
		if c.none {
			continue
		}
		require.True(t, ref.try(), name)
		require.False(t, c.free(), name)
		ref.unlock()
		c.l.Lock()
		require.False(t, ref.try(), name)
		c.l.Unlock()
		require.True(t, c.free(), name)
		ref.unlock()
	}
}

// TestRegistered: what generated code says of a program.
func TestRegistered(t *testing.T) {
	readsDurations(t)
	program.Lock()
	program.clock = false
	program.Unlock()
	require.False(t, readsClock())
	RegisterClock()
	require.True(t, readsClock())
	RegisterBubbles()
	require.False(t, readsClock())
	program.Lock()
	program.bubbles = false
	program.Unlock()
	RegisterDurations(int64(instant)-1, 5000, int64(instant), 0, -5000)
	RegisterDurations(3000, 5000)
	require.Equal(t, "[1µs 3µs 5µs]", fmt.Sprint(durations()))

	out := Exhaust(Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
		Reached(7)
		if n, _ := Choose(1, 2); n == 1 {
			Reached(3)
		}
	}}, Ran: func(int, Result) {}, Found: func(int, Result) {}})
	require.Equal(t, []int{3, 7}, out.Reached)
	Reached(9) // outside of runs
	sum := Exhausted{Reached: []int{5, 7}, Races: []Race{{}}, Preemptions: []Bounded{{Runs: 1}}}
	sum.Add(out)
	require.Equal(t, []int{5, 7, 3}, sum.Reached)
	require.Equal(t, []Bounded{{Runs: 1}}, sum.Preemptions)
	other := Race{First: RaceAccess{Site: "x"}}
	sum.Add(Exhausted{Races: []Race{other, {}}, Unordered: []Race{other, other}, Preemptions: []Bounded{{Runs: 1}, {}}})
	require.Equal(t, []Race{{}, other}, sum.Races)
	require.Equal(t, []Race{other}, sum.Unordered)
	require.Equal(t, []Bounded{{Runs: 1}, {}}, sum.Preemptions)
}

// TestHolding: who is within a library that holds a lock of its own comes first, where others
// could go on; nobody does where all are, or where it waits.
func TestHolding(t *testing.T) {
	RegisterHolding("nothing", thisPackage+"calledBack")
	orders := func(first, second func(func())) []string {
		order := ""
		plain := enumerate(Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
			var both sync.Mutex
			order = ""
			section := func(name string) func() {
				return func() {
					order += "(" + name
					Lock(3, &both)
					order += name
					Unlock(4, &both)
					order += ")"
				}
			}
			Go(1, func() { first(section("a")) })
			Go(2, func() { second(section("b")) })
		}}, func(Result) string { return order }, 2000)
		require.True(t, plain.complete)
		return plain.sorted()
	}
	free := orders(notCalledBack, notCalledBack)
	require.Len(t, free, 8)
	require.Equal(t, []string{"(aa)(bb)", "(bb)(aa)"}, orders(calledBack, calledBack))
	// Who holds the other lock goes on, or nobody could.
	require.Equal(t, []string{"(aa)(bb)", "(b(aa)b)", "(bb(a)a)", "(bb)(aa)"}, orders(calledBack, notCalledBack))
	require.Equal(t, []string{"(a(bb)a)", "(aa(b)b)", "(aa)(bb)", "(bb)(aa)"}, orders(notCalledBack, calledBack))
}

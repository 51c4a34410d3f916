package orcruntime

import (
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// memory is what an operation touches: words with memory around them.
type memory struct {
	bytes []byte
	base  unsafe.Pointer
}

const memorySize = 64

func newMemory() *memory {
	words := make([]uint64, memorySize/8)
	p := unsafe.Pointer(unsafe.SliceData(words))
	return &memory{unsafe.Slice((*byte)(p), memorySize), p}
}

// in is a value of a type at an offset.
func in[T any](m *memory, offset int) *T { return (*T)(unsafe.Pointer(&m.bytes[offset])) }

// extent is a range of bytes of memory.
type extent struct{ from, to int }

func (e extent) has(i int) bool { return e.from <= i && i < e.to }

// copied has a method of its value and one of a pointer to it.
type copied struct{ _, _ uint32 }

func (copied) Value()    {}
func (*copied) Pointer() {}

// textual has a method by which libraries learn what is in it.
type textual struct{ _ uint64 }

func (*textual) String() string { return "" }

// outer has embedded pointers.
type outer struct {
	n uint64
	*middle
}

type middle struct {
	n uint64
	*inner
}

type inner struct{ n uint64 }

// The fields before the pointers keep these from the beginning of their structs.
var _ = outer{n: 1, middle: &middle{n: 1, inner: &inner{n: 1}}}

// touching are the ways to record accesses to memory, and what they touch.
var touching = []struct {
	name          string
	do            func(m *memory)
	reads, writes extent
	op            string // "" is what follows
}{
	{"read of a byte", func(m *memory) { Rd(1, in[byte](m, 11)) }, extent{11, 12}, extent{}, ""},
	{"write of a byte", func(m *memory) { Wr(1, in[byte](m, 11)) }, extent{}, extent{11, 12}, ""},
	{"read of two bytes", func(m *memory) { Rd(1, in[uint16](m, 14)) }, extent{14, 16}, extent{}, ""},
	{"read of four bytes", func(m *memory) { Rd(1, in[uint32](m, 16)) }, extent{16, 20}, extent{}, ""},
	{"write of four bytes", func(m *memory) { Wr(1, in[uint32](m, 12)) }, extent{}, extent{12, 16}, ""},
	{"read of a word", func(m *memory) { Rd(1, in[uint64](m, 16)) }, extent{16, 24}, extent{}, ""},
	{"write of a word", func(m *memory) { Wr(1, in[uint64](m, 16)) }, extent{}, extent{16, 24}, ""},
	{"read of a string", func(m *memory) { Rd(1, in[string](m, 16)) }, extent{16, 32}, extent{}, ""},
	{"write of a slice", func(m *memory) { Wr(1, in[[]int](m, 8)) }, extent{}, extent{8, 32}, ""},
	{"write across words", func(m *memory) { Wr(1, in[[12]byte](m, 13)) }, extent{}, extent{13, 25}, ""},
	{"write of nothing", func(m *memory) { Wr(1, in[struct{}](m, 16)) }, extent{}, extent{}, ""},
	{"update", func(m *memory) { Up(1, in[uint32](m, 16)) }, extent{}, extent{16, 20}, ""},
	{"a function that is given a pointer", func(m *memory) { Set(1, in[uint32](m, 16)) }, extent{}, extent{16, 20}, ""},
	{"a function that is given nil", func(m *memory) { Set[uint32](1, nil) }, extent{}, extent{}, ""},
	{"read behind a return", func(m *memory) { yes := true; Returned(&yes, 1, in[uint32](m, 16)) }, extent{16, 20}, extent{}, ""},
	{"no read behind another return", func(m *memory) { no := false; Returned(&no, 1, in[uint32](m, 16)) }, extent{}, extent{}, ""},
	{"read behind write", func(m *memory) { Wr(1, in[uint32](m, 16)); Rd(1, in[uint64](m, 16)) }, extent{20, 24}, extent{16, 20}, ""},
	{"write behind read", func(m *memory) { Rd(1, in[uint64](m, 16)); Wr(1, in[uint32](m, 16)) }, extent{20, 24}, extent{16, 20}, "any"},
	{"write behind a smaller one", func(m *memory) { Wr(1, in[uint16](m, 16)); Wr(1, in[uint64](m, 16)) }, extent{}, extent{16, 24}, ""},
	{"write behind a synchronisation", func(m *memory) { Rd(1, in[uint64](m, 16)); Go(2, func() {}); Wr(1, in[uint32](m, 16)) }, extent{20, 24}, extent{16, 20}, "any"},

	{"read of elements", func(m *memory) { RdSlice(1, unsafe.Slice(in[uint16](m, 16), 5)) }, extent{16, 26}, extent{}, ""},
	{"write of elements", func(m *memory) { WrSlice(1, unsafe.Slice(in[uint16](m, 16), 5)) }, extent{}, extent{16, 26}, ""},
	{"read of no elements", func(m *memory) { RdSlice(1, unsafe.Slice(in[uint16](m, 16), 5)[:0]) }, extent{}, extent{}, ""},
	{"read of elements of any type", func(m *memory) { RdElements(1, unsafe.Slice(in[uint16](m, 16), 5)) }, extent{16, 26}, extent{}, ""},
	{"read of elements of what has none", func(m *memory) { RdElements(1, in[uint16](m, 16)) }, extent{}, extent{}, ""},
	{"read of elements of an empty slice", func(m *memory) { RdElements(1, []int{}) }, extent{}, extent{}, ""},
	{"append where there is room", func(m *memory) { Append(1, unsafe.Slice(in[uint32](m, 8), 6)[:2])(1, 2, 3) }, extent{}, extent{16, 28}, ""},
	{"append that fills", func(m *memory) { Append(1, unsafe.Slice(in[uint32](m, 8), 5)[:2])(1, 2, 3) }, extent{}, extent{16, 28}, ""},
	{"append where there is no room", func(m *memory) { Append(1, unsafe.Slice(in[uint32](m, 8), 4)[:2])(1, 2, 3) }, extent{8, 16}, extent{}, ""},
	{"append of nothing", func(m *memory) { Append(1, unsafe.Slice(in[uint32](m, 8), 4)[:2])() }, extent{}, extent{}, ""},
	{"append of a string", func(m *memory) { AppendString(1, m.bytes[8:10:20], "four") }, extent{}, extent{10, 14}, ""},
	{"append of a string that is too long", func(m *memory) { AppendString(1, m.bytes[8:10:12], "four") }, extent{8, 10}, extent{}, ""},
	{"copy", func(m *memory) { Copy(1, m.bytes[8:14], m.bytes[24:40]) }, extent{24, 30}, extent{8, 14}, ""},
	{"copy of less", func(m *memory) { Copy(1, m.bytes[8:20], m.bytes[24:28]) }, extent{24, 28}, extent{8, 12}, ""},
	{"copy of a string", func(m *memory) { CopyString(1, m.bytes[8:20], "four") }, extent{}, extent{8, 12}, ""},
	{"copy of a part of a string", func(m *memory) { CopyString(1, m.bytes[8:11], "four") }, extent{}, extent{8, 11}, ""},
	{"range, first element", func(m *memory) { RangeSlice(unsafe.Slice(in[uint16](m, 16), 3)).Next(1) }, extent{16, 18}, extent{}, ""},
	{"range over all", func(m *memory) {
		r := RangeSlice(unsafe.Slice(in[uint16](m, 16), 3))
		n := 0
		for r.Next(1) {
			if r.K != n || r.V != m.bytesAt(16+2*n) {
				panic("another element")
			}
			n++
		}
		if n != 3 {
			panic("not all")
		}
	}, extent{16, 22}, extent{}, ""},

	{"method of a copy", func(m *memory) { RdDynamic(1, any(in[copied](m, 16)), "Value") }, extent{16, 24}, extent{}, ""},
	{"method of a pointer", func(m *memory) { RdDynamic(1, any(in[copied](m, 16)), "Pointer") }, extent{}, extent{}, ""},
	{"method of nil", func(m *memory) { RdDynamic(1, any((*copied)(nil)), "Value") }, extent{}, extent{}, ""},
	{"method of an interface that is nil", func(m *memory) { RdDynamic(1, error(nil), "Error") }, extent{}, extent{}, ""},
	{"method of a value", func(m *memory) { RdDynamic(1, any(copied{}), "Value") }, extent{}, extent{}, ""},
	{"field that is embedded", func(m *memory) {
		o := in[outer](m, 8)
		o.middle = in[middle](m, 32)
		Embedded(1, o, 1)
	}, extent{16, 24}, extent{}, ""},
	{"field that is embedded in one that is", func(m *memory) {
		o := in[outer](m, 8)
		o.middle = in[middle](m, 16)
		Embedded(1, o, 1, 1)
	}, extent{16, 32}, extent{}, ""},
	{"field that is embedded in nil", func(m *memory) { Embedded(1, in[outer](m, 8), 1, 1) }, extent{16, 24}, extent{}, ""},
	{"field that is embedded, of nil", func(m *memory) { Embedded[outer](1, nil, 1) }, extent{}, extent{}, ""},

	{"atomic load", func(m *memory) { Int32(2, 1, in[atomic.Int32](m, 16)).Load() }, extent{16, 20}, extent{}, "atomic read"},
	{"atomic store", func(m *memory) { Int32(2, 1, in[atomic.Int32](m, 16)).Store(1) }, extent{}, extent{16, 20}, "atomic write"},
	{"atomic add", func(m *memory) { Int32(2, 1, in[atomic.Int32](m, 16)).Add(1) }, extent{}, extent{16, 20}, "atomic write"},
	{"atomic compare and swap", func(m *memory) { Int32(2, 1, in[atomic.Int32](m, 16)).CompareAndSwap(0, 1) }, extent{}, extent{16, 20}, "atomic write"},
	{"atomic compare and swap in vain", func(m *memory) { Int32(2, 1, in[atomic.Int32](m, 16)).CompareAndSwap(5, 1) }, extent{16, 20}, extent{}, "atomic read"},
	{"atomic load by a function", func(m *memory) { Loading(2, 1, atomic.LoadInt64)(in[int64](m, 16)) }, extent{16, 24}, extent{}, "atomic read"},
	{"atomic store by a function", func(m *memory) { Storing(2, 1, atomic.StoreUint32)(in[uint32](m, 16), 1) }, extent{}, extent{16, 20}, "atomic write"},

	{"lock", func(m *memory) { Lock(1, in[sync.Mutex](m, 16)) }, extent{}, extent{16, 24}, "atomic write"},
	{"unlock", func(m *memory) { in[sync.Mutex](m, 16).Lock(); Unlock(1, in[sync.Mutex](m, 16)) }, extent{}, extent{16, 24}, "atomic write"},
	{"try lock", func(m *memory) { TryLock(1, in[sync.Mutex](m, 16)) }, extent{}, extent{16, 24}, "atomic write"},
	{"write lock", func(m *memory) { WLock(1, in[sync.RWMutex](m, 16)) }, extent{}, extent{16, 24}, "atomic write"},
	{"read lock", func(m *memory) { RLock(1, in[sync.RWMutex](m, 16)) }, extent{}, extent{16, 24}, "atomic write"},
	{"add", func(m *memory) { Add(1, in[sync.WaitGroup](m, 16), 1) }, extent{}, extent{16, 24}, "atomic write"},
	{"done", func(m *memory) { in[sync.WaitGroup](m, 16).Add(1); Done(1, in[sync.WaitGroup](m, 16)) }, extent{}, extent{16, 24}, "atomic write"},
	{"wait", func(m *memory) { Wait(1, in[sync.WaitGroup](m, 16)) }, extent{}, extent{16, 24}, "atomic write"},
	{"go of a group", func(m *memory) { WGGo(1, in[sync.WaitGroup](m, 16), func() {}) }, extent{}, extent{16, 24}, "atomic write"},
	{"once", func(m *memory) { OnceDo(1, in[sync.Once](m, 16), func() {}) }, extent{}, extent{16, 24}, "atomic write"},
	{"once again", func(m *memory) { in[sync.Once](m, 16).Do(func() {}); OnceDo(1, in[sync.Once](m, 16), func() {}) }, extent{}, extent{16, 24}, "atomic write"},
}

func (m *memory) bytesAt(i int) uint16 { return *in[uint16](m, i) }

// probed is a run of two goroutines with nothing between them: one does something with
// memory, the other one reads or writes a byte of it. In which order they do makes no
// difference.
func probed(t *testing.T, do func(*memory), first bool, probe func(*memory)) Result {
	t.Helper()
	c := &inTurn{left: []string{"0", "0"}}
	return Run(Config{Bubble: bubble(t), Entry: EntryTest, Races: true, NoLog: true, NoStacks: true, Chooser: c, Main: func() {
		m := newMemory()
		Go(90, func() {
			if first {
				do(m)
			} else {
				probe(m)
			}
		})
		Go(91, func() {
			if first {
				probe(m)
			} else {
				do(m)
			}
		})
	}})
}

// TestAccesses: an access races with another one of the same byte, unless both read, and
// with no other.
func TestAccesses(t *testing.T) {
	inLong(t)
	RegisterValueMethods(reflect.TypeFor[copied]().PkgPath(), "copied.Value")
	for _, a := range touching {
		for i := 5; i < memorySize-5; i++ {
			for _, write := range []bool{false, true} {
				first := i%2 == 0
				res := probed(t, a.do, first, func(m *memory) {
					if write {
						Wr(3, &m.bytes[i])
					} else {
						Rd(3, &m.bytes[i])
					}
				})
				want := a.writes.has(i) || write && a.reads.has(i)
				require.Equal(t, want, len(res.Races) > 0, "%s, byte %d, written %t: %s", a.name, i, write, res)
				if !want {
					continue
				}
				side := res.Races[0].First
				if !first {
					side = res.Races[0].Second
				}
				op := a.op
				switch {
				case op != "":
				case a.writes.has(i):
					op = "write"
				default:
					op = "read"
				}
				if op == "any" {
					continue
				}
				require.Equal(t, op, side.Op, "%s, byte %d: %s", a.name, i, res)
			}
		}
	}
}

// TestAtomicAccesses: atomic operations race with others that are not atomic, also with those
// that their own goroutine has done before them, and not with each other.
func TestAtomicAccesses(t *testing.T) {
	atomics := map[bool]func(m *memory){
		false: func(m *memory) { Int32(2, 1, in[atomic.Int32](m, 16)).Load() },
		true:  func(m *memory) { Int32(2, 1, in[atomic.Int32](m, 16)).Store(1) },
	}
	plain := map[bool]func(m *memory){
		false: func(m *memory) { Rd(3, in[int32](m, 16)) },
		true:  func(m *memory) { Wr(3, in[int32](m, 16)) },
	}
	for _, a := range []bool{false, true} {
		for _, b := range []bool{false, true} {
			require.Empty(t, probed(t, atomics[a], true, atomics[b]).Races)
			for _, c := range []bool{false, true} {
				res := probed(t, func(m *memory) { plain[a](m); atomics[b](m) }, true, atomics[c])
				ordered := b && !c // the load sees the store
				require.Equal(t, (a || c) && !ordered, len(res.Races) > 0, "%t %t %t %s", a, b, c, res)
			}
		}
	}
}

// unlocked is a type of a library, whose methods do not lock.
type unlocked struct {
	n    uint64
	list []byte
}

// lending are the ways to give memory to code that is not instrumented. What that reads and
// writes is not known, unless it shows afterwards in the memory.
var lending = []struct {
	name          string
	do            func(m *memory)
	reads, writes extent // perhaps
	written       extent // certainly
}{
	{"slice to read", func(m *memory) { Given(1, m.bytes[16:20:24], false) }, extent{16, 20}, extent{}, extent{}},
	{"slice to change", func(m *memory) { Given(1, m.bytes[16:20:24], true) }, extent{}, extent{16, 20}, extent{}},
	{"write, then slice to change", func(m *memory) { Wr(2, &m.bytes[17]); Given(1, m.bytes[16:20], true) }, extent{}, extent{16, 20}, extent{17, 18}},
	{"empty slice", func(m *memory) { Given(1, m.bytes[16:16:24], true) }, extent{}, extent{}, extent{}},
	{"slice of words", func(m *memory) { Given(1, unsafe.Slice(in[uint32](m, 16), 3), true) }, extent{}, extent{16, 28}, extent{}},
	{"pointer to read", func(m *memory) { Given(1, in[copied](m, 16), false) }, extent{16, 24}, extent{}, extent{}},
	{"pointer to change", func(m *memory) { Given(1, in[copied](m, 16), true) }, extent{}, extent{16, 24}, extent{}},
	{"pointer to a slice to change", func(m *memory) { s := in[[]byte](m, 24); *s = m.bytes[16:20]; Given(1, s, true) }, extent{16, 20}, extent{24, 48}, extent{}},
	{"pointer to what shows itself, to read", func(m *memory) { Given(1, in[textual](m, 16), false) }, extent{}, extent{}, extent{}},
	{"pointer to what shows itself, to change", func(m *memory) { Given(1, in[textual](m, 16), true) }, extent{}, extent{16, 24}, extent{}},
	{"error to read", func(m *memory) { Given(1, error((*failure)(in[uint64](m, 16))), false) }, extent{}, extent{}, extent{}},
	{"nil", func(m *memory) {
		Given[*int](1, nil, true)
		Given[[]int](1, nil, true)
		Given[map[int]int](1, nil, true)
		Given[any](1, nil, true)
	}, extent{}, extent{}, extent{}},
	{"number", func(m *memory) { Given(1, 5, true) }, extent{}, extent{}, extent{}},

	{"slice that is written", func(m *memory) {
		l := Lib(0)
		Given(1, m.bytes[16:20:24], false)
		m.bytes[17], m.bytes[18] = 1, 1
		Back(l)
	}, extent{16, 20}, extent{}, extent{17, 19}},
	{"slice that is written beyond its length", func(m *memory) {
		l := Lib(0)
		Given(1, m.bytes[16:20:24], false)
		m.bytes[22] = 1
		Back(l)
	}, extent{16, 20}, extent{}, extent{22, 23}},
	{"slice that is written beyond its capacity", func(m *memory) {
		l := Lib(0)
		Given(1, m.bytes[16:20:24], false)
		m.bytes[24] = 1
		Back(l)
	}, extent{16, 20}, extent{}, extent{}},
	{"slice that is written after the call", func(m *memory) {
		l := Lib(0)
		Given(1, m.bytes[16:20], false)
		Back(l)
		m.bytes[17] = 1
	}, extent{16, 20}, extent{}, extent{}},
	{"slice that is written later, in a call", func(m *memory) {
		l := Lib(0)
		Given(1, m.bytes[16:20], false)
		Back(l)
		l = Lib(0)
		m.bytes[17] = 1
		Back(l)
	}, extent{16, 20}, extent{}, extent{}},

	{"method that reads", func(m *memory) { Use(1, m.unlocked(), false) }, extent{48, 52}, extent{}, extent{}},
	{"method that changes", func(m *memory) { Use(1, m.unlocked(), true) }, extent{48, 52}, extent{}, extent{}},
	{"method of a type that keeps its pointer", func(m *memory) { UseKept(1, m.unlocked(), true) }, extent{48, 52}, extent{}, extent{}},
	{"method of nil", func(m *memory) { Use[unlocked](1, nil, true); UseKept[unlocked](1, nil, true) }, extent{}, extent{}, extent{}},
	{"method that writes", func(m *memory) {
		l := Lib(0)
		Use(1, m.unlocked(), true).n++
		Back(l)
	}, extent{48, 52}, extent{}, extent{8, 9}},
	{"method that writes what is in a slice", func(m *memory) {
		l := Lib(0)
		Use(1, m.unlocked(), true).list[:6][5]++
		Back(l)
	}, extent{48, 52}, extent{}, extent{53, 54}},
	{"method that only reads, and another write", func(m *memory) {
		l := Lib(0)
		Use(1, m.unlocked(), false).n++
		Back(l)
	}, extent{48, 52}, extent{}, extent{}},
	{"method of a value that may be of such a type", func(m *memory) {
		l := Lib(0)
		UseValue(1, any(m.unlocked()), true)
		in[unlocked](m, 8).n++
		Back(l)
	}, extent{48, 52}, extent{}, extent{8, 9}},
	{"method of a value of another type", func(m *memory) { UseValue(1, any(in[copied](m, 16)), true) }, extent{}, extent{}, extent{}},
	{"such a value given", func(m *memory) {
		l := Lib(0)
		Given(1, m.unlocked(), false).n++
		Back(l)
	}, extent{48, 52}, extent{}, extent{8, 9}},
}

type failure uint64

func (*failure) Error() string { return "" }

// unlocked is a value with a slice of four bytes and room for eight.
func (m *memory) unlocked() *unlocked {
	u := in[unlocked](m, 8)
	u.list = m.bytes[48:52:56]
	return u
}

// TestLending: what a library may do with memory is a limit of what is known of races, and
// what it has done to it is a race.
func TestLending(t *testing.T) {
	RegisterUnlocked(reflect.TypeFor[unlocked]().PkgPath() + ".unlocked")
	for _, a := range lending {
		for i := 5; i < memorySize-5; i++ {
			if i >= 16 && i < 40 && a.reads.from == 48 { // the header of the slice
				continue
			}
			for _, write := range []bool{false, true} {
				for _, first := range []bool{false, true} {
					res := probed(t, a.do, first, func(m *memory) {
						if write {
							Wr(3, &m.bytes[i])
						} else {
							Rd(3, &m.bytes[i])
						}
					})
					certain := a.written.has(i)
					uncertain := a.writes.has(i) || write && a.reads.has(i)
					what := fmt.Sprintf("%s, byte %d, written %t, before %t: %s", a.name, i, write, first, res)
					require.Equal(t, certain, len(res.Races) > 0, what)
					if !certain {
						require.Equal(t, uncertain, len(res.Unordered) > 0, what)
						require.Equal(t, uncertain, len(res.RaceLimits) > 0, what)
					}
				}
			}
		}
	}
	for _, changes := range [][2]bool{{false, false}, {false, true}, {true, false}, {true, true}} {
		res := probed(t, func(m *memory) { Use(1, m.unlocked(), changes[0]) }, true, func(m *memory) { Use(2, m.unlocked(), changes[1]) })
		require.Empty(t, res.Races)
		require.Equal(t, changes[0] || changes[1], len(res.Unordered) > 0, "%v %s", changes, res)
	}
}

// TestMapAccesses: a map is one object, whatever its keys, and races of maps have the names
// that the runtime gives them.
func TestMapAccesses(t *testing.T) {
	none := map[int]int(nil)
	for _, c := range []struct {
		a, b    func(m map[int]int)
		message string // "" if there is no race
		certain bool
	}{
		{func(m map[int]int) { RdMap(1, m) }, func(m map[int]int) { RdMap(2, m) }, "", true},
		{func(m map[int]int) { RdMap(1, m) }, func(m map[int]int) { WrMap(2, m) }, "concurrent map read and map write: ", true},
		{func(m map[int]int) { WrMap(1, m) }, func(m map[int]int) { RdMap(2, m) }, "concurrent map read and map write: ", true},
		{func(m map[int]int) { WrMap(1, m) }, func(m map[int]int) { ThenWrMap(2, m, 1) }, "concurrent map writes: ", true},
		{func(m map[int]int) { WrMap(1, m) }, func(m map[int]int) { WrMap(2, none) }, "", true},
		{func(m map[int]int) { WrMap(1, m) }, func(m map[int]int) { WrMap(2, map[int]int{}) }, "", true},
		{func(m map[int]int) { Given(1, m, false) }, func(m map[int]int) { RdMap(2, m) }, "", false},
		{func(m map[int]int) { Given(1, m, true) }, func(m map[int]int) { RdMap(2, m) }, "concurrent map read and map write: ", false},
		{func(m map[int]int) { Given(1, m, false) }, func(m map[int]int) { WrMap(2, m) }, "concurrent map read and map write: ", false},
	} {
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Races: true, Main: func() {
			m := map[int]int{}
			Go(90, func() { c.a(m) })
			Go(91, func() { c.b(m) })
		}})
		list := res.Races
		if !c.certain {
			require.Empty(t, res.Races, "%s", res)
			list = res.Unordered
		}
		if c.message == "" {
			require.Empty(t, list, "%s", res)
			continue
		}
		require.Len(t, list, 1, "%s", res)
		text := list[0].String()
		require.Contains(t, text, c.message)
		require.Equal(t, c.certain, res.Outcome.Message == text, "%s", res)
	}
}

// TestLargeAccess: of a large access each byte is looked at, whichever comes first, and no other one.
func TestLargeAccess(t *testing.T) {
	const before, size = 3, 2*maxAccess + 1
	found := func(first, second func(big []byte)) bool {
		big := make([]byte, before+size+8)
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Races: true, NoLog: true, Main: func() {
			Go(90, func() { first(big) })
			Go(91, func() { second(big) })
		}})
		require.Empty(t, res.RaceLimits)
		return len(res.Races) > 0
	}
	large := func(big []byte) { WrSlice(1, big[before:before+size]) }
	for at, races := range map[int]bool{0: false, before - 1: false, before: true, before + maxAccess: true, before + size - 1: true, before + size: false, before + size + 7: false} {
		small := func(big []byte) { Rd(2, &big[at]) }
		require.Equal(t, races, found(large, small), at)
		require.Equal(t, races, found(small, large), at)
		require.False(t, found(func(big []byte) { large(big); small(big) }, func([]byte) {}), "by one goroutine")
	}
	for from, races := range map[int]bool{0: true, before + size - 1 - maxAccess: true} {
		other := func(big []byte) { RdSlice(2, big[from:from+maxAccess+1]) }
		require.Equal(t, races, found(large, other), from)
		require.Equal(t, races, found(other, large), from)
	}
	read := func(big []byte) { RdSlice(1, big) }
	require.False(t, found(read, read))
	beside := func(big []byte) { WrSlice(2, big[before+size:]) }
	require.False(t, found(large, beside))
}

// TestExpectRace: a plan that is to show a race between two goroutines at two sites ends in
// that race, whichever comes first, and in no other.
func TestExpectRace(t *testing.T) {
	program := func(seed uint64, e Expect) Result {
		x, y := new(int), new(int)
		return Run(Config{Bubble: bubble(t), Entry: EntryTest, Races: true, Chooser: Random(seed), Plan: Plan{Expect: e}, Main: func() {
			Go(90, func() { Wr(1, x); Access(95); Wr(2, y); Access(99) })
			Go(91, func() { Rd(3, x); Access(96); Rd(4, y); Access(98) })
		}})
	}
	const first, second, third, fourth = "#1", "#2", "#3", "#4"
	for name, c := range map[string]struct {
		goroutines []At
		site       string // of the accesses, "" if the race is not expected
	}{
		"any":                  {nil, first},
		"by sites":             {[]At{{"0.1", first}, {"0.2", third}}, first},
		"in the other order":   {[]At{{"0.2", third}, {"0.1", first}}, first},
		"another one":          {[]At{{"0.1", second}, {"0.2", fourth}}, second},
		"by goroutines":        {[]At{{"0.1", ""}, {"0.2", ""}}, first},
		"of other goroutines":  {[]At{{"0.1", ""}, {"0.3", ""}}, ""},
		"of one goroutine":     {[]At{{"0.1", ""}, {"0.1", ""}}, ""},
		"of one":               {[]At{{"0.1", first}}, ""},
		"between other places": {[]At{{"0.1", first}, {"0.2", fourth}}, ""},
	} {
		for seed := range uint64(6) {
			res := program(seed, Expect{KindRace, c.goroutines})
			require.Equal(t, c.site != "", res.Verdict == Reproduced, "%s %s", name, res)
			if c.site == "" {
				require.Len(t, res.Races, 2, "%s", name)
				continue
			}
			require.Equal(t, KindRace, res.Outcome.Kind, "%s %s", name, res)
			last := res.Races[len(res.Races)-1]
			require.Equal(t, last.String(), res.Outcome.Message)
			if c.goroutines != nil {
				at := []string{last.First.Site, last.Second.Site}
				require.Contains(t, at, c.site, "%s %s", name, res)
			}
			for _, g := range res.Goroutines {
				require.False(t, g.G == last.Second.G && g.State == "finished", "%s: the run goes on behind the race", name)
			}
		}
	}
}

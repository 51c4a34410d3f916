package programs

import (
	crand "crypto/rand"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"math"
	"math/big"
	"math/rand"
	randv2 "math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"sync"

	"example.com/programs/show"
)

var environment = []show.Program{
	{Name: "maps: every order", Run: mapOrder, Allowed: []string{"a b c", "a c b", "b a c", "b c a", "c a b", "c b a"}},
	{Name: "maps: forms of a range", Run: mapForms, Allowed: []string{"2 2 3 30 3 30 3 30 [3 30] 0 1"}},
	{Name: "maps: variables per iteration", Run: mapClosures, Allowed: []string{"1 10 2 20"}},
	{Name: "maps: what is deleted does not come", Run: mapDelete, Allowed: []string{"1 2 false"}},
	{Name: "maps: what is inserted may come", Run: mapInsert, Allowed: []string{"true"}},
	{Name: "maps: cleared", Run: mapClear, Allowed: []string{"1 0 1"}},
	{Name: "maps: values as they are when they come", Run: mapUpdate, Allowed: []string{"1 100"}},
	{Name: "maps: keys that are not equal to themselves", Run: mapNaN, Allowed: []string{"3 2 1 3 0"}},
	{Name: "maps: jumps", Run: mapJumps, Allowed: []string{"1 true 1 1 3 found 3 deferred 2 recovered 1"}},
	{Name: "maps: named, generic, in structs, of interfaces", Run: mapTypes, Allowed: []string{"6 6 6 6 [1 a {x 1} 2.5] 2 nil"}},
	{Name: "maps: nested", Run: mapNested, Allowed: []string{"15"}},
	{Name: "maps: iterators", Run: mapIterators, Allowed: []string{"[1 2 3] [4 5 6] 15 [a b] 1 3 6"}},
	{Name: "maps: of channels and pointers", Run: mapPointers, Allowed: []string{"12", "21"}},
	{Name: "maps: sync.Map", Run: mapSync, Allowed: []string{"1 2 3 1", "1 3 2 1", "2 1 3 1", "2 3 1 1", "3 1 2 1", "3 2 1 1"}},
	{Name: "maps: by reflection", Run: mapReflect, Allowed: []string{"a b", "b a"}},
	{Name: "random: dice", Run: dice, Allowed: []string{"0", "1", "2", "3", "4", "5"}},
	{Name: "random: all functions", Run: randomFunctions, Allowed: []string{"true true true true true 3 3 true true true 2 8 26"}},
	{Name: "random: as values, deferred, started", Run: randomValues, Allowed: []string{"true true invalid argument to Intn [0 1] true"}},
	{Name: "pool: one value", Run: pool, Allowed: []string{"1", "new"}},
	{Name: "pool: method values and New", Run: poolValues, Allowed: []string{"nil true new"}},
	{Name: "hash: buckets", Run: hashes, Allowed: []string{"true true true true true true 8 0", "true true true true true true 8 1"}},
	{Name: "environment: of the process", Run: ofProcess, Allowed: []string{"true 1 2 true"}, Controlled: true},
}

func mapOrder(o *show.Out) {
	for k := range map[string]bool{"a": true, "b": true, "c": true} {
		o.Print(k)
	}
}

func mapForms(o *show.Out) {
	m := map[int]int{1: 10, 2: 20}
	n := 0
	for range m {
		n++
	}
	o.Print(n)
	n = 0
	for _ = range m {
		n++
	}
	o.Print(n)
	one := map[int]int{3: 30}
	for k, v := range one {
		o.Print(k, v)
	}
	var k int
	var v any
	for k, v = range one {
	}
	o.Print(k, v)
	for k := range one {
		k := k
		o.Print(k)
	}
	for _, v := range one {
		o.Print(v)
	}
	a := []int{0, 0}
	for a[0], a[1] = range one {
	}
	o.Print(a)
	var none map[string]int
	n = 0
	for range none {
		n++
	}
	o.Print(n)
	calls := 0
	get := func() map[int]int { calls++; return m }
	for range get() {
	}
	o.Print(calls)
}

func mapClosures(o *show.Out) {
	var fs []func() (int, int)
	for k, v := range map[int]int{1: 10, 2: 20} {
		fs = append(fs, func() (int, int) { return k, v })
	}
	slices.SortFunc(fs, func(f, g func() (int, int)) int { a, _ := f(); b, _ := g(); return a - b })
	for _, f := range fs {
		o.Print(f())
	}
}

func mapDelete(o *show.Out) {
	m := map[int]bool{1: true, 2: true}
	n := 0
	for k := range m {
		n++
		delete(m, 3-k)
	}
	o.Print(n)
	n = 0
	m = map[int]bool{1: true, 2: true}
	for k := range m {
		n++
		delete(m, k)
	}
	o.Print(n)
	m = map[int]bool{1: true, 2: true}
	for k := range m {
		delete(m, k)
	}
	o.Print(len(m) > 0)
}

func mapInsert(o *show.Out) {
	m := map[int]bool{1: true}
	seen := map[int]int{}
	for k := range m {
		seen[k]++
		if len(m) < 100 {
			m[k+1] = true
		}
	}
	ok := seen[1] == 1
	for _, n := range seen {
		ok = ok && n == 1
	}
	o.Print(ok)
}

func mapClear(o *show.Out) {
	m := map[float64]int{1: 1, 2: 2, math.NaN(): 3}
	n := 0
	for range m {
		n++
		clear(m)
	}
	o.Print(n)
	o.Print(len(m))
	m[1] = 1
	for range m {
		m = nil
		n = 1
	}
	o.Print(n)
}

func mapUpdate(o *show.Out) {
	m := map[int]int{1: 1, 2: 2}
	var got []int
	for k, v := range m {
		got = append(got, v/k)
		m[3-k] = 100 * (3 - k)
	}
	o.Print(got[0], got[1])
}

func mapNaN(o *show.Out) {
	nan := math.NaN()
	m := map[any]int{nan: 1, [1]float64{nan}: 2, 7: 3}
	n, strange := 0, 0
	for k := range m {
		n++
		if k != k {
			strange++
		}
	}
	o.Print(n, strange)
	clear(m)
	m[nan] = 1
	n = 0
	for range m {
		n++
	}
	o.Print(n)
	n = 0
	for range m {
		n += 3
		clear(m)
	}
	o.Print(n, len(m))
}

func mapJumps(o *show.Out) {
	m := map[int]int{1: 1, 2: 2, 3: 3}
	n := 0
	for range m {
		n++
		break
	}
	o.Print(n)
	odd := 0
	for k := range m {
		if k%2 == 0 {
			continue
		}
		odd++
	}
	o.Print(odd == 2)
	n = 0
outer:
	for range m {
		for range m {
			n++
			break outer
		}
	}
	o.Print(n)
	n = 0
next:
	for k := range m {
		for range m {
			if k > 1 {
				continue next
			}
			n++
			continue next
		}
	}
	o.Print(n)
	n = 0
again:
	for range m {
		if n++; n < 3 {
			goto again
		}
		goto out
	}
out:
	o.Print(n)
	find := func(want int) string {
		for k := range m {
			switch {
			case k == want:
				return "found"
			}
		}
		return "lost"
	}
	o.Print(find(3))
	func() {
		left := 3
		defer func() { o.Print("deferred") }()
		for range m {
			defer func() {
				if left == 3 {
					o.Print(left)
				}
				left--
			}()
		}
	}()
	o.Print(2)
	func() {
		defer func() { recover(); o.Print("recovered") }()
		for k := range m {
			panic(k)
		}
	}()
	select {
	default:
		for range m {
			break
		}
		o.Print(1)
	}
}

type table map[string]int

type holder struct{ table }

type point struct {
	name string
	n    int
}

func sum[M ~map[K]V, K comparable, V int | float64](m M) (total V) {
	for _, v := range m {
		total += v
	}
	return total
}

func count[M interface{ ~map[string]int }](m M) (total int) {
	for k, v := range m {
		_ = k
		total += v
	}
	return total
}

func mapTypes(o *show.Out) {
	t := table{"a": 1, "b": 2, "c": 3}
	n := 0
	for _, v := range t {
		n += v
	}
	o.Print(n)
	h := holder{t}
	n = 0
	for _, v := range h.table {
		n += v
	}
	o.Print(n)
	o.Print(sum(t))
	o.Print(count(t))
	var keys []string
	for k := range map[any]int{1: 1, "a": 1, 2.5: 1, point{"x", 1}: 1} {
		keys = append(keys, fmt.Sprint(k))
	}
	slices.SortFunc(keys, func(a, b string) int {
		order := []string{"1", "a", "{x 1}", "2.5"}
		return slices.Index(order, a) - slices.Index(order, b)
	})
	o.Print(keys)
	n = 0
	for k, v := range map[error]int{io.EOF: 1, nil: 1} {
		_ = k
		n += v
	}
	o.Print(n)
	for k := range map[*int]bool{nil: true} {
		if k == nil {
			o.Print("nil")
		}
	}
}

func mapNested(o *show.Out) {
	total := 0
	for k, inner := range map[int]map[int]int{1: {1: 1, 2: 2}, 2: {3: 3}} {
		for i, v := range inner {
			total += k*v + i
		}
	}
	o.Print(total)
}

func mapIterators(o *show.Out) {
	m := map[int]int{1: 4, 2: 5, 3: 6}
	o.Print(slices.Sorted(maps.Keys(m)))
	o.Print(slices.Sorted(maps.Values[map[int]int](m)))
	n := 0
	for k, v := range maps.All(m) {
		n += v
		if k > 3 {
			break
		}
	}
	o.Print(n)
	keys := maps.Keys(table{"a": 1, "b": 2})
	o.Print(slices.Sorted(keys))
	n = 0
	for range maps.Keys(m) {
		n++
		break
	}
	o.Print(n)
	seq := maps.Keys(m)
	delete(m, 1)
	m[7], m[8] = 1, 1
	delete(m, 8)
	n = 0
	for range seq {
		n++
	}
	o.Print(n)
	n = 0
	for k := range maps.Collect(maps.All(map[int]int{1: 1, 2: 2, 3: 3})) {
		n += k
	}
	o.Print(n)
}

func mapPointers(o *show.Out) {
	type object struct{ _ int }
	a, b := make(chan int, 1), make(chan int, 1)
	m := map[chan int]string{a: "1"}
	m[b] = "2"
	out := ""
	for _, v := range m {
		out += v
	}
	x, y := new(object), new(object)
	count := map[any]int{}
	count[x]++
	count[y] += 2
	count[nil] = 3
	n := 0
	for _, v := range count {
		n += v
	}
	if n != 6 {
		out = "?"
	}
	o.Print(out)
}

func mapSync(o *show.Out) {
	var m struct{ sync.Map }
	for i := 1; i <= 3; i++ {
		m.Store(i, i)
	}
	m.Range(func(k, v any) bool {
		o.Print(k)
		return true
	})
	n := 0
	visit := m.Range
	visit(func(k, v any) bool {
		n++
		return false
	})
	o.Print(n)
}

func mapReflect(o *show.Out) {
	for _, k := range reflect.ValueOf(map[string]int{"a": 1, "b": 2}).MapKeys() {
		o.Print(k)
	}
}

func dice(o *show.Out) { o.Print(rand.Intn(6)) }

func randomFunctions(o *show.Out) {
	o.Print(rand.Int() >= 0 && rand.Int31() >= 0 && rand.Int63() >= 0 && rand.Int31n(5) < 5 && rand.Int63n(1000) < 1000)
	o.Print(rand.Float32() < 1 && rand.Float64() < 1 && rand.ExpFloat64() >= 0 && rand.NormFloat64() < 100)
	_, _ = rand.Uint32(), rand.Uint64()
	o.Print(randv2.Int() >= 0 && randv2.IntN(7) < 7 && randv2.Int32() >= 0 && randv2.Int32N(7) < 7 && randv2.Int64() >= 0 && randv2.Int64N(1<<40) < 1<<40)
	o.Print(randv2.UintN(7) < 7 && randv2.Uint32N(7) < 7 && randv2.Uint64N(7) < 7 && randv2.Float32() < 1 && randv2.Float64() < 1)
	_, _, _ = randv2.Uint(), randv2.Uint32(), randv2.Uint64()
	o.Print(randv2.N(10) < 10 && randv2.N[int64](1<<50) < 1<<50 && randv2.ExpFloat64() >= 0 && randv2.NormFloat64() < 100)
	o.Print(len(rand.Perm(3)), len(randv2.Perm(3)))
	list := []int{0, 1, 2}
	rand.Shuffle(3, func(i, j int) { list[i], list[j] = list[j], list[i] })
	randv2.Shuffle(3, func(i, j int) { list[i], list[j] = list[j], list[i] })
	slices.Sort(list)
	o.Print(slices.Equal(list, []int{0, 1, 2}))
	r := rand.New(rand.NewSource(1))
	o.Print(r.Intn(5) == rand.New(rand.NewSource(1)).Intn(5))
	b := make([]byte, 8)
	n, err := crand.Read(b)
	o.Print(err == nil && n == 8)
	big, err := crand.Int(crand.Reader, big.NewInt(1))
	text := crand.Text()
	o.Print(big.Int64()+2, len(b), len(text))
	_ = err
}

func randomValues(o *show.Out) {
	f := rand.Intn
	o.Print(f(3) < 3)
	call := func(f func(int) int) int { return f(5) }
	o.Print(call(randv2.IntN) < 5)
	o.Print(show.Panics(func() { rand.Intn(0) }))
	list := []int{1, 0}
	func() {
		defer rand.Shuffle(2, func(i, j int) { list[i], list[j] = list[j], list[i] })
	}()
	slices.Sort(list)
	o.Print(list)
	done := make(chan bool)
	go rand.Shuffle(2, func(i, j int) {})
	go func() { done <- randv2.N(3) < 3 }()
	o.Print(<-done)
}

func pool(o *show.Out) {
	p := sync.Pool{New: func() any { return "new" }}
	p.Put(nil)
	p.Put("1")
	o.Print(p.Get())
}

func poolValues(o *show.Out) {
	var p struct{ sync.Pool }
	put, get := p.Put, p.Get
	if get() == nil {
		o.Print("nil")
	}
	put(1)
	x := get()
	o.Print(x == nil || x == 1)
	p.New = func() any { return "new" }
	if x == nil {
		get()
	}
	for x = get(); x == 1; x = get() {
	}
	o.Print(x)
}

func ofProcess(o *show.Out) {
	o.Print(os.Getpid() > 0)
	n := runtime.NumGoroutine()
	o.Print(n - n + 1)
	stop := make(chan bool)
	go func() { <-stop }()
	o.Print(runtime.NumGoroutine() - n + 1)
	stop <- true
	o.Print(len(fmt.Sprintf("%p", o)) > 2)
}

func hashes(o *show.Out) {
	seed := maphash.MakeSeed()
	o.Print(maphash.String(seed, "a") == maphash.Bytes(seed, []byte("a")))
	o.Print(maphash.String(seed, "a") != maphash.String(seed, "b"))
	o.Print(maphash.Comparable(seed, point{"a", 1}) == maphash.Comparable(seed, point{"a", 1}))
	var h struct{ maphash.Hash }
	h.SetSeed(seed)
	h.WriteString("a")
	o.Print(h.Sum64() == maphash.String(seed, "a"))
	f, sum := maphash.String, h.Sum
	o.Print(f(seed, "a") == h.Sum64())
	var long maphash.Hash
	long.Write(make([]byte, 1000))
	o.Print(long.Sum64() == long.Sum64(), len(sum(nil)), h.Sum64()>>20%2)
}

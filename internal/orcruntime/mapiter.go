//go:build go1.25

package orcruntime

import (
	"iter"
	"reflect"
	"slices"
	"sync"
	"unsafe"
	"weak"
)

// MapRanger is a range over a map, entry by entry:
//
//	for r := RangeMap(site, m, true); r.Next(); { k, v := r.K, r.V; ... }
//
// In a run the keys come in an order that the run has chosen among all orders. An
// entry that is removed before it is reached does not come. Whether one that is
// created meanwhile comes, and before which of the others, is a choice each time that
// the range goes on; an entry that is removed and created again is another one.
type MapRanger[K comparable, V any] struct {
	K K
	V V

	site   Site
	m      map[K]V
	values bool // V is wanted
	native *reflect.MapIter
	k, v   reflect.Value // K and V, for native

	// chosen: the run chooses what comes next. first are the keys that there were at the
	// beginning, in their order, and keys those of them that are to come.
	chosen      bool
	first, keys []K
	// old are the entries that there were when the range has gone on last, and whether they
	// have come; nil: those of first. Those in gone, which are to come by keys, have been
	// removed since.
	old  map[K]bool
	gone map[K]bool
	// created is how many entries have come that were created since the beginning.
	created int
	ended   bool // nothing else comes
	// strange is how many keys are not equal to themselves: they cannot be looked up, and
	// come last, from native.
	strange int
}

// RangeMap begins a range; values says whether V is wanted.
func RangeMap[M ~map[K]V, K comparable, V any](site Site, m M, values bool) *MapRanger[K, V] {
	r := &MapRanger[K, V]{site: site, m: m, values: values}
	usesMap(site, m, mapIteration)
	if g := asks(); g != nil {
		r.first, r.strange = order(g, site, map[K]V(m))
		r.keys, r.chosen = r.first, true
		if m != nil {
			g.run.ranges.add(mapPointer(r.m), weakRange[K, V]{weak.Make(r)})
		}
		return r
	}
	r.iterate()
	return r
}

// iterate begins the iteration of the language.
func (r *MapRanger[K, V]) iterate() {
	r.native = reflect.ValueOf(r.m).MapRange()
	r.k, r.v = reflect.ValueOf(&r.K).Elem(), reflect.ValueOf(&r.V).Elem()
}

// Next goes on to the next entry, if there is one.
func (r *MapRanger[K, V]) Next() bool {
	if r.native == nil {
		if r.next() {
			return true
		}
		if r.ended = r.strange == 0; r.ended {
			return false
		}
		r.iterate()
	} else if g := asks(); r.chosen && g != nil && len(r.look()) > 0 {
		g.run.unchosen("whether an entry comes that was created meanwhile, behind keys that are not equal to themselves, was not chosen at " + sourceLine(r.site))
	}
	for r.native.Next() {
		r.k.SetIterKey(r.native)
		if r.chosen && r.K == r.K {
			continue
		}
		if r.values {
			r.v.SetIterValue(r.native)
		}
		return true
	}
	r.ended = true
	return false
}

// next is Next for the keys that are equal to themselves.
func (r *MapRanger[K, V]) next() bool {
	if len(r.keys) > 0 {
		usesMap(r.site, r.m, mapIteration)
	}
	r.skip()
	fresh := r.look()
	r.skip()
	switch g := asks(); {
	case len(fresh) > 0 && g != nil && g.takesCreated(r.site, r.created):
		if !sortKeys(g.run, fresh) {
			g.run.unchosen("keys of a map that differ in their addresses only came in an order that was not chosen at " + sourceLine(r.site))
		}
		if n := g.chooseCreated(r.site, len(fresh)); n > 0 {
			r.K = fresh[n-1]
			r.created++
			break
		}
		fallthrough
	default:
		if len(r.keys) == 0 {
			return false
		}
		r.K = r.keys[0]
		r.keys = r.keys[1:]
	}
	if r.old != nil {
		r.old[r.K] = true
	}
	r.V = r.m[r.K]
	return true
}

// skip leaves out the next keys whose entries are gone.
func (r *MapRanger[K, V]) skip() {
	for ; len(r.keys) > 0; r.keys = r.keys[1:] {
		k := r.keys[0]
		if _, there := r.m[k]; !there { // perhaps removed by code that is not instrumented
			r.removed(k)
		}
		if !r.gone[k] {
			return
		}
		delete(r.gone, k)
	}
}

// look compares the map with the entries that are known. It returns the keys of those that
// were created since, in no order.
func (r *MapRanger[K, V]) look() (fresh []K) {
	known := len(r.first)
	if r.old != nil {
		known = len(r.old)
	}
	if len(r.m) == known+r.strange {
		return nil
	}
	r.remember()
	for k := range r.old {
		if _, there := r.m[k]; !there { // removed by code that is not instrumented
			r.removed(k)
		}
	}
	strange := 0
	for k := range r.m {
		if _, known := r.old[k]; k != k {
			strange++
		} else if !known {
			fresh = append(fresh, k)
		}
	}
	if strange > r.strange {
		if g := asks(); g != nil {
			g.run.unchosen("whether an entry comes that was created meanwhile, with a key that is not equal to itself, was not chosen at " + sourceLine(r.site))
		}
	}
	return fresh
}

// remember makes old.
func (r *MapRanger[K, V]) remember() {
	if r.old != nil {
		return
	}
	r.old = make(map[K]bool, len(r.first))
	for i, k := range r.first {
		r.old[k] = i < len(r.first)-len(r.keys)
	}
}

// removed notes that an entry is no longer there.
func (r *MapRanger[K, V]) removed(k K) {
	r.remember()
	came, ok := r.old[k]
	if !ok {
		return
	}
	delete(r.old, k)
	if !came {
		if r.gone == nil {
			r.gone = map[K]bool{}
		}
		r.gone[k] = true
	}
}

// cleared notes that no entry is there.
func (r *MapRanger[K, V]) cleared() {
	r.old, r.gone, r.keys = map[K]bool{}, nil, nil
	if r.native == nil {
		r.strange = 0
	}
}

// mapRanges are the ranges over maps that a run has begun, and which perhaps go on.
type mapRanges struct {
	of map[unsafe.Pointer][]begunRange // by map
	// n is how many there are, and atMost how many there may be until those that do not go
	// on are left out.
	n, atMost int
}

// begunRange is one of them. Nobody tells when a loop is left, so it keeps none from being
// collected.
type begunRange interface{ over() bool }

type weakRange[K comparable, V any] struct{ weak.Pointer[MapRanger[K, V]] }

func (w weakRange[K, V]) over() bool {
	r := w.Value()
	return r == nil || r.ended
}

// add adds a range.
func (s *mapRanges) add(m unsafe.Pointer, r begunRange) {
	if s.of == nil {
		s.of = map[unsafe.Pointer][]begunRange{}
	}
	if s.n >= s.atMost {
		s.n = 0
		for m, list := range s.of {
			list = slices.DeleteFunc(list, begunRange.over)
			s.n += len(list)
			if s.of[m] = list; len(list) == 0 {
				delete(s.of, m)
			}
		}
		s.atMost = max(64, 2*s.n)
	}
	s.of[m] = append(s.of[m], r)
	s.n++
}

// rangesOver calls f with the ranges of a run over a map that may go on.
func rangesOver[K comparable, V any](m map[K]V, f func(r *MapRanger[K, V])) {
	g := asks()
	if g == nil || len(g.run.ranges.of) == 0 {
		return
	}
	for _, w := range g.run.ranges.of[mapPointer(m)] {
		if r := w.(weakRange[K, V]).Value(); r != nil && !r.ended {
			f(r)
		}
	}
}

func mapPointer[K comparable, V any](m map[K]V) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&m))
}

// Deletes is the builtin delete for a map: ranges over it learn of what is removed.
func Deletes[M ~map[K]V, K comparable, V any](m M) func(key K) {
	return func(key K) {
		delete(m, key)
		rangesOver(map[K]V(m), func(r *MapRanger[K, V]) { r.removed(key) })
	}
}

// Clears is the builtin clear for a map: ranges over it learn of it.
func Clears[M ~map[K]V, K comparable, V any](m M) {
	clear(m)
	rangesOver(map[K]V(m), (*MapRanger[K, V]).cleared)
}

// maxCreated is how many entries an exploration of all schedules lets come in one range that
// were created since it has begun: each may create another one.
const maxCreated = 8

// takesCreated reports whether one more entry that was created since a range has begun may
// come, after n of them.
func (g *goroutine) takesCreated(site Site, n int) bool {
	x := g.run.exec
	if x == nil || n < maxCreated {
		return true
	}
	if !slices.Contains(x.cutRanges, site) {
		x.cutRanges = append(x.cutRanges, site)
	}
	return false
}

// chooseCreated chooses among n entries that were created since a range has begun: which comes
// next, from 1, or 0 for none of them. A run of a seed takes none half of the time, so that
// a range ends whose body creates entries.
func (g *goroutine) chooseCreated(site Site, n int) int {
	occ, seed := g.ask(site)
	value := 0
	if r := random(seed); g.run.cfg.Plan.Seed != 0 && r.next(2) > 0 {
		value = 1 + r.next(n)
	}
	if x := g.run.exec; x != nil {
		value = x.pick(g, site, n+1, 0)
	}
	return g.decided(site, occ, n+1, value)
}

// order returns the keys of a map in an order that the run chooses for g, and how many are not
// equal to themselves, which are left out.
func order[K comparable, V any](g *goroutine, site Site, m map[K]V) (keys []K, strange int) {
	keys = make([]K, 0, len(m))
	for k := range m {
		if k != k {
			strange++
			continue
		}
		keys = append(keys, k)
	}
	if strange > 0 && len(m) > 1 {
		g.run.unchosen("keys of a map that are not equal to themselves came in an order that was not chosen at " + sourceLine(site))
	}
	if !sortKeys(g.run, keys) {
		g.run.unchosen("keys of a map that differ in their addresses only came in an order that was not chosen at " + sourceLine(site))
	}
	g.permute(site, len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys, strange
}

// choicesOfOrder is up to how many elements an order is one choice.
const choicesOfOrder = 8

// permute brings n elements into an order that the run chooses.
func (g *goroutine) permute(site Site, n int, swap func(i, j int)) {
	if n < 2 {
		return
	}
	if n > choicesOfOrder {
		g.run.exec.draws(site)
		if _, seed := g.ask(site); g.run.cfg.Plan.Seed != 0 {
			r := random(seed)
			for i := n - 1; i > 0; i-- {
				swap(i, r.next(i+1))
			}
		}
		return
	}
	orders := 1
	for i := 2; i <= n; i++ {
		orders *= i
	}
	value := g.choose(site, orders, true)
	for i := 0; i < n-1; i++ {
		orders /= n - i
		// The chosen one of those that are left comes next, the others stay sorted.
		for j := i + value/orders; j > i; j-- {
			swap(j, j-1)
		}
		value %= orders
	}
}

// MapKeys is maps.Keys.
func MapKeys[M ~map[K]V, K comparable, V any](site Site, m M) iter.Seq[K] {
	return func(yield func(K) bool) {
		for r := RangeMap(site, m, false); r.Next() && yield(r.K); {
		}
	}
}

// MapValues is maps.Values.
func MapValues[M ~map[K]V, K comparable, V any](site Site, m M) iter.Seq[V] {
	return func(yield func(V) bool) {
		for r := RangeMap(site, m, true); r.Next() && yield(r.V); {
		}
	}
}

// MapAll is maps.All.
func MapAll[M ~map[K]V, K comparable, V any](site Site, m M) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for r := RangeMap(site, m, true); r.Next() && yield(r.K, r.V); {
		}
	}
}

// ReflectedKeys brings the keys that reflect.Value.MapKeys has returned into an
// order that the run chooses.
func ReflectedKeys(site Site, keys []reflect.Value) []reflect.Value {
	g := asks()
	if g == nil {
		return keys
	}
	if !sortValues(g.run, keys) {
		g.run.unchosen("keys of a map that differ in their addresses only came in an order that was not chosen at " + sourceLine(site))
	}
	g.permute(site, len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys
}

// SyncMap is a sync.Map whose Range comes in an order that the run chooses.
func SyncMap(site Site, m *sync.Map) SyncMapAt { return SyncMapAt{site, m} }

// SyncMapAt is a sync.Map at a site.
type SyncMapAt struct {
	site Site
	m    *sync.Map
}

// Range is that of sync.Map: no key comes twice. Of the keys that are there at the beginning
// those come that still are; whether those do that are stored meanwhile is a choice, as it is
// for MapRanger. Each look at the map is a call of the library: others may act before it.
func (a SyncMapAt) Range(f func(key, value any) bool) {
	g := asks()
	if g == nil {
		a.m.Range(f)
		return
	}
	known := map[any]bool{}
	a.m.Range(func(k, _ any) bool { known[k] = true; return true })
	keys, strange := order(g, a.site, known)
	created := 0
	next := func() (k, v any, ok bool) {
		for len(keys) > 0 && !a.has(keys[0]) {
			keys = keys[1:]
		}
		var fresh []any
		a.m.Range(func(k, _ any) bool {
			if k == k && !known[k] {
				fresh = append(fresh, k)
			}
			return true
		})
		if len(fresh) > 0 && g.takesCreated(a.site, created) {
			if !sortKeys(g.run, fresh) {
				g.run.unchosen("keys of a map that differ in their addresses only came in an order that was not chosen at " + sourceLine(a.site))
			}
			if n := g.chooseCreated(a.site, len(fresh)); n > 0 {
				k = fresh[n-1]
				known[k] = true
				created++
				v, ok = a.m.Load(k)
				return k, v, ok
			}
		}
		if len(keys) == 0 {
			return nil, nil, false
		}
		k, keys = keys[0], keys[1:]
		v, ok = a.m.Load(k)
		return k, v, ok
	}
	for first := true; ; first = false {
		var call Mark = noLibrary
		if !first || g.library == 0 { // others may act meanwhile
			call = Lib(a.site)
		}
		k, v, ok := next()
		Back(call)
		if !ok {
			break
		}
		if !f(k, v) {
			return
		}
	}
	if strange > 0 {
		a.m.Range(func(k, v any) bool { return k == k || f(k, v) })
	}
}

func (a SyncMapAt) has(k any) bool {
	_, ok := a.m.Load(k)
	return ok
}

// Undecided is x, which the environment makes and the run cannot choose: a run
// notes it.
func Undecided[T any](site Site, what string, x T) T {
	if g := asks(); g != nil {
		g.run.unchosen(what + " is not chosen by the run at " + sourceLine(site))
	}
	return x
}

// KeySlice are the keys of a map in an order that the run chooses.
func KeySlice[M ~map[K]V, K comparable, V any](site Site, m M) []K {
	keys := make([]K, 0, len(m))
	for r := RangeMap(site, m, false); r.Next(); {
		keys = append(keys, r.K)
	}
	return keys
}

// ValueSlice are the values of a map in an order that the run chooses.
func ValueSlice[M ~map[K]V, K comparable, V any](site Site, m M) []V {
	values := make([]V, 0, len(m))
	for r := RangeMap(site, m, true); r.Next(); {
		values = append(values, r.V)
	}
	return values
}

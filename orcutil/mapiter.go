//go:build go1.25

package orcutil

import (
	"iter"
	"reflect"
	"sync"
)

// MapRanger is a range over a map, entry by entry:
//
//	for r := RangeMap(site, m, true); r.Next(); { k, v := r.K, r.V; ... }
//
// In a run the keys come in an order that the run has chosen among all orders.
// They are those that the map has at the beginning: an entry that is removed
// before it is reached does not come, nor does one that is inserted meanwhile.
type MapRanger[K comparable, V any] struct {
	K K
	V V

	site   Site
	m      map[K]V
	values bool // V is wanted
	chosen bool // keys are those to come
	keys   []K
	native *reflect.MapIter
	k, v   reflect.Value // K and V, for native
	// unequal: keys that are not equal to themselves come last, from native; they
	// cannot be looked up.
	unequal bool
}

// RangeMap begins a range; values says whether V is wanted.
func RangeMap[M ~map[K]V, K comparable, V any](site Site, m M, values bool) *MapRanger[K, V] {
	r := &MapRanger[K, V]{site: site, m: m, values: values}
	usesMap(site, m, mapIteration)
	if g := asks(); g != nil {
		r.keys, r.unequal = order(g, site, map[K]V(m))
		r.chosen = true
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
	for len(r.keys) > 0 {
		usesMap(r.site, r.m, mapIteration)
		k := r.keys[0]
		r.keys = r.keys[1:]
		if v, ok := r.m[k]; ok {
			r.K, r.V = k, v
			return true
		}
	}
	if r.chosen && !r.unequal {
		return false
	}
	if r.native == nil {
		r.iterate()
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
	return false
}

// order returns the keys of a map in an order that the run chooses for g. Those
// that are not equal to themselves are left out.
func order[K comparable, V any](g *goroutine, site Site, m map[K]V) (keys []K, unequal bool) {
	keys = make([]K, 0, len(m))
	strange := 0
	for k := range m {
		if k != k {
			strange++
			continue
		}
		keys = append(keys, k)
	}
	if strange > 1 {
		g.run.note("keys of a map that are not equal to themselves came in an order that was not chosen at " + sourceLine(site))
	}
	if !sortKeys(g.run, keys) {
		g.run.note("keys of a map that differ in their addresses only came in an order that was not chosen at " + sourceLine(site))
	}
	g.permute(site, len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	return keys, strange > 0
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
		g.run.note("keys of a map that differ in their addresses only came in an order that was not chosen at " + sourceLine(site))
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

// Range is that of sync.Map: of the keys that are there at the beginning, those
// that still are.
func (a SyncMapAt) Range(f func(key, value any) bool) {
	g := asks()
	if g == nil {
		a.m.Range(f)
		return
	}
	m := make(map[any]bool)
	a.m.Range(func(k, _ any) bool { m[k] = true; return true })
	keys, unequal := order(g, a.site, m)
	for _, k := range keys {
		if v, ok := a.m.Load(k); ok && !f(k, v) {
			return
		}
	}
	if unequal {
		a.m.Range(func(k, v any) bool { return k == k || f(k, v) })
	}
}

// Undecided is x, which the environment makes and the run cannot choose: a run
// notes it.
func Undecided[T any](site Site, what string, x T) T {
	if g := asks(); g != nil {
		g.run.note(what + " is not chosen by the run at " + sourceLine(site))
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

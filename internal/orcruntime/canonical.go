//go:build go1.25

package orcruntime

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// The keys of a map have an order of their own, the same in every run: by value,
// fields and elements one after the other, interfaces by the name of the type in
// them. Addresses are no values. Pointers and channels come in the order in which
// the run has seen them first, as keys that are inserted; those that it has not
// seen, by what they point to, behind the others.

// deep is how far pointers are followed to tell what they point to apart.
const deep = 4

// sortKeys sorts keys. It reports whether their order is the same in every run.
func sortKeys[K any](s *run, keys []K) bool {
	switch list := any(keys).(type) {
	case []string:
		slices.Sort(list)
		return true
	case []int:
		slices.Sort(list)
		return true
	}
	c := canonical{run: s}
	slices.SortFunc(keys, func(a, b K) int {
		return c.compare(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem(), deep)
	})
	if !addressed(reflect.TypeFor[K]()) {
		return true
	}
	list := make([]reflect.Value, len(keys))
	for i := range keys {
		list[i] = reflect.ValueOf(&keys[i]).Elem()
	}
	return c.settle(list)
}

// sortValues is sortKeys for values of one type.
func sortValues(s *run, keys []reflect.Value) bool {
	c := canonical{run: s}
	slices.SortFunc(keys, func(a, b reflect.Value) int { return c.compare(a, b, deep) })
	return len(keys) == 0 || !addressed(keys[0].Type()) || c.settle(keys)
}

// canonical compares values of a run.
type canonical struct{ run *run }

// settle numbers the addresses in sorted values, for the next time. It reports
// whether there was an order of all.
func (c canonical) settle(sorted []reflect.Value) bool {
	ok := true
	for i := 1; i < len(sorted); i++ {
		ok = ok && c.compare(sorted[i-1], sorted[i], deep) != 0
	}
	for _, v := range sorted {
		c.number(v)
	}
	return ok
}

// addressed: values of the type may hold addresses.
func addressed(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer, reflect.Interface:
		return true
	case reflect.Array:
		return addressed(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if addressed(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// number gives the addresses in a key their numbers, if they have none.
func (c canonical) number(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		p := v.UnsafePointer()
		if _, ok := c.run.numbers[p]; !ok && p != nil {
			if c.run.numbers == nil {
				c.run.numbers = make(map[unsafe.Pointer]int)
			}
			c.run.numbers[p] = len(c.run.numbers) + 1
		}
	case reflect.Interface:
		if !v.IsNil() {
			c.number(v.Elem())
		}
	case reflect.Array:
		for i := range v.Len() {
			c.number(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			c.number(v.Field(i))
		}
	}
}

// Keyed is k, a key that is inserted into a map: the run notes the order in which
// it sees addresses.
func Keyed[K any](k K) K {
	if g := asks(); g != nil {
		canonical{g.run}.number(reflect.ValueOf(&k).Elem())
	}
	return k
}

// compare orders two values of one type; 0 is also for what only addresses tell
// apart. Pointers are followed depth times.
func (c canonical) compare(a, b reflect.Value, depth int) int {
	switch a.Kind() {
	case reflect.Bool:
		x, y := a.Bool(), b.Bool()
		switch {
		case x == y:
			return 0
		case y:
			return -1
		}
		return 1
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cmp.Compare(a.Int(), b.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return cmp.Compare(a.Uint(), b.Uint())
	case reflect.Float32, reflect.Float64:
		return compareFloats(a.Float(), b.Float())
	case reflect.Complex64, reflect.Complex128:
		x, y := a.Complex(), b.Complex()
		return cmp.Or(compareFloats(real(x), real(y)), compareFloats(imag(x), imag(y)))
	case reflect.String:
		return strings.Compare(a.String(), b.String())
	case reflect.Array:
		for i := range a.Len() {
			if d := c.compare(a.Index(i), b.Index(i), depth); d != 0 {
				return d
			}
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if d := c.compare(a.Field(i), b.Field(i), depth); d != 0 {
				return d
			}
		}
	case reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			if d := c.compare(a.Index(i), b.Index(i), depth); d != 0 {
				return d
			}
		}
		return cmp.Compare(a.Len(), b.Len())
	case reflect.Map:
		return cmp.Compare(a.Len(), b.Len())
	case reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return compareNil(a.IsNil(), b.IsNil())
		}
		x, y := a.Elem(), b.Elem()
		if x.Type() != y.Type() {
			return cmp.Or(strings.Compare(x.Type().String(), y.Type().String()), strings.Compare(x.Type().PkgPath(), y.Type().PkgPath()))
		}
		return c.compare(x, y, depth)
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		return c.compareAddresses(a, b, depth)
	}
	return 0
}

func (c canonical) compareAddresses(a, b reflect.Value, depth int) int {
	p, q := a.UnsafePointer(), b.UnsafePointer()
	if p == q {
		return 0
	}
	if p == nil || q == nil {
		return compareNil(p == nil, q == nil)
	}
	m, n := c.run.numbers[p], c.run.numbers[q]
	switch {
	case m != 0 && n != 0:
		return cmp.Compare(m, n)
	case m != 0:
		return -1
	case n != 0:
		return 1
	case a.Kind() != reflect.Pointer || depth == 0:
		return 0
	}
	return c.compare(a.Elem(), b.Elem(), depth-1)
}

func compareNil(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// compareFloats orders all floats, NaN first, by their bits.
func compareFloats(x, y float64) int {
	if d := cmp.Compare(x, y); d != 0 {
		return d
	}
	return cmp.Compare(math.Float64bits(x), math.Float64bits(y))
}

//go:build go1.25

package orcruntime

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"reflect"
	"unsafe"
)

// What hash/maphash computes differs from process to process, whatever the seed. In
// a run these functions compute hashes of their own, from seeds that the run has
// chosen.

// MakeSeed is maphash.MakeSeed.
func MakeSeed(site Site) func() maphash.Seed {
	return func() maphash.Seed {
		g := asks()
		if g == nil {
			return maphash.MakeSeed()
		}
		_, bits := g.ask(site)
		g.run.exec.draws(site)
		bits |= 1 // 0 is no seed
		s := g.run
		if s.seeds == nil {
			s.seeds = make(map[uint64]bool)
		}
		s.seeds[bits] = true
		return *(*maphash.Seed)(unsafe.Pointer(&bits))
	}
}

// hashed is the hash of bytes. Seeds that the run has not made are one.
func (s *run) hashed(seed maphash.Seed, data string) uint64 {
	bits := *(*uint64)(unsafe.Pointer(&seed))
	if !s.seeds[bits] {
		bits = 0
	}
	return mix(bits, hashText(data))
}

// HashString is maphash.String.
func HashString(seed maphash.Seed, text string) uint64 {
	if g := asks(); g != nil {
		return g.run.hashed(seed, text)
	}
	return maphash.String(seed, text)
}

// HashBytes is maphash.Bytes.
func HashBytes(seed maphash.Seed, b []byte) uint64 {
	if g := asks(); g != nil {
		return g.run.hashed(seed, string(b))
	}
	return maphash.Bytes(seed, b)
}

// HashComparable is maphash.Comparable.
func HashComparable[T comparable](seed maphash.Seed, v T) uint64 {
	if g := asks(); g != nil {
		return canonical{g.run}.hash(g.run.hashed(seed, ""), reflect.ValueOf(&v).Elem())
	}
	return maphash.Comparable(seed, v)
}

// hash adds a value to a hash. Equal values have one.
func (c canonical) hash(h uint64, v reflect.Value) uint64 {
	float := func(h uint64, f float64) uint64 {
		if f == 0 {
			f = 0 // not -0
		}
		return mix(h, math.Float64bits(f))
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return mix(h, 1)
		}
		return mix(h, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return mix(h, uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return mix(h, v.Uint())
	case reflect.Float32, reflect.Float64:
		return float(h, v.Float())
	case reflect.Complex64, reflect.Complex128:
		return float(float(h, real(v.Complex())), imag(v.Complex()))
	case reflect.String:
		return mix(h, hashText(v.String()))
	case reflect.Array:
		for i := range v.Len() {
			h = c.hash(h, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			h = c.hash(h, v.Field(i))
		}
	case reflect.Interface:
		if v.IsNil() {
			return mix(h, 0)
		}
		return c.hash(mix(h, hashText(v.Elem().Type().String())), v.Elem())
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		c.number(v)
		return mix(h, uint64(c.run.numbers[v.UnsafePointer()]))
	}
	return h
}

// HashAt is a maphash.Hash at a site.
type HashAt struct {
	site Site
	*maphash.Hash
}

// Hash is a hash at a site.
func Hash(site Site, h *maphash.Hash) HashAt { return HashAt{site, h} }

// Sum64 is that of maphash.Hash.
func (a HashAt) Sum64() uint64 {
	g := asks()
	if g == nil {
		return a.Hash.Sum64()
	}
	seed := a.Hash.Seed()
	// What has been written stands in the buffer until that is full.
	v := reflect.ValueOf(a.Hash).Elem()
	buf, n, state := v.FieldByName("buf"), v.FieldByName("n"), v.FieldByName("state")
	if buf.IsValid() && n.CanInt() && int(n.Int()) <= buf.Len() && state.IsValid() &&
		state.Type() == reflect.TypeFor[maphash.Seed]() && state.Field(0).Uint() == *(*uint64)(unsafe.Pointer(&seed)) {
		return g.run.hashed(seed, string(buf.Bytes()[:n.Int()]))
	}
	return Undecided(a.site, "a hash of more than a buffer", a.Hash.Sum64())
}

// Sum is that of maphash.Hash.
func (a HashAt) Sum(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(b, a.Sum64())
}

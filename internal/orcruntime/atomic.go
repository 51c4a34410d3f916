//go:build go1.25

package orcruntime

import (
	"sync/atomic"
	"unsafe"
)

// Atomic operations are guards where goroutines share the variable: site is that of
// the guard, 0 if there is none. at is where the access is recorded, 0 if it is not.
//
// An atomic operation that sees what another has stored happens after it.
// Atomic operations do not race with each other, but with plain accesses.

// atomicEffect is what an atomic operation does to its variable.
type atomicEffect uint8

const (
	atomicNone atomicEffect = iota // a guard of a statement besides atomic operations
	atomicLoad
	atomicStore // what was stored before is not seen any more
	atomicUpdate
	// Adds, and the result is not used: so nobody sees in which order such operations come. None of them
	// happens after another one for that; who loads the sum is behind all.
	atomicAccumulate
)

// touch is how a step touches the variable.
func (e atomicEffect) touch() touchKind {
	switch e {
	case atomicLoad:
		return touchRead
	case atomicAccumulate:
		return touchAccumulate
	}
	return touchWrite
}

// atomically records an atomic operation that has been done.
func atomically(at Place, p unsafe.Pointer, size uintptr, e atomicEffect) {
	s := active.Load()
	if s == nil || s.races == nil && s.exec == nil && s.cfg.record == nil || s.dying.Load() {
		return
	}
	g := s.caller()
	if g != nil {
		g.recordAtomic(p, e)
	}
	s.exec.atomic(g, p, e)
	if s.races == nil {
		return
	}
	if g == nil {
		s.races.stop("atomic operation by a goroutine outside control at " + at.place())
		return
	}
	stored, added := syncKey{p: p}, syncKey{p, accumulatedPart}
	if e != atomicStore {
		s.races.acquire(g, stored)
	}
	if e == atomicLoad || e == atomicUpdate {
		s.races.acquire(g, added)
	}
	kind := atomicOne
	if e != atomicLoad {
		kind |= writes
	}
	if f := s.races.access(g, at, p, size, kind); f != nil {
		s.raced(*f)
	}
	switch e {
	case atomicStore:
		s.races.forget(stored)
		s.races.forget(added)
		s.races.release(g, stored)
	case atomicUpdate:
		s.races.release(g, stored)
	case atomicAccumulate:
		s.races.release(g, added)
	}
}

// forget: what was stored before is not seen any more.
func (r *races) forget(k syncKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.objects, k)
}

func (a Place) place() string {
	i := a.info()
	return SiteInfo{File: i.File, Line: i.Line}.Position()
}

// Loading is atomic.LoadInt32 and the like, which is do.
func Loading[T any](site Site, at Place, do func(*T) T) func(*T) T {
	return func(p *T) (v T) {
		if r := guardAtomic(site, unsafe.Pointer(p), atomicLoad); r != nil {
			r.atomically(site, unsafe.Pointer(p), func() byte { v = do(p); return recLoad })
			return v
		}
		v = do(p)
		atomically(at, unsafe.Pointer(p), unsafe.Sizeof(*p), atomicLoad)
		give(site, v)
		return v
	}
}

// Storing is atomic.StoreInt32 and the like.
func Storing[T any](site Site, at Place, do func(*T, T)) func(*T, T) {
	return func(p *T, v T) {
		if r := guardAtomic(site, unsafe.Pointer(p), atomicStore); r != nil {
			r.atomically(site, unsafe.Pointer(p), func() byte { do(p, v); return recStore })
			return
		}
		do(p, v)
		stores(site, v)
		atomically(at, unsafe.Pointer(p), unsafe.Sizeof(*p), atomicStore)
	}
}

// Updating is atomic.AddInt32, SwapInt32, AndInt32 and the like.
func Updating[T any](site Site, at Place, do func(*T, T) T) func(*T, T) T {
	return updating(site, at, do, atomicUpdate)
}

// Accumulating is atomic.AddInt32 and the like, where the result is not used.
func Accumulating[T any](site Site, at Place, do func(*T, T) T) func(*T, T) T {
	return updating(site, at, do, atomicAccumulate)
}

func updating[T any](site Site, at Place, do func(*T, T) T, e atomicEffect) func(*T, T) T {
	return func(p *T, v T) T {
		if r := guardAtomic(site, unsafe.Pointer(p), e); r != nil {
			r.atomically(site, unsafe.Pointer(p), func() byte { v = do(p, v); return recRMW })
			return v
		}
		v = do(p, v)
		atomically(at, unsafe.Pointer(p), unsafe.Sizeof(*p), e)
		give(site, v)
		return v
	}
}

// Swapping is atomic.CompareAndSwapInt32 and the like.
func Swapping[T any](site Site, at Place, do func(*T, T, T) bool) func(*T, T, T) bool {
	return func(p *T, old, v T) (ok bool) {
		if r := guardAtomic(site, unsafe.Pointer(p), atomicUpdate); r != nil {
			r.atomically(site, unsafe.Pointer(p), func() byte { ok = do(p, old, v); return swapping(ok) })
			return ok
		}
		ok = do(p, old, v)
		swapped(at, unsafe.Pointer(p), unsafe.Sizeof(*p), ok)
		give(site, ok)
		if ok {
			stores(site, v)
		}
		return ok
	}
}

// swapping is what a CompareAndSwap has done.
func swapping(ok bool) byte {
	if ok {
		return recRMW
	}
	return recLoad
}

func swapped(at Place, p unsafe.Pointer, size uintptr, ok bool) {
	e := atomicLoad
	if ok {
		e = atomicUpdate
	}
	atomically(at, p, size, e)
}

// cell are the methods that all types of package sync/atomic have.
type cell[T any] interface {
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(old, new T) bool
}

// integer are those of its integers.
type integer[T any] interface {
	cell[T]
	Add(T) T
	And(T) T
	Or(T) T
}

// Atomic is a value of a type of package sync/atomic, for one operation.
type Atomic[T any, C cell[T]] struct {
	c    C
	p    unsafe.Pointer
	size uintptr
	site Site
	at   Place
}

// Beside guards a statement of a function that has atomic operations: others may act
// between them and what they are to order. It returns 0.
func Beside(site Site) int {
	if site == 0 {
		return 0
	}
	if g := enter(site); g != nil {
		g.passAtomic(site, nil, atomicNone)
	}
	return 0
}

// guardAtomic is the guard in front of an atomic operation, if it has one. It returns the recorder of a
// goroutine that is recorded, for an operation on a variable that goroutines share.
func guardAtomic(site Site, p unsafe.Pointer, e atomicEffect) *recorder {
	if site == 0 {
		return nil
	}
	g := enter(site)
	if g == nil {
		return recording()
	}
	g.passAtomic(site, p, e)
	return nil
}

func (g *goroutine) passAtomic(site Site, p unsafe.Pointer, e atomicEffect) {
	g.effect = e
	g.arrive(opAtomic, site, p)
	g.pass()
	if p != nil {
		g.recAtomic = site
	}
}

// panics notes what an operation has looked at that is not done, since it panics: that of an atomic.Value does so where the one
// that was stored before has another type.
func (a Atomic[T, C]) panics(done *bool) {
	if !*done && a.p != nil {
		atomically(a.at, a.p, a.size, atomicLoad)
	}
}

// Load is the method of the value.
func (a Atomic[T, C]) Load() (v T) {
	if r := guardAtomic(a.site, a.p, atomicLoad); r != nil {
		r.atomically(a.site, a.p, func() byte { v = a.c.Load(); return recLoad })
		return v
	}
	v = a.c.Load()
	atomically(a.at, a.p, a.size, atomicLoad)
	give(a.site, v)
	return v
}

// Store is the method of the value.
func (a Atomic[T, C]) Store(v T) {
	if r := guardAtomic(a.site, a.p, atomicStore); r != nil {
		r.atomically(a.site, a.p, func() byte { a.c.Store(v); return recStore })
		return
	}
	done := false
	defer a.panics(&done)
	a.c.Store(v)
	done = true
	stores(a.site, v)
	atomically(a.at, a.p, a.size, atomicStore)
}

// Swap is the method of the value.
func (a Atomic[T, C]) Swap(v T) T {
	if r := guardAtomic(a.site, a.p, atomicUpdate); r != nil {
		r.atomically(a.site, a.p, func() byte { v = a.c.Swap(v); return recRMW })
		return v
	}
	done := false
	defer a.panics(&done)
	old := a.c.Swap(v)
	done = true
	atomically(a.at, a.p, a.size, atomicUpdate)
	give(a.site, old)
	stores(a.site, v)
	return old
}

// CompareAndSwap is the method of the value.
func (a Atomic[T, C]) CompareAndSwap(old, v T) (ok bool) {
	if r := guardAtomic(a.site, a.p, atomicUpdate); r != nil {
		r.atomically(a.site, a.p, func() byte { ok = a.c.CompareAndSwap(old, v); return swapping(ok) })
		return ok
	}
	done := false
	defer a.panics(&done)
	ok = a.c.CompareAndSwap(old, v)
	done = true
	swapped(a.at, a.p, a.size, ok)
	give(a.site, ok)
	if ok {
		stores(a.site, v)
	}
	return ok
}

// AtomicNumber is an Atomic of an integer type.
type AtomicNumber[T any, C integer[T]] struct{ Atomic[T, C] }

// Add is the method of the value.
func (a AtomicNumber[T, C]) Add(v T) T { return a.add(v, atomicUpdate) }

// Accumulate is the method Add of the value, where the result is not used.
func (a AtomicNumber[T, C]) Accumulate(v T) T { return a.add(v, atomicAccumulate) }

func (a AtomicNumber[T, C]) add(v T, e atomicEffect) T {
	if r := guardAtomic(a.site, a.p, e); r != nil {
		r.atomically(a.site, a.p, func() byte { v = a.c.Add(v); return recRMW })
		return v
	}
	return a.update(a.c.Add(v), e)
}

// And is the method of the value.
func (a AtomicNumber[T, C]) And(v T) T {
	if r := guardAtomic(a.site, a.p, atomicUpdate); r != nil {
		r.atomically(a.site, a.p, func() byte { v = a.c.And(v); return recRMW })
		return v
	}
	return a.update(a.c.And(v), atomicUpdate)
}

// Or is the method of the value.
func (a AtomicNumber[T, C]) Or(v T) T {
	if r := guardAtomic(a.site, a.p, atomicUpdate); r != nil {
		r.atomically(a.site, a.p, func() byte { v = a.c.Or(v); return recRMW })
		return v
	}
	return a.update(a.c.Or(v), atomicUpdate)
}

func (a AtomicNumber[T, C]) update(v T, e atomicEffect) T {
	atomically(a.at, a.p, a.size, e)
	give(a.site, v)
	stores(a.site, a.c.Load())
	return v
}

// Int32 is for the methods of an atomic.Int32.
func Int32(site Site, at Place, p *atomic.Int32) AtomicNumber[int32, *atomic.Int32] {
	return AtomicNumber[int32, *atomic.Int32]{Atomic[int32, *atomic.Int32]{p, unsafe.Pointer(p), unsafe.Sizeof(*p), site, at}}
}

// Int64 is for the methods of an atomic.Int64.
func Int64(site Site, at Place, p *atomic.Int64) AtomicNumber[int64, *atomic.Int64] {
	return AtomicNumber[int64, *atomic.Int64]{Atomic[int64, *atomic.Int64]{p, unsafe.Pointer(p), unsafe.Sizeof(*p), site, at}}
}

// Uint32 is for the methods of an atomic.Uint32.
func Uint32(site Site, at Place, p *atomic.Uint32) AtomicNumber[uint32, *atomic.Uint32] {
	return AtomicNumber[uint32, *atomic.Uint32]{Atomic[uint32, *atomic.Uint32]{p, unsafe.Pointer(p), unsafe.Sizeof(*p), site, at}}
}

// Uint64 is for the methods of an atomic.Uint64.
func Uint64(site Site, at Place, p *atomic.Uint64) AtomicNumber[uint64, *atomic.Uint64] {
	return AtomicNumber[uint64, *atomic.Uint64]{Atomic[uint64, *atomic.Uint64]{p, unsafe.Pointer(p), unsafe.Sizeof(*p), site, at}}
}

// Uintptr is for the methods of an atomic.Uintptr.
func Uintptr(site Site, at Place, p *atomic.Uintptr) AtomicNumber[uintptr, *atomic.Uintptr] {
	return AtomicNumber[uintptr, *atomic.Uintptr]{Atomic[uintptr, *atomic.Uintptr]{p, unsafe.Pointer(p), unsafe.Sizeof(*p), site, at}}
}

// Bool is for the methods of an atomic.Bool.
func Bool(site Site, at Place, p *atomic.Bool) Atomic[bool, *atomic.Bool] {
	return Atomic[bool, *atomic.Bool]{p, unsafe.Pointer(p), unsafe.Sizeof(*p), site, at}
}

// Pointer is for the methods of an atomic.Pointer.
func Pointer[T any](site Site, at Place, p *atomic.Pointer[T]) Atomic[*T, *atomic.Pointer[T]] {
	return Atomic[*T, *atomic.Pointer[T]]{p, unsafe.Pointer(p), unsafe.Sizeof(*p), site, at}
}

// Value is for the methods of an atomic.Value.
func Value(site Site, at Place, p *atomic.Value) Atomic[any, *atomic.Value] {
	return Atomic[any, *atomic.Value]{p, unsafe.Pointer(p), unsafe.Sizeof(*p), site, at}
}

package main

import "sync/atomic"

// Every atomic operation does what it says, whether it is a function or a method.
func main() {
	var int32 int32
	atomic.StoreInt32(&int32, 5)
	is(atomic.LoadInt32(&int32) == 5, atomic.AddInt32(&int32, 2) == 7, atomic.SwapInt32(&int32, 6) == 7)
	is(!atomic.CompareAndSwapInt32(&int32, 7, 1), atomic.CompareAndSwapInt32(&int32, 6, 12), atomic.LoadInt32(&int32) == 12)
	is(atomic.AndInt32(&int32, 6) == 12, atomic.LoadInt32(&int32) == 4, atomic.OrInt32(&int32, 3) == 4, atomic.LoadInt32(&int32) == 7)
	var int64 int64
	atomic.StoreInt64(&int64, 5)
	is(atomic.LoadInt64(&int64) == 5, atomic.AddInt64(&int64, 2) == 7, atomic.SwapInt64(&int64, 6) == 7)
	is(!atomic.CompareAndSwapInt64(&int64, 7, 1), atomic.CompareAndSwapInt64(&int64, 6, 12), atomic.LoadInt64(&int64) == 12)
	is(atomic.AndInt64(&int64, 6) == 12, atomic.LoadInt64(&int64) == 4, atomic.OrInt64(&int64, 3) == 4, atomic.LoadInt64(&int64) == 7)
	var uint32 uint32
	atomic.StoreUint32(&uint32, 5)
	is(atomic.LoadUint32(&uint32) == 5, atomic.AddUint32(&uint32, 2) == 7, atomic.SwapUint32(&uint32, 6) == 7)
	is(!atomic.CompareAndSwapUint32(&uint32, 7, 1), atomic.CompareAndSwapUint32(&uint32, 6, 12), atomic.LoadUint32(&uint32) == 12)
	is(atomic.AndUint32(&uint32, 6) == 12, atomic.LoadUint32(&uint32) == 4, atomic.OrUint32(&uint32, 3) == 4, atomic.LoadUint32(&uint32) == 7)
	var uint64 uint64
	atomic.StoreUint64(&uint64, 5)
	is(atomic.LoadUint64(&uint64) == 5, atomic.AddUint64(&uint64, 2) == 7, atomic.SwapUint64(&uint64, 6) == 7)
	is(!atomic.CompareAndSwapUint64(&uint64, 7, 1), atomic.CompareAndSwapUint64(&uint64, 6, 12), atomic.LoadUint64(&uint64) == 12)
	is(atomic.AndUint64(&uint64, 6) == 12, atomic.LoadUint64(&uint64) == 4, atomic.OrUint64(&uint64, 3) == 4, atomic.LoadUint64(&uint64) == 7)
	var uintptr uintptr
	atomic.StoreUintptr(&uintptr, 5)
	is(atomic.LoadUintptr(&uintptr) == 5, atomic.AddUintptr(&uintptr, 2) == 7, atomic.SwapUintptr(&uintptr, 6) == 7)
	is(!atomic.CompareAndSwapUintptr(&uintptr, 7, 1), atomic.CompareAndSwapUintptr(&uintptr, 6, 12), atomic.LoadUintptr(&uintptr) == 12)
	is(atomic.AndUintptr(&uintptr, 6) == 12, atomic.LoadUintptr(&uintptr) == 4, atomic.OrUintptr(&uintptr, 3) == 4, atomic.LoadUintptr(&uintptr) == 7)
	var aInt32 atomic.Int32
	aInt32.Store(5)
	is(aInt32.Load() == 5, aInt32.Add(2) == 7, aInt32.Swap(6) == 7)
	is(!aInt32.CompareAndSwap(7, 1), aInt32.CompareAndSwap(6, 12), aInt32.Load() == 12)
	is(aInt32.And(6) == 12, aInt32.Load() == 4, aInt32.Or(3) == 4, aInt32.Load() == 7)
	var aInt64 atomic.Int64
	aInt64.Store(5)
	is(aInt64.Load() == 5, aInt64.Add(2) == 7, aInt64.Swap(6) == 7)
	is(!aInt64.CompareAndSwap(7, 1), aInt64.CompareAndSwap(6, 12), aInt64.Load() == 12)
	is(aInt64.And(6) == 12, aInt64.Load() == 4, aInt64.Or(3) == 4, aInt64.Load() == 7)
	var aUint32 atomic.Uint32
	aUint32.Store(5)
	is(aUint32.Load() == 5, aUint32.Add(2) == 7, aUint32.Swap(6) == 7)
	is(!aUint32.CompareAndSwap(7, 1), aUint32.CompareAndSwap(6, 12), aUint32.Load() == 12)
	is(aUint32.And(6) == 12, aUint32.Load() == 4, aUint32.Or(3) == 4, aUint32.Load() == 7)
	var aUint64 atomic.Uint64
	aUint64.Store(5)
	is(aUint64.Load() == 5, aUint64.Add(2) == 7, aUint64.Swap(6) == 7)
	is(!aUint64.CompareAndSwap(7, 1), aUint64.CompareAndSwap(6, 12), aUint64.Load() == 12)
	is(aUint64.And(6) == 12, aUint64.Load() == 4, aUint64.Or(3) == 4, aUint64.Load() == 7)
	var aUintptr atomic.Uintptr
	aUintptr.Store(5)
	is(aUintptr.Load() == 5, aUintptr.Add(2) == 7, aUintptr.Swap(6) == 7)
	is(!aUintptr.CompareAndSwap(7, 1), aUintptr.CompareAndSwap(6, 12), aUintptr.Load() == 12)
	is(aUintptr.And(6) == 12, aUintptr.Load() == 4, aUintptr.Or(3) == 4, aUintptr.Load() == 7)
	var b atomic.Bool
	is(!b.Load(), !b.Swap(true), b.Load(), !b.CompareAndSwap(false, true), b.CompareAndSwap(true, false), !b.Load())
	b.Store(true)
	is(b.Swap(false), !b.Load())
	x, y := 1, 2
	var p atomic.Pointer[int]
	is(p.Load() == nil, p.Swap(&x) == nil, p.Load() == &x, !p.CompareAndSwap(&y, nil), p.CompareAndSwap(&x, &y), p.Load() == &y)
	p.Store(&x)
	is(p.Swap(nil) == &x, p.Load() == nil)
	<-make(chan int) // want "deadlock"
}

func is(all ...bool) {
	for _, ok := range all {
		if !ok {
			panic("not what it says")
		}
	}
}

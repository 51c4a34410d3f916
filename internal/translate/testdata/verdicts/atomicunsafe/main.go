package main

import (
	"sync/atomic"
	"unsafe"
)

func main() {
	x, c := 1, make(chan int)
	var p unsafe.Pointer
	atomic.StorePointer(&p, unsafe.Pointer(&x)) // under "unsafe"
	same := unsafe.Pointer(&x)                  // under "unsafe"
	if atomic.LoadPointer(&p) == same && !atomic.CompareAndSwapPointer(&p, nil, nil) && atomic.SwapPointer(&p, nil) != nil {
		<-c // want "deadlock"
	}
}

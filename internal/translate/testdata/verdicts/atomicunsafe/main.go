package main

import (
	"sync/atomic"
	"unsafe"
)

func main() {
	x, c := 1, make(chan int)
	var p unsafe.Pointer
	atomic.StorePointer(&p, unsafe.Pointer(&x)) // refused "unsafe.Pointer: memory behind it cannot be followed"
	same := unsafe.Pointer(&x)                  // refused "unsafe.Pointer: memory behind it cannot be followed"
	if atomic.LoadPointer(&p) == same && !atomic.CompareAndSwapPointer(&p, nil, nil) && atomic.SwapPointer(&p, nil) != nil {
		<-c
	}
}

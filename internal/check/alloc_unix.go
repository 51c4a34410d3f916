//go:build unix

package check

import (
	"syscall"
	"unsafe"
)

// mapWords is the size from which memory is mapped: unlike garbage, it is gone
// as soon as it is given back.
const mapWords = 1 << 14

// allocWords allocates zeroed words.
func allocWords(n int) []uint64 {
	if n >= mapWords {
		b, err := syscall.Mmap(-1, 0, 8*n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err == nil {
			return unsafe.Slice((*uint64)(unsafe.Pointer(&b[0])), n)[:n:n]
		}
		// The runtime may still have memory.
	}
	return make([]uint64, n)
}

// freeWords gives back what allocWords returned; nothing may refer to it any
// more.
func freeWords(w []uint64) {
	if len(w) >= mapWords {
		// Not mapped after all: Munmap knows, and the collector frees it.
		_ = syscall.Munmap(unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), 8*len(w)))
	}
}

//go:build go1.25 && unix

package orcruntime

import (
	"os"
	"syscall"
)

// mapFile maps a part of a file.
func mapFile(f *os.File, offset int64, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), offset, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

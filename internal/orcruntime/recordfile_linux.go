//go:build go1.25

package orcruntime

import (
	"os"
	"syscall"
)

// reserve has the system keep room on the disk for a part of a file, which is zeros.
func reserve(f *os.File, offset int64, size int) error {
	if syscall.Fallocate(int(f.Fd()), 0, offset, int64(size)) == nil {
		return nil
	}
	return writeZeros(f, offset, size) // not every file system can do it
}

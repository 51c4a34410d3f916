//go:build go1.25 && !linux

package orcruntime

import "os"

// reserve has the system keep room on the disk for a part of a file, which is zeros.
func reserve(f *os.File, offset int64, size int) error { return writeZeros(f, offset, size) }

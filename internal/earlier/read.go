package earlier

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/vtrace/vtrace/artifact"
)

// ReadFile reads a file by its absolute name: Read, or what has buffers that are not saved in
// front of it.
type ReadFile func(name string) ([]byte, error)

// Read is like os.ReadFile for regular files of at most the size that one of a bundle has. Others are
// errors, and nothing is waited for: a repository may put a device or a pipe where a file was.
func Read(name string) (_ []byte, err error) {
	info, err := os.Stat(name)
	if err == nil {
		err = readable(name, info, artifact.DefaultLimits.File)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// It may be another one by now.
	if info, err = f.Stat(); err == nil {
		err = readable(name, info, artifact.DefaultLimits.File)
	}
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, info.Size()+1))
	if err == nil && int64(len(data)) > info.Size() {
		err = fmt.Errorf("%s: has more bytes than it says", name) // it grows, or is one of the kernel
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// readable says why a file is not read.
func readable(name string, info os.FileInfo, limit int64) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is not a regular file", name)
	case info.Size() > limit:
		return fmt.Errorf("%s: has %d bytes, and at most %d are read", name, info.Size(), limit)
	}
	return nil
}

// growth is by how many bytes a file may be more than twice as large as it was to be compared.
const growth = 64 << 10

// Again reads a file that had a size when it was checked. What is on disk in its place must be a regular
// file that is not very much larger, so that a program takes about as much memory as it did.
func (read ReadFile) Again(name string, size int64) ([]byte, error) {
	if info, err := os.Stat(name); err == nil {
		if err := readable(name, info, 2*size+growth); err != nil {
			return nil, err
		}
	}
	return read(name)
}

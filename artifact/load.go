package artifact

import (
	"io"
)

// Load reads a bundle in either form within DefaultLimits.
func Load(path string) (*Bundle, error) { return LoadLimited(path, DefaultLimits) }

// LoadLimited reads a bundle in either form.
func LoadLimited(path string, lim Limits) (*Bundle, error) {
	return load(path, OpenOptions{Limits: lim})
}

func load(path string, o OpenOptions) (*Bundle, error) {
	r, err := Open(path, o)
	if err != nil {
		return nil, err
	}
	return r.bundle()
}

// ReadArchive reads the archive form of a bundle.
func ReadArchive(from io.Reader, lim Limits) (*Bundle, error) {
	r, err := NewReader(from, lim)
	if err != nil {
		return nil, err
	}
	return r.bundle()
}

//go:build go1.25 && !unix

package orcruntime

import (
	"errors"
	"os"
)

// mapFile maps a part of a file.
func mapFile(*os.File, int64, int) ([]byte, error) {
	return nil, errors.New("files cannot be mapped here")
}

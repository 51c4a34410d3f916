package sites

import (
	"path"
	"strings"
)

// What the name of a file begins and ends with that makes a function an entry point which is none by itself, as a
// benchmark. Package source writes it.
const (
	entryFilePrefix = "zz_"
	entryFileSuffix = "_entry_test.go"
)

// EntryFile is the name of the file that makes a function an entry point.
func EntryFile(function string) string {
	return entryFilePrefix + strings.ToLower(function) + entryFileSuffix
}

// IsEntryFile reports whether a file, slash-separated, is one that EntryFile has named: nobody has written it, and
// reports leave out what is done there.
func IsEntryFile(file string) bool {
	name := path.Base(file)
	return strings.HasPrefix(name, entryFilePrefix) && strings.HasSuffix(name, entryFileSuffix)
}

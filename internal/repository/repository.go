package repository

import (
	"slices"
	"strings"
)

// names are those that make a directory one of a version control system. The go command asks
// the system for the revision when it builds, and it runs what the directory says it is to run.
var names = []string{".git", ".hg", ".svn", ".bzr", ".fslckout", "_fossil_", ".jj"}

// Named reports whether an element of a path is such a name, as file systems that do not tell
// upper from lower case, and drop dots and blanks at the end, see it.
func Named(element string) bool {
	return slices.Contains(names, strings.ToLower(strings.TrimRight(element, ". ")))
}

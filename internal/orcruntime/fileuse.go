//go:build go1.25

package orcruntime

import (
	"os"
	"path/filepath"
	"strings"
)

// A function of package os is one step, though some do several things to the file system, between which another
// goroutine may act: os.WriteFile empties a file before it writes to it, and who reads the file meanwhile finds it
// empty. No schedule of a run has that. So where nothing orders such a call and what another goroutine does to the
// same file, that is said.

// fileUse is what a function does with a file; the instrumenter has the numbers, too.
type fileUse uint8

const (
	fileChanges fileUse = 1 << iota
	fileInParts         // by several operations, between which others may act
	fileTree            // and with all files below
)

// fileAccess is the last use of a file by a goroutine at a place, at the time that its clock had.
type fileAccess struct {
	g   int
	at  uint32
	use fileUse
	n   int // of what Reached is told
}

// FileUse is name, of a file that a function is about to use; n is the number of the diagnostic that others may act
// between its operations.
func FileUse(n int, use int, name string) string {
	if s := active.Load(); s != nil && s.races != nil && s.exec != nil && !s.dying.Load() {
		if g := s.caller(); g != nil {
			s.usesFile(g, n, fileUse(use), name)
		}
	}
	return name
}

// usesFile notes a use of a file, and which uses in several parts may have another one between them.
func (s *run) usesFile(g *goroutine, n int, use fileUse, name string) {
	path, err := filepath.Abs(name)
	if err != nil {
		return
	}
	r := s.races
	r.mu.Lock()
	reached := r.usesFile(g, fileAccess{g.index, g.clock.at(g.index), use, n}, path)
	r.mu.Unlock()
	for _, n := range reached {
		s.reach(n)
	}
}

// usesFile returns the numbers of the uses in several parts that another use may come between.
func (r *races) usesFile(g *goroutine, a fileAccess, path string) (reached []int) {
	beside := func(all []fileAccess, tree bool) {
		for _, o := range all {
			switch {
			case tree && o.use&fileTree == 0, o.g == a.g, (o.use|a.use)&fileChanges == 0, o.at <= g.apart.at(o.g):
				continue
			}
			for _, x := range []fileAccess{o, a} {
				if x.use&fileInParts != 0 {
					reached = append(reached, x.n)
				}
			}
		}
	}
	beside(r.files[path], false)
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		beside(r.files[dir], true)
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if a.use&fileTree != 0 {
		below := strings.TrimSuffix(path, string(os.PathSeparator)) + string(os.PathSeparator)
		for other, all := range r.files {
			if strings.HasPrefix(other, below) {
				beside(all, false)
			}
		}
	}
	for i, o := range r.files[path] {
		if o.g == a.g && o.use == a.use && o.n == a.n {
			r.files[path][i] = a
			return reached
		}
	}
	if r.files == nil {
		r.files = make(map[string][]fileAccess)
	}
	r.files[path] = append(r.files[path], a)
	return reached
}

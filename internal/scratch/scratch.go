package scratch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

const (
	// prefix begins the names of the directories of processes.
	prefix = "vtrace-"
	// lockName is the file that a process holds locked as long as it lives.
	lockName = "lock"
	// heldName is a file that is beside the lock from the moment on at which that is held.
	heldName = "held"
	// young is how old a lock is at least that is taken for one that was left where nobody has ever held
	// it: until then somebody may have made it and not locked it yet.
	young = time.Minute
	// maxEmpty is how many directories of a kind are kept.
	maxEmpty = 8
)

// process is the directory of this process, while it has one.
var process struct {
	sync.Mutex
	dir  string // "" if there is none
	lock *flock.Flock
	dirs map[string]bool // in it
	// empty are those in it that were removed, by their kinds. To make and remove a directory takes some file systems five times as
	// long as to make and remove the files of a run, of which a check may have hundreds.
	empty map[string][]string
}

// Make makes a directory for temporary files of a kind, a word for who looks at it. Remove removes
// it again. The first one removes what processes have left that were killed. It is safe for
// concurrent use.
func Make(kind string) (string, error) {
	process.Lock()
	defer process.Unlock()
	if process.dir == "" {
		sweep(os.TempDir())
		if err := begin(os.TempDir()); err != nil {
			return "", fmt.Errorf("directory for temporary files: %w", err)
		}
	}
	if list := process.empty[kind]; len(list) > 0 {
		dir := list[len(list)-1]
		process.empty[kind] = list[:len(list)-1]
		process.dirs[dir] = true
		return dir, nil
	}
	dir, err := os.MkdirTemp(process.dir, kind+"-")
	if err != nil {
		return "", errors.Join(fmt.Errorf("directory for temporary files: %w", err), end())
	}
	process.dirs[dir] = true
	return dir, nil
}

// Remove removes a directory that Make has made, with all that is in it.
func Remove(dir string) error {
	process.Lock()
	known := process.dirs[dir]
	process.Unlock()
	emptied := known && removeFiles(dir)
	var err error
	if !emptied {
		err = os.RemoveAll(dir)
	}
	process.Lock()
	defer process.Unlock()
	delete(process.dirs, dir)
	if emptied {
		kind, _, _ := strings.Cut(filepath.Base(dir), "-")
		if len(process.empty[kind]) < maxEmpty {
			process.empty[kind] = append(process.empty[kind], dir)
		} else {
			err = os.RemoveAll(dir)
		}
	}
	return errors.Join(err, end())
}

// removeFiles removes what is in a directory if that is only files, and reports whether the directory is as it was made.
func removeFiles(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || info.Mode() != os.ModeDir|0o700 {
		return false
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.IsDir() || os.Remove(filepath.Join(dir, e.Name())) != nil {
			return false
		}
	}
	return true
}

// GoEnv is an environment, of which nil is that of the process, in which the go command makes its
// temporary files in a directory, so that none is left when it is killed. What GOTMPDIR says holds
// where it is set.
func GoEnv(env []string, dir string) []string {
	if env == nil {
		env = os.Environ()
	}
	const name = "GOTMPDIR="
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name); ok && value != "" {
			return env
		} else if ok {
			break
		}
	}
	return append(env[:len(env):len(env)], name+dir)
}

// begin makes the directory of this process.
func begin(temp string) error {
	dir, err := os.MkdirTemp(temp, prefix)
	if err != nil {
		return err
	}
	lock := flock.New(filepath.Join(dir, lockName))
	locked, err := lock.TryLock()
	if err == nil && !locked {
		err = errors.New("its lock is held by somebody else")
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, heldName), nil, 0o600)
	}
	if err != nil {
		return errors.Join(err, lock.Close(), os.RemoveAll(dir))
	}
	process.dir, process.lock, process.dirs = dir, lock, map[string]bool{}
	process.empty = map[string][]string{}
	return nil
}

// end removes the directory of this process if there is nothing in it.
func end() error {
	if process.dir == "" || len(process.dirs) > 0 {
		return nil
	}
	dir, lock := process.dir, process.lock
	process.dir, process.lock, process.dirs, process.empty = "", nil, nil, nil
	return errors.Join(lock.Close(), os.RemoveAll(dir))
}

// sweep removes the directories of processes that have ended without doing so: nobody holds their
// locks. What cannot be removed, or belongs to somebody else, stays.
func sweep(temp string) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return // who makes a directory there is told
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		dir := filepath.Join(temp, e.Name())
		file := filepath.Join(dir, lockName)
		info, err := os.Lstat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, heldName)); err != nil && time.Since(info.ModTime()) < young {
			continue
		}
		lock := flock.New(file, flock.SetFlag(os.O_RDWR))
		if locked, err := lock.TryLock(); err != nil || !locked {
			continue
		}
		_ = lock.Close()
		_ = os.RemoveAll(dir)
	}
}

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
)

// process is the directory of this process, while it has one.
var process struct {
	sync.Mutex
	dir  string // "" if there is none
	lock *flock.Flock
	dirs map[string]bool // in it
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
	dir, err := os.MkdirTemp(process.dir, kind+"-")
	if err != nil {
		return "", errors.Join(fmt.Errorf("directory for temporary files: %w", err), end())
	}
	process.dirs[dir] = true
	return dir, nil
}

// Remove removes a directory that Make has made, with all that is in it.
func Remove(dir string) error {
	err := os.RemoveAll(dir)
	process.Lock()
	defer process.Unlock()
	delete(process.dirs, dir)
	return errors.Join(err, end())
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
	return nil
}

// end removes the directory of this process if there is nothing in it.
func end() error {
	if process.dir == "" || len(process.dirs) > 0 {
		return nil
	}
	dir, lock := process.dir, process.lock
	process.dir, process.lock, process.dirs = "", nil, nil
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

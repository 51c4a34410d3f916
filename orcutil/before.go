//go:build go1.25

package orcutil

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// free counts the goroutines that instrumented code has started outside runs,
// which may come to guards at any time.
var free atomic.Int64

// originals are goroutines that the initialisation of packages has started. If
// every run repeats that of the package, and with it them, the variables belong
// to the repetition: an original must not act any more once there has been a run.
var originals struct {
	begun atomic.Bool // main.main: nobody but originals starts others
	n     atomic.Int64
	sync.Mutex
	all  map[uint64]origin
	free map[string]int64 // those of a package that are counted by free
}

// origin is the package that has started an original, and whether the original
// is counted by free.
type origin struct {
	pkg     string
	counted bool
}

// freely is f for a goroutine that is started outside runs.
func freely(f func()) func() {
	free.Add(1)
	pkg, ok := initialiser()
	if !ok {
		return func() {
			defer free.Add(-1)
			f()
		}
	}
	countOriginals(pkg, 1)
	return func() {
		defer free.Add(-1)
		defer countOriginals(pkg, -1)
		original(origin{pkg, true}, f)
	}
}

// freelyCalled is f for a goroutine of a library that calls it outside runs.
func freelyCalled(f func()) func() {
	pkg, ok := initialiser()
	if !ok {
		return f
	}
	return func() { original(origin{pkg, false}, f) }
}

func countOriginals(pkg string, n int64) {
	originals.Lock()
	defer originals.Unlock()
	if originals.free == nil {
		originals.free = make(map[string]int64)
	}
	originals.free[pkg] += n
}

// initialiser is the package in whose initialisation the caller, outside runs, is
// or was started.
func initialiser() (pkg string, ok bool) {
	if o, ok := originalOf(); ok {
		return o.pkg, ok
	}
	return initialising()
}

// original runs f in an original.
func original(o origin, f func()) {
	id := goid()
	originals.Lock()
	if originals.all == nil {
		originals.all = make(map[uint64]origin)
	}
	originals.all[id] = o
	originals.Unlock()
	originals.n.Add(1)
	defer func() {
		originals.n.Add(-1)
		originals.Lock()
		delete(originals.all, id)
		originals.Unlock()
	}()
	if active.Load() != nil {
		freeze()
	}
	f()
}

// originalOf returns what the caller is as an original.
func originalOf() (o origin, ok bool) {
	if originals.n.Load() == 0 {
		return origin{}, false
	}
	id := goid()
	originals.Lock()
	defer originals.Unlock()
	o, ok = originals.all[id]
	return o, ok
}

// freeze stops the calling goroutine for good if runs have one in its place.
func freeze() {
	o, ok := originalOf()
	if !ok || !isRepeated(o.pkg) {
		return
	}
	if o.counted {
		countOriginals(o.pkg, -1)
		free.Add(-1)
	}
	select {}
}

// initialising is the package that the process is initialising. Goroutine 1 does
// that before it comes to main.main.
func initialising() (pkg string, ok bool) {
	if originals.begun.Load() {
		return "", false
	}
	stacks := make([]byte, 1<<16) // the first are those of the caller and of goroutine 1
	stacks = stacks[:runtime.Stack(stacks, true)]
	for stack := range bytes.SplitSeq(stacks, []byte("\n\n")) {
		if !bytes.HasPrefix(stack, []byte("goroutine 1 [")) {
			continue
		}
		outermost := ""
		for line := range strings.Lines(string(stack)) {
			if name, args := strings.TrimSpace(line), strings.LastIndex(line, "("); args > 0 && line[0] != '\t' && !strings.HasPrefix(name, "runtime.") {
				outermost = line[:args]
			}
		}
		if outermost != "main.main" {
			return packageOf(outermost), true
		}
	}
	originals.begun.Store(true)
	return "", false
}

// others weakens the run if goroutines that the program started before it, as
// TestMain may, go on beside it.
func (s *run) others() {
	var n int64
	for range 100 { // they may just be ending
		n = free.Load()
		originals.Lock()
		for pkg, count := range originals.free {
			if isRepeated(pkg) {
				n -= count
			}
		}
		originals.Unlock()
		if n <= 0 {
			return
		}
		runtime.Gosched()
	}
	s.weaken("outside control: goroutines that the program started before the run: " + strconv.FormatInt(n, 10))
}

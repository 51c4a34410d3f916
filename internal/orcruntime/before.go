//go:build go1.25

package orcruntime

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// before are the goroutines that instrumented code has started outside runs,
// which may come to guards at any time. Some are originals: the initialisation of
// a package has started them. If every run repeats that, and with it them, the
// variables belong to the repetition: an original must not act any more once
// there has been a run.
var before struct {
	initialised atomic.Bool // nobody but originals starts originals
	originals   atomic.Int64
	run         atomic.Bool  // there has been a run, or there is one
	acting      atomic.Int64 // the sum of free

	sync.Mutex
	free map[string]int64  // how many, by package of the original, "" for others
	all  map[uint64]string // the package of an original, by goroutine
}

// count adds to the goroutines of a package.
func count(pkg string, n int64) {
	before.Lock()
	defer before.Unlock()
	if before.free == nil {
		before.free = make(map[string]int64)
	}
	before.free[pkg] += n
	before.acting.Add(n)
}

// freely is f for a goroutine that is started outside runs.
func freely(f func()) func() { return startedBy(initialiser(), f) }

// freelyCalled is f for a goroutine of a library that calls it outside runs.
func freelyCalled(f func()) func() {
	pkg := initialiser()
	if pkg == "" {
		return f
	}
	return func() { startedBy(pkg, f)() }
}

// startedBy is f for a goroutine that the initialisation of a package starts, or,
// if it is "", something else does.
func startedBy(pkg string, f func()) func() {
	count(pkg, 1)
	return func() {
		defer count(pkg, -1)
		original(pkg, f)
	}
}

// original runs f in an original, if it is started by the initialisation of a
// package.
func original(pkg string, f func()) {
	if pkg != "" {
		id := goid()
		before.Lock()
		if before.all == nil {
			before.all = make(map[uint64]string)
		}
		before.all[id] = pkg
		before.Unlock()
		before.originals.Add(1)
		defer func() {
			before.originals.Add(-1)
			before.Lock()
			delete(before.all, id)
			before.Unlock()
		}()
		freeze()
	}
	f()
}

// originalOf is the package whose initialisation has started the caller, "" if
// it is no original.
func originalOf() string {
	if before.originals.Load() == 0 {
		return ""
	}
	id := goid()
	before.Lock()
	defer before.Unlock()
	return before.all[id]
}

// freeze stops the calling goroutine for good if it is an original and a run has
// had one in its place.
func freeze() {
	if before.run.Load() {
		freezeOriginal()
	}
}

func freezeOriginal() {
	if pkg := originalOf(); isRepeated(pkg) {
		count(pkg, -1)
		select {}
	}
}

// initialiser is the package in whose initialisation the caller, outside runs, is
// or was started, "" if in none.
func initialiser() string {
	if pkg := originalOf(); pkg != "" {
		return pkg
	}
	return initialising()
}

// initialising is the package that the process is initialising, "" if none.
// Goroutine 1 does that before it comes to main.main.
func initialising() string {
	if before.initialised.Load() {
		return ""
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
			return packageOf(outermost)
		}
	}
	before.initialised.Store(true)
	return ""
}

// goroutinesBefore counts those started outside runs: all, and those that no run
// repeats.
func goroutinesBefore() (all, kept int64) {
	before.Lock()
	defer before.Unlock()
	for pkg, n := range before.free {
		all += n
		if !isRepeated(pkg) {
			kept += n
		}
	}
	return all, kept
}

// others weakens the run if goroutines that the program started before it, as
// TestMain may, go on beside it.
func (s *run) others() {
	var n int64
	for range 100 { // they may just be ending
		if _, n = goroutinesBefore(); n <= 0 {
			return
		}
		runtime.Gosched()
	}
	s.weaken("outside control: goroutines that the program started before the run: " + strconv.FormatInt(n, 10))
}

package races

import (
	"context"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"sync"
	"testing/fstest"
)

// Functions that libraries call back from calls that may synchronise.

// counting is a handler that counts records.
type counting struct {
	mu *sync.Mutex // nil: none
	n  *int
}

func (h counting) Enabled(context.Context, slog.Level) bool { return true }
func (h counting) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h counting) WithGroup(string) slog.Handler            { return h }

func (h counting) Handle(context.Context, slog.Record) error {
	if h.mu != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
	}
	*h.n++
	return nil
}

func RacyHandler() {
	l := slog.New(counting{n: new(int)})
	f := func() { l.Error("a") }
	both(f, f)
}

func SafeHandler() {
	l := slog.New(counting{n: new(int), mu: &sync.Mutex{}})
	f := func() { l.Error("a") }
	both(f, f)
}

func RacyTwoLoggers() {
	c := &counter{out: io.Discard}
	a, b := log.New(c, "", 0), log.New(c, "", 0)
	both(func() { a.Print("a") }, func() { b.Print("b") })
}

func SafeTwoLoggers() {
	c := &lockedCounter{counter: counter{out: io.Discard}}
	a, b := log.New(c, "", 0), log.New(c, "", 0)
	both(func() { a.Print("a") }, func() { b.Print("b") })
}

var files = fstest.MapFS{"a/b": &fstest.MapFile{}}

func RacyWalk() {
	n := 0
	f := func() {
		_ = fs.WalkDir(files, ".", func(string, fs.DirEntry, error) error { n++; return nil })
	}
	both(f, f)
}

func SafeWalkReads() {
	n, most := 1, 2
	f := func() {
		_ = fs.WalkDir(files, ".", func(string, fs.DirEntry, error) error {
			if n > most {
				return fs.SkipAll
			}
			return nil
		})
	}
	both(f, f)
}

// One walks behind the other.
func SafeWalkOrdered() {
	n := 0
	f := func() {
		_ = fs.WalkDir(files, ".", func(string, fs.DirEntry, error) error { n++; return nil })
	}
	done := make(chan bool)
	go func() {
		f()
		done <- true
	}()
	<-done
	f()
}

// The function is behind what the library has called in another goroutine before.
func SafeWalkStarts() {
	n := 0
	var wg sync.WaitGroup
	_ = fs.WalkDir(files, ".", func(string, fs.DirEntry, error) error {
		n++
		return nil
	})
	wg.Go(func() {
		_ = fs.WalkDir(files, ".", func(string, fs.DirEntry, error) error { n++; return nil })
	})
	wg.Wait()
	n++
}

//go:build go1.25

package orcruntime

import (
	"io"
	"log"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// lockingLogger is a logger whose writer takes a lock.
func lockingLogger(mu *sync.Mutex) *log.Logger {
	return log.New(writerFunc(func(p []byte) (int, error) {
		Lock(1, mu)
		Unlock(2, mu)
		return len(p), nil
	}), "", 0)
}

// inLibrary is a call of uninstrumented code.
func inLibrary(f func()) {
	m := Lib(0)
	defer Back(m)
	f()
}

// TestLibraryLocks: goroutines wait for locks that a library holds while it calls the program back,
// or while it waits itself. Runs say what the program would do.
func TestLibraryLocks(t *testing.T) {
	for name, p := range map[string]struct {
		main  func()
		kinds []string // of ends, "" for a good one: each is seen
		lost  string   // why no end is known, where that is so
	}{
		"logger whose writer takes a lock": {func() {
			var mu sync.Mutex
			l := lockingLogger(&mu)
			done := make(chan bool)
			for range 3 {
				Go(3, func() {
					inLibrary(func() { l.Print("a") })
					To(done).Send(4, true)
				})
			}
			for range 3 {
				Recv(5, done)
			}
		}, []string{""}, ""},
		"logger whose writer logs": {func() {
			var l *log.Logger
			l = log.New(writerFunc(func(p []byte) (int, error) {
				inLibrary(func() { l.Print("again") })
				return len(p), nil
			}), "", 0)
			inLibrary(func() { l.Print("a") })
		}, []string{KindDeadlock}, ""},
		"lock and logger in two orders": {func() {
			var mu sync.Mutex
			l := lockingLogger(&mu)
			done := make(chan bool)
			Go(3, func() {
				Lock(4, &mu)
				inLibrary(func() { l.Writer() })
				Unlock(5, &mu)
				To(done).Send(6, true)
			})
			inLibrary(func() { l.Print("b") })
			Recv(7, done)
		}, []string{"", KindDeadlock}, ""},
		"two writers of a pipe": {func() {
			r, w := io.Pipe()
			done := make(chan bool)
			for range 2 {
				Go(1, func() {
					inLibrary(func() { _, _ = w.Write([]byte("ab")) })
					To(done).Send(2, true)
				})
			}
			for range 4 {
				inLibrary(func() { _, _ = r.Read(make([]byte, 1)) })
			}
			Recv(3, done)
			Recv(4, done)
		}, []string{""}, ""},
		"two writers of a pipe and a reader who leaves": {func() {
			r, w := io.Pipe()
			done := make(chan bool)
			for range 2 {
				Go(1, func() {
					inLibrary(func() { _, _ = w.Write([]byte("ab")) })
					To(done).Send(2, true)
				})
			}
			inLibrary(func() { _, _ = r.Read(make([]byte, 2)) })
			Recv(3, done)
			Recv(4, done)
		}, []string{KindDeadlock}, ""},
		"reader of a lock behind a waiting writer": {func() {
			var mu sync.RWMutex // of a library
			read := func(f func()) { inLibrary(func() { mu.RLock(); defer mu.RUnlock(); f() }) }
			done := make(chan bool)
			Go(1, func() {
				inLibrary(func() { mu.Lock(); defer mu.Unlock() }) // it waits for the readers
				To(done).Send(2, true)
			})
			read(func() {
				Access(3)
				read(func() {})
			})
			Recv(4, done)
		}, []string{"", KindDeadlock}, ""},
		"a function that once is in": {func() {
			var once sync.Once // of a library
			c, done := make(chan bool), make(chan bool)
			for range 2 {
				Go(1, func() {
					inLibrary(func() { once.Do(func() { Recv(2, c) }) })
					To(done).Send(3, true)
				})
			}
			To(c).Send(4, true)
			Recv(5, done)
			Recv(6, done)
		}, []string{""}, ""},
		"who has the lock sleeps": {func() {
			var mu sync.Mutex // of a library
			done := make(chan bool)
			for range 2 {
				Go(1, func() {
					inLibrary(func() { mu.Lock(); defer mu.Unlock(); Sleep(2, time.Second) })
					To(done).Send(3, true)
				})
			}
			Recv(4, done)
			Recv(5, done)
		}, []string{""}, "time does not pass"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := map[string]bool{}
			for seed := range uint64(12) {
				res := Run(Config{Bubble: bubble(t), Chooser: Random(seed), Main: p.main})
				if p.lost != "" && res.Verdict == Unsupported {
					require.Contains(t, res.Message, p.lost)
					seen[p.lost] = true
					continue
				}
				require.Equal(t, Completed, res.Verdict, "%s", res)
				require.Contains(t, p.kinds, res.Outcome.Kind, "%s", res)
				seen[res.Outcome.Kind] = true
			}
			want := len(p.kinds)
			if p.lost != "" {
				want++
			}
			require.Len(t, seen, want, "%v", seen)
		})
	}
}

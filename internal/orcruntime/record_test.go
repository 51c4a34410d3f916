package orcruntime

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	recordfile "github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/trace"
)

// recordedIn records what a function does in this process. It is not for parallel tests.
func recordedIn(t *testing.T, f func()) *trace.Trace {
	t.Helper()
	dir := t.TempDir()
	file, err := newRecordFile(dir, "")
	require.NoError(t, err)
	recordTo(file)
	defer func() {
		recordings.on.Store(false)
		localOf().end()
		forgetLocal()
	}()
	f()
	recordings.on.Store(false)
	in, err := os.Open(filepath.Join(dir, strconv.Itoa(os.Getpid())))
	require.NoError(t, err)
	defer in.Close()
	var b bytes.Buffer
	header := recordfile.Header{Names: []string{"place 1", "place 2", "place 3"}}
	for line := range 20 {
		header.Positions = append(header.Positions, recordfile.Position{File: "x.go", Line: line + 1})
	}
	require.NoError(t, recordfile.Convert(&b, header, in))
	tr, _, err := recordfile.Load(&b, 0)
	require.NoError(t, err)
	return tr
}

// count counts the events of an operation that have a property.
func countEvents(tr *trace.Trace, op trace.Op, has func(*trace.Event) bool) (n int) {
	for i := range tr.Goroutines {
		for j := range tr.Goroutines[i].Events {
			if e := &tr.Goroutines[i].Events[j]; e.Op == op && e.Phase.HasPost() && has(e) {
				n++
			}
		}
	}
	return n
}

// Where the Go runtime does not tell who has met whom, everything else is recorded: here, by goroutines that
// instrumented and other code has started.
func TestRecordOperations(t *testing.T) {
	known := func(e *trace.Event) bool { return e.Partner.Known() }
	all := func(*trace.Event) bool { return true }
	var n atomic.Int64
	tr := recordedIn(t, func() {
		var (
			mu   sync.Mutex
			rw   sync.RWMutex
			wg   sync.WaitGroup
			once sync.Once
			cond = sync.NewCond(&mu)
		)
		c, done := make(chan int), make(chan bool)
		Add(1, &wg, 2)
		Go(2, func() { defer Done(3, &wg); To(c).Send(4, 7) })
		finished := make(chan bool)
		go func() { Done(5, &wg); finished <- true }() // by the test itself
		require.Equal(t, 7, Recv(6, c))
		<-finished
		Wait(7, &wg)
		Close(8, done)
		_, ok := Recv2(9, done)
		require.False(t, ok)
		require.Equal(t, 0, Select(10, false, R(done)))
		require.Equal(t, noCase, Select(11, true, R(c), To(c).Case(1)))
		require.Panics(t, func() { Close(12, done) })
		require.Panics(t, func() { To(done).Send(13, true) })
		require.Panics(t, func() { Select(14, false, R(c), To(done).Case(true)) })
		require.Panics(t, func() { Add(15, new(sync.WaitGroup), -1) })
		Lock(16, &mu)
		require.False(t, TryLock(17, &mu))
		Unlock(18, &mu)
		Lock(19, &mu)
		Unlock(20, &mu)
		RLock(21, &rw)
		require.True(t, TryRLock(22, &rw))
		RUnlock(23, &rw)
		RUnlock(24, &rw)
		WLock(25, &rw)
		WUnlock(26, &rw)
		LockIface(27, rw.RLocker())
		UnlockIface(28, rw.RLocker())
		for range 2 {
			OnceDo(29, &once, func() { Int64(30, 0, &n).Add(1) })
		}
		require.Equal(t, int64(1), Int64(31, 0, &n).Load())
		require.False(t, Int64(32, 0, &n).CompareAndSwap(5, 6))
		Int64(0, 0, &n).Store(3) // of its own
		waits, woken := make(chan bool), make(chan bool)
		Go(33, func() {
			Lock(34, &mu)
			close(waits)
			CondWait(35, cond)
			Unlock(36, &mu)
			close(woken)
		})
		<-waits
		Lock(37, &mu)
		CondSignal(38, cond)
		Unlock(39, &mu)
		<-woken
		CondBroadcast(40, cond)
		WGGo(41, &wg, func() {})
		Wait(42, &wg)
		called := make(chan bool)
		AfterFunc(43, time.Microsecond, func() { Lock(44, &mu); Unlock(45, &mu); close(called) })
		<-called
		ended := make(chan bool)
		Go(46, func() { defer close(ended); Goexit(47) })
		<-ended
	})
	require.Equal(t, 3, countEvents(tr, trace.OpRecv, all)+countEvents(tr, trace.OpSelect, func(e *trace.Event) bool { return e.Has(trace.Closed) }))
	require.Equal(t, 1, countEvents(tr, trace.OpRecv, known), "of the close")
	require.Equal(t, 2, countEvents(tr, trace.OpClose, all))
	require.Equal(t, 1, countEvents(tr, trace.OpClose, func(e *trace.Event) bool { return e.Has(trace.Panicked) }))
	require.Equal(t, 1, countEvents(tr, trace.OpSend, func(e *trace.Event) bool { return e.Has(trace.Panicked) }))
	require.Equal(t, 1, countEvents(tr, trace.OpSelect, func(e *trace.Event) bool { return e.Has(trace.Panicked) && e.Case == 1 }))
	require.Equal(t, 1, countEvents(tr, trace.OpSelect, func(e *trace.Event) bool { return e.Case == trace.DefaultCase }))
	require.Equal(t, 1, countEvents(tr, trace.OpAdd, func(e *trace.Event) bool { return e.Has(trace.Panicked) }))
	require.Equal(t, 1, countEvents(tr, trace.OpTryLock, func(e *trace.Event) bool { return e.Has(trace.Failed) }))
	require.Equal(t, 1, countEvents(tr, trace.OpTryRLock, all))
	require.Equal(t, 4, countEvents(tr, trace.OpRLock, all)+countEvents(tr, trace.OpTryRLock, all)+countEvents(tr, trace.OpSignal, all))
	require.Equal(t, 1, countEvents(tr, trace.OpOnce, func(e *trace.Event) bool { return e.Has(trace.Ran) }))
	require.Equal(t, 1, countEvents(tr, trace.OpOnce, known))
	require.Equal(t, 2, countEvents(tr, trace.OpLoad, known))
	require.Equal(t, 1, countEvents(tr, trace.OpRMW, all))
	require.Zero(t, countEvents(tr, trace.OpStore, all))
	require.Equal(t, 1, countEvents(tr, trace.OpCondWait, all))
	require.Equal(t, 1, countEvents(tr, trace.OpBroadcast, all))
	require.Equal(t, 5, countEvents(tr, trace.OpGo, all), "two go statements, WGGo, AfterFunc, and the one that ends by Goexit")
	require.Zero(t, countEvents(tr, trace.OpEnd, func(e *trace.Event) bool { return e.Has(trace.Panicked) }))
	require.Len(t, tr.Goroutines, 7)
	require.Equal(t, int64(3), n.Load())
}

// Chunks follow each other, and rests are given to others.
func TestRecordChunks(t *testing.T) {
	const each = 500
	run := func() {
		c := make(chan int, 1)
		for range 40 {
			ended := make(chan bool)
			Go(1, func() {
				defer close(ended)
				for i := range each {
					To(c).Send(2, i)
					Recv(3, c)
				}
			})
			<-ended
		}
	}
	tr := recordedIn(t, run)
	require.Len(t, tr.Goroutines, 41)
	require.Equal(t, 40*each, countEvents(tr, trace.OpSend, func(*trace.Event) bool { return true }))
	require.False(t, tr.Goroutines[0].Truncated)
	_, err := newRecordFile(t.TempDir(), "none")
	require.Error(t, err)
	_, err = newRecordFile(filepath.Join(t.TempDir(), "none"), "")
	require.Error(t, err)
}

// An object at the address of another one that is gone is another one.
func TestRecordedObjects(t *testing.T) {
	tr := recordedIn(t, func() {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		Recv2(1, func() <-chan struct{} { cancel(); return ctx.Done() }())
		for range 100 {
			mu := new(sync.Mutex)
			Lock(2, mu)
			Unlock(3, mu)
		}
	})
	mutexes := 0
	for _, o := range tr.Objects {
		if o.Kind == trace.Mutex {
			mutexes++
		}
	}
	require.Equal(t, 100, mutexes)
}

// Accesses to memory are recorded by goroutine, with the statement they are in, of large ones the first words: of what is at
// one address at a time.
func TestRecordAccesses(t *testing.T) {
	t.Cleanup(func() {
		program.Lock()
		defer program.Unlock()
		program.accesses = nil
		statements.Store(nil)
	})
	var x, y int
	m := map[int]int{}
	var large [20]int
	tr := recordedIn(t, func() {
		RegisterPlaces([]PlaceInfo{{ID: 1, Site: 11}, {ID: 2, Site: 12}, {ID: 3, Site: 13}})
		*Rd(1, &x)++
		Wr(2, &x)
		done := make(chan bool)
		Go(3, func() {
			Up(2, &x)
			Wr(3, &y)
			RdMap(1, m)
			To(done).Send(4, true)
		})
		Recv(5, done)
		WrMap(3, m)
		WrSlice(3, large[:])
		Given(3, &y, true) // which a library may write
	})
	type access struct {
		g    trace.GoroutineID
		op   trace.Op
		line int
		same trace.ObjectID
	}
	var got []access
	first := map[trace.ObjectID]trace.ObjectID{} // numbers in the order in which they come
	for i := range tr.Goroutines {
		for j := range tr.Goroutines[i].Events {
			e := &tr.Goroutines[i].Events[j]
			if e.Op != trace.OpRead && e.Op != trace.OpWrite || !e.Phase.HasPre() {
				continue
			}
			require.Equal(t, trace.Var, tr.Object(e.Object).Kind)
			if first[e.Object] == 0 {
				first[e.Object] = trace.ObjectID(len(first) + 1)
			}
			got = append(got, access{trace.GoroutineID(i + 1), e.Op, tr.Position(e.Pos).Line, first[e.Object]})
		}
	}
	want := []access{{1, trace.OpRead, 11, 1}, {1, trace.OpWrite, 12, 1}, {1, trace.OpWrite, 13, 2}}
	for k := range trace.ObjectID(maxRecordedWords) {
		want = append(want, access{1, trace.OpWrite, 13, 3 + k})
	}
	want = append(want, access{2, trace.OpWrite, 12, 1}, access{2, trace.OpWrite, 13, 3 + maxRecordedWords}, access{2, trace.OpRead, 11, 2})
	require.Equal(t, want, got)

	// Memory is called by the expression of the place that was the first to touch it.
	named := map[string]int{}
	for i, o := range tr.Objects {
		name, _, _ := strings.Cut(tr.ObjectName(trace.ObjectID(i+1)), "#")
		if o.Kind == trace.Var {
			named[name]++
		}
	}
	require.Equal(t, map[string]int{"place 1": 2, "place 3": maxRecordedWords + 1}, named)
}

// A select with one case and a default is recorded as any other.
func TestRecordTry(t *testing.T) {
	recvs := func(c chan int) {
		_, _, _, is := TryRecv(2, c)
		require.True(t, is)
	}
	selectsRecv := func(c chan int) { Select(2, true, R(c)) }
	sends := func(c chan int) {
		_, is := TrySend(2, c, 1)
		require.True(t, is)
	}
	selectsSend := func(c chan int) { Select(2, true, To(c).Case(1)) }
	caught := func(f func(chan int)) func(chan int) {
		return func(c chan int) {
			defer func() { require.NotNil(t, recover()) }()
			f(c)
		}
	}
	full := func() chan int { c := make(chan int, 1); c <- 0; return c }
	closed := func() chan int { c := make(chan int, 1); close(c); return c }
	for _, tt := range []struct {
		name     string
		c        func() chan int
		try, sel func(chan int)
	}{
		{"receive from nobody", func() chan int { return make(chan int) }, recvs, selectsRecv},
		{"receive from nil", func() chan int { return nil }, recvs, selectsRecv},
		{"receive what is there", full, recvs, selectsRecv},
		{"receive from closed", closed, recvs, selectsRecv},
		{"send to nobody", func() chan int { return make(chan int) }, sends, selectsSend},
		{"send to nil", func() chan int { return nil }, sends, selectsSend},
		{"send to full", full, sends, selectsSend},
		{"send where there is room", func() chan int { return make(chan int, 1) }, sends, selectsSend},
		{"send to closed", closed, caught(sends), caught(selectsSend)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := tt.c()
			got := recordedIn(t, func() { tt.try(c) })
			c = tt.c()
			want := recordedIn(t, func() { tt.sel(c) })
			require.Equal(t, want.Goroutines, got.Goroutines)
			require.NotEmpty(t, got.Goroutines[0].Events)
		})
	}
}

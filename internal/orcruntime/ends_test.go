package orcruntime

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// misuses are operations that panic, as the program has them and as the instrumenter writes
// them.
var misuses = []struct {
	name             string
	real, controlled func()
	kind             string
}{
	{"close of nil", func() { close((chan int)(nil)) }, func() { Close[int](1, nil) }, KindCloseOfNil},
	{"close of a closed channel", func() { c := make(chan int); close(c); close(c) }, func() { c := make(chan int); Close(2, c); Close(1, c) }, KindCloseOfClosed},
	{"send on a closed channel", func() { c := make(chan int, 1); close(c); c <- 1 }, func() { c := make(chan int, 1); Close(2, c); To(c).Send(1, 1) }, KindSendOnClosed},
	{"select with a send on a closed channel", func() {
		c := make(chan int, 1)
		close(c)
		select {
		case c <- 1:
		case <-(chan int)(nil):
		}
	}, func() {
		c := make(chan int, 1)
		Close(2, c)
		Select(1, false, To(c).Case(1), R[int](nil))
	}, KindSendOnClosed},
	{"poll with a send on a closed channel", func() {
		c := make(chan int)
		close(c)
		select {
		case c <- 1:
		default:
		}
	}, func() {
		c := make(chan int)
		Close(2, c)
		Select(1, true, To(c).Case(1))
	}, KindSendOnClosed},
	{"done of nothing", func() { new(sync.WaitGroup).Done() }, func() { Done(1, new(sync.WaitGroup)) }, KindNegativeCounter},
	{"add of less than nothing", func() { var wg sync.WaitGroup; wg.Add(1); wg.Add(-2) }, func() { var wg sync.WaitGroup; Add(2, &wg, 1); Add(1, &wg, -2) }, KindNegativeCounter},
	{"function of once that panics", func() { new(sync.Once).Do(func() { panic("once") }) }, func() { OnceDo(1, new(sync.Once), func() { panic(Panic(1, "once")) }) }, KindPanic},
	{"panic with an error", func() { panic(errors.New("text")) }, func() { panic(Panic(1, errors.New("text"))) }, KindPanic},
	{"ticker of nothing", func() { time.NewTicker(0) }, func() { NewTicker(1, 0) }, KindPanic},
	{"value of another type", func() { var v atomic.Value; v.Store(1); v.Store("") }, func() {
		var v atomic.Value
		Value(1, 0, &v).Store(1)
		Value(1, 0, &v).Store("")
	}, KindPanic},
	{"value that is nil", func() { new(atomic.Value).Store(nil) }, func() { Value(1, 0, new(atomic.Value)).Store(nil) }, KindPanic},
}

func recovered(f func()) (text string) {
	defer func() {
		v := recover()
		if err, ok := v.(error); ok {
			v = err.Error()
		}
		text, _ = v.(string)
	}()
	f()
	return "no panic"
}

// TestMisuse: an operation that is misused panics as the real one does. Who recovers goes on;
// else it is the end of the program, of its kind.
func TestMisuse(t *testing.T) {
	for _, m := range misuses {
		t.Run(m.name, func(t *testing.T) {
			want := recovered(m.real)
			require.NotEmpty(t, want)
			require.NotEqual(t, "no panic", want)
			got, after := "", false
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
				got = recovered(m.controlled)
				c := make(chan int)
				Go(3, func() { To(c).Send(4, 1) })
				after = Recv(5, c) == 1
			}})
			require.Equal(t, Completed, res.Verdict, "%s", res)
			require.Empty(t, res.Outcome.Kind, "%s", res)
			require.Equal(t, want, got)
			require.True(t, after)

			var mu sync.Mutex
			deferred := false
			res = Run(Config{Bubble: bubble(t), Plan: Plan{Expect: Expect{Kind: m.kind}}, Main: func() {
				Go(3, func() { // what is deferred is done, as the goroutine unwinds
					defer func() { deferred = true }()
					Lock(6, &mu)
					defer Unlock(7, &mu)
					m.controlled()
				})
				Recv[int](8, nil)
			}})
			require.Equal(t, Reproduced, res.Verdict, "%s", res)
			require.Contains(t, res.Outcome.Message, "panic: "+want, "%s", res)
			require.Equal(t, "0.1", res.Outcome.G, "%s", res)
			if m.kind != KindPanic { // else it is not the operation that panics
				require.Equal(t, "#1", res.Outcome.Site, "%s", res)
			}
			require.True(t, deferred)
			require.True(t, mu.TryLock())
		})
	}
}

// fatal are operations that end the process, whatever is deferred.
var fatal = []struct {
	name             string
	real, controlled func()
	kind             string
}{
	{"unlock", func() { new(sync.Mutex).Unlock() }, func() { Unlock(1, new(sync.Mutex)) }, KindUnlockUnlocked},
	{"unlock for writing", func() { new(sync.RWMutex).Unlock() }, func() { WUnlock(1, new(sync.RWMutex)) }, KindUnlockUnlocked},
	{"unlock for reading", func() { new(sync.RWMutex).RUnlock() }, func() { RUnlock(1, new(sync.RWMutex)) }, KindUnlockUnlocked},
	{"unlock for writing of what is locked for reading", func() { var m sync.RWMutex; m.RLock(); m.Unlock() }, func() { var m sync.RWMutex; RLock(2, &m); WUnlock(1, &m) }, KindUnlockUnlocked},
	{"unlock for reading of what is locked for writing", func() { var m sync.RWMutex; m.Lock(); m.RUnlock() }, func() { var m sync.RWMutex; WLock(2, &m); RUnlock(1, &m) }, KindUnlockUnlocked},
	{"second unlock", func() {
		var m sync.Mutex
		m.Lock()
		for range 2 {
			m.Unlock()
		}
	}, func() { var m sync.Mutex; Lock(2, &m); Unlock(2, &m); Unlock(1, &m) }, KindUnlockUnlocked},
	{"second unlock for reading", func() {
		var m sync.RWMutex
		m.RLock()
		for range 2 {
			m.RUnlock()
		}
	}, func() { var m sync.RWMutex; RLock(2, &m); RUnlock(2, &m); RUnlock(1, &m) }, KindUnlockUnlocked},
	{"unlock through an interface", func() { new(sync.RWMutex).RLocker().Unlock() }, func() { UnlockIface(1, new(sync.RWMutex).RLocker()) }, KindUnlockUnlocked},
	{"wait for a condition without its lock", func() { sync.NewCond(new(sync.Mutex)).Wait() }, func() { CondWait(1, sync.NewCond(new(sync.Mutex))) }, KindUnlockUnlocked},
	{"go of nil", func() { var f func(); go f() }, func() { var f func(); GoValue(1, f, func() { f() }) }, KindNilCall},
}

const envFatal = "ORC_TEST_FATAL"

// TestFatal: the text is that with which the runtime of Go ends the process, and nobody can
// recover.
func TestFatal(t *testing.T) {
	if n, err := strconv.Atoi(os.Getenv(envFatal)); err == nil {
		defer func() { _ = recover() }()
		fatal[n].real()
		return
	}
	binary, err := os.Executable()
	require.NoError(t, err)
	for i, f := range fatal {
		cmd := exec.Command(binary, "-test.run=^TestFatal$")
		cmd.Env = append(os.Environ(), envFatal+"="+strconv.Itoa(i))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		require.Error(t, cmd.Run(), "%s: the real operation does not end the process", f.name)
		lines := strings.Split(out.String(), "\n")
		at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "fatal error: ") })
		require.GreaterOrEqual(t, at, 0, "%s: %s", f.name, out.String())

		unwound := false
		res := Run(Config{Bubble: bubble(t), Plan: Plan{Expect: Expect{Kind: f.kind}}, Main: func() {
			Go(3, func() {
				defer func() { unwound = recover() != nil }()
				f.controlled()
				Access(4)
			})
			Recv[int](5, nil)
		}})
		require.Equal(t, Reproduced, res.Verdict, "%s %s", f.name, res)
		require.Equal(t, lines[at], res.Outcome.Message, f.name)
		require.Equal(t, At{"0.1", "#1"}, At{res.Outcome.G, res.Outcome.Site}, "%s", res)
		require.False(t, unwound, f.name)
	}
}

// TestUnwinding: what a goroutine that ends by Goexit has deferred is done, and its end counts
// as one: in a group, in a once, in a subtest.
func TestUnwinding(t *testing.T) {
	for seed := range uint64(20) {
		var order []string
		say := func(text string) { order = append(order, text) }
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: Random(seed), Main: func() {
			var wg sync.WaitGroup
			var once sync.Once
			var mu sync.Mutex
			WGGo(1, &wg, func() {
				defer say("group")
				Lock(2, &mu)
				defer Unlock(3, &mu)
				OnceDo(4, &once, func() {
					defer say("once")
					Access(5)
					runtime.Goexit()
				})
				say("behind once")
			})
			Wait(6, &wg)
			OnceDo(7, &once, func() { say("again") })
			Lock(8, &mu)
			Subtest(20, func() {
				Cleanup(nil, func() { say("cleanup") })
				defer say("subtest")
				Goexit(9)
			})
			say("end")
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Empty(t, res.Outcome.Kind, "%s", res)
		require.Equal(t, []string{"once", "group", "subtest", "cleanup", "end"}, order)
	}
}

// TestGoexitOfMain: a main that has ended by Goexit is a deadlock where nobody is left who can
// go on, at the call by which it has ended, and none where another goroutine goes on for ever.
func TestGoexitOfMain(t *testing.T) {
	main := func() {
		Go(1, func() { Access(2) })
		defer Access(4)
		Goexit(3)
	}
	for site, verdict := range map[string]string{"#3": Reproduced, "#4": NotReproduced} {
		res := Run(Config{Bubble: bubble(t), Entry: EntryMain, Main: main, Plan: Plan{Expect: Expect{Kind: KindDeadlock, Goroutines: []At{{"0", site}}}}})
		require.Equal(t, verdict, res.Verdict, "%s", res)
		require.Equal(t, KindDeadlock, res.Outcome.Kind, "%s", res)
	}
	res := Run(Config{Bubble: bubble(t), Entry: EntryMain, Main: func() {
		Go(1, func() {
			for {
				Sleep(2, time.Second)
			}
		})
		Goexit(3)
	}})
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.Empty(t, res.Outcome.Kind, "%s", res)
}

// sendingLock has an unlock that blocks until somebody receives.
type sendingLock struct{ c chan int }

func (sendingLock) Lock()     {}
func (l sendingLock) Unlock() { To(l.c).Send(40, 1) }

// TestSignalBeforeQueue: a signal that comes while the unlock of a lock of the program's blocks
// ends the wait that follows, and not the unlock.
func TestSignalBeforeQueue(t *testing.T) {
	both := 0
	plain := enumerate(Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
		l := sendingLock{make(chan int)}
		c := sync.NewCond(l)
		Go(1, func() { Recv(2, l.c) })
		Go(3, func() { CondSignal(4, c) })
		CondWait(5, c)
		both++
	}}, func(res Result) string { return res.Outcome.Kind }, 1000)
	require.True(t, plain.complete)
	require.Equal(t, []string{"", KindDeadlock}, plain.sorted()) // the signal may be too early
	require.Positive(t, both)
}

// TestWaitingWriter: a writer that waits for readers keeps others out, as the real one does.
func TestWaitingWriter(t *testing.T) {
	var real sync.RWMutex
	real.RLock()
	written := make(chan bool)
	go func() {
		real.Lock()
		close(written)
		real.Unlock()
	}()
	for real.TryRLock() { // until it waits
		real.RUnlock()
		runtime.Gosched()
	}
	require.False(t, real.TryLock())
	real.RUnlock()
	<-written

	var order []string
	say := func(text string) { order = append(order, text) }
	c := &inTurn{left: []string{"0", "0", "0", "0.1", "0.1", "0.2", "0.2", "0.2", "0.2", "0"}}
	res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: c, Main: func() {
		var rw sync.RWMutex
		RLock(1, &rw)
		Go(2, func() {
			WLock(3, &rw)
			say("writer")
			WUnlock(4, &rw)
		})
		Go(2, func() {
			require.False(t, TryRLock(5, &rw))
			require.False(t, TryWLock(6, &rw))
			RLock(7, &rw)
			say("reader")
			RUnlock(8, &rw)
		})
		say("unlock")
		RUnlock(9, &rw)
	}})
	require.Empty(t, res.Outcome.Kind, "%s", res)
	require.Equal(t, []string{"unlock", "writer", "reader"}, order, "%v %s", c.left, res)
}

//go:build unix

package analyze_test

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/trace"
)

// pipeline is a run of pairs of goroutines, each of which sends values over an unbuffered channel, and takes
// a lock that all have in common every eighth time.
func pipeline(pairs, values int) *trace.Trace {
	t := &trace.Trace{Objects: []trace.Object{{Kind: trace.Mutex, Name: "m"}}}
	for i := range pairs {
		t.Objects = append(t.Objects, trace.Object{Kind: trace.Chan, Name: "c" + string(rune('a'+i))})
	}
	for range 3 {
		t.Positions = append(t.Positions, trace.Position{File: "p.go", Line: len(t.Positions) + 1})
	}
	t.Goroutines = make([]trace.Goroutine, 1+2*pairs)
	add := func(g int, e trace.Event) trace.Ref {
		l := &t.Goroutines[g]
		e.Phase, e.PC = trace.Whole, int32(len(l.Events)+1)
		l.Events = append(l.Events, e)
		return trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: e.PC}
	}
	for g := range 2 * pairs {
		add(0, trace.Event{Op: trace.OpGo, Partner: trace.Ref{Goroutine: trace.GoroutineID(g + 2)}})
	}
	last := trace.First
	for v := range values {
		for i := range pairs {
			c := trace.ObjectID(i + 2)
			from := add(1+2*i, trace.Event{Op: trace.OpSend, Object: c, Pos: 1})
			add(2+2*i, trace.Event{Op: trace.OpRecv, Object: c, Pos: 2, Partner: from})
			if v%8 == 0 {
				add(1+2*i, trace.Event{Op: trace.OpLock, Object: 1, Pos: 3, Partner: last})
				last = add(1+2*i, trace.Event{Op: trace.OpUnlock, Object: 1})
			}
		}
	}
	return t
}

// mixed is a run of goroutines that do all sorts of things in rounds: they take locks within locks, meet at
// unbuffered channels that several of them use, some in selects of which other cases have partners too, count
// by atomic operations, and the first goroutine starts each round, and waits for all of them at its end.
func mixed(goroutines, rounds int) *trace.Trace {
	const each, locks, channels, counters = 8, 12, 16, 8 // each: what a goroutine does in a round
	t := &trace.Trace{Goroutines: make([]trace.Goroutine, 1+goroutines)}
	object := func(o trace.Object) trace.ObjectID {
		t.Objects = append(t.Objects, o)
		return trace.ObjectID(len(t.Objects))
	}
	for range locks {
		object(trace.Object{Kind: trace.RWMutex})
	}
	for range channels {
		object(trace.Object{Kind: trace.Chan})
	}
	for range counters {
		object(trace.Object{Kind: trace.Atomic})
	}
	start := object(trace.Object{Kind: trace.Chan})
	for i := range 18 {
		t.Positions = append(t.Positions, trace.Position{File: "m.go", Line: i + 1})
	}
	add := func(g int, e trace.Event) trace.Ref {
		l := &t.Goroutines[g]
		e.Phase, e.PC = trace.Whole, int32(len(l.Events)+1)
		l.Events = append(l.Events, e)
		return trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: e.PC}
	}
	for g := range goroutines {
		add(0, trace.Event{Op: trace.OpGo, Pos: 1, Partner: trace.Ref{Goroutine: trace.GoroutineID(g + 2)}})
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	unlocked := make([]trace.Ref, 1+locks)
	for i := range unlocked {
		unlocked[i] = trace.First
	}
	stored := make([]trace.Ref, counters)
	seqs := make([]int64, counters)
	lock := func(g int, m trace.ObjectID, op trace.Op, pos trace.PosID) {
		add(g, trace.Event{Op: op, Object: m, Pos: pos, Partner: unlocked[m]})
	}
	for range rounds {
		wg := object(trace.Object{Kind: trace.WaitGroup, Pos: 2})
		add(0, trace.Event{Op: trace.OpAdd, Object: wg, Pos: 2, Delta: int32(goroutines), Seq: 1})
		for g := range goroutines {
			add(1+g, trace.Event{Op: trace.OpRecv, Object: start, Pos: 17, Partner: add(0, trace.Event{Op: trace.OpSend, Object: start, Pos: 18})})
		}
		for range goroutines * each {
			g := 1 + rnd.IntN(goroutines)
			switch rnd.IntN(5) {
			case 0: // a lock in a lock, the outer one for reading
				inner := trace.ObjectID(1 + locks/2 + rnd.IntN(locks/2))
				outer := trace.ObjectID(1 + rnd.IntN(locks/2))
				lock(g, outer, trace.OpRLock, 3)
				lock(g, inner, trace.OpLock, 4)
				unlocked[inner] = add(g, trace.Event{Op: trace.OpUnlock, Object: inner, Pos: 5})
				add(g, trace.Event{Op: trace.OpRUnlock, Object: outer, Pos: 6})
			case 1: // a lock alone
				m := trace.ObjectID(1 + rnd.IntN(locks))
				lock(g, m, trace.OpLock, 7)
				unlocked[m] = add(g, trace.Event{Op: trace.OpUnlock, Object: m, Pos: 8})
			case 2: // an atomic operation
				i := rnd.IntN(counters)
				seqs[i]++
				stored[i] = add(g, trace.Event{Op: trace.OpRMW, Object: trace.ObjectID(1 + locks + channels + i), Pos: 9, Partner: stored[i], Seq: seqs[i]})
			default: // two goroutines that share a channel with few others meet, the receiver in a select half of the times
				i := rnd.IntN(channels)
				c := trace.ObjectID(1 + locks + i)
				from := 1 + (i+channels*rnd.IntN(goroutines/channels))%goroutines
				to := 1 + (i+1+channels*rnd.IntN(goroutines/channels))%goroutines
				sent := add(from, trace.Event{Op: trace.OpSend, Object: c, Pos: 10})
				if rnd.IntN(2) == 0 {
					add(to, trace.Event{Op: trace.OpRecv, Object: c, Pos: 11, Partner: sent})
					continue
				}
				other := trace.ObjectID(1 + locks + (i+1)%channels)
				add(to, trace.Event{Op: trace.OpSelect, Flags: trace.HasDefault, Pos: 12, Partner: sent, Cases: []trace.Case{
					{Op: trace.OpRecv, Object: c, Pos: 13}, {Op: trace.OpSend, Object: other, Pos: 14},
				}})
			}
		}
		for g := range goroutines {
			add(1+g, trace.Event{Op: trace.OpAdd, Object: wg, Pos: 15, Delta: -1, Seq: int64(g + 2)})
		}
		add(0, trace.Event{Op: trace.OpWait, Object: wg, Pos: 16, Seq: int64(goroutines + 2)})
	}
	return t
}

// workers is a run of goroutines that send to a buffered channel which others receive from, in turn.
func workers(each, capacity, values int) *trace.Trace {
	t := &trace.Trace{Objects: []trace.Object{{Kind: trace.Chan, Name: "c", Cap: capacity}}, Positions: []trace.Position{{File: "p.go", Line: 1}, {File: "p.go", Line: 2}}}
	t.Goroutines = make([]trace.Goroutine, 1+2*each)
	for g := range 2 * each {
		l := &t.Goroutines[0]
		l.Events = append(l.Events, trace.Event{Phase: trace.Whole, Op: trace.OpGo, PC: int32(g + 1), Partner: trace.Ref{Goroutine: trace.GoroutineID(g + 2)}})
	}
	for v := range values {
		from, to := &t.Goroutines[1+v%each], &t.Goroutines[1+each+(v/3)%each]
		pc := int32(len(from.Events) + 1)
		from.Events = append(from.Events, trace.Event{Phase: trace.Whole, Op: trace.OpSend, Object: 1, PC: pc, Pos: 1})
		to.Events = append(to.Events, trace.Event{Phase: trace.Whole, Op: trace.OpRecv, Object: 1, PC: int32(len(to.Events) + 1), Pos: 2, Partner: trace.Ref{Goroutine: trace.GoroutineID(2 + v%each), PC: pc}})
	}
	return t
}

// BenchmarkBuffered is Analyze of a run with a buffered channel, and more orders than are looked at.
func BenchmarkBuffered(b *testing.B) {
	t := workers(4, 16, 100_000)
	for b.Loop() {
		_, err := analyze.Analyze(t, analyze.Limits{})
		require.NoError(b, err)
	}
}

// BenchmarkReplay is phase two, of runs without buffered channels: the clocks with and without the order of
// critical sections.
func BenchmarkReplay(b *testing.B) {
	benchmark(b, func(t *trace.Trace) error {
		_, _, err := analyze.Replay(t, analyze.Limits{})
		return err
	})
}

// BenchmarkAnalyze is that with all analyses.
func BenchmarkAnalyze(b *testing.B) {
	benchmark(b, func(t *trace.Trace) error {
		_, err := analyze.Analyze(t, analyze.Limits{})
		return err
	})
}

// benchmark also says how many events a second of processor time gets through, which other work on the machine
// disturbs less.
func benchmark(b *testing.B, f func(t *trace.Trace) error) {
	for _, of := range []struct {
		name string
		t    *trace.Trace
	}{{"pipeline", pipeline(4, 100_000)}, {"mixed", mixed(16, 2000)}, {"mixed64", mixed(64, 500)}} {
		b.Run(of.name, func(b *testing.B) {
			require.NoError(b, of.t.Validate())
			events := 2 * of.t.Events() // pre and post
			b.ReportAllocs()
			from := processorTime(b)
			for b.Loop() {
				require.NoError(b, f(of.t))
			}
			all := float64(events) * float64(b.N)
			b.ReportMetric(all/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(all/(processorTime(b)-from).Seconds(), "events/cpu-s")
		})
	}
}

// processorTime is what this process has had.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

package analyze_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/analyze"
	"github.com/vtrace/vtrace/trace"
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

// BenchmarkReplay is phase two, of a run without buffered channels: the clocks with and without the order of
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

func benchmark(b *testing.B, f func(t *trace.Trace) error) {
	t := pipeline(4, 100_000)
	events := 2 * t.Events() // pre and post
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, f(t))
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

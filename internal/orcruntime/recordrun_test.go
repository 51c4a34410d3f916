package orcruntime

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
	recordfile "github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/trace"
)

// recordedAs are the operations that a recording has of what a run lets pass. Each operation of the runtime has a row.
var recordedAs = map[op][]trace.Op{
	opSend: {trace.OpSend}, opRecv: {trace.OpRecv}, opSelect: {trace.OpSelect}, opClose: {trace.OpClose}, opGo: {trace.OpGo},
	opLock: {trace.OpLock}, opUnlock: {trace.OpUnlock}, opTryLock: {trace.OpTryLock},
	opRLock: {trace.OpRLock}, opRUnlock: {trace.OpRUnlock}, opTryRLock: {trace.OpTryRLock},
	opAdd: {trace.OpAdd}, opDone: {trace.OpAdd}, opWait: {trace.OpWait}, opWGGo: {trace.OpAdd, trace.OpGo},
	opOnce: {trace.OpOnce}, opCondWait: {trace.OpCondWait, trace.OpUnlock}, opCondSignal: {trace.OpSignal}, opCondBroadcast: {trace.OpBroadcast},
	opAtomic: {trace.OpRMW},
	// Of these there is nothing in a recording, also not of a program that runs free.
	opNone: nil, opStart: nil, opPanic: nil, opExit: nil, opGoexit: nil, opTestEnd: nil, opSleep: nil, opSettle: nil, opSpin: nil, opAccess: nil,
	opWaited: nil, opZero: nil, opMap: nil, opLog: nil, opCleanup: nil, opMeasure: nil, opCall: nil, opRead: nil, opDelay: nil, opCount: nil, opLibraryLock: nil, opEnd: nil,
	opSubtest: {trace.OpAdd, trace.OpGo, trace.OpWait}, opParallel: {trace.OpWait}, opJoin: {trace.OpWait},
}

// granted is an operation that a run has let pass, by its goroutine and site.
type granted struct {
	op   trace.Op
	site Site
}

// runWitness chooses as another Chooser does, and notes what the run lets pass, and what each goroutine knew when it came
// to an operation.
type runWitness struct {
	Chooser
	run    *run
	passed map[string][]granted
	knew   map[string][]knownAt
	last   map[string]int
	// within are the additions that belong to another operation, all of them, or those that take away. spawned are the goroutines in the trace that statements have started.
	within  map[granted]int
	spawned map[trace.GoroutineID]bool
}

// knownAt is what the clocks of a goroutine at an operation, by the count of the operations before it.
type knownAt struct {
	n     int
	clock clock
}

func (w *runWitness) Next(v View) Choice {
	w.run = v.run
	for _, p := range v.Ready {
		// A goroutine comes to an operation once, and may be granted it more than once.
		if n := len(w.passed[p.G]); !p.g.granted && p.g.op != opStart && !p.g.relock && len(recordedAs[p.g.op]) > 0 && w.last[p.G] < n+1 {
			w.last[p.G] = n + 1
			w.knew[p.G] = append(w.knew[p.G], knownAt{n, slices.Clone(p.g.clock)})
		}
	}
	c := w.Chooser.Next(v)
	if c.Index < 0 || c.Index >= len(v.Ready) {
		return c
	}
	g := v.Ready[c.Index].g
	site := g.site
	if site >= joinOffset {
		site = 0 // which the table lacks
	}
	locked := func(o trace.Op) trace.Op { // of a Locker that locks to read
		if reads := g.wants == (lockRef{readLock, g.wants.p}); !reads || g.obj != g.wants.p && g.op != opCondWait {
			return o
		}
		switch o {
		case trace.OpLock:
			return trace.OpRLock
		case trace.OpUnlock:
			return trace.OpRUnlock
		}
		return o
	}
	switch {
	case g.relock:
		w.passed[g.path] = append(w.passed[g.path], granted{locked(trace.OpLock), g.site})
	case !g.granted && (g.op != opAtomic || g.obj != nil):
		ops := recordedAs[g.op]
		switch g.op {
		case opWGGo, opSubtest, opJoin:
			w.within[granted{trace.OpAdd, site}] = -1
		case opParallel:
			w.within[granted{trace.OpAdd, site}] = +1
		}
		if g.op == opCondWait {
			if _, known := lockBehind((*sync.Cond)(g.obj).L); !known {
				ops = ops[:1] // the lock has guards of its own
			}
		}
		for _, o := range ops {
			w.passed[g.path] = append(w.passed[g.path], granted{locked(o), site})
		}
	}
	return c
}

// recordedRun runs a program by a seed, and returns what was recorded, with the numbers of the recording.
func recordedRun(t *testing.T, cfg Config, seed uint64, records bool) (Result, *runWitness, []byte) {
	t.Helper()
	w := &runWitness{Chooser: Random(seed), passed: map[string][]granted{}, knew: map[string][]knownAt{}, last: map[string]int{}, within: map[granted]int{}, spawned: map[trace.GoroutineID]bool{}}
	cfg.Chooser, cfg.Plan.Seed, cfg.Races = w, seed, true
	dir := t.TempDir()
	if records {
		file, err := newRecordFile(dir, "")
		require.NoError(t, err)
		cfg.record = file
	}
	res := Run(cfg)
	if !records {
		return res, w, nil
	}
	raw, err := os.Open(filepath.Join(dir, strconv.Itoa(os.Getpid())))
	require.NoError(t, err)
	defer raw.Close()
	header := recordfile.Header{Positions: make([]recordfile.Position, 512)}
	for i := range header.Positions {
		header.Positions[i] = recordfile.Position{File: "x.go", Line: i + 1}
	}
	var b bytes.Buffer
	require.NoError(t, recordfile.Convert(&b, header, raw))
	return res, w, b.Bytes()
}

// recordable are the programs of the tests, and random ones.
func recordable(t *testing.T) map[string]Config {
	all := map[string]Config{}
	for _, p := range programs {
		all[p.name] = p.config(bubble(t))
	}
	for seed := range uint64(100) {
		r := random(9000 + seed)
		kinds := exhaustKinds
		if n := int(seed) % (len(families) + 1); n > 0 {
			kinds = families[n-1]
		}
		p := newRandomProgram(&r, kinds)
		all[fmt.Sprintf("random %03d", seed)] = Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main, Record: true}
	}
	return all
}

// TestRecordRun records runs of many programs. Each is the run that it is without that. The recording has each operation that
// the run has let pass, in the order of its goroutine, and no other; what its vector clocks say has happened before what is
// what the clocks say by which runs look for data races.
func TestRecordRun(t *testing.T) {
	for o := range opEnd + 1 {
		_, ok := recordedAs[o]
		require.True(t, ok, "%s: how is it recorded?", opNames[o])
	}
	operations, pairs, ordered := map[trace.Op]int{}, 0, 0
	for name, cfg := range recordable(t) {
		for seed := range uint64(3) {
			at := fmt.Sprintf("%s, seed %d", name, seed)
			plain, _, _ := recordedRun(t, cfg, seed, false)
			res, w, data := recordedRun(t, cfg, seed, true)
			require.Equal(t, plain.Hash, res.Hash, at)
			require.Equal(t, plain.Verdict, res.Verdict, at)
			require.Equal(t, plain.Outcome.Kind, res.Outcome.Kind, at)
			tr, _, err := recordfile.Load(bytes.NewReader(data), 0)
			require.NoError(t, err, at)
			if w.run == nil {
				continue // nothing was to be chosen
			}
			ids := goroutinesOf(w.run, data, t)
			for path, g := range w.run.all {
				w.spawned[ids[path]] = !g.callback
			}
			for path, want := range w.passed {
				g := &tr.Goroutines[ids[path]-1]
				got := w.operationsOf(t, g)
				for i := range g.Events {
					operations[g.Events[i].Op]++
				}
				require.GreaterOrEqual(t, len(got), len(want), "%s: goroutine %s: passed %v, recorded %v", at, path, want, got)
				require.Equal(t, want, got[:len(want)], "%s: goroutine %s", at, path)
				// What follows has begun, and has not passed its guard.
				require.LessOrEqual(t, len(got), len(want)+1, "%s: goroutine %s: passed %v, recorded %v", at, path, want, got)
			}
			n, o := sameOrder(t, at, w, tr, ids)
			pairs, ordered = pairs+n, ordered+o
		}
	}
	for o := trace.OpSend; o <= trace.OpRMW; o++ {
		if o != trace.OpEnd && o != trace.OpTryRLock {
			require.Positive(t, operations[o], "no program has %s", o)
		}
	}
	require.Greater(t, pairs, 2_000)
	require.Greater(t, ordered, pairs/10)
	require.Less(t, ordered, pairs)
	t.Logf("%d pairs of operations, %d of them ordered; %v", pairs, ordered, operations)
}

// goroutinesOf are the numbers of goroutines in the trace: the recording has them by the order of these.
func goroutinesOf(s *run, data []byte, t *testing.T) map[string]trace.GoroutineID {
	r, err := recordfile.NewReader(bytes.NewReader(data))
	require.NoError(t, err)
	defer r.Close()
	var numbers []uint64
	note := func(n uint64) {
		if !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	require.NoError(t, r.Read(recordfile.Visitor{
		Goroutine: func(g recordfile.Goroutine) error { note(g.ID); return nil },
		Event: func(_ uint64, e *recordfile.Event) error {
			if e.Op == trace.OpGo {
				note(e.Partner)
			}
			return nil
		},
	}))
	slices.Sort(numbers)
	ids := map[string]trace.GoroutineID{}
	for path, g := range s.all {
		ids[path] = trace.GoroutineID(slices.Index(numbers, g.recNumber) + 1)
		require.Positive(t, ids[path], path)
	}
	return ids
}

// operationsOf are those of a goroutine for which it has stood at a guard.
func (w *runWitness) operationsOf(t *testing.T, g *trace.Goroutine) (list []granted) {
	open := 0
	for i := range g.Events {
		e := &g.Events[i]
		if e.Phase.HasPre() && !e.Phase.HasPost() {
			open++
		} else if !e.Phase.HasPre() {
			open--
		}
		require.GreaterOrEqual(t, open, 0)
		o := granted{e.Op, Site(e.Pos)}
		switch {
		case !e.Phase.HasPre() || e.Op == trace.OpEnd || e.Op == trace.OpCall:
			continue
		case (e.Op == trace.OpLoad || e.Op == trace.OpStore) && e.Pos == 0: // of a pool
			continue
		case e.Op == trace.OpGo && !w.spawned[e.Partner.Goroutine]:
			continue // by time.AfterFunc
		case w.within[o] > 0, e.Delta < 0 && w.within[o] < 0:
			continue // as at the end of a goroutine of WaitGroup.Go
		case e.Op == trace.OpLoad || e.Op == trace.OpStore:
			o.op = trace.OpRMW
		}
		list = append(list, o)
	}
	return list
}

// sameOrder compares what has happened before what.
func sameOrder(t *testing.T, at string, w *runWitness, tr *trace.Trace, ids map[string]trace.GoroutineID) (pairs, ordered int) {
	t.Helper()
	if len(w.run.races.library) > 0 || w.run.races.off != "" {
		return 0, 0 // which orders more than is known
	}
	for _, o := range tr.Objects {
		if o.Kind == trace.Chan && o.Cap > 0 && partnersKnown == "" {
			return 0, 0
		}
	}
	if handsOver(tr) {
		return 0, 0
	}
	clocks, _, err := analyze.Replay(tr, analyze.Limits{})
	require.NoError(t, err, at)
	// The local program counters of the operations that goroutines have come to.
	type place struct {
		path string
		knownAt
		ref trace.Ref
	}
	var list []place
	adds := false
	for path, knew := range w.knew {
		g := &tr.Goroutines[ids[path]-1]
		var pcs []int32
		for i := range g.Events {
			e := &g.Events[i]
			adds = adds || e.Op == trace.OpAdd && e.Delta > 0
			if one := (&trace.Goroutine{Events: g.Events[i : i+1 : i+1]}); e.Phase.HasPre() && len(w.operationsOf(t, one)) > 0 {
				pcs = append(pcs, e.PC)
			}
		}
		for _, k := range knew {
			if k.n < len(pcs) {
				list = append(list, place{path, k, trace.Ref{Goroutine: ids[path], PC: pcs[k.n]}})
			}
		}
	}
	for _, a := range list {
		for _, b := range list {
			if a.path == b.path {
				continue
			}
			index := w.run.all[a.path].index
			runtime := b.clock.at(index) >= a.clock.at(index)
			begin, ok := clocks.Pre(b.ref)
			require.True(t, ok, at)
			recorded := begin[a.ref.Goroutine-1] >= a.ref.PC // what is done inside of an operation tells of its beginning
			pairs++
			if runtime {
				ordered++
			}
			if runtime != recorded && !(recorded && adds) { // a Wait of a recording knows of all additions
				var text bytes.Buffer
				require.NoError(t, trace.Format(&text, tr))
				t.Fatalf("%s: %s %v before %s %v: %v in the run, %v in the recording\n%s", at, a.path, a.ref, b.path, b.ref, runtime, recorded, &text)
			}
		}
	}
	return pairs, ordered
}

// handsOver reports whether a goroutine unlocks what another one has locked. An analysis does not order that behind the lock.
func handsOver(tr *trace.Trace) bool {
	for i := range tr.Goroutines {
		held := map[trace.ObjectID]int{}
		for _, e := range tr.Goroutines[i].Events {
			switch e.Op {
			case trace.OpLock, trace.OpRLock, trace.OpTryLock, trace.OpTryRLock:
				if e.Phase.HasPost() && !e.Has(trace.Failed) {
					held[e.Object]++
				}
			case trace.OpUnlock, trace.OpRUnlock:
				if e.Phase.HasPre() {
					if held[e.Object]--; held[e.Object] < 0 {
						return true
					}
				}
			}
		}
	}
	return false
}

// partnersKnown is not empty where the Go runtime tells who has met whom, see TestRecordRunPartners of package parse.
var partnersKnown string

package orcruntime

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/sites"
)

// operations are, for each kind of sites at which goroutines stand, what they do there, and a program in which one is stuck
// in that: nil if none ever is.
var operations = map[sites.Kind]struct {
	op    op
	stuck func()
}{
	sites.Send: {opSend, func() { To(make(chan int)).Send(1, 1) }},
	sites.Recv: {opRecv, func() { Recv(1, make(chan int)) }},
	sites.Range: {opRecv, func() {
		for r := RangeCh(make(chan int)); r.Next(1); {
		}
	}},
	sites.Select: {opSelect, func() { Select(1, false, R(make(chan int))) }},
	sites.Close:  {opClose, nil},
	sites.Go:     {opGo, nil},
	sites.Start:  {opStart, nil},
	sites.Lock: {opLock, func() {
		var mu sync.Mutex
		Lock(2, &mu)
		Lock(1, &mu)
	}},
	sites.Unlock:  {opUnlock, nil},
	sites.TryLock: {opTryLock, nil},
	sites.RLock: {opRLock, func() {
		var mu sync.RWMutex
		WLock(2, &mu)
		RLock(1, &mu)
	}},
	sites.RUnlock:       {opRUnlock, nil},
	sites.TryRLock:      {opTryRLock, nil},
	sites.WaitGroupAdd:  {opAdd, nil},
	sites.WaitGroupDone: {opDone, nil},
	sites.WaitGroupWait: {opWait, func() {
		var wg sync.WaitGroup
		Add(2, &wg, 1)
		Wait(1, &wg)
	}},
	sites.WaitGroupGo: {opWGGo, nil},
	sites.OnceDo:      {opOnce, stuckInOnce},
	sites.CondWait: {opCondWait, func() {
		c := sync.NewCond(new(sync.Mutex))
		LockIface(2, c.L)
		CondWait(1, c)
	}},
	sites.CondSignal:    {opCondSignal, nil},
	sites.CondBroadcast: {opCondBroadcast, nil},
	sites.Panic:         {opPanic, nil},
	sites.Exit:          {opExit, nil},
	sites.Sleep:         {opSleep, nil},
	sites.End:           {opEnd, nil},
	sites.Stmt:          {opAccess, nil},
	sites.OnceFunc:      {opOnce, stuckInOnce},
	sites.Settle:        {opSettle, nil},
	sites.Store:         {opAccess, nil},
	sites.Subtest:       {opSubtest, func() { Subtest(1, func() { Recv(2, make(chan int)) }) }},
	sites.Parallel: {opParallel, func() {
		Subtest(2, func() { Parallel(1, func() {}) })
		Recv(3, make(chan int))
	}},
	sites.Join: {opJoin, func() {
		Subtest(2, func() {
			Parallel(3, func() {})
			Recv(4, make(chan int))
		})
	}},
	sites.Atomic: {opAtomic, nil},
}

func stuckInOnce() {
	var o sync.Once
	OnceDo(2, &o, func() { OnceDo(1, &o, func() {}) })
}

// unplaced are the operations that no kind stands for: sites say less of what goroutines do there, or there is none.
var unplaced = map[op]string{
	opGoexit: "of a site of kind Exit", opTestEnd: "of a site of kind Exit",
	opSpin: "goroutines stand there in runs alone",
}

// spaces are the objects by which steps are found to depend on each other.
var spaces = map[sites.Object]touchSpace{
	sites.Channel: spaceChan, sites.Mutex: spaceLock, sites.RWMutex: spaceLock, sites.WaitGroup: spaceWaitGroup,
	sites.Once: spaceOnce, sites.Cond: spaceCond, sites.Test: spaceScope,
}

// TestOperations: the runtime, which imports nothing of the module, does what the table of operations of package sites says.
func TestOperations(t *testing.T) {
	placed := map[op]bool{}
	for kind := range sites.Kinds() {
		t.Run(kind.String(), func(t *testing.T) {
			o, ok := operations[kind]
			require.Equal(t, kind.RunWord() != "", ok, "the table above and package sites disagree whether goroutines stand at such sites")
			placed[o.op] = true
			require.Equal(t, kind.RunWord(), o.op.String())
			require.Equal(t, kind.HoldsUp(), o.op.holdsUp(), "whether it holds others up")
			require.Equal(t, kind.Waits() != sites.Never, o.stuck != nil, "whether goroutines can be stuck there")
			if o.stuck != nil {
				checkStuck(t, kind, o.stuck)
			}
			if kind.Object() != sites.NoObject {
				checkTouches(t, kind, o.op)
			}
		})
	}
	for o := opNone + 1; o <= opEnd; o++ {
		require.NotEmpty(t, o.String(), "operation %d has no name", o)
		_, known := unplaced[o]
		require.True(t, placed[o] != (known || o.minor()), "%v: no kind of package sites has it, or it is said to have none", o)
	}
}

// checkStuck: a goroutine is stuck at the first site in the operation of a kind, on an object of the kind. That is an error,
// too, where another goroutine is and main returns, if it holds others up.
func checkStuck(t *testing.T, kind sites.Kind, stuck func()) {
	cfg := Config{Bubble: bubble(t), Entry: EntryMain, EndSite: endSite, Chooser: Random(1), Main: stuck}
	test := kind.Object() == sites.Test
	if test {
		cfg.Entry = EntryTest
	}
	res := Run(cfg)
	require.Equal(t, KindDeadlock, res.Outcome.Kind, res.Outcome.Message)
	i := slices.IndexFunc(res.Goroutines, func(g GState) bool { return g.Op == kind.RunWord() })
	require.GreaterOrEqual(t, i, 0, "no goroutine is stuck in it: %+v", res.Goroutines)
	if test {
		return // it has no name in runs
	}
	object := res.Goroutines[i].Object
	require.True(t, slices.ContainsFunc(kind.Objects(), func(o sites.Object) bool { return strings.HasPrefix(object, o.String()+"#") }), object)
	cfg.Main = func() {
		Go(10, stuck)
		Gosched(11)
	}
	o := exhaust(t, Exhaustion{Config: cfg}, func(res Result) string { return res.Outcome.Kind })
	want := ""
	if kind.HoldsUp() {
		want = KindPartialDeadlock
	}
	require.Equal(t, []string{want}, o.sorted(), "where main returns")
}

// checkTouches: an operation on an object touches it, and that depends on something.
func checkTouches(t *testing.T, kind sites.Kind, o op) {
	object := new(sync.Mutex) // or what else has an address
	g := &goroutine{op: o, obj: unsafe.Pointer(object), cases: []Case{R(make(chan int))}}
	touches := new(run).mayTouch(g, nil)
	require.True(t, slices.ContainsFunc(touches, func(x touch) bool { return x.object.space == spaces[kind.Object()] }), "%v has no row in mayTouch for what it works on", o)
	for _, x := range touches {
		depends := slices.Contains(dependent[x.kind][:], true)
		for y := range dependent {
			depends = depends || dependent[y][x.kind]
		}
		require.True(t, depends, "what %v touches depends on nothing", o)
	}
}

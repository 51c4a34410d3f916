//go:build go1.25

package orcruntime

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// What panics and is recovered has been done, as far as others can tell: an operation that looked at something, and another one
// could have come before it. The random programs of exhaust_test.go end where one panics.

// recoveredFamilies are the operations of random programs whose panics are recovered, and that work on the same.
var recoveredFamilies = [][]string{
	{"send", "recv", "close", "select", "select send"},
	{"value store", "value load", "value cas", "value swap", "lock", "unlock"},
	{"lock", "unlock", "wait", "signal", "broadcast"},
	{"add", "done", "wait group"},
}

// recoveredProgram does what goros say, and goes on behind each operation that panics.
type recoveredProgram struct{ randomProgram }

func (p *recoveredProgram) main() {
	chans := []chan int{make(chan int, p.caps[0]), make(chan int, p.caps[1])}
	var (
		mus   [2]sync.Mutex
		group sync.WaitGroup
		value atomic.Value
	)
	cond := sync.NewCond(&mus[0])
	clear(p.logs)
	do := func(site Site, x action, held *[2]int) (seen string) {
		defer func() {
			if v := recover(); v != nil {
				seen += "panic " + panicText(v)
			}
		}()
		var given any = x.v
		if x.a == 1 {
			given = "text"
		}
		switch x.kind {
		case "send":
			To(chans[x.a]).Send(site, x.v)
		case "recv":
			return fmt.Sprint(Recv2(site, chans[x.a]))
		case "close":
			Close(site, chans[x.a])
		case "select":
			r := R(chans[x.a])
			return fmt.Sprint(Select(site, false, r, To(chans[x.b]).Case(x.v)), r.V, r.OK)
		case "select send":
			return fmt.Sprint(Select(site, false, To(chans[0]).Case(x.v), To(chans[1]).Case(x.v)))
		case "value store":
			Value(site, 0, &value).Store(given)
		case "value load":
			return fmt.Sprint(Value(site, 0, &value).Load())
		case "value cas":
			return fmt.Sprint(Value(site, 0, &value).CompareAndSwap(1, given))
		case "value swap":
			return fmt.Sprint(Value(site, 0, &value).Swap(given))
		case "lock":
			Lock(site, &mus[x.a])
			held[x.a]++
		case "unlock": // of a lock that is not held is fatal
			if held[x.a] > 0 {
				held[x.a]--
				Unlock(site, &mus[x.a])
			}
		case "wait": // perhaps for a lock that others hold
			CondWait(site, cond)
			held[0]++
		case "signal":
			CondSignal(site, cond)
		case "broadcast":
			CondBroadcast(site, cond)
		case "add":
			Add(site, &group, 1)
		case "done":
			Done(site, &group)
		case "wait group":
			Wait(site, &group)
		}
		return ""
	}
	body := func(i int) {
		var held [2]int
		for k, x := range p.goros[i] {
			p.logs[i] += x.kind + "("
			p.logs[i] += do(Site(100*(i+1)+4*k), x, &held) + ") "
		}
		p.logs[i] += "end"
	}
	for i := 1; i < len(p.goros); i++ {
		Go(Site(10+i), func() { body(i) })
	}
	body(0)
}

// see is what a run shows: all logs, or of one that ends the program that of who has ended it.
func (p *recoveredProgram) see(res Result) string {
	if !res.Outcome.endsProgram() {
		return p.seen(res)
	}
	i := 0
	if res.Outcome.G != entryPath {
		_, err := fmt.Sscanf(res.Outcome.G, "0.%d", &i)
		if err != nil {
			return res.end()
		}
	}
	return res.end() + "\n" + p.logs[i]
}

// TestExhaustRecovered: of random programs that go on behind operations that panic, all schedules that are not equivalent show
// what all schedules do.
func TestExhaustRecovered(t *testing.T) {
	compared, programs := 0, 60
	if raceDetector || testing.Short() { // it looks for races of the search itself
		programs /= 10
	}
	for _, kinds := range recoveredFamilies {
		for seed := range programs {
			r := random(uint64(seed))
			p := &recoveredProgram{*newRandomProgram(&r, kinds)}
			cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}
			plain := enumerate(cfg, p.see, 1500)
			if !plain.complete {
				continue
			}
			compared++
			reduced := exhaust(t, Exhaustion{Config: cfg}, p.see)
			require.True(t, reduced.complete)
			if len(reduced.out.Bounds) == 0 {
				missing := slices.DeleteFunc(plain.sorted(), func(s string) bool { return reduced.seen[s] })
				require.Empty(t, missing, "seed %d: %v %+v", seed, p.caps, p.goros)
				require.Equal(t, plain.sorted(), reduced.sorted())
			}
		}
	}
	require.Greater(t, compared, len(recoveredFamilies)*programs/3)
}

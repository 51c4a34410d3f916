package orcruntime

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// bySourceSets explores a program without wakeup trees.
func bySourceSets(t testing.TB, e Exhaustion, seen func(Result) string) outcomes {
	e.sourceSets = true
	return exhaust(t, e, seen)
}

// wakeupSeeds are random programs that were explored wrongly while one of the rules of
// wakeup trees was missing, with what it was.
var wakeupSeeds = []struct {
	seed  uint64
	kinds []string
	what  string
}{
	{2257, []string{"send", "recv", "select", "close"}, "sequences that are open"},
	{1350, []string{"select", "select recv", "poll", "try send", "recv", "send"}, "the same, of polls"},
	{1591, []string{"select", "select recv", "poll", "try send", "recv", "send"}, "the same, where more steps are in the way"},
	{1151, []string{"select", "select recv", "poll", "try send", "recv", "send"}, "the same"},
	{1858, []string{"rlock", "runlock", "wlock", "wunlock", "try rlock", "try wlock"}, "the same, of a TryLock"},
	{3409, []string{"rlock", "runlock", "wlock", "wunlock", "try rlock", "try wlock"}, "the same, of a TryLock"},
	{99, []string{"send", "select recv", "close"}, "all others are tried when a step has ended the program"},
}

// TestWakeupSeeds: nothing is lost where it was.
func TestWakeupSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("programs under all of their schedules")
	}
	for _, s := range wakeupSeeds {
		r := random(s.seed)
		p := newRandomProgram(&r, s.kinds)
		cfg := Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}
		plain := enumerate(cfg, p.seen, 20_000)
		require.True(t, plain.complete)
		require.Equal(t, plain.sorted(), exhaust(t, Exhaustion{Config: cfg}, p.seen).sorted(), "%s: %v %d", s.what, s.kinds, s.seed)
	}
}

// TestWakeupTrees: programs that are too large for plain enumeration show the same with
// wakeup trees as with source sets, in less executions.
func TestWakeupTrees(t *testing.T) {
	inLong(t)
	n := *exhaustScripts / 8
	var sum struct{ programs, ended, runs, cut, before, endedRuns, endedCut, endedBefore int }
	for _, kinds := range append([][]string{exhaustKinds}, withCounts...) {
		runs, cut, before := sum.runs, sum.cut, sum.before
		for i := range n {
			seed := uint64(*exhaustFrom + i)
			r := random(seed)
			p := newRandomProgram(&r, kinds)
			e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}, Runs: 1000}
			ended := false
			seen := func(res Result) string {
				ended = ended || res.Outcome.endsProgram()
				return p.seen(res)
			}
			sets := bySourceSets(t, e, seen)
			if !sets.complete {
				continue
			}
			e.Runs = 0
			trees := exhaust(t, e, seen)
			require.Equal(t, sets.sorted(), trees.sorted(), "%v %d", kinds, seed)
			sum.programs++
			if ended {
				sum.ended++
				sum.endedRuns, sum.endedCut, sum.endedBefore = sum.endedRuns+trees.runs, sum.endedCut+trees.out.Cut, sum.endedBefore+sets.out.Cut
			} else {
				sum.runs, sum.cut, sum.before = sum.runs+trees.runs, sum.cut+trees.out.Cut, sum.before+sets.out.Cut
			}
		}
		t.Logf("%s: %d executions, %d cut, %d with source sets", strings.Join(kinds, ", "), sum.runs-runs, sum.cut-cut, sum.before-before)
	}
	t.Logf("%d programs: %d executions, %d cut, %d with source sets", sum.programs-sum.ended, sum.runs, sum.cut, sum.before)
	t.Logf("%d that can end before others: %d executions, %d cut, %d with source sets", sum.ended, sum.endedRuns, sum.endedCut, sum.endedBefore)
	require.Less(t, sum.cut, sum.before)
	require.LessOrEqual(t, sum.cut, sum.runs/cutShare)
}

// inPieces does an exploration a few executions at a time, each time from the text of the
// frontier of the last one.
func inPieces(t *testing.T, e Exhaustion, runs int, seen func(Result) string) (o outcomes) {
	o.seen = map[string]bool{}
	e.Runs = runs
	e.Ran = func(_ int, res Result) { o.seen[seen(res)] = true }
	e.Found = func(int, Result) {}
	for {
		out := Exhaust(e)
		require.Empty(t, out.Left)
		o.runs, o.out.Cut = o.runs+out.Runs, o.out.Cut+out.Cut
		if out.Complete {
			return o
		}
		text, err := json.Marshal(out.Frontier)
		require.NoError(t, err)
		e.Frontier = new(Frontier)
		require.NoError(t, json.Unmarshal(text, e.Frontier))
	}
}

// TestWakeupFrontier: an exploration that is cut into many runs the same executions.
func TestWakeupFrontier(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	for _, f := range allFamilies {
		if f.count < 6 || f.count > 64 {
			continue
		}
		e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryMain, Main: func() { f.main(f.size) }}}
		o := inPieces(t, e, 1, func(Result) string { return "" })
		require.Equal(t, f.count, o.runs, f.name)
		require.Zero(t, o.out.Cut, f.name)
	}
	ofSomeSize(t, exhaust, func(name string, e Exhaustion, seen func(Result) string, whole outcomes) {
		for _, runs := range []int{1, 7} {
			o := inPieces(t, e, runs, seen)
			require.Equal(t, whole.sorted(), o.sorted(), name)
			require.Equal(t, whole.runs, o.runs, name)
			require.Equal(t, whole.out.Cut, o.out.Cut, name)
		}
	})
}

// ofSomeSize calls check with random programs, and what an exploration of each has shown
// that has some runs, and not too many.
func ofSomeSize(t *testing.T, explore func(testing.TB, Exhaustion, func(Result) string) outcomes, check func(name string, e Exhaustion, seen func(Result) string, whole outcomes)) {
	t.Helper()
	for n, seed := 0, 0; n < 12; seed++ {
		kinds := families[seed%len(families)]
		r := random(seed)
		p := newRandomProgram(&r, kinds)
		e := Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryTest, Main: p.main}}
		whole := explore(t, e, p.seen)
		if whole.runs < 20 || whole.runs > 300 || whole.misuse {
			continue
		}
		n++
		check(fmt.Sprint(kinds, " ", seed), e, p.seen, whole)
	}
}

// older is a frontier as versions without wakeup trees have stored it.
func older(t *testing.T, f *Frontier) *Frontier {
	type olderSleeper struct {
		G     string
		Extra []extraTouch `json:",omitempty"`
	}
	type olderNode struct {
		Chosen string   `json:",omitempty"`
		Ready  []string `json:",omitempty"`
		To     []string `json:",omitempty"`
		Sleep  []olderSleeper
		Extra  []extraTouch `json:",omitempty"`
		Of     int          `json:",omitempty"`
		Value  int          `json:",omitempty"`
	}
	var nodes []olderNode
	for _, n := range f.Nodes {
		o := olderNode{Chosen: n.Chosen, Ready: n.Ready, Extra: n.Extra, Of: n.Of, Value: n.Value}
		for _, b := range n.To {
			if !slices.Contains(o.To, b.G) {
				o.To = append(o.To, b.G)
			}
		}
		for _, z := range n.Sleep {
			o.Sleep = append(o.Sleep, olderSleeper{z.G, z.Extra})
		}
		nodes = append(nodes, o)
	}
	text, err := json.Marshal(map[string]any{"Nodes": nodes, "Bounds": f.Bounds, "Timed": f.Timed})
	require.NoError(t, err)
	out := new(Frontier)
	require.NoError(t, json.Unmarshal(text, out))
	return out
}

// TestOlderFrontier: an exploration goes on from the frontier of a version without wakeup
// trees, which has explored by source sets.
func TestOlderFrontier(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	resumed := 0
	ofSomeSize(t, bySourceSets, func(name string, e Exhaustion, seen func(Result) string, whole outcomes) {
		for _, runs := range []int{1, 5, 13} {
			e.Runs, e.Frontier = runs, nil
			first := bySourceSets(t, e, seen)
			if first.complete {
				continue
			}
			resumed++
			e.Runs, e.Frontier = 0, older(t, first.out.Frontier)
			for w := range exhaust(t, e, seen).seen {
				first.seen[w] = true
			}
			require.Equal(t, whole.sorted(), first.sorted(), "%s, after %d runs", name, runs)
		}
	})
	require.Greater(t, resumed, 20)
}

// TestWakeupPrograms logs what is cut of the programs of the tests, and with time that may
// pass while a goroutine could go on.
func TestWakeupPrograms(t *testing.T) {
	if *measure == 0 {
		t.Skip("needs -orc.measure=1")
	}
	for stalls := range 2 {
		runs, cut, before := 0, 0, 0
		for _, p := range slices.Concat(programs, special) {
			e := Exhaustion{Config: p.config(bubble(t)), Accesses: accessGuards(p.name), Stalls: stalls, Runs: 2000}
			seen := func(res Result) string { return res.end() }
			trees, sets := exhaust(t, e, seen), bySourceSets(t, e, seen)
			if !trees.complete || !sets.complete {
				continue
			}
			runs, cut, before = runs+trees.runs, cut+trees.out.Cut, before+sets.out.Cut
			if trees.out.Cut > 0 {
				t.Log(fmt.Sprintf("%d stalls, %s: %d executions, %d cut, %d with source sets", stalls, p.name, trees.runs, trees.out.Cut, sets.out.Cut), strings.Join(trees.out.Bounds, "; "))
			}
		}
		t.Logf("%d stalls: %d executions, %d cut, %d with source sets", stalls, runs, cut, before)
	}
}

// handmade is an execution of three goroutines that store the first of two words, the
// second, and the first. A fourth one, which is asleep before it, loads the second.
func handmade(asleep sleeper) *reduction {
	words := new([2]int)
	word := func(i int, k touchKind) []touch {
		return []touch{{touched{space: spaceAtomic, p: unsafe.Pointer(&words[i])}, k}}
	}
	x := &reduction{search: &search{exec: &execution{names: []string{"0", "0.1", "0.2", "0.3"}}}, ender: -1}
	for g, touches := range [][]touch{word(0, touchWrite), word(1, touchRead), word(0, touchWrite)} {
		x.exec.events = append(x.exec.events, event{g: int32(g), node: int32(g + 1), touches: touches})
	}
	x.exec.events[1].node = 2
	x.nodes = []Node{{}, {Chosen: "0", Ready: []string{"0", "0.1", "0.2", "0.3"}, Sleep: []sleeper{asleep}}, {Chosen: "0.1"}, {Chosen: "0.2"}, {Of: 3, Value: 2}}
	x.touches = word(1, touchRead)
	x.stands = []standing{{asleep.G, 0, 1}}
	x.nodeStands = [][2]int32{{}, {0, 1}, {1, 1}, {1, 1}}
	x.own = make([][2]int32, len(x.nodes))
	return x
}

// reverse adds the reversal of its only race, and returns what is to be run at the node
// before.
func (x *reduction) reverse() []branch {
	var all []reversal
	x.hb.races(x.exec, func(first, second int) {
		all = append(all, reversal{int32(first), int32(second), x.hb.before, slices.Clone(x.hb.candidates)})
	})
	for i := range all {
		x.insert(&all[i])
	}
	return x.nodes[1].To
}

// TestWakeupRules: a sequence is left out only if all is known that this rests on.
func TestWakeupRules(t *testing.T) {
	followed := sleeper{G: "0.3", Followed: true}
	reversed := []branch{{G: "0.2", Values: []int{2}}}
	x := handmade(followed)
	require.Empty(t, x.reverse(), "who is asleep commutes with all")

	x = handmade(followed)
	x.partial = true
	require.Len(t, x.reverse(), 1, "the execution is not at its end")

	require.Len(t, handmade(sleeper{G: "0.3"}).reverse(), 1, "who is asleep has ended the program")
	require.Len(t, handmade(sleeper{G: "0.3", Followed: true, Stale: true}).reverse(), 1, "the node is loose")

	x = handmade(followed)
	x.nodes[1].Sleep = nil
	require.Equal(t, reversed, x.reverse(), "nothing else is needed")

	x = handmade(followed)
	x.touches[0].kind = touchWrite
	require.Equal(t, []branch{{G: "0.2", Values: []int{2}, Then: []branch{{G: "0.1"}}}}, x.reverse(), "who is asleep is woken")

	x = handmade(followed)
	x.nodes[1].To = []branch{{G: "0.2"}}
	require.Equal(t, []branch{{G: "0.2"}}, func() []branch { x.nodes[1].Sleep = nil; return x.reverse() }(), "what comes after the end of a branch is explored")

	x = handmade(followed)
	x.nodes[1].Sleep = nil
	race := reversal{first: 0, second: 2}
	x.hb.races(x.exec, func(first, second int) { race.before, race.candidates = x.hb.before, slices.Clone(x.hb.candidates) })
	require.Equal(t, []int32{1, 2}, x.sequenceOf(&race).events)
	x.ender = 1
	require.Equal(t, []int32{2}, x.sequenceOf(&race).events, "what has ended the program comes last")

	n := Node{Chosen: "0", Ended: true}
	x.leave(&n)
	n.Chosen = "0.1"
	x.leave(&n)
	require.Equal(t, []sleeper{{G: "0"}, {G: "0.1", Followed: true}}, n.Sleep)
}

// TestWakeupSuperseded: a sequence that could come after another step is left out when
// that has been explored, unless what has no address depends on each other.
func TestWakeupSuperseded(t *testing.T) {
	calls := []extraTouch{{Space: spaceLibrary, Kind: touchLibrary}}
	x := new(search)
	b := branch{G: "0", Unless: []string{"0.1"}, Extra: calls}
	require.True(t, x.superseded(&b, []sleeper{{G: "0.1", Followed: true}}))
	require.False(t, x.superseded(&b, []sleeper{{G: "0.2", Followed: true}}), "another one")
	require.False(t, x.superseded(&b, []sleeper{{G: "0.1"}}), "it has ended the program")
	require.False(t, x.superseded(&b, []sleeper{{G: "0.1", Followed: true, Extra: calls}}), "both call uninstrumented code")
	require.False(t, x.superseded(&b, []sleeper{{G: "0.1", Followed: true}, {G: "0.2", Stale: true}}), "the node is loose")
}

// TestWakeupValues: a choice that begins with another value than the first has all.
func TestWakeupValues(t *testing.T) {
	x := &search{nodes: []Node{{Of: 3, Value: 1, First: 1}}}
	var values []int
	for {
		values = append(values, x.nodes[0].Value)
		if !x.next() {
			break
		}
	}
	require.Equal(t, []int{1, 2, 0}, values)
}

// TestOlderNodes: the sleepers of an older frontier say nothing of sequences.
func TestOlderNodes(t *testing.T) {
	f := Frontier{Nodes: []Node{{Older: []string{"0.1"}, Sleep: []sleeper{{G: "0"}}}}}
	require.Equal(t, []Node{{To: []branch{{G: "0.1"}}, Sleep: []sleeper{{G: "0", Stale: true}}}}, f.nodes())
	require.Equal(t, []sleeper{{G: "0"}}, f.Nodes[0].Sleep)
	f.Trees = true
	require.False(t, f.nodes()[0].Sleep[0].Stale)
}

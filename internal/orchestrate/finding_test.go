package orchestrate

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
)

// A step of a select has the case that was taken, but not of a goroutine that is stuck in it.
func TestInterleavingSelect(t *testing.T) {
	side := &artifact.Sidecar{Sites: []artifact.Site{{}, {ID: 1, Kind: "select", Key: "f#1", Cases: []string{"<-a", "b <- 1"}}}}
	plan := artifact.Plan{Steps: []artifact.PlanStep{{G: "0", Site: "f#1", Case: 1}, {G: "0", Site: "f#1", Case: -1}, {G: "0", Site: "f#1"}}}
	taken := func(stuck []artifact.At) (out []string) {
		for _, s := range Interleaving(side, plan, stuck) {
			out = append(out, s.Taken)
		}
		return out
	}
	require.Equal(t, []string{"b <- 1", "", "<-a"}, taken(nil))
	require.Equal(t, []string{"b <- 1", "", ""}, taken([]artifact.At{{G: "0", Site: "f#1"}}))
	require.Equal(t, []string{"b <- 1", "", "<-a"}, taken([]artifact.At{{G: "0", Site: "f#2"}, {G: "0.1", Site: "f#1"}}))

	side = &artifact.Sidecar{Sites: slices.Clone(side.Sites)}
	side.Sites[1].Cases = []string{"<-a", "<-a"} // which one it was the number says
	require.Equal(t, []string{"", "", ""}, taken(nil))

	plan.Expect = artifact.Expect{Kind: artifact.KindDeadlock, Goroutines: []artifact.At{{G: "0", Site: "f#1"}}}
	require.Equal(t, plan.Expect.Goroutines, Stuck(plan))
	plan.Expect.Kind = artifact.KindPanic
	require.Empty(t, Stuck(plan))
	require.Equal(t, []artifact.At{{G: "0", Site: "f#1"}}, StuckAt([]artifact.FindingGoroutine{{G: "0", Site: "f#1", State: "blocked"}, {G: "0.1", Site: "f#1", State: "panicked"}}))
}

// What a run has given belongs to the steps of a plan that it has done, among others.
func TestAddResults(t *testing.T) {
	v := &Verdict{
		Trace:   []artifact.PlanStep{{G: "0", Site: "a"}, {G: "0", Site: "b"}, {G: "0.1", Site: "a"}, {G: "0", Site: "a"}},
		Given:   []orcruntime.GivenValue{{Step: 2, Value: "true"}, {Step: 3, Value: "7"}, {Step: 4, Value: "closed"}},
		Waited:  []int{2, 3},
		Reads:   []orcruntime.ReadValue{{Step: 2, Name: "x", Value: "1"}, {Step: 3, Name: "x", Value: "2"}, {Step: 3, Name: "y", Value: "nil"}},
		Effects: []orcruntime.Effect{{Step: 1, Object: "chan#1", After: "1 of 2"}, {Step: 3, Object: "mutex#1"}},
	}
	steps := []artifact.FindingStep{{G: "0", Site: "a"}, {G: "0.1", Site: "a"}, {G: "0", Site: "a"}, {G: "0", Site: "c"}}
	AddResults(steps, v)
	var got []string
	for _, s := range steps {
		got = append(got, s.Result)
	}
	require.Equal(t, []string{"", "7", "closed", ""}, got)
	require.Equal(t, []string{"chan#1", "mutex#1", "", ""}, []string{steps[0].Object, steps[1].Object, steps[2].Object, steps[3].Object})
	require.Equal(t, [][]artifact.FindingRead{nil, {{Name: "x", Value: "2"}, {Name: "y", Value: "nil"}}, nil, nil}, [][]artifact.FindingRead{steps[0].Reads, steps[1].Reads, steps[2].Reads, steps[3].Reads})
	require.Equal(t, []string{"1 of 2", "", "", ""}, []string{steps[0].After, steps[1].After, steps[2].After, steps[3].After})
	require.Equal(t, []bool{false, true, false, false}, []bool{steps[0].Waits, steps[1].Waits, steps[2].Waits, steps[3].Waits})
}

// What two runs of a plan do not both give is not known.
func TestReplayGives(t *testing.T) {
	n := 0
	run := func(p artifact.Plan) (*Verdict, error) {
		n++
		v := &Verdict{Plan: p, Status: Reproduced, Trace: []artifact.PlanStep{{G: "0", Site: "a"}, {G: "0", Site: "b"}}}
		v.Given = []orcruntime.GivenValue{{Step: 1, Value: "true"}, {Step: 2, Value: []string{"1", "2"}[n%2]}}
		v.Waited = []int{1, 2}[:n]
		v.Reads = []orcruntime.ReadValue{{Step: 1, Name: "x", Value: "1"}, {Step: 2, Name: "x", Value: []string{"1", "2"}[n%2]}}
		v.Effects = []orcruntime.Effect{{Step: 1, Object: "chan#1", After: []string{"1 of 2", "2 of 2"}[n%2]}, {Step: 2, Object: "mutex#1"}}
		return v, nil
	}
	v, err := replay(t.Context(), artifact.Plan{}, run)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, []orcruntime.GivenValue{{Step: 1, Value: "true"}}, v.Given)
	require.Equal(t, []int{1}, v.Waited)
	require.Equal(t, []orcruntime.ReadValue{{Step: 1, Name: "x", Value: "1"}}, v.Reads)
	require.Equal(t, []orcruntime.Effect{{Step: 2, Object: "mutex#1"}}, v.Effects)
}

// TestPassed: beside the steps of a plan those of atomic operations are told, and what comes behind it.
func TestPassed(t *testing.T) {
	side := &artifact.Sidecar{Sites: []artifact.Site{{Key: "load", Kind: "atomic"}, {Key: "x", Kind: "statement"}, {Key: "send", Kind: "send"}}}
	steps := func(keys ...string) (out []artifact.PlanStep) {
		for _, k := range keys {
			out = append(out, artifact.PlanStep{G: "0", Site: k})
		}
		return out
	}
	trace := steps("x", "load", "load", "send", "x", "load")
	require.Equal(t, steps("load", "send", "x", "load"), Passed(side, steps("send"), trace))
	require.Equal(t, steps("x", "load", "send"), Passed(side, steps("x", "load", "send"), trace[:4]))
	require.Equal(t, steps("close"), Passed(side, steps("close"), trace), "not followed step by step")
	many := steps()
	for range maxPassed + 1 {
		many = append(many, steps("load", "x")...)
	}
	require.Equal(t, steps("send", "x"), Passed(side, steps("send"), append(many, steps("send", "x")...)))
}

// Who has not come to a call of Done, by the functions that goroutines were in, and by what has started them.
func TestAddOwed(t *testing.T) {
	side := &artifact.Sidecar{Sites: []artifact.Site{
		{}, {ID: 1, Kind: "go", Key: "main#1", Func: "p.main", File: "a.go", Line: 1, Text: "go work(&wg)"},
		{ID: 2, Kind: "start", Key: "main#1.start", Func: "p.main", File: "a.go", Line: 1, Text: "go work(&wg)"},
		{ID: 3, Kind: "done", Key: "work#1", Func: "p.work", File: "a.go", Line: 11, Text: "defer wg.Done()"},
		{ID: 4, Kind: "send", Key: "work#2", Func: "p.work", File: "a.go", Line: 12, Text: "c <- 1"},
		{ID: 5, Kind: "wggo", Key: "main#2", Func: "p.main", File: "a.go", Line: 2, Text: "s.wg.Go(func() {"},
		{ID: 6, Kind: "done", Key: "main#3", Func: "p.main", File: "a.go", Line: 3, Text: "other.Done()"},
		{ID: 7, Kind: "done", Key: "main#4", Func: "p.main", File: "a.go", Line: 4, Text: "wg.Done()"},
	}}
	byKey := SitesByKey(side)
	wait := func(counter int) artifact.FindingGoroutine {
		return artifact.FindingGoroutine{G: "0", Operation: "wait", Object: "waitgroup#1", State: "blocked", Counter: counter, Func: "p.main", Text: "wg.Wait()"}
	}
	in := func(g, state, function string) artifact.FindingGoroutine {
		return artifact.FindingGoroutine{G: g, State: state, Func: function}
	}
	steps := func(list ...string) (out []artifact.FindingStep) {
		for i := 0; i < len(list); i += 2 {
			out = append(out, artifact.FindingStep{G: list[i], Site: list[i+1], Operation: byKey[list[i+1]].Kind, File: "a.go", Text: byKey[list[i+1]].Text})
		}
		return out
	}
	called := in("0.1", "blocked", "p.helper")
	called.Stack = []string{"p.helper a.go:20", "p.work a.go:12"}
	for name, c := range map[string]struct {
		counter    int
		steps      []artifact.FindingStep
		goroutines []artifact.FindingGoroutine
		want       []string
	}{
		"stuck":                       {1, steps("0", "main#1", "0.1", "main#1.start"), []artifact.FindingGoroutine{in("0.1", "blocked", "p.work")}, []string{"0.1 work#1"}},
		"stuck in what it calls":      {1, nil, []artifact.FindingGoroutine{called}, []string{"0.1 work#1"}},
		"ended":                       {1, steps("0", "main#1", "0.1", "main#1.start", "0.1", "work#2"), []artifact.FindingGoroutine{in("0.1", "finished", "")}, []string{"0.1 work#1"}},
		"has done it":                 {1, steps("0.1", "work#2", "0.1", "work#1"), []artifact.FindingGoroutine{in("0.1", "finished", "")}, nil},
		"started by Go":               {1, steps("0", "main#2"), []artifact.FindingGoroutine{in("0.1", "blocked", "p.f")}, []string{"0.1 main#2"}},
		"ended, and started by Go":    {1, steps("0", "main#2"), []artifact.FindingGoroutine{in("0.1", "finished", "")}, nil},
		"more than the counter":       {1, nil, []artifact.FindingGoroutine{in("0.1", "blocked", "p.work"), in("0.2", "blocked", "p.work")}, nil},
		"as many as the counter":      {2, nil, []artifact.FindingGoroutine{in("0.1", "blocked", "p.work"), in("0.2", "blocked", "p.work")}, []string{"0.1 work#1", "0.2 work#1"}},
		"only itself":                 {1, nil, nil, nil},
		"another one in its function": {2, nil, []artifact.FindingGoroutine{in("0.1", "blocked", "p.main")}, []string{"0.1 main#4"}},
	} {
		all := append([]artifact.FindingGoroutine{wait(c.counter)}, c.goroutines...)
		AddOwed(side, c.steps, all)
		var got []string
		for _, o := range all[0].Owed {
			require.Equal(t, "waitgroup#1", o.Object)
			got = append(got, o.G+" "+o.Site)
		}
		require.Equal(t, c.want, got, name)
		for _, g := range all[1:] {
			require.Empty(t, g.Owed)
		}
	}
}

func TestOnNil(t *testing.T) {
	for object, want := range map[string]bool{"nil chan": true, "nil chan, chan#1": false, "chan#1, nil chan": false, "chan#1": false, "": false} {
		require.Equal(t, want, Goroutine{Object: object}.OnNil(), object)
	}
}

// TestAddOwedChannels: who waits on a channel is told what others have not come to, where that is little; who a
// WaitGroup has started is known for sure, and function literals are known by where they are.
func TestAddOwedChannels(t *testing.T) {
	side := &artifact.Sidecar{Sites: []artifact.Site{
		{Kind: "close", Key: "get#1", Func: "p.get", File: "b/a.go", Line: 5, Text: "close(w.done)"},
		{Kind: "statement", Key: "get@1", Func: "p.get", File: "b/a.go", Line: 4, Text: "x++"},
		{Kind: "send", Key: "put#1", Func: "p.put", File: "b/a.go", Line: 9, Text: "other <- 1"},
		{Kind: "receive", Key: "lit#1", Func: "p.main$1", File: "b/a.go", Line: 12, Text: "<-c"},
		{Kind: "lock", Key: "lit#2", Func: "p.main$1", File: "b/a.go", Line: 11, Text: "mu.Lock()"},
		{Kind: "wggo", Key: "main#1", Func: "p.main", File: "b/a.go", Line: 20, Text: "wg.Go(f)"},
		{Kind: "go", Key: "main#2", Func: "p.main", File: "b/a.go", Line: 11, Text: "go func() {"},
		{Kind: "receive", Key: "main#3", Func: "p.main", File: "b/a.go", Line: 30, Text: "<-c"},
		{Kind: "done", Key: "f#1", Func: "p.f", File: "b/a.go", Line: 21, Text: "p.wg.Done()"},
	}}
	blocked := func(operation, object, text string, counter int) artifact.FindingGoroutine {
		return artifact.FindingGoroutine{G: "0", Operation: operation, Object: object, Text: text, State: artifact.StateBlocked, Counter: counter, Func: "p.main"}
	}
	for name, c := range map[string]struct {
		waits  artifact.FindingGoroutine
		steps  []artifact.FindingStep
		others []artifact.FindingGoroutine
		want   []string
	}{
		"not closed": {blocked("receive", "chan#1", "<-w.done", 0), []artifact.FindingStep{{G: "0.1", Site: "get@1"}, {G: "0.1", Site: "put#1"}},
			[]artifact.FindingGoroutine{{G: "0.1", State: artifact.StateFinished}}, []string{"0.1 get#1"}},
		"closed": {blocked("receive", "chan#1", "<-w.done", 0), []artifact.FindingStep{{G: "0.1", Site: "get#1"}}, []artifact.FindingGoroutine{{G: "0.1", State: artifact.StateFinished}}, nil},
		"too many": {blocked("receive", "chan#1", "<-w.done", 0), []artifact.FindingStep{{G: "0.1", Site: "get@1"}, {G: "0.2", Site: "get@1"}, {G: "0.3", Site: "get@1"}},
			[]artifact.FindingGoroutine{{G: "0.1"}, {G: "0.2"}, {G: "0.3"}}, nil},
		"not received, in a literal": {blocked("send", "chan#1", "c <- 1", 0), nil,
			[]artifact.FindingGoroutine{{G: "0.1", State: artifact.StateBlocked, Stack: []string{"p.main.func4 a.go:11"}}}, []string{"0.1 lit#1"}},
		"started by the group": {blocked("wait", "waitgroup#1", "wg.Wait()", 1), []artifact.FindingStep{{G: "0", Site: "main#1", Operation: "wggo", Object: "waitgroup#1"}},
			[]artifact.FindingGoroutine{{G: "0.1", State: artifact.StateBlocked}, {G: "0.2", State: artifact.StateBlocked, Func: "p.f"}}, []string{"0.1 main#1"}},
		"started by another group": {blocked("wait", "waitgroup#1", "wg.Wait()", 1), []artifact.FindingStep{{G: "0", Site: "main#1", Operation: "wggo", Object: "waitgroup#2"}},
			[]artifact.FindingGoroutine{{G: "0.1", State: artifact.StateBlocked}, {G: "0.2", State: artifact.StateBlocked, Func: "p.f"}}, []string{"0.2 f#1"}},
	} {
		all := append([]artifact.FindingGoroutine{c.waits}, c.others...)
		AddOwed(side, c.steps, all)
		var got []string
		for _, o := range all[0].Owed {
			got = append(got, o.G+" "+o.Site)
		}
		require.Equal(t, c.want, got, name)
	}
}

// TestAddStarts: goroutines say where they were started, and those of a library where their function was given.
func TestAddStarts(t *testing.T) {
	side := &artifact.Sidecar{Sites: []artifact.Site{
		{Key: "m.f#1", Kind: "go", File: "a.go", Line: 1, Text: "go g()"}, {Key: "m.f#2", Kind: "wggo", File: "a.go", Line: 2, Text: "wg.Go(h)"},
		{Key: "m.f#3", Kind: "callback", File: "a.go", Line: 3, Text: "time.AfterFunc(d, k)"},
	}}
	goroutines := []artifact.FindingGoroutine{{G: "0"}, {G: "0.2"}, {G: "0.1.1"}, {G: "F@m.f#3.2"}, {G: "F@unknown.1"}}
	AddStarts(side, []artifact.PlanStep{{G: "0", Site: "m.f#1"}, {G: "0.1", Site: "m.f#2"}, {G: "0", Site: "m.f#2"}}, goroutines)
	var got []string
	for _, g := range goroutines {
		if g.Started == nil {
			got = append(got, "")
		} else {
			got = append(got, fmt.Sprintf("%s:%d by %s", g.Started.Operation, g.Started.Line, g.Started.G))
		}
	}
	require.Equal(t, []string{"", "wggo:2 by 0", "wggo:2 by 0.1", "callback:3 by ", ""}, got)
}

// What a run of a long loop has given is added to its steps in one pass: by the square of their number this would take minutes.
func TestAddResultsOfManySteps(t *testing.T) {
	inLong(t)
	const n = 300_000
	var v Verdict
	steps := make([]artifact.FindingStep, n)
	for i := range n {
		steps[i] = artifact.FindingStep{Step: i + 1, G: "0", Site: "p.f#1"}
		v.Trace = append(v.Trace, artifact.PlanStep{G: "0", Site: "p.f#1", Occ: i + 1})
		if i%2 == 0 {
			v.Waited = append(v.Waited, i+1)
		} else {
			v.Given = append(v.Given, orcruntime.GivenValue{Step: i + 1, Value: "1"})
		}
	}
	AddResults(steps, &v)
	require.True(t, steps[n-2].Waits)
	require.False(t, steps[n-1].Waits)
	require.Equal(t, "1", steps[n-1].Result)
}

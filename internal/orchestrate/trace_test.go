package orchestrate

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// network is a sender and two receivers that may crash.
func network(t testing.TB) (*uppaal.Network, *artifact.Sidecar) {
	t.Helper()
	decls, err := uppaal.ParseDecls("chan c; int n = 0;")
	require.NoError(t, err)
	loc := func(id, name string) *uppaal.Location { return &uppaal.Location{ID: id, Name: name} }
	edge := func(from, to *uppaal.Location, sync, update string) *uppaal.Edge {
		e := &uppaal.Edge{From: from, To: to}
		var err error
		if sync != "" {
			e.Sync, err = uppaal.ParseSync(sync)
			require.NoError(t, err)
		}
		if update != "" {
			e.Update, err = uppaal.ParseUpdate(update)
			require.NoError(t, err)
		}
		return e
	}
	s0, s1 := loc("s0", "at"), loc("s1", "")
	sender := &uppaal.Template{Name: "S", Locations: []*uppaal.Location{s0, s1}, Init: s0, Edges: []*uppaal.Edge{edge(s0, s1, "c!", "n = n + 1")}}
	r0, r1, r2 := loc("r0", "at"), loc("r1", "got"), loc("r2", "crash")
	receiver := &uppaal.Template{Name: "R", Locations: []*uppaal.Location{r0, r1, r2}, Init: r0,
		Edges: []*uppaal.Edge{edge(r0, r1, "c?", ""), edge(r1, r1, "", "n = 2"), edge(r1, r2, "", "")}}
	receiver.Params, err = uppaal.ParseParams("const int[0,1] id")
	require.NoError(t, err)
	net := &uppaal.Network{Decls: decls, Templates: []*uppaal.Template{sender, receiver}}
	net.Instances, net.System, net.Progress, err = uppaal.ParseSystem("system S, R;")
	require.NoError(t, err)
	side := &artifact.Sidecar{
		Sites: []artifact.Site{{}, {ID: 1, Kind: "send", Key: "snd"}, {ID: 2, Kind: "receive", Key: "rcv"}, {ID: 3, Kind: "panic", Key: "pan"}},
		Templates: []artifact.TemplateInfo{
			{Name: "S", Role: "goroutine", Locations: []artifact.LocationInfo{{Name: "at"}, {Name: "_s1"}}, Edges: []artifact.EdgeInfo{{Site: 1, Role: artifact.RoleOp}}},
			{Name: "R", Role: "goroutine", Locations: []artifact.LocationInfo{{Name: "at"}, {Name: "got"}, {Name: "crash", End: "panic"}},
				Edges: []artifact.EdgeInfo{{Site: 2, Role: artifact.RoleOp, Case: 1}, {Role: artifact.RoleLocal}, {Role: artifact.RoleLocal}}},
		},
	}
	return net, side
}

func TestTraceOf(t *testing.T) {
	net, side := network(t)
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	at := func(s, a, b int) []*uppaal.Location {
		return []*uppaal.Location{net.Templates[0].Locations[s], net.Templates[1].Locations[a], net.Templates[1].Locations[b]}
	}
	n := func(v int32) []check.VarValue { return []check.VarValue{{Name: "n", Value: v}} }
	result := check.Result{Verdict: check.False, Trace: &check.Trace{
		Steps: []check.Step{
			{Parts: []check.Part{{Process: 0, Edge: 0}, {Process: 2, Edge: 0, Select: []int32{4}}}},
			{Parts: []check.Part{{Process: 2, Edge: 2}}},
		},
		States: []check.State{{Locations: at(0, 0, 0), Vars: n(0)}, {Locations: at(1, 0, 1), Vars: n(1)}, {Locations: at(1, 0, 2), Vars: n(1)}},
	}}
	q := artifact.Query{Number: 4, Formula: "A[] not R(1).crash", Description: "crash"}
	tr := TraceOf(info, q, result)
	require.Equal(t, &artifact.Trace{
		Formula: "A[] not R(1).crash", Comment: "crash", Result: "F", Query: 4,
		Lines: []string{"S: at > _s1", "R(1): at > got", "R(1): got > crash"},
		Steps: []artifact.Step{
			{Parts: []artifact.Part{{Process: "S", From: "at", To: "_s1"}, {Process: "R(1)", Template: 1, Select: []int{4}, From: "at", To: "got"}},
				Vars: []artifact.Var{{Name: "n", Value: 1}}},
			{Parts: []artifact.Part{{Process: "R(1)", Template: 1, Edge: 2, From: "got", To: "crash"}}},
		},
		Final: []artifact.ProcessAt{{Process: "S", Location: 1}, {Process: "R(0)", Template: 1}, {Process: "R(1)", Template: 1, Location: 2}},
	}, tr)
	labels := NewLabels(side, net)
	require.Equal(t, []string{"S@snd/0>", "R(1)@rcv/1>", "R(1)!panic"}, labels.prefix(tr, 9, -1))
	require.Equal(t, []string{"S@snd/0>", "R(1)@rcv/1>"}, labels.prefix(tr, 0, -1))
	require.Equal(t, []string{"S@snd/0>"}, labels.prefix(tr, 0, 0))

	none := TraceOf(info, q, check.Result{Verdict: check.Maybe})
	require.Equal(t, "M", none.Result)
	require.Empty(t, none.Steps)
	require.NotNil(t, none.Lines)
}

// The labels of a trace are those that the checker gives the transitions: a
// refuted trace does not come again, another one does.
func TestRefuteAndSearchAgain(t *testing.T) {
	net, side := network(t)
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	query, err := uppaal.ParseQuery("A[] forall (i : int[0,1]) not R(i).crash")
	require.NoError(t, err)
	q := artifact.Query{Number: 1, Formula: "A[] forall (i : int[0,1]) not R(i).crash", Kind: artifact.KindPanic}
	labels := NewLabels(side, net)
	opts := check.Options{LabelOf: labels.Of}
	seen := map[string]bool{}
	for range 2 {
		report, err := check.Embedded{}.Verify(context.Background(), net, []*uppaal.Query{query}, opts)
		require.NoError(t, err)
		r := report.Results[0]
		require.Equal(t, check.False, r.Verdict, r.Reason)
		tr := TraceOf(info, q, r)
		require.False(t, seen[tr.Lines[1]], "the same trace again")
		seen[tr.Lines[1]] = true
		plan := artifact.Plan{Steps: []artifact.PlanStep{{G: "0", Trace: 0}, {G: "0.1", Trace: 0}}}
		ref, ok := labels.Refute(tr, &plan, &Verdict{Status: Infeasible, Step: 2, Reason: "r"})
		require.True(t, ok)
		require.Equal(t, 1, ref.Query)
		require.Len(t, ref.Labels, 2)
		require.False(t, ref.Weak)
		opts.Refuted = append(opts.Refuted, []check.Label{check.Label(ref.Labels[0]), check.Label(ref.Labels[1])})
	}
	report, err := check.Embedded{}.Verify(context.Background(), net, []*uppaal.Query{query}, opts)
	require.NoError(t, err)
	require.Equal(t, check.True, report.Results[0].Verdict, "both receivers are refuted")
}

// branching is a goroutine that locks and then either closes, which panics, or
// unlocks: the model does not know which.
func branching() (*uppaal.Network, *artifact.Sidecar) {
	loc := func(name string) *uppaal.Location { return &uppaal.Location{Name: name} }
	start, closing, unlocking, crash, middle := loc("start"), loc("closing"), loc("unlocking"), loc("crash"), loc("middle")
	middle.Urgency = uppaal.Committed
	edge := func(from, to *uppaal.Location) *uppaal.Edge { return &uppaal.Edge{From: from, To: to} }
	net := &uppaal.Network{Templates: []*uppaal.Template{{
		Name: "M", Init: start, Locations: []*uppaal.Location{start, closing, unlocking, crash, middle},
		Edges: []*uppaal.Edge{edge(start, middle), edge(middle, closing), edge(middle, unlocking), edge(closing, crash), edge(unlocking, start)},
	}}}
	side := &artifact.Sidecar{
		Sites: []artifact.Site{{}, {ID: 1, Kind: "lock", Key: "l"}, {ID: 2, Kind: "close", Key: "c"}, {ID: 3, Kind: "unlock", Key: "u"}},
		Templates: []artifact.TemplateInfo{{
			Name: "M", Role: "goroutine",
			Locations: []artifact.LocationInfo{{Name: "start", Site: 1, Blocking: true}, {Name: "closing", Site: 2}, {Name: "unlocking", Site: 3}, {Name: "crash", End: "panic"}, {Name: "middle"}},
			Edges: []artifact.EdgeInfo{
				{Site: 1, Role: artifact.RoleOp}, {Role: artifact.RoleLocal, Approx: []int{0}}, {Role: artifact.RoleLocal, Approx: []int{0}},
				{Site: 2, Role: artifact.RoleOp}, {Site: 3, Role: artifact.RoleOp},
			},
		}},
		Approximations: []artifact.Approximation{{Kind: "free-choice", Direction: artifact.DirectionOver}},
	}
	return net, side
}

// walk makes a trace of edges of the one process of branching.
func walk(final int, edges ...int) *artifact.Trace {
	tr := &artifact.Trace{Final: []artifact.ProcessAt{{Process: "M", Location: final}}}
	for _, e := range edges {
		tr.Steps = append(tr.Steps, artifact.Step{Parts: []artifact.Part{{Process: "M", Edge: e}}})
	}
	return tr
}

func TestRefute(t *testing.T) {
	net, side := branching()
	labels := NewLabels(side, net)
	crash := walk(3, 0, 1, 3)
	plan, err := PlanOf(side, crash, artifact.Query{Kind: artifact.KindCloseOfClosed, Site: 2})
	require.NoError(t, err)
	require.Equal(t, "0 l, 0 c", text(plan))
	at := func(state, site string) []Goroutine { return []Goroutine{{G: "0", State: state, Site: site}} }
	for name, tc := range map[string]struct {
		trace       *artifact.Trace
		verdict     Verdict
		want        []string
		weak, vague bool // vague: unexplained
	}{
		"the operation does not complete": {crash, Verdict{Status: Infeasible, Step: 1, Goroutines: at("blocked", "l")},
			[]string{"M@l/0"}, false, true},
		"it arrives elsewhere": {crash, Verdict{Status: Infeasible, Step: 2, Goroutines: at("at", "u")},
			[]string{"M@l/0", "M>c"}, false, false},
		"it has finished": {crash, Verdict{Status: Infeasible, Step: 2, Goroutines: at("finished", "")},
			[]string{"M@l/0", "M>c"}, false, false},
		"it is out of sight": {crash, Verdict{Status: Infeasible, Step: 2, Goroutines: at("outside", "u")},
			[]string{"M@l/0", "M>c", "M@c/0!panic"}, false, false},
		"no panic": {crash, Verdict{Status: NotReproduced},
			[]string{"M@l/0", "M>c", "M@c/0!panic"}, false, false},
		"control was incomplete": {crash, Verdict{Status: NotReproduced, Weak: true},
			[]string{"M@l/0", "M>c", "M@c/0!panic"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			r, ok := labels.Refute(tc.trace, &plan, &tc.verdict)
			require.True(t, ok)
			require.Equal(t, tc.want, r.Labels)
			require.Equal(t, tc.weak, r.Weak)
			require.Equal(t, tc.vague, r.Unexplained)
		})
	}
	for _, status := range []string{Reproduced, Unsupported, Limit, Unconfirmed} {
		_, ok := labels.Refute(crash, &plan, &Verdict{Status: status})
		require.False(t, ok, status)
	}
	_, ok := labels.Refute(crash, &plan, &Verdict{Status: Infeasible, Step: 99})
	require.False(t, ok)
}

func TestRefuteStuck(t *testing.T) {
	net, side := branching()
	labels := NewLabels(side, net)
	stuck := walk(0, 0, 2, 4) // locks, unlocks, and locks for ever
	plan, err := PlanOf(side, stuck, artifact.Query{Kind: artifact.KindDeadlock})
	require.NoError(t, err)
	require.Equal(t, "0 l, 0 u", text(plan))

	// It goes on from there: not stuck, but it may be on a longer path.
	done := append([]artifact.PlanStep(nil), plan.Steps...)
	v := &Verdict{Status: NotReproduced, Trace: append(done, artifact.PlanStep{G: "0", Site: "l"}), Goroutines: []Goroutine{{G: "0", State: "finished"}}}
	r, ok := labels.Refute(stuck, &plan, v)
	require.True(t, ok)
	require.True(t, r.Weak)
	require.Equal(t, []string{"M@l/0", "M>u", "M@u/0>l"}, r.Labels)

	// It never was there.
	for _, v := range []*Verdict{
		{Status: NotReproduced, Trace: append(done, artifact.PlanStep{G: "0", Site: "c"}), Goroutines: []Goroutine{{G: "0", State: "finished"}}},
		{Status: NotReproduced, Trace: done, Goroutines: []Goroutine{{G: "0", State: "finished"}}},
	} {
		r, ok = labels.Refute(stuck, &plan, v)
		require.True(t, ok)
		require.False(t, r.Weak)
		require.Equal(t, []string{"M@l/0", "M>u", "M@u/0>l"}, r.Labels)
	}
}

package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

const counting = `
	int[0,9] n; int[-3,3] z; int[0,1] two[2];
	template P
	loc a
	loc b
	a > a | n < 7 && z > -3 | | n++, z--
	a > b | n == 3 | | z = 2
	template Q
	loc q
	q > q | z < 2 | | z++
	system P, Q;`

func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		query    string
		measured []Measured
		steps    int // of the trace, -1 without
	}{
		{"sup: n", []Measured{{true, 0, 7}}, 11},
		{"inf: n", []Measured{{true, 0, 7}}, 0},
		{"sup: n, n - z, P.b", []Measured{{true, 0, 7}, {true, -2, 10}, {true, 0, 1}}, -1},
		{"bounds{P.b}: n", []Measured{{true, 3, 3}}, -1},
		{"sup{P.b}: n", []Measured{{true, 3, 3}}, 4},
		{"inf{n == 2}: z", []Measured{{true, -2, 2}}, 2},
		{"sup{n == 8}: z", []Measured{{}}, -1},
		{"sup: 2147483647 + n", []Measured{{true, -2147483648, 2147483647}}, 0},
	} {
		for _, o := range []Options{{}, plain, {Workers: 2, eager: true}, {Order: DepthFirst}} {
			r := verify(t, counting, o, c.query, "E<> n == 5", "A[] n < 9", "A<> n == 1")
			require.Equal(t, True, r.Results[0].Verdict, "%s: %s", c.query, r.Results[0].Reason)
			require.Equal(t, c.measured, r.Results[0].Measured, c.query)
			require.Equal(t, c.steps >= 0, r.Results[0].Trace != nil, c.query)
			if c.steps >= 0 && o.Order == BreadthFirst {
				require.Len(t, r.Results[0].Trace.Steps, c.steps, c.query)
			}
			require.Equal(t, []Verdict{True, True, False}, []Verdict{r.Results[1].Verdict, r.Results[2].Verdict, r.Results[3].Verdict})
			require.True(t, r.Complete)
			require.Equal(t, r.Stats.States, r.Decided[0].States)
			require.Less(t, r.Decided[1].Explored, r.Decided[0].Explored, "found before the end")
		}
	}
}

// What cannot be measured, and what is known when a search ends early.
func TestMeasureErrors(t *testing.T) {
	noRaces(t)
	for query, want := range map[string]string{
		"sup: two[n]":          "index 2 is outside [0,1]",
		"sup{2 / n > 0}: n":    "division by zero",
		"sup{n > 9}: 2 / 0":    "",
		"sup: P":               "P",
		"sup: two":             "what sup measures must be an integer, found",
		"inf: n++":             "side effects",
		"bounds{deadlock}: n":  "deadlock can stand in A[] and E<> queries only",
		"bounds{stuck(P)}: n":  "stuck can stand in A[] and E<> queries only",
		"sup: stuck(P)":        "stuck can stand in A[] and E<> queries only",
		"sup: 1 / (n - 9) + n": "", // never 9
	} {
		r := verify(t, counting, Options{}, query, "A[] n < 9")
		require.Equal(t, want != "", r.Results[0].Verdict == Error, "%s: %s", query, r.Results[0].Reason)
		require.Contains(t, r.Results[0].Reason, want, query)
		require.NotContains(t, r.Results[0].Reason, "internal", query)
		require.Equal(t, True, r.Results[1].Verdict, query)
	}
	r := verify(t, counting, Options{MaxStates: 3}, "sup: n")
	require.Equal(t, Maybe, r.Results[0].Verdict)
	require.Equal(t, "state budget reached", r.Results[0].Reason)
	require.Len(t, r.Results[0].Measured, 1)
	require.Less(t, r.Results[0].Measured[0].Max, int32(7))
	r = verify(t, counting, Options{Timeout: 1}, "sup: n") // over before it begins
	require.Equal(t, Maybe, r.Results[0].Verdict)
	ctx, cancel := context.WithCancel(t.Context())
	big := Options{Deadline: time.Now().Add(time.Hour), Progress: func(s Stats) {
		if s.Depth > 6 {
			cancel()
		}
	}}
	r, err := Verify(ctx, model(t, philosophers(16)), queries(t, "sup: (Phil(0).eat + Phil(2).eat)"), big)
	require.NoError(t, err)
	require.Equal(t, Maybe, r.Results[0].Verdict)
	require.Equal(t, []Measured{{true, 0, 2}}, r.Results[0].Measured, "what was visited counts, though the search was cancelled")
	r = verify(t, counting, Options{HashCompaction: true, eager: true}, "sup: n", "E<> n == 5")
	require.Equal(t, Error, r.Results[0].Verdict)
	require.Contains(t, r.Results[0].Reason, "hash compaction")
	require.Equal(t, True, r.Results[1].Verdict)
	r = verify(t, counting+"\n", Options{From: nil, Refuted: [][]Label{{"P:0", "P:0"}}, LabelOf: randomLabel}, "sup: n")
	require.Equal(t, True, r.Results[0].Verdict, r.Results[0].Reason)
}

// Random expressions over random networks, against the states that the reference
// interpreter finds.
func TestMeasureRandom(t *testing.T) {
	noRaces(t)
	n := map[string]int{}
	for seed := range uint64(150) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 9))}
		net, info := generated(t, g.network())
		space, err := explore(info, 300, nil)
		if err != nil || !space.complete {
			n["skipped"]++
			continue
		}
		g.locals, g.selected = false, 0
		x, cond := g.expr(2), g.cond(1)
		q := queries(t, fmt.Sprintf("bounds{%s}: %s", cond, x))[0]
		if info.CheckQuery(q) != nil {
			n["wrong"]++
			continue
		}
		ref, err := newReference(info)
		require.NoError(t, err)
		var want Measured
		bad := false
		for _, st := range space.states {
			c, err := ref.value(q.X, st)
			bad = bad || err != nil
			if err != nil || c == 0 {
				continue
			}
			v, err := ref.value(q.Of[0], st)
			if bad = bad || err != nil; !want.Reached {
				want = Measured{true, v, v}
			}
			want.Min, want.Max = min(want.Min, v), max(want.Max, v)
		}
		r, err := Verify(context.Background(), net, []*uppaal.Query{q}, Options{})
		require.NoError(t, err)
		if bad {
			n["invalid"]++
			require.Equal(t, Error, r.Results[0].Verdict, seed)
			continue
		}
		n["measured"]++
		require.Equal(t, True, r.Results[0].Verdict, "seed %d: %s", seed, r.Results[0].Reason)
		require.Equal(t, []Measured{want}, r.Results[0].Measured, "seed %d: %s", seed, uppaal.QueryString(q))
	}
	require.Greater(t, n["measured"], 40, n)
}

// Steps that somebody else has listed are followed, or the first that is none is named.
func TestFollow(t *testing.T) {
	net := model(t, counting)
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	up := Step{Parts: []Part{{Process: 0, Edge: 0}}}
	trace, err := Follow(info, []Step{up, up})
	require.NoError(t, err)
	require.Equal(t, VarValue{"n", 2}, trace.States[2].Vars[0])
	_, err = Follow(info, []Step{up, {Parts: []Part{{Process: 0, Edge: 1}}}})
	require.EqualError(t, err, "step 2 is not possible in the state before it")
	_, err = Follow(info, []Step{{}})
	require.EqualError(t, err, "step 1 is not possible in the state before it")
	_, err = Follow(info, make([]Step, maxFollowed))
	require.ErrorContains(t, err, "too many for states of 6 values")
	info, err = uppaal.Check(model(t, "int[0,1] n;\ntemplate P\nloc a\na > a | 1 / n == 1 | | n++\na > a | n == 0 | | n = 2 - n\nsystem P;"))
	require.NoError(t, err)
	_, err = Follow(info, []Step{up})
	require.ErrorContains(t, err, "step 1: ")
	_, err = Follow(info, []Step{{Parts: []Part{{Process: 0, Edge: 1}}}})
	require.ErrorContains(t, err, "value 2 of n is outside [0,1]")
}

// A deadline that has passed leaves verdicts without traces.
func TestDeadline(t *testing.T) {
	for _, o := range []Options{{}, {HashCompaction: true, eager: true}} {
		o.Deadline = time.Now().Add(-time.Second)
		r := verify(t, counting, o, "E<> n == 5", "A[] n < 5", "A[] n < 9")
		for i, want := range []Verdict{True, False} {
			require.Equal(t, want, r.Results[i].Verdict)
			require.Nil(t, r.Results[i].Trace)
			require.Equal(t, errNoTrace.Error(), r.Results[i].Reason)
		}
	}
	r := verify(t, counting, Options{Deadline: time.Now().Add(-time.Second)}, "sup: n", "A<> n == 5")
	require.Equal(t, []Measured{{true, 0, 7}}, r.Results[0].Measured)
	require.Nil(t, r.Results[0].Trace)
	require.Equal(t, False, r.Results[1].Verdict)
	r = verify(t, counting, Options{Deadline: time.Now().Add(time.Hour)}, "E<> n == 5")
	require.Len(t, r.Results[0].Trace.Steps, 7)
}

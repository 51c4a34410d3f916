package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// TestStarts compares searches from states in the midst of random networks with those of
// the reference interpreter from there, with and without reductions, for one start and
// for several, with refuted sequences and without.
func TestStarts(t *testing.T) {
	noRaces(t)
	n := map[string]int{}
	count := uint64(*networks)
	for seed := range count {
		compareStarts(t, 1<<33+seed, n)
	}
	t.Logf("%d networks: %v", count, n)
	for _, what := range []string{"T", "F", "several", "refuted", "all refuted", "goroutines", "shorter", "stuck"} {
		require.Positive(t, n[what], what)
	}
}

func compareStarts(t *testing.T, seed uint64, n map[string]int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	var text string
	switch seed % 6 {
	case 4:
		text = g.goroutines()
	case 5:
		text = g.small()
	case 0:
		text = g.busy()
	case 1:
		text = g.symmetric()
	default:
		text = g.network()
	}
	net, info := generated(t, text)
	space, err := explore(info, refLimit/3, func(refState, []refMove) {})
	if err != nil || !space.complete {
		n["skipped"]++
		return
	}
	if seed%6 == 4 {
		n["goroutines"]++
	}
	ref, err := newReference(info)
	require.NoError(t, err)
	var opts Options
	for range 1 + g.IntN(4) {
		var path []Step
		st := ref.initial
		for range g.IntN(12) {
			moves, err := ref.moves(st)
			require.NoError(t, err)
			if len(moves) == 0 {
				break
			}
			m := moves[g.IntN(len(moves))]
			path, st = append(path, m.step), m.target
		}
		opts.From = append(opts.From, path)
	}
	if len(opts.From) > 1 {
		n["several"]++
	}
	opts.LabelOf = randomLabel
	if g.chance(40) {
		opts.Refuted = g.refuted()
		n["refuted"]++
	}
	if seed%16 == 3 {
		opts.Refuted = append(opts.Refuted, []Label{}) // everything
	}
	var formulas []string
	var list []string
	if seed%6 < 4 {
		list = g.formulas(info, 6)
	}
	switch seed % 6 {
	case 1:
		list = []string{g.symmetricFormula(), g.symmetricFormula()}
	case 4:
		list, formulas = nil, g.asked(info)
	case 5:
		list = []string{g.smallFormula(info), g.smallFormula(info), g.smallFormula(info)}
	}
	for _, f := range list {
		formulas = append(formulas, pick(g, "E<> "+f, "A[] not ("+f+")"))
	}
	want := refDecide(t, net, formulas, opts)
	fromInitial := refDecide(t, net, formulas, Options{Refuted: opts.Refuted, LabelOf: opts.LabelOf})
	for _, v := range variants {
		if v.opts.HashCompaction {
			continue
		}
		o := v.opts
		o.From, o.Refuted, o.LabelOf = opts.From, opts.Refuted, opts.LabelOf
		report, err := Verify(context.Background(), net, queries(t, formulas...), o)
		require.NoError(t, err)
		for i, r := range report.Results {
			msg := fmt.Sprintf("seed %d, %s\n%s\n%s\nfrom %v\nrefuted %q\n%s", seed, v.name, text, formulas[i], opts.From, opts.Refuted, r.Reason)
			if want[i].err != nil || r.Verdict == Error {
				require.NotContains(t, r.Reason, "internal", msg)
				n["E"]++
				continue // what is invalid may be met later
			}
			require.Equal(t, want[i].verdict.String(), r.Verdict.String(), msg)
			require.Equal(t, want[i].steps >= 0, r.Trace != nil, msg)
			n[r.Verdict.String()]++
			if want[i].steps >= 0 && want[i].steps < fromInitial[i].steps {
				n["shorter"]++
			}
			if r.Trace == nil {
				continue
			}
			// The trace begins with one of the paths, and is one of the network.
			begun := -1
			for _, path := range opts.From {
				if len(path) <= len(r.Trace.Steps) && reflect.DeepEqual(steps(path), steps(r.Trace.Steps[:len(path)])) {
					if rest := len(r.Trace.Steps) - len(path); begun < 0 || rest < begun {
						begun = rest
					}
				}
			}
			require.GreaterOrEqual(t, begun, 0, msg)
			if strings.Contains(formulas[i], "stuck") {
				n["stuck"]++
			} else if v.opts.Order == BreadthFirst {
				require.LessOrEqual(t, begun, want[i].steps, msg)
			}
			st := ref.initial
			for _, step := range r.Trace.Steps {
				to, ok, err := ref.follow(st, step)
				require.NoError(t, err, msg)
				require.True(t, ok, msg)
				st = to
			}
			require.Equal(t, ref.show(st), r.Trace.States[len(r.Trace.States)-1], msg)
		}
	}
	if slices.ContainsFunc(opts.From, func(path []Step) bool { return !refutes(opts, info, path) }) {
		return
	}
	n["all refuted"]++
	for i, w := range want {
		require.Negative(t, w.steps, formulas[i])
	}
}

// refutes reports whether a path begins with a refuted sequence.
func refutes(opts Options, info *uppaal.Info, path []Step) bool {
	var labels []Label
	for _, s := range path {
		for _, p := range s.Parts {
			if l := opts.LabelOf(info.Processes[p.Process], p.Edge); l != "" {
				labels = append(labels, l)
			}
		}
	}
	return slices.ContainsFunc(opts.Refuted, func(seq []Label) bool {
		seq = slices.DeleteFunc(slices.Clone(seq), func(l Label) bool { return l == "" })
		return len(seq) <= len(labels) && slices.Equal(seq, labels[:len(seq)])
	})
}

// steps are comparable: no selections are none.
func steps(path []Step) (out []string) {
	for _, s := range path {
		out = append(out, fmt.Sprint(s))
	}
	return out
}

// A start has to be a path of the network, and what a search from there cannot answer
// says so.
func TestStartErrors(t *testing.T) {
	net := model(t, `
		template P
		loc a
		loc b
		loc c
		a > b | | |
		b > c | | |
		system P;`)
	verify := func(q string, o Options) Result {
		r, err := Verify(context.Background(), net, queries(t, q), o)
		require.NoError(t, err)
		return r.Results[0]
	}
	step := func(edge int) Step { return Step{Parts: []Part{{Process: 0, Edge: edge}}} }
	r := verify("E<> P.c", Options{From: [][]Step{{step(0)}}})
	require.Equal(t, True, r.Verdict, r.Reason)
	require.Len(t, r.Trace.Steps, 2)
	require.Len(t, r.Trace.States, 3)
	r = verify("E<> P.a", Options{From: [][]Step{{step(0)}}})
	require.Equal(t, False, r.Verdict, r.Reason)
	r = verify("E<> P.c", Options{From: [][]Step{{step(0)}, {step(1)}}})
	require.Equal(t, Error, r.Verdict)
	require.Contains(t, r.Reason, "path 2 to begin behind: the network has no such step 1 there")
	r = verify("A<> P.c", Options{From: [][]Step{{step(0)}}})
	require.Equal(t, Error, r.Verdict)
	_, err := Verify(context.Background(), net, queries(t, "E<> P.c"), Options{From: [][]Step{{}}, HashCompaction: true})
	require.ErrorContains(t, err, "hash compaction")
}

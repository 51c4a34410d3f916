package check

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

func verify(t *testing.T, text string, opts Options, formulas ...string) *Report {
	t.Helper()
	r, err := Verify(context.Background(), model(t, text), queries(t, formulas...), opts)
	require.NoError(t, err)
	return r
}

func TestPhilosopherCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	r := verify(t, philosophers(12), Options{})
	require.True(t, r.Complete)
	require.Equal(t, 531440, r.Stats.States)

	r = verify(t, philosophers(5), Options{})
	info, err := uppaal.Check(model(t, philosophers(5)))
	require.NoError(t, err)
	ref, err := explore(info, 1000, nil)
	require.NoError(t, err)
	require.Equal(t, len(ref.states), r.Stats.States)
	require.Equal(t, 242, r.Stats.States)

	r = verify(t, philosophers(8), Options{}, "E<> deadlock", "A[] not deadlock", "A[] not (Phil(0).eat and Phil(1).eat)")
	require.Equal(t, True, r.Results[0].Verdict)
	require.Equal(t, False, r.Results[1].Verdict)
	require.Equal(t, True, r.Results[2].Verdict)
	require.Len(t, r.Results[0].Trace.Steps, 8, "everyone takes the left fork")
}

func TestSearchStopsWhenDecided(t *testing.T) {
	r := verify(t, philosophers(12), Options{}, "E<> Phil(3).eat", "A[] not Phil(2).left")
	require.False(t, r.Complete)
	require.Less(t, r.Stats.States, 1000)
	require.Len(t, r.Results[0].Trace.Steps, 2)
}

func TestMaxStates(t *testing.T) {
	r := verify(t, philosophers(10), Options{MaxStates: 1000}, "A[] not deadlock", "E<> Phil(3).eat", "A<> Phil(0).eat", "Phil(0).left --> Phil(0).eat")
	require.Equal(t, Maybe, r.Results[0].Verdict)
	require.Contains(t, r.Results[0].Reason, "state budget")
	require.Equal(t, True, r.Results[1].Verdict)
	require.NotNil(t, r.Results[1].Trace)
	require.Equal(t, False, r.Results[2].Verdict)
	require.Equal(t, False, r.Results[3].Verdict)
	require.Equal(t, 1000, r.Stats.States)
	require.False(t, r.Complete)
	// The exact number of states is enough.
	r = verify(t, philosophers(5), Options{MaxStates: 242}, "A[] not (Phil(0).eat and Phil(1).eat)")
	require.Equal(t, True, r.Results[0].Verdict)
}

func TestMaxMemory(t *testing.T) {
	noRaces(t)
	for _, limit := range []int64{1, 4 << 10, 100 << 10, 1 << 20, 3 << 20} {
		r := verify(t, philosophers(12), Options{MaxMemory: limit, Reductions: plain.Reductions}, "A[] not deadlock", "A[] true", "A[] not (Phil(0).eat and stuck(Phil(0)))")
		for _, x := range r.Results {
			require.Equal(t, Maybe, x.Verdict, "limit %d", limit)
			require.Contains(t, x.Reason, "memory budget")
		}
		require.LessOrEqual(t, r.Stats.Bytes, limit)
		require.False(t, r.Complete)
	}
	// Enough for the states, not for the graph that stuck needs.
	full := verify(t, philosophers(9), plain, "A[] true")
	r := verify(t, philosophers(9), Options{MaxMemory: full.Stats.Bytes + 40000}, "A[] true", "A[] not (Phil(0).think and stuck(Phil(0)) and not deadlock)", "A[] not (Phil(0).left and stuck(Phil(0)))")
	require.Equal(t, True, r.Results[0].Verdict)
	require.Equal(t, Maybe, r.Results[1].Verdict, r.Results[1].Reason)
	require.Equal(t, False, r.Results[2].Verdict, "the deadlock decides it early")
}

func TestTimeout(t *testing.T) {
	start := time.Now()
	r := verify(t, philosophers(16), Options{Timeout: 50 * time.Millisecond, Reductions: plain.Reductions}, "A[] true", "E<> Phil(1).eat")
	require.Equal(t, Maybe, r.Results[0].Verdict)
	require.Contains(t, r.Results[0].Reason, "time budget")
	require.Equal(t, True, r.Results[1].Verdict)
	require.Less(t, time.Since(start), 20*time.Second)
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	calls := 0
	opts := Options{Reductions: plain.Reductions, Progress: func(s Stats) {
		calls++
		require.Positive(t, s.States)
		cancel(errors.New("enough"))
	}}
	r, err := Verify(ctx, model(t, philosophers(16)), queries(t, "A[] true", "E<> Phil(1).eat"), opts)
	require.NoError(t, err)
	require.Positive(t, calls)
	require.Equal(t, Maybe, r.Results[0].Verdict)
	require.Contains(t, r.Results[0].Reason, "cancelled: enough")
	require.Equal(t, True, r.Results[1].Verdict)
	require.NotNil(t, r.Results[1].Trace)

	r, err = Verify(ctx, model(t, philosophers(3)), queries(t, "A[] true"), Options{})
	require.NoError(t, err)
	require.Equal(t, Maybe, r.Results[0].Verdict)
}

// A network is not compiled for a context that is over: to do so may take longer than
// the search.
func TestCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("enough"))
	info, err := uppaal.Check(model(t, philosophers(3)))
	require.NoError(t, err)
	compiled := 0
	_, err = compile(info, &Options{}, func(int) error { compiled++; return ctx.Err() })
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, compiled)
}

// A long evaluation notices the end of the context, too.
func TestCancelInLoop(t *testing.T) {
	text := `
		int x;
		int busy() { int i; int[0,1048575] n = 0; for (i = 0; i < 900000; i++) n = n ^ i; return n; }
		template P
		loc a
		a > a | busy() == 7 | |
		a > a | x < 30000 && busy() != 7 | | x++
		system P;`
	r := verify(t, strings.ReplaceAll(text, "int i;", "int[0,1000000] i;"), Options{Timeout: 100 * time.Millisecond}, "A[] true")
	require.Equal(t, Maybe, r.Results[0].Verdict, r.Results[0].Reason)
}

func label(p *uppaal.Process, edge int) Label {
	return Label(fmt.Sprintf("%s/%d", p.Name, edge))
}

func labelsOf(t *testing.T, net *uppaal.Network, trace *Trace) []Label {
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	var list []Label
	for _, s := range trace.Steps {
		for _, p := range s.Parts {
			list = append(list, label(info.Processes[p.Process], p.Edge))
		}
	}
	return list
}

// Each answer is refuted in turn: all six orders in which three philosophers
// take their left forks are found, then the query holds.
func TestRefutedOneByOne(t *testing.T) {
	net := model(t, philosophers(3))
	opts := Options{LabelOf: label}
	seen := map[string]bool{}
	for {
		// Longer ways to the deadlock exist; only the shortest are refuted here.
		r, err := Verify(context.Background(), net, queries(t, "A[] not deadlock"), opts)
		require.NoError(t, err)
		require.Equal(t, False, r.Results[0].Verdict)
		seq := labelsOf(t, net, r.Results[0].Trace)
		require.False(t, seen[fmt.Sprint(seq)])
		if len(seq) > 3 {
			break
		}
		seen[fmt.Sprint(seq)] = true
		opts.Refuted = append(opts.Refuted, seq)
	}
	require.Len(t, seen, 6)
}

func TestRefutedPrefixCutsEverything(t *testing.T) {
	net := model(t, philosophers(2))
	opts := Options{LabelOf: label, Refuted: [][]Label{{"Phil(0)/0"}, {"Phil(1)/0"}}}
	r, err := Verify(context.Background(), net, queries(t, "A[] not deadlock", "E<> Phil(0).left", "E<> Phil(0).think", "A[] not stuck(Phil(0))"), opts)
	require.NoError(t, err)
	require.Equal(t, True, r.Results[0].Verdict)
	require.Equal(t, False, r.Results[1].Verdict)
	require.Equal(t, True, r.Results[2].Verdict)
	require.Equal(t, True, r.Results[3].Verdict, "the continuation cut off moves the process")

	opts.Refuted = [][]Label{{}}
	r, err = Verify(context.Background(), net, queries(t, "A[] false", "E<> true"), opts)
	require.NoError(t, err)
	require.Equal(t, True, r.Results[0].Verdict)
	require.Equal(t, False, r.Results[1].Verdict)

	_, err = Verify(context.Background(), net, nil, Options{Refuted: opts.Refuted})
	require.Error(t, err)
}

// Both labels of a synchronisation count, the sender's first.
func TestRefutedSynchronisation(t *testing.T) {
	net := model(t, `
		chan c;
		template S
		loc a
		loc b
		a > b | | c! |
		template R
		loc a
		loc b
		loc d
		a > b | | c? |
		a > d | | c? |
		system R, S;`)
	for _, c := range []struct {
		refuted []Label
		b, d    Verdict
	}{
		{[]Label{"S/0", "R/0"}, False, True},
		{[]Label{"S/0", "", "R/1"}, True, False},
		{[]Label{"R/0", "S/0"}, True, True},
		{[]Label{"S/0"}, False, False},
		{[]Label{"S/0", "R/0", "S/0"}, True, True},
	} {
		r, err := Verify(context.Background(), net, queries(t, "E<> R.b", "E<> R.d"), Options{LabelOf: label, Refuted: [][]Label{c.refuted}})
		require.NoError(t, err)
		require.Equal(t, c.b, r.Results[0].Verdict, "%q", c.refuted)
		require.Equal(t, c.d, r.Results[1].Verdict, "%q", c.refuted)
	}
}

func TestTraceLines(t *testing.T) {
	net := model(t, `
		chan c;
		int x; int y[2];
		template S
		loc a
		loc b
		a > b select i : int[0,3] | i == 2 | c! | x = i
		template R(const int k)
		var int z = k;
		loc a
		loc b
		a > b | | c? | y[1] = x, z++
		instance R1 = R(4);
		system R1, S;`)
	net.Templates[0].Locations[1].Name = ""
	r, err := Verify(context.Background(), net, queries(t, "E<> x == 2"), Options{})
	require.NoError(t, err)
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	trace := r.Results[0].Trace
	require.Equal(t, []string{"S: a > _id2", "R1: a > b"}, trace.Lines(info))
	require.Equal(t, []Part{{Process: 1, Edge: 0, Select: []int32{2}}, {Process: 0, Edge: 0}}, trace.Steps[0].Parts)
	require.Equal(t, []VarValue{{"x", 2}, {"y[0]", 0}, {"y[1]", 2}, {"R1.z", 5}}, trace.States[1].Vars)
}

func TestErrors(t *testing.T) {
	net := model(t, `
		template P
		loc a
		loc b
		a > b | nonsense > 1 | |
		system P;`)
	_, err := Verify(context.Background(), net, nil, Options{})
	var errs uppaal.Errors
	require.ErrorAs(t, err, &errs)

	net = model(t, philosophers(2))
	r, err := Verify(context.Background(), net, queries(t, "A[] Phil(7).eat", "E<> Phil(1).eat", "A[] gone"), Options{})
	require.NoError(t, err)
	require.Equal(t, Error, r.Results[0].Verdict)
	require.Equal(t, True, r.Results[1].Verdict)
	require.Equal(t, Error, r.Results[2].Verdict)
	require.Contains(t, r.Results[2].Reason, "gone")
}

// The same input gives the same report, traces included.
func TestDeterministic(t *testing.T) {
	run := func() *Report {
		r := verify(t, philosophers(6), Options{}, "A[] not deadlock", "E<> Phil(2).eat and Phil(4).eat",
			"A[] not (Phil(1).left and stuck(Phil(1)))", "Phil(0).left --> Phil(0).eat")
		r.Stats.Elapsed = 0
		for i := range r.Decided {
			r.Decided[i].Elapsed = 0
		}
		for i := range r.Results {
			for k := range r.Results[i].Trace.States {
				r.Results[i].Trace.States[k].Locations = nil // of another tree
			}
		}
		return r
	}
	require.Equal(t, run(), run())
}

// Wide states take several words, and cells never straddle two of them.
func TestWideState(t *testing.T) {
	r := verify(t, `
		int wide[30]; int[-2147483648,2147483647] huge[3]; int[-3,-1] low[5]; bool bits[70];
		template P
		loc a
		loc b
		a > a | wide[29] < 3 | | wide[29]++, wide[0] = -wide[29], huge[1] = huge[1] * 3 - 1, low[4] = -1, bits[69] = !bits[69]
		a > b | wide[29] == 3 | | huge[0] = 2147483647, huge[2] = -2147483648
		system P;`, Options{}, "A[] P.b imply (wide[29] == 3 and wide[0] == -3 and huge[1] == -13 and low[4] == -1 and low[3] == -3 and bits[69] and huge[0] + 1 == huge[2])", "E<> P.b")
	require.Equal(t, True, r.Results[0].Verdict)
	require.Equal(t, True, r.Results[1].Verdict)
	require.Equal(t, 5, r.Stats.States)
}

// Selections over large ranges neither fill the memory nor take for ever.
func TestLargeSelect(t *testing.T) {
	text := `
		broadcast chan c;
		int[0,60000] x;
		template P
		loc a
		loc b
		a > b select i : int[0,60000], j : int[0,60000] | i == 7 && j == 2 | c! | x = i
		template Q
		loc a
		loc b
		a > b select i : int[0,60000] | i == 59999 | c? |
		system P, Q;`
	start := time.Now()
	r := verify(t, strings.Replace(text, ", j : int[0,60000]", ", j : int[2,3]", 1), Options{}, "E<> x == 7 and Q.b")
	require.Equal(t, True, r.Results[0].Verdict, r.Results[0].Reason)
	require.Equal(t, [][]int32{{7, 2}, {59999}}, [][]int32{r.Results[0].Trace.Steps[0].Parts[0].Select, r.Results[0].Trace.Steps[0].Parts[1].Select})
	r = verify(t, text, Options{Timeout: 50 * time.Millisecond}, "E<> x == 9")
	require.Equal(t, Maybe, r.Results[0].Verdict)
	require.Less(t, time.Since(start), 20*time.Second)
}

func TestManyCells(t *testing.T) {
	if testing.Short() {
		t.Skip("one worker has no goroutines for the race detector")
	}
	text := `
		int a[1000000];
		template P
		loc l
		l > l | a[999999] < 2 | | a[999999]++
		system P;`
	r := verify(t, text, Options{MaxMemory: 10 << 20}, "A[] a[0] == 0")
	require.Equal(t, Maybe, r.Results[0].Verdict)
	_, err := Verify(context.Background(), model(t, strings.Replace(text, "int a", "int b[1000000]; int c[1000000]; int d[1000000]; int e[1000000]; int a", 1)), nil, Options{})
	var unsupported *UnsupportedError
	require.ErrorAs(t, err, &unsupported)
}

package analyze_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/trace"
)

// possible are what an inspection says of all operations of a trace, as Finding.String has it for findings.
func possible(t *testing.T, tr *trace.Trace, in *analyze.Inspection, codes ...analyze.Code) []string {
	t.Helper()
	out := []string{}
	for g := range tr.Goroutines {
		for _, e := range tr.Goroutines[g].Events {
			if !e.Phase.HasPre() {
				continue
			}
			r := trace.Ref{Goroutine: trace.GoroutineID(g + 1), PC: e.PC}
			list, ok := in.Possible(r)
			require.True(t, ok)
			for _, p := range list {
				if !slices.Contains(codes, p.Code) {
					continue
				}
				require.GreaterOrEqual(t, p.Count, len(p.Operations))
				s := string(p.Code) + " " + tr.ObjectName(p.Object)
				if p.Case >= 0 {
					s += fmt.Sprintf(" case %d", p.Case)
				}
				refs := []trace.Ref{r}
				if p.Code == analyze.AC {
					_, _, partner := in.Clocks.Did(r)
					refs = append(refs, partner)
				}
				for _, o := range append(refs, p.Operations...) {
					s += fmt.Sprintf(" %d.%d", o.Goroutine, o.PC)
				}
				out = append(out, s)
			}
		}
	}
	return out
}

// What is said of each operation are the findings: in these traces no two operations have a place in common, so that no
// findings are one.
func TestPossible(t *testing.T) {
	t.Parallel()
	partners := []analyze.Code{analyze.AC, analyze.ASC, analyze.DR}
	some, contention := 0, 0
	for _, x := range examples {
		t.Run(x.name, func(t *testing.T) {
			tr := parse(t, x.trace)
			in, err := analyze.Inspect(tr, analyze.Limits{})
			require.NoError(t, err)
			r, err := analyze.Analyze(tr, analyze.Limits{})
			require.NoError(t, err)
			require.Equal(t, r, in.Result)
			want := []string{}
			for i := range r.Findings {
				f := &r.Findings[i]
				if slices.Contains(partners, f.Code) && !f.OtherOrder {
					want = append(want, f.String())
				}
				if f.Code != analyze.MP {
					continue
				}
				// Who competes at most is concurrent with all others.
				all := strings.Join(possible(t, tr, in, analyze.MP), "\n") + "\n"
				for _, a := range f.Operations {
					require.Regexp(t, fmt.Sprintf(`(?m)^MP %s %d\.%d( |$)`, f.Object, a.Goroutine, a.PC), all)
					contention++
				}
			}
			require.ElementsMatch(t, want, possible(t, tr, in, partners...))
			some += len(want)
		})
	}
	require.Positive(t, some)
	require.Positive(t, contention)
}

// Readers of a lock compete with writers, and not with each other.
func TestContentionOfReaders(t *testing.T) {
	t.Parallel()
	tr := parse(t, `rwmutex m
goroutine 1
  go 2
  go 3
  rlock m first
  runlock m
goroutine 2 of 1
  rlock m first
  runlock m
goroutine 3 of 1
  lock m pending`)
	in, err := analyze.Inspect(tr, analyze.Limits{})
	require.NoError(t, err)
	require.Equal(t, []string{"MP m 1.3 3.1", "MP m 2.1 3.1", "MP m 3.1 1.3 2.1"}, possible(t, tr, in, analyze.MP))
}

// The order has each send in front of its receive, whichever of them names the other, and all else as the clocks
// have it.
func TestOrder(t *testing.T) {
	t.Parallel()
	for _, x := range examples {
		t.Run(x.name, func(t *testing.T) {
			tr := parse(t, x.trace)
			in, err := analyze.Inspect(tr, analyze.Limits{})
			require.NoError(t, err)
			place := map[trace.Ref]int{}
			last := map[trace.GoroutineID]int{}
			for i, r := range in.Clocks.Order() {
				place[r] = i
				g := tr.Goroutines[r.Goroutine-1].Events
				at := slices.IndexFunc(g, func(e trace.Event) bool { return e.PC == r.PC && e.Phase.HasPost() })
				require.GreaterOrEqual(t, at, last[r.Goroutine], "in the order of the goroutine")
				last[r.Goroutine] = at
			}
			n := 0
			for g := range tr.Goroutines {
				for _, e := range tr.Goroutines[g].Events {
					if e.Phase.HasPost() {
						n++
					}
				}
			}
			require.Len(t, place, n)
			for a, i := range place {
				op, _, partner := in.Clocks.Did(a)
				if j, ok := place[partner]; ok && op == trace.OpSend && partner.Known() {
					require.Less(t, i, j, "%v is sent before %v", a, partner)
				}
			}
		})
	}
	c, _, err := analyze.Replay(parse(t, examples[0].trace), analyze.Limits{})
	require.NoError(t, err)
	op, object, partner := c.Did(trace.Ref{Goroutine: 9, PC: 1})
	require.Equal(t, []any{trace.OpNone, trace.ObjectID(0), trace.Unknown}, []any{op, object, partner})
}

package view

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// spread are steps that are each of another goroutine.
func spread(n int) []artifact.FindingStep {
	out := make([]artifact.FindingStep, n)
	for i := range out {
		out[i] = artifact.FindingStep{Step: i + 1, G: fmt.Sprintf("0.%d", i+1), Operation: "lock", File: "main.go", Line: 1}
	}
	return out
}

// found is a page with findings that have come about in some steps, each.
func found(t *testing.T, findings int, steps []artifact.FindingStep) *Data {
	t.Helper()
	b := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Entry: artifact.Entry{Package: "example.com/p", Func: "main"}})
	var all []artifact.Finding
	for i := range findings {
		all = append(all, artifact.Finding{Number: i + 1, Verdict: artifact.Real, Kind: artifact.KindTestFailure, Message: "it fails", Interleaving: steps})
	}
	b.SetFindings(all)
	bundle, err := b.Bundle()
	require.NoError(t, err)
	d, err := Of(bundle)
	require.NoError(t, err)
	return d
}

// TestObservedIsLinear is that twice as many steps, of twice as many goroutines, do not need four
// times as much.
func TestObservedIsLinear(t *testing.T) {
	allocated := func(n int) uint64 {
		steps := spread(n)
		p := &page{side: &artifact.Sidecar{}, index: map[Site]int{}, byKey: map[string]artifact.Site{}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tr := p.trace(artifact.Finding{}, steps, nil, FromRun)
		runtime.ReadMemStats(&after)
		require.Len(t, tr.Steps, n)
		require.Len(t, tr.Goroutines, n+1)
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(10) // what is made once
	require.Less(t, float64(allocated(2000))/float64(allocated(1000)), 3.0)
}

// TestManyGoroutines is that the steps of a trace are bounded by its goroutines, too.
func TestManyGoroutines(t *testing.T) {
	require.Equal(t, 1000, boundedSteps(spread(1000)))
	n := boundedSteps(spread(maxSteps))
	require.LessOrEqual(t, n*n, maxLanes)
	require.Greater(t, (n+2)*(n+2), maxLanes)
	require.Equal(t, maxSteps, boundedSteps(make([]artifact.FindingStep, maxSteps+1)))

	// Goroutines that are started count, though they do nothing.
	starts := make([]artifact.FindingStep, maxSteps)
	for i := range starts {
		starts[i] = artifact.FindingStep{Step: i + 1, G: "0", Operation: "go"}
	}
	require.Equal(t, n, boundedSteps(starts))

	d := found(t, 1, spread(maxSteps))
	require.Len(t, d.Traces, 1)
	require.Contains(t, d.Traces[0].Notes, fmt.Sprintf("only the first %d of %d steps are on this page", n, maxSteps))
}

// TestSpentRoom is that traces for which there is no room are not computed.
func TestSpentRoom(t *testing.T) {
	p := &page{side: &artifact.Sidecar{}, work: 100, index: map[Site]int{}, byKey: map[string]artifact.Site{}, notes: maxNoteBytes}
	room := minTraceBytes - 1
	_, ok := p.fit(artifact.Finding{Number: 7}, spread(10), &room)
	require.False(t, ok)
	require.Equal(t, []string{"the steps of finding 7 are not on this page, which would be too large"}, p.data.Notes)
	require.Equal(t, 100, p.work, "nothing is computed")
	room = maxTraceBytes
	_, ok = p.fit(artifact.Finding{Number: 8}, spread(101), &room)
	require.False(t, ok)
	require.Equal(t, maxTraceBytes, room)
	tr, ok := p.fit(artifact.Finding{Number: 9}, spread(100), &room)
	require.True(t, ok)
	require.Len(t, tr.Steps, 100)
	require.Zero(t, p.work)
	require.Greater(t, len(encoded(found(t, 1, spread(1)).Traces[0])), minTraceBytes)
}

// TestCutIsQuick is that few attempts are made to find what fits, whatever sizes the steps and the
// rest of a trace have.
func TestCutIsQuick(t *testing.T) {
	for name, large := range map[string]int{"equal steps": -1, "one large step": 1990} {
		whole := Trace{Start: State{}, Steps: make([]Step, 2000), Values: []any{}}
		for i := range whole.Steps {
			whole.Steps[i].Set = State{"g0": -1}
		}
		if large >= 0 {
			whole.Steps[large].Case = strings.Repeat("x", 100_000)
		}
		for range 20_000 {
			whole.Goroutines = append(whole.Goroutines, Goroutine{Name: "0.1"})
		}
		attempts := 0
		size := func(tr Trace) int {
			attempts++
			return len(encoded(tr))
		}
		least := size(whole.behind(1995))
		attempts = 0
		room, tr := least, whole
		require.True(t, cut(&tr, &room, size))
		require.Less(t, attempts, 20, name)
		require.NotEmpty(t, tr.Steps)
		require.Equal(t, least-room, len(encoded(tr)), "%s: the room that is taken", name)
		room, tr = len(encoded(whole.behind(1999)))-1, whole
		require.False(t, cut(&tr, &room, size), name)
	}
}

// TestSitesOfCutSteps is that sites count for what a page has, and that those of steps which are
// left out are not on it.
func TestSitesOfCutSteps(t *testing.T) {
	steps := make([]artifact.FindingStep, 5000)
	for i := range steps {
		steps[i] = artifact.FindingStep{Step: i + 1, G: "0", Operation: "lock", File: "main.go", Line: i + 1, Text: strings.Repeat("<", maxText)}
	}
	d := found(t, 1, steps)
	require.Less(t, len(d.page()), 2_000_000)
	tr := d.Traces[0]
	require.Positive(t, tr.Skipped)
	require.Len(t, d.Sites, len(tr.Steps)+1, "those of the steps, and where the goroutine was before them")
	for i, s := range tr.Steps {
		require.Equal(t, tr.Skipped+i+1, d.Sites[s.Site].Line)
		state := tr.Values[s.Set["g0"]].(GoroutineState)
		require.Equal(t, s.Site, state.At)
	}
	require.Equal(t, tr.Skipped, d.Sites[tr.Values[tr.Start["g0"]].(GoroutineState).At].Line)
}

// TestManyFindings is that findings count for what a page has.
func TestManyFindings(t *testing.T) {
	b := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Entry: artifact.Entry{Package: "example.com/p", Func: strings.Repeat("<", 1_000_000)}})
	long := strings.Repeat("<", maxText)
	all := make([]artifact.Finding, maxFindings)
	for i := range all {
		all[i] = artifact.Finding{Number: i + 1, Verdict: artifact.Real, Kind: long, Message: long, Cause: long, Reason: long, Reproduce: long, Interleaving: spread(2)}
	}
	b.SetFindings(all)
	bundle, err := b.Bundle()
	require.NoError(t, err)
	d, err := Of(bundle)
	require.NoError(t, err)
	require.Less(t, len(d.page()), 2_000_000)
	n := len(d.Findings)
	require.NotZero(t, n)
	require.Less(t, n, maxFindings)
	require.Len(t, d.Traces, n)
	require.Contains(t, d.Notes, fmt.Sprintf("%d findings are not on this page, which has the first %d", maxFindings-n, n))
}

// TestNotes is that what is left out is said in a bounded number of words.
func TestNotes(t *testing.T) {
	p := &page{notes: maxNoteBytes}
	for range 1000 {
		p.note("%s", strings.Repeat("<", 10_000))
	}
	require.Less(t, len(encoded(p.data.Notes)), maxNoteBytes+1000)
	require.Equal(t, "more is left out than what is said here", p.data.Notes[len(p.data.Notes)-1])
}

// TestKeepAlternatives is that a trace without its first steps has the alternatives of the others.
func TestKeepAlternatives(t *testing.T) {
	tr := Trace{
		Start: State{}, Steps: []Step{{Alternatives: 1}, {}, {Alternatives: 2}, {Alternatives: 2}},
		Alternatives: []Alternative{{Site: 10}, {Site: 11}, {Site: 12}}, AlternativeSets: [][]int{{0, 1}, {2, 1, -1}},
	}
	out := tr.behind(1)
	require.Equal(t, []Alternative{{Site: 12}, {Site: 11}}, out.Alternatives)
	require.Equal(t, [][]int{{0, 1, -1}}, out.AlternativeSets)
	require.Equal(t, []int{0, 1, 1}, []int{out.Steps[0].Alternatives, out.Steps[1].Alternatives, out.Steps[2].Alternatives})
	require.Equal(t, [][]int{{0, 1}, {2, 1, -1}}, tr.AlternativeSets)
}

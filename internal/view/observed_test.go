package view_test

import (
	"slices"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/view"
)

// TestSignals is what is known of conditions, Onces, locks of readers and selects.
func TestSignals(t *testing.T) {
	d := decode(t, load(t, signals))
	tr := d.Traces[0]
	waits := stepOf(t, d, 0, "0.1", 17, "condwait")
	require.True(t, tr.Steps[waits-1].Queues)
	require.Equal(t, "waits main.go:17 cond", at(t, d, 0, waits).goroutine("0.1"))
	require.Empty(t, at(t, d, 0, waits).object("main_mu").Held, "who waits for a signal has given the lock back")
	wake := slices.IndexFunc(tr.Arrows, func(a view.Arrow) bool { return a.Kind == view.ArrowWake })
	require.GreaterOrEqual(t, wake, 0)
	require.Equal(t, []string{"0", "0.1", "cond"}, []string{tr.Goroutines[tr.Arrows[wake].From].Name, tr.Goroutines[tr.Arrows[wake].To].Name, tr.Objects[tr.Arrows[wake].Object].Name})
	require.Equal(t, stepOf(t, d, 0, "0", 30, "signal"), tr.Arrows[wake].FromStep)

	once := stepOf(t, d, 0, "0", 32, "once")
	require.Equal(t, view.ObjectState{Held: []int{0}, Count: 1}, at(t, d, 0, once).object("main_once"))
	read := stepOf(t, d, 0, "0", 32, "rlock")
	require.Equal(t, view.ObjectState{Count: 2}, at(t, d, 0, read).object("main_once"))
	require.Equal(t, []int{0}, at(t, d, 0, read).object("main_settings").Reading)

	end := at(t, d, 0, len(tr.Steps))
	require.Equal(t, "waits main.go:33 main_settings", end.goroutine("0"))
	require.Equal(t, "waits main.go:21 ch_waiting_11 ch_results_11", end.goroutine("0.1"))
	require.Equal(t, []int{0}, end.object("main_settings").Reading)
}

// without is a bundle without one of its files.
func without(t *testing.T, b *artifact.Bundle, path string) *artifact.Bundle {
	t.Helper()
	out := artifact.Extend(b, b.Manifest())
	out.Remove(path)
	less, err := out.Bundle()
	require.NoError(t, err)
	return less
}

// TestObserved is what is known of a run that there is no model of.
func TestObserved(t *testing.T) {
	whole := load(t, transfers)
	b := without(t, whole, artifact.ModelPath)
	d := decode(t, b)
	tr := d.Traces[0]
	require.Len(t, tr.Notes, 1)
	require.Contains(t, tr.Notes[0], "no model that could be followed")
	require.Contains(t, tr.Notes[0], "not known")
	require.Zero(t, tr.Shown)
	require.Empty(t, tr.Variables)
	require.Empty(t, d.Automata)
	for _, s := range tr.Steps {
		require.Zero(t, s.Alternatives)
	}
	var arrows []string
	for _, a := range tr.Arrows {
		arrows = append(arrows, a.Kind+" "+tr.Goroutines[a.To].Name)
	}
	require.Equal(t, []string{"create 0.1", "create 0.2", "create 0.3"}, arrows, "messages are not known")

	// Who holds a lock at the end, since it has taken it.
	first := stepOf(t, d, 0, "0.1", 14, "lock")
	held := func(step int, name string) []int { return at(t, d, 0, step).object(name).Held }
	mu := whole.Findings()[0].Goroutines[1].Holds[0].Object
	require.Empty(t, held(first-1, mu))
	require.Equal(t, []int{1}, held(first, mu))
	require.Equal(t, "past main.go:14", at(t, d, 0, first).goroutine("0.1"))

	end := at(t, d, 0, len(tr.Steps))
	require.True(t, tr.Seen)
	require.Equal(t, "waits main.go:37 waitgroup#1", end.goroutine("0"))
	require.Equal(t, "waits main.go:15 "+mu, end.goroutine("0.2"))
	require.Equal(t, "ended", end.goroutine("0.3"))
	require.Equal(t, 2, end.object("waitgroup#1").Count)

	p := open(t, b, "#finding-1/step-3")
	require.Contains(t, p.text("#now"), "Only what was observed is known here.")
	require.Contains(t, p.text("#alternatives"), "others are not known")
	require.Contains(t, p.text("#about"), "no model that could be followed")
	require.Equal(t, "there is none", p.text("#automaton"))
	require.Equal(t, "not known", p.text("#variables"))
	require.Equal(t, "0 was last at main.go:30 wg.Add(2)", p.goroutineRow("0"))
	p.press(kb.End)
	edges := get[[]string](p, `[...document.querySelectorAll('#waits path[data-cycle="true"]')].map((e) => e.dataset.from).sort()`)
	require.Equal(t, []string{"0.1", "0.2", "mutex#1", "mutex#2"}, edges)
}

// TestDiverges is that a run which the model cannot do is shown from the model as far as it can.
func TestDiverges(t *testing.T) {
	const good = 30
	b := pipeline{workers: 2, steps: good, finding: func(f *artifact.Finding) {
		// A worker that has nothing to do takes a message that there is not.
		for i := range 10 {
			s := f.Interleaving[7]
			s.Step, s.Site, s.Operation, s.G = good+i+1, "main#2", "unlock", "0.2"
			f.Interleaving = append(f.Interleaving, s)
		}
	}}.bundle(t)
	d := decode(t, b)
	tr := d.Traces[0]
	require.Equal(t, good, tr.Shown)
	require.Len(t, tr.Steps, good+10)
	require.Len(t, tr.Notes, 1)
	require.Contains(t, tr.Notes[0], "the model cannot do step 31")
	require.Contains(t, tr.Notes[0], "behind step 30")
	require.NotEmpty(t, at(t, d, 0, good).variable("total"))
	require.Empty(t, at(t, d, 0, good+1).variable("total"), "what is not known any more is not shown")
	require.Equal(t, "past main.go:2", at(t, d, 0, good+1).goroutine("0.2"))
}

// TestPossible is that the steps of a finding that no run has shown are those of the model, and at
// the end who can do nothing waits.
func TestPossible(t *testing.T) {
	d := decode(t, load(t, "../../cmd/vtrace/testdata/bundles/v4/first.vtz"))
	found := false
	for _, f := range d.Findings {
		tr := d.Traces[f.Trace]
		require.Equal(t, view.FromModel, tr.From)
		require.False(t, tr.Seen)
		if f.Kind == artifact.KindDeadlock || f.Kind == artifact.KindPartialDeadlock {
			found = true
			require.Contains(t, at(t, d, f.Trace, len(tr.Steps)).goroutine("0"), "waits main.go:")
		}
	}
	require.True(t, found)
}

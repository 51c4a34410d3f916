package view_test

import (
	"bytes"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/view"
)

var bars = flag.Bool("bars", false, "compare how long a page takes to load and to step with the bars, see TestPageTimes")

// The most that a page may be: its bytes, and the milliseconds that loading it and a step take.
const (
	maxPage = 2_000_000
	maxLoad = 1000
	maxStep = 16
)

var large = pipeline{workers: 8, steps: 10_000}

// TestLarge is that all of a long trace is on the page, followed in the model.
func TestLarge(t *testing.T) {
	b := large.bundle(t)
	var page bytes.Buffer
	require.NoError(t, view.Write(&page, b))
	require.Less(t, page.Len(), maxPage)
	d := decode(t, b)
	require.Empty(t, d.Notes)
	tr := d.Traces[0]
	require.Empty(t, tr.Notes)
	require.Len(t, tr.Steps, large.steps)
	require.Equal(t, large.steps, tr.Shown)
	require.Zero(t, tr.Skipped)
	end := at(t, d, 0, large.steps)
	require.Equal(t, fmt.Sprint(sum(tr, d, "lock", 1)%counter), end.variable("total"))
	t.Logf("%d steps: a page of %d bytes", len(tr.Steps), page.Len())
}

// sum is how many steps are at a site of a kind and line.
func sum(tr view.Trace, d view.Data, kind string, line int) (n int) {
	for _, s := range tr.Steps {
		if d.Sites[s.Site].Kind == kind && d.Sites[s.Site].Line == line {
			n++
		}
	}
	return n
}

// TestCut is that a trace which is too long has its end on the page, and the page says what is
// left out.
func TestCut(t *testing.T) {
	b := pipeline{workers: 10, steps: 19_000}.bundle(t)
	var page bytes.Buffer
	require.NoError(t, view.Write(&page, b))
	require.Less(t, page.Len(), maxPage)
	d := decode(t, b)
	tr := d.Traces[0]
	require.Positive(t, tr.Skipped)
	require.Equal(t, 19_000, tr.Skipped+len(tr.Steps))
	whole := sum(tr, d, "lock", 1)
	for _, s := range (pipeline{workers: 10, steps: tr.Skipped}).interleaving() {
		if s.Operation == "lock" && s.Line == 1 {
			whole++
		}
	}
	require.Equal(t, fmt.Sprint(whole%counter), at(t, d, 0, len(tr.Steps)).variable("total"))
	for _, a := range tr.Arrows {
		require.Greater(t, a.ToStep, tr.Skipped)
	}
}

// TestBounds is that nothing in a bundle makes the page larger than it may be.
func TestBounds(t *testing.T) {
	long := strings.Repeat("x<", 5000)
	for name, p := range map[string]pipeline{
		"long texts":      {workers: 3, steps: 500, text: func(s string) string { return s + long }},
		"many steps":      {workers: 2, steps: 40_000},
		"many goroutines": {workers: 150, steps: 1000},
		"long names": {workers: 2, steps: 50, finding: func(f *artifact.Finding) {
			f.Message, f.Cause, f.Reason, f.Kind, f.Verdict, f.File = long, long, long, "data race", "real", long
			for range 600 {
				f.Stalls = append(f.Stalls, artifact.FindingStall{G: long})
				f.Goroutines = append(f.Goroutines, artifact.FindingGoroutine{G: long, State: "blocked", Object: long, Holds: []artifact.FindingAct{{G: long, Object: long}}})
			}
		}},
		"selections without end": {workers: 2, steps: 50, model: func(s string) string {
			return strings.Replace(s, `<label kind="guard">`+lock, `<label kind="select">i : int[0,60000], j : int[0,60000]</label><label kind="guard">i + j &lt; 0 and `+lock, 1)
		}},
		"a loop without end": {workers: 2, steps: 50, model: func(s string) string {
			s = strings.Replace(s, "<declaration>", "<declaration>bool forever() { int[0,1000000] i = 0; while (i &lt; 900000) { i++; } return true; }", 1)
			return strings.Replace(s, lock, "forever()", 1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var page bytes.Buffer
			b := p.bundle(t)
			require.NoError(t, view.Write(&page, b))
			require.Less(t, page.Len(), maxPage)
			if p.model != nil {
				tr := decode(t, b).Traces[0]
				require.Len(t, tr.Notes, 1)
				require.Contains(t, tr.Notes[0], "too much work")
				require.Less(t, tr.Shown, p.steps)
			}
		})
	}
}

// maxElements is how many elements the page of a long trace may have at any step: those of the rows
// that are seen, and of the state.
const maxElements = 1000

// stepping presses each key so many times in a page, and is what was measured after each
// press. Style and layout are asked for, as a frame does.
func stepping(p *tab, times int, measure string) map[string][]float64 {
	p.Helper()
	return get[map[string][]float64](p, `(() => {
		const out = {};
		for (const key of ['ArrowRight', 'ArrowLeft', 'PageDown', 'End', 'Home', 'PageUp']) {
			out[key] = [];
			for (let i = 0; i < %d; i++) {
				const begin = performance.now();
				document.dispatchEvent(new KeyboardEvent('keydown', { key }));
				document.getElementById('state').getBoundingClientRect();
				document.getElementById('canvas').getBoundingClientRect();
				out[key].push(%s);
			}
		}
		return out;
	})()`, times, measure)
}

// TestPageLarge is that of a long trace what is seen is drawn, and not all, wherever one is in it.
func TestPageLarge(t *testing.T) {
	pageLarge(t, open(t, large.bundle(t), "#finding-1/step-0"))
}

// TestRecordedPageLarge is the same of a long recording.
func TestRecordedPageLarge(t *testing.T) {
	pageLarge(t, openRecording(t, largeRecording(t), "#finding-1/step-0"))
}

func pageLarge(t *testing.T, p *tab) {
	t.Helper()
	for key, elements := range stepping(p, 21, `document.querySelectorAll('*').length`) {
		t.Logf("%s: %.0f elements", key, slices.Max(elements))
		require.Less(t, slices.Max(elements), float64(maxElements), key)
	}
	require.Less(t, get[int](p, `document.querySelectorAll('#canvas .step').length`), 100)
	p.do(`goTo(9990)`)
	require.Regexp(t, "^9990 / ", p.position())
	require.True(t, get[bool](p, `Boolean(document.querySelector('.step[data-step="9990"]'))`))
	require.Less(t, get[int](p, `document.querySelectorAll('*').length`), maxElements)
}

// TestPageTimes is that a long trace loads and steps fast enough in the browser. What that takes
// depends on the machine, so it is for whoever asks for it.
func TestPageTimes(t *testing.T) {
	if !*bars {
		t.Skip("how long a page takes depends on the machine: go test ./internal/view -run TestPageTimes -bars")
	}
	for name, open := range map[string]func(t *testing.T) *tab{
		"bundle":    func(t *testing.T) *tab { return open(t, large.bundle(t), "#finding-1/step-0") },
		"recording": func(t *testing.T) *tab { return openRecording(t, largeRecording(t), "#finding-1/step-0") },
	} {
		t.Run(name, func(t *testing.T) { pageTimes(t, open(t)) })
	}
}

func pageTimes(t *testing.T, p *tab) {
	t.Helper()
	// From the beginning of the navigation to the first picture of the whole state.
	const loaded = `performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`
	loads := []float64{get[float64](p, loaded)}
	for _, place := range []string{"#finding-1/step-0", "#finding-1"} {
		p.visit(place)
		loads = append(loads, get[float64](p, loaded))
	}
	t.Logf("loads in %.0f ms", slices.Min(loads))
	require.Less(t, slices.Min(loads), float64(maxLoad))

	// The machine may do other things meanwhile, so it is the lower quartile that counts.
	for key, times := range stepping(p, 41, `performance.now() - begin`) {
		slices.Sort(times)
		quartile := times[len(times)/4]
		t.Logf("%s: %.1f ms, the median %.1f ms", key, quartile, times[len(times)/2])
		require.Less(t, quartile, float64(maxStep), key)
	}
}

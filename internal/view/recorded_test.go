package view_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/trace"
	"github.com/vtrace/vtrace/internal/view"
)

// Recordings of the program in testdata/stock: in one run all goes well, in the other one it gets stuck.
const (
	served = "testdata/served.vtr"
	stuck  = "testdata/stuck.vtr"
)

func loadRecording(t *testing.T, name string) view.Recording {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	tr, h, err := recording.Load(f, 0)
	require.NoError(t, err)
	return view.Recording{Trace: tr, Header: h, Tool: "v1"}
}

// parsed is a trace in the text form.
func parsed(t *testing.T, text string) view.Recording {
	t.Helper()
	tr, err := trace.Parse([]byte("trace 1\n" + text))
	require.NoError(t, err)
	return view.Recording{Trace: tr, Tool: "v1"}
}

// queues is a run of workers that take what others send to a channel, in turn, and count under a lock. With a
// buffer there are several orders that fit, and the analysis takes longer.
func queues(t *testing.T, buffer, senders, workers, events int) view.Recording {
	t.Helper()
	var out strings.Builder
	fmt.Fprintf(&out, "program example.com/queues.main\nchan jobs %d\nchan asks 0\nmutex mu\nwaitgroup wg\ngoroutine 1 main.main\n", buffer)
	for g := range senders + workers {
		fmt.Fprintf(&out, "  go %d @main.go:5:2\n", g+2)
	}
	lines := make([][]string, senders+workers)
	add := func(g int, format string, args ...any) string {
		lines[g] = append(lines[g], fmt.Sprintf("  "+format+"\n", args...))
		return fmt.Sprintf("%d.%d", g+2, len(lines[g]))
	}
	last := "first"
	for i, n := 0, senders+workers; n < events-7; i, n = i+1, n+7 {
		from, to := i%senders, senders+i%workers
		sent := add(from, "send jobs @main.go:11:2")
		add(to, "recv jobs from %s @main.go:21:2", sent)
		add(to, "lock mu from %s @main.go:22:2", last)
		if last == "first" {
			lines[to][len(lines[to])-1] = "  lock mu first @main.go:22:2\n"
		}
		last = add(to, "unlock mu @main.go:23:2")
		asked := add(from, "send asks @main.go:12:2")
		add(to, "select recv asks @main.go:25:2, recv jobs @main.go:26:2 : 0 from %s @main.go:24:2", asked)
		add(to, "add wg +1 = %d seq %d @main.go:27:2", i+1, i+1)
	}
	for g, l := range lines {
		fmt.Fprintf(&out, "goroutine %d main.work of 1\n%s", g+2, strings.Join(l, ""))
	}
	return parsed(t, out.String())
}

// recordedData is what the page of a recording has, read from it.
func recordedData(t *testing.T, r view.Recording) (d view.Data, size int) {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, view.WriteRecording(&page, r))
	_, text, found := strings.Cut(page.String(), `id="data">`)
	require.True(t, found)
	text, _, _ = strings.Cut(text, "</script>")
	require.NoError(t, json.Unmarshal([]byte(text), &d))
	return d, page.Len()
}

// applyPairs sets components of a clock.
func applyPairs(clock []int32, pairs []int) {
	for i := 0; i < len(pairs); i += 2 {
		clock[pairs[i]-1] = int32(pairs[i+1])
	}
}

// The clocks on a page are those of the analysis, also where the page has not all steps.
func TestRecordedClocks(t *testing.T) {
	for name, r := range map[string]view.Recording{
		"served": loadRecording(t, served), "stuck": loadRecording(t, stuck), "queues": queues(t, 8, 3, 4, 400), "cut": queues(t, 0, 3, 4, 14_000),
		"inside": parsed(t, "once o\ncond c\nmutex m\natomic a\ngoroutine 1\n  go 2\n  once o pending\n  store a seq 1\n  post 2 ran seq 1\n  lock m first\n  condwait c pending\n  unlock m\n  post 5 from 2.4 seq 2\n  lock m from 2.5\ngoroutine 2 of 1\n  load a from 1.3 seq 2\n  once o from 1.2 seq 2\n  lock m from 1.6\n  signal c seq 1\n  unlock m\n"),
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := recordedData(t, r)
			clocks, _, err := analyze.Replay(r.Trace, analyze.Limits{})
			require.NoError(t, err)
			tr := d.Traces[0]
			require.Equal(t, name == "cut", tr.Skipped > 0)
			now := make([][]int32, len(tr.Goroutines))
			for i := range now {
				now[i] = make([]int32, len(r.Trace.Goroutines))
				applyPairs(now[i], tr.Clocks[i])
			}
			posts := 0
			first := map[int]bool{}
			for _, s := range tr.Steps {
				if !first[s.Goroutine] {
					first[s.Goroutine] = true
					require.Equal(t, int32(s.PC-1), now[s.Goroutine][tr.Goroutines[s.Goroutine].Number-1], "what it has done before")
				}
				g := tr.Goroutines[s.Goroutine].Number
				at := trace.Ref{Goroutine: trace.GoroutineID(g), PC: int32(s.PC)}
				clock := now[s.Goroutine]
				applyPairs(clock, s.Pre)
				if s.Phase != view.PhasePost {
					clock[g-1] = int32(s.PC)
					pre, _ := clocks.Pre(at)
					require.Equal(t, pre, analyze.Vector(clock), "before %v", at)
				}
				applyPairs(clock, s.Post)
				if s.Phase != view.PhasePre {
					posts++
					post, _ := clocks.Post(at)
					require.Equal(t, post, analyze.Vector(clock), "behind %v", at)
				}
			}
			require.Positive(t, posts)
		})
	}
}

// Every event is a step, those of each goroutine in its order, and arrows are from partner to partner, downwards.
func TestRecordedSteps(t *testing.T) {
	for _, r := range []view.Recording{loadRecording(t, served), loadRecording(t, stuck), queues(t, 8, 2, 3, 300)} {
		d, _ := recordedData(t, r)
		require.True(t, d.Recording)
		tr := d.Traces[0]
		require.Len(t, tr.Goroutines, len(r.Trace.Goroutines))
		at := make([]int, len(tr.Goroutines))
		steps := map[string]int{}
		for i, s := range tr.Steps {
			e := r.Trace.Goroutines[s.Goroutine].Events[at[s.Goroutine]]
			at[s.Goroutine]++
			require.Equal(t, int(e.PC), s.PC)
			require.Equal(t, e.Op.String(), d.Sites[s.Site].Kind)
			require.Equal(t, r.Trace.Position(e.Pos).Line, d.Sites[s.Site].Line)
			steps[fmt.Sprintf("%d.%d", s.Goroutine+1, e.PC)] = i + 1
		}
		partners := 0
		for g := range at {
			require.Len(t, r.Trace.Goroutines[g].Events, at[g])
			for _, e := range r.Trace.Goroutines[g].Events {
				if !e.Partner.Known() || e.Op == trace.OpGo || e.Partner.Goroutine == trace.GoroutineID(g+1) || e.Op == trace.OpSend {
					continue
				}
				partners++
				require.True(t, slices.ContainsFunc(tr.Arrows, func(a view.Arrow) bool {
					return a.FromStep == steps[fmt.Sprintf("%d.%d", e.Partner.Goroutine, e.Partner.PC)] && a.From == int(e.Partner.Goroutine)-1 &&
						a.To == g && a.ToStep == steps[fmt.Sprintf("%d.%d", g+1, e.PC)]
				}), "%v of goroutine %d", e, g+1)
			}
		}
		require.Positive(t, partners)
		for _, a := range tr.Arrows {
			require.GreaterOrEqual(t, a.ToStep, a.FromStep)
			require.NotEqual(t, a.From, a.To)
		}
	}
}

// The findings are those of the analysis, with the steps that they are about; what could have been is said at each step.
func TestRecordedFindings(t *testing.T) {
	for _, name := range []string{served, stuck} {
		r := loadRecording(t, name)
		d, _ := recordedData(t, r)
		in, err := analyze.Inspect(r.Trace, analyze.Limits{})
		require.NoError(t, err)
		require.Len(t, d.Findings, len(in.Result.Findings))
		tr := d.Traces[0]
		for i, f := range in.Result.Findings {
			out := d.Findings[i]
			require.Equal(t, []any{i + 1, string(f.Level), string(f.Code), f.Message, 0}, []any{out.Number, out.Verdict, out.Kind, out.Message, out.Trace})
			require.Len(t, out.Steps, len(f.Operations))
			for k, o := range f.Operations {
				s := tr.Steps[out.Steps[k]-1]
				require.Equal(t, []int{int(o.Goroutine), int(o.PC)}, []int{tr.Goroutines[s.Goroutine].Number, s.PC})
			}
		}
		some := 0
		for _, s := range tr.Steps {
			list, ok := in.Possible(trace.Ref{Goroutine: trace.GoroutineID(s.Goroutine + 1), PC: int32(s.PC)})
			require.True(t, ok)
			require.Len(t, s.Possible, len(list))
			for i, p := range list {
				require.Equal(t, []any{string(p.Code), p.Count}, []any{s.Possible[i].Code, s.Possible[i].Count})
				require.Equal(t, []int{int(p.Operations[0].Goroutine), int(p.Operations[0].PC)}, s.Possible[i].At[:2])
				require.Equal(t, p.Case >= 0, s.Possible[i].Case != "")
				some++
			}
		}
		require.Positive(t, some)
	}
}

// valueAt is a state behind so many steps.
func valueAt[S any](t *testing.T, tr view.Trace, key string, step int) (s S) {
	t.Helper()
	at, ok := tr.Start[key]
	for _, s := range tr.Steps[:step] {
		if n, changed := s.Set[key]; changed {
			at, ok = n, true
		}
	}
	require.True(t, ok, "%s has no state behind step %d", key, step)
	text, err := json.Marshal(tr.Values[at])
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &s))
	return s
}

// Who holds and waits, what is in buffers, and where goroutines go next.
func TestRecordedState(t *testing.T) {
	r := parsed(t, `chan c 2
rwmutex m
mutex n
waitgroup w
once o
goroutine 1
  go 2
  send c
  send c
  rlock m first
  add w +2 = 2 seq 1
  lock n first
  close c
  trylock n failed
  lock n pending
goroutine 2 of 1
  recv c from 1.2
  rlock m first
  runlock m
  recv c from 1.3
  recv c closed from 1.7
  once o ran seq 1
  add w -1 = 1 seq 2
  end
`)
	d, _ := recordedData(t, r)
	tr := d.Traces[0]
	object := func(name string) string {
		i := slices.IndexFunc(tr.Objects, func(o view.Object) bool { return o.Name == name })
		require.GreaterOrEqual(t, i, 0)
		return fmt.Sprint("o", i)
	}
	step := func(g, pc int) int {
		return slices.IndexFunc(tr.Steps, func(s view.Step) bool { return s.Goroutine == g-1 && s.PC == pc }) + 1
	}
	state := func(name string, step int) view.ObjectState {
		return valueAt[view.ObjectState](t, tr, object(name), step)
	}
	goroutine := func(g, step int) view.GoroutineState {
		return valueAt[view.GoroutineState](t, tr, fmt.Sprint("g", g-1), step)
	}
	require.Equal(t, view.ObjectState{}, state("c", 0))
	require.Equal(t, 1, state("c", step(1, 2)).Length)
	require.Equal(t, view.ObjectState{Closed: true}, state("c", len(tr.Steps)))
	require.Equal(t, []int{0}, state("m", step(1, 4)).Reading)
	require.Contains(t, state("m", step(2, 2)).Reading, 1)
	require.Equal(t, []int{0}, state("m", len(tr.Steps)).Reading)
	require.Equal(t, []int{0}, state("n", len(tr.Steps)).Held)
	require.Equal(t, 2, state("w", step(1, 5)).Count)
	require.Equal(t, 1, state("w", len(tr.Steps)).Count)
	require.Equal(t, 2, state("o", len(tr.Steps)).Count)

	require.Equal(t, "send c", d.Sites[goroutine(1, step(1, 1)).At].Text, "what it does next")
	require.Equal(t, view.Ready, goroutine(2, step(1, 1)).Is)
	require.Equal(t, view.Ended, goroutine(2, len(tr.Steps)).Is)
	waits := goroutine(1, len(tr.Steps))
	require.Equal(t, view.Waits, waits.Is)
	require.Equal(t, object("n"), fmt.Sprint("o", waits.For[0]))
	last := tr.Steps[len(tr.Steps)-1]
	require.Equal(t, []any{0, 9, view.PhasePre, true}, []any{last.Goroutine, last.PC, last.Phase, last.Queues})
	// Who waits for a condition does so behind giving back its lock, too.
	cond := parsed(t, "cond c\nmutex m\ngoroutine 1\n  lock m first\n  condwait c pending\n  unlock m\n  post 2 from 2.2 seq 2\n  lock m from 2.3\ngoroutine 2\n  lock m from 1.3\n  signal c seq 1\n  unlock m\n")
	waiting, _ := recordedData(t, cond)
	for _, s := range waiting.Traces[0].Steps {
		if s.Goroutine == 0 && s.PC == 3 {
			is := waiting.Traces[0].Values[s.Set["g0"]].(map[string]any)
			require.Equal(t, []any{view.Waits, "condwait c"}, []any{is["is"], waiting.Sites[int(is["at"].(float64))].Text})
		}
	}

	texts := map[string]bool{}
	for _, s := range tr.Steps {
		texts[d.Sites[s.Site].Text+": "+s.Did] = true
	}
	for _, want := range []string{"go: goroutine 2", "recv c: the channel is closed", "trylock n: gets no lock", "once o: calls the function", "add w -1: the counter is 1", "end: "} {
		require.True(t, texts[want], "%s in %v", want, texts)
	}
}

// A recording of ten thousand events is on the page as a whole. Of a longer one the page has the end, or what
// is around a finding, and says so.
func TestRecordedLarge(t *testing.T) {
	r := largeRecording(t)
	d, size := recordedData(t, r)
	require.Less(t, size, maxPage)
	require.Zero(t, d.Traces[0].Skipped)
	require.Len(t, d.Traces[0].Steps, r.Trace.Events())
	require.Empty(t, d.Traces[0].Notes)
	t.Logf("%d events: a page of %d bytes", r.Trace.Events(), size)

	long := queues(t, 0, 2, 4, 21_000)
	// Somebody has a lock all the time, and does nothing more: who waits for it at the end waits for that goroutine.
	l := long.Trace
	l.Objects = append(l.Objects, trace.Object{Kind: trace.Mutex, Name: "kept"})
	kept := trace.ObjectID(len(l.Objects))
	l.Goroutines = append(l.Goroutines, trace.Goroutine{Events: []trace.Event{{Phase: trace.Whole, Op: trace.OpLock, PC: 1, Object: kept, Partner: trace.First}}})
	l.Goroutines[0].Events = append(l.Goroutines[0].Events, trace.Event{Phase: trace.Pre, Op: trace.OpLock, PC: int32(len(l.Goroutines[0].Events) + 1), Object: kept})
	n := long.Trace.Events()
	d, size = recordedData(t, long)
	require.Less(t, size, maxPage)
	tr := d.Traces[0]
	require.Positive(t, tr.Skipped)
	require.Zero(t, tr.Behind)
	require.Equal(t, n, tr.Skipped+len(tr.Steps))
	require.Contains(t, tr.Notes, "vtrace view -finding N makes a page of the steps around finding N")
	// The state at the beginning is that behind what was left out.
	adds := 0
	for _, s := range tr.Steps {
		if d.Sites[s.Site].Kind == "add" {
			adds++
		}
	}
	w := slices.IndexFunc(tr.Objects, func(o view.Object) bool { return o.Name == "wg" })
	end := valueAt[view.ObjectState](t, tr, fmt.Sprint("o", w), len(tr.Steps)).Count
	require.Equal(t, end-adds, valueAt[view.ObjectState](t, tr, fmt.Sprint("o", w), 0).Count)

	o := slices.IndexFunc(tr.Objects, func(o view.Object) bool { return o.Name == "kept" })
	held := valueAt[view.ObjectState](t, tr, fmt.Sprint("o", o), len(tr.Steps)).Held
	require.Len(t, held, 1)
	require.Equal(t, len(l.Goroutines), tr.Goroutines[held[0]].Number)

	// A finding whose operations are not on that page.
	i := slices.IndexFunc(d.Findings, func(f view.Finding) bool { return len(f.Steps) == 0 })
	require.GreaterOrEqual(t, i, 0)
	long.Finding = d.Findings[i].Number
	d, size = recordedData(t, long)
	require.Less(t, size, maxPage)
	tr = d.Traces[0]
	require.NotEmpty(t, d.Findings[i].Steps)
	require.Positive(t, tr.Behind)
	require.Equal(t, n, tr.Skipped+len(tr.Steps)+tr.Behind)
	require.Contains(t, strings.Join(tr.Notes, "\n"), fmt.Sprintf("the last %d of %d steps are not on this page", tr.Behind, n))
	require.Equal(t, long.Finding, d.First)

	long.Finding = len(d.Findings) + 1
	_, err := view.OfRecording(long)
	require.ErrorContains(t, err, fmt.Sprintf("there is no finding %d: the analysis of the run has %d", long.Finding, len(d.Findings)))
}

func largeRecording(t *testing.T) view.Recording { t.Helper(); return queues(t, 0, 3, 6, 10_000) }

// Nothing in a recording makes the page larger than it may be.
func TestRecordedBounds(t *testing.T) {
	many := "goroutine 1\n"
	for g := range 700 {
		many += fmt.Sprintf("  go %d\n", g+2)
	}
	many = "chan c 0\n" + many
	hub := ""
	for g := range 700 {
		hub += fmt.Sprintf("  recv c from %d.1\n", g+2)
		many += fmt.Sprintf("goroutine %d of 1\n  send c\n", g+2)
	}
	long := strings.Repeat("x<", 5000)
	named := loadRecording(t, stuck)
	for i := range named.Trace.Objects {
		named.Trace.Objects[i].Name = fmt.Sprint(i, long)
	}
	for i := range named.Trace.Positions {
		named.Trace.Positions[i].File = fmt.Sprint(i, long)
	}
	named.Trace.Program, named.Header.End, named.Header.Notes = long, long, []string{long}
	for name, r := range map[string]view.Recording{
		"many goroutines": parsed(t, strings.Replace(many, "goroutine 2 of", hub+"goroutine 2 of", 1)),
		"long names":      named,
	} {
		t.Run(name, func(t *testing.T) {
			d, size := recordedData(t, r)
			require.Less(t, size, maxPage)
			require.NotEmpty(t, d.Traces[0].Steps)
			if name == "many goroutines" {
				require.Contains(t, strings.Join(d.Traces[0].Notes, "\n"), "the vector clocks of 701 goroutines are not on this page")
			}
		})
	}
	_, err := view.OfRecording(view.Recording{Trace: &trace.Trace{}})
	require.ErrorContains(t, err, "it has no goroutine")
}

// openRecording opens the page of a recording at a place of it.
func openRecording(t *testing.T, r view.Recording, place string) *tab {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, view.WriteRecording(&page, r))
	return openPage(t, page.Bytes(), place)
}

// The page of a recording in a browser: findings with links, clocks, partners, what could have been, search and filters.
func TestRecordedPage(t *testing.T) {
	r := loadRecording(t, served)
	d, _ := recordedData(t, r)
	p := openRecording(t, r, "")
	p.run(chromedp.EmulateViewport(1900, 1400))
	require.Equal(t, "example.com/stock main", p.text("#title"))
	require.Regexp(t, `^recording, vtrace v1, go1\.26.*, ended: exit status 0$`, p.text("#program"))
	for _, id := range []string{"source", "variables", "automaton", "alternatives"} {
		require.True(t, get[bool](p, `byID(%s).closest('section').hidden`, quoted(id)))
	}
	require.Contains(t, p.texts("#findings button")[0], "1. warning P06 main.go:32")
	require.Contains(t, p.text("#notes"), "a recording has no source lines")

	// A finding leads to its steps, and marks them.
	p.run(chromedp.Click(`#findings button[data-finding="1"]`))
	steps := d.Findings[0].Steps
	at := slices.Max(steps)
	require.Equal(t, fmt.Sprintf("%d / %d", at, len(d.Traces[0].Steps)), p.position())
	p.until(fmt.Sprintf(`location.hash === '#finding-1/step-%d'`, at))
	named := []string{}
	for _, n := range steps {
		named = append(named, fmt.Sprint(n))
	}
	require.ElementsMatch(t, named, get[[]string](p, `[...document.querySelectorAll('.step.named')].map((e) => e.dataset.step)`))
	p.visit("#finding-2")
	require.Equal(t, fmt.Sprintf("%d / %d", slices.Max(d.Findings[1].Steps), len(d.Traces[0].Steps)), p.position())

	// The clocks of an operation, and what it has learnt.
	clocks, _, err := analyze.Replay(r.Trace, analyze.Limits{})
	require.NoError(t, err)
	learnt := 0
	shown := get[[][]string](p, `page.trace.steps.map((_, i) => {
		goTo(i + 1);
		return [...document.querySelectorAll('#clocks tr[data-component]')].map((e) => e.innerText.replace(/\s+/g, ' ').trim());
	})`)
	for i, s := range d.Traces[0].Steps {
		ref := trace.Ref{Goroutine: trace.GoroutineID(s.Goroutine + 1), PC: int32(s.PC)}
		pre, _ := clocks.Pre(ref)
		post, ended := clocks.Post(ref)
		want := []string{}
		for g, n := range pre {
			if n == 0 && (!ended || post[g] == 0) {
				continue
			}
			behind := "-"
			if ended {
				behind = fmt.Sprint(post[g])
				if post[g] != n {
					learnt++
				}
			}
			want = append(want, fmt.Sprintf("goroutine %d %d %s", g+1, n, behind))
		}
		require.Equal(t, want, shown[i], "step %d", i+1)
	}
	require.Positive(t, learnt)
	require.Contains(t, p.text("#clocks"), "it has no end here")

	// What could have been leads there, and so do partners.
	row := slices.IndexFunc(d.Traces[0].Steps, func(s view.Step) bool { return len(s.Possible) > 0 && s.Possible[0].Code == "AC" })
	p.do(`goTo(%d)`, row+1)
	require.Contains(t, p.text(`#possible li[data-code="AC"]`), "AC could have been with goroutine ")
	to := get[int](p, `Number(document.querySelector('#possible li[data-code="AC"] button').dataset.to)`)
	require.True(t, get[bool](p, `document.querySelector('.step[data-step="%d"]').classList.contains('possible')`, to))
	p.run(chromedp.Click(`#possible li[data-code="AC"] button`))
	require.Regexp(t, fmt.Sprintf("^%d / ", to), p.position())
	message := slices.IndexFunc(d.Traces[0].Arrows, func(a view.Arrow) bool { return a.Kind == view.ArrowMessage })
	arrow := d.Traces[0].Arrows[message]
	p.do(`goTo(%d)`, arrow.FromStep)
	require.Contains(t, p.texts("#now .partner"), fmt.Sprintf("its value goes to goroutine %s in step %d", d.Traces[0].Goroutines[arrow.To].Name, arrow.ToStep))
	require.Contains(t, p.text(`#channels tr[data-object="chan2"]`), fmt.Sprintf("1.%d 1 of 2", d.Traces[0].Steps[arrow.FromStep-1].PC), "which sends are in the buffer")
	p.run(chromedp.Click("#now .partner button"))
	require.Regexp(t, fmt.Sprintf("^%d / ", arrow.ToStep), p.position())
	require.Contains(t, p.texts("#now .partner"), fmt.Sprintf("its value is from goroutine 1 in step %d", arrow.FromStep))

	// Search and filters.
	p.run(chromedp.SendKeys("#search", "case 1, recv chan3"))
	require.Equal(t, "1 steps", p.text("#found"))
	p.press(kb.Escape)
	mutex := slices.IndexFunc(d.Traces[0].Objects, func(o view.Object) bool { return o.Name == "mutex6" })
	p.do(`byID('filter-object').value = '%d'; byID('filter-object').dispatchEvent(new Event('change'))`, mutex)
	kept := get[[]string](p, `[...document.querySelectorAll('.step:not(.other) text')].map((e) => e.firstChild.textContent)`)
	require.Contains(t, kept, "lock mutex6")
	for _, text := range kept {
		require.Regexp(t, `^(un)?lock mutex6$`, text)
	}
	require.Equal(t, []string{"all", "note", "warning"}, p.texts("#filter-verdict option"))
	p.do(`byID('filter-verdict').value = 'warning'; byID('filter-verdict').dispatchEvent(new Event('change'))`)
	require.Len(t, p.texts("#findings button"), 2)

	// The file of the diagram has all steps.
	require.Equal(t, len(d.Traces[0].Steps), get[int](p, `(diagram.file().match(/data-step="/g) || []).length`))
}

// At the end of a run that is stuck one sees who waits for whom.
func TestRecordedPageStuck(t *testing.T) {
	p := openRecording(t, loadRecording(t, stuck), "#finding-4")
	p.press(kb.End)
	require.Contains(t, p.goroutineRow("1"), "waits for waitgroup1")
	require.Contains(t, p.goroutineRow("4"), "waits for chan5")
	require.Regexp(t, `^mutex4 4 2, 3$`, p.text(`#locks tr[data-object="mutex4"]`))
	require.Contains(t, p.text(`#channels tr[data-object="chan2"]`), "1 that nobody receives 1 of 2 closed")
	edges := get[[]string](p, `[...document.querySelectorAll('#waits path[data-from]')].map((e) => e.dataset.from + ' ' + e.dataset.to).sort()`)
	require.Equal(t, []string{"1 waitgroup1", "2 mutex4", "3 mutex4", "4 chan5", "mutex4 4"}, edges)
	require.Contains(t, p.text("#now"), "waits in")
}

// Whatever a trace says is text; a run of which the analysis has found nothing has its steps, and links to them.
func TestRecordedPageHostile(t *testing.T) {
	r := parsed(t, "mutex m\ngoroutine 1\n  lock m first\n  unlock m\n")
	all := strings.Join(hostile, " ")
	r.Trace.Objects[0].Name, r.Trace.Program, r.Trace.Goroutines[0].Name, r.Header.End, r.Header.Notes = all, all, all, all, []string{all}
	p := openRecording(t, r, "#step-1")
	require.Equal(t, "1 / 2", p.position())
	require.Contains(t, p.text("#about"), "The analysis has found nothing. The steps are those of the recorded run.")
	for _, key := range []string{kb.ArrowRight, kb.Home, kb.End, "j", "n", "?", kb.Escape} {
		p.press(key)
	}
	p.until(`location.hash === '#step-2'`)
	require.Contains(t, p.text("#now"), hostile[0])
	require.False(t, get[bool](p, `'hacked' in window`))
	require.Equal(t, 2, get[int](p, `document.scripts.length`))
}

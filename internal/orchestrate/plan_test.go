package orchestrate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// world builds a sidecar and a trace by hand: every edge is declared when it is
// first used.
type world struct {
	side  artifact.Sidecar
	trace artifact.Trace
	tmpl  map[string]int // template of a process: its name up to "("
}

// newWorld has the sites "kind name", keyed by name, numbered from 1.
func newWorld(sites ...string) *world {
	w := &world{tmpl: map[string]int{}}
	w.side.Sites = []artifact.Site{{}}
	for i, s := range sites {
		kind, name, _ := strings.Cut(s, " ")
		w.side.Sites = append(w.side.Sites, artifact.Site{
			ID: i + 1, Kind: kind, Key: name, Func: "m.f", File: "main.go", Line: 10 + i, Col: 2, Text: name + "()",
		})
	}
	return w
}

func (w *world) site(name string) int {
	for _, s := range w.side.Sites[1:] {
		if s.Key == name {
			return s.ID
		}
	}
	if name != "" {
		panic("no site " + name)
	}
	return 0
}

func (w *world) template(process string) int {
	name, _, _ := strings.Cut(process, "(")
	i, ok := w.tmpl[name]
	if !ok {
		i = len(w.side.Templates)
		w.tmpl[name] = i
		role := "goroutine"
		if name == "Time" {
			role = "env"
		}
		w.side.Templates = append(w.side.Templates, artifact.TemplateInfo{Name: name, Role: role})
	}
	return i
}

func (w *world) edge(process string, e artifact.EdgeInfo) int {
	t := &w.side.Templates[w.template(process)]
	for i, have := range t.Edges {
		if have.Site == e.Site && have.Role == e.Role && have.Case == e.Case {
			return i
		}
	}
	t.Edges = append(t.Edges, e)
	return len(t.Edges) - 1
}

// step adds a transition: "Process role site [case]" for each participant.
func (w *world) step(parts ...string) *world {
	var s artifact.Step
	for _, p := range parts {
		f := strings.Fields(p)
		e := artifact.EdgeInfo{Role: f[1]}
		if len(f) > 2 {
			e.Site = w.site(f[2])
		}
		if len(f) > 3 {
			if _, err := fmt.Sscan(f[3], &e.Case); err != nil {
				panic(err)
			}
		}
		s.Parts = append(s.Parts, artifact.Part{Process: f[0], Template: w.template(f[0]), Edge: w.edge(f[0], e), From: "a", To: "b"})
	}
	w.trace.Steps = append(w.trace.Steps, s)
	return w
}

// ends puts a process at a location in the last state.
func (w *world) ends(process string, l artifact.LocationInfo) *world {
	t := &w.side.Templates[w.template(process)]
	w.trace.Final = append(w.trace.Final, artifact.ProcessAt{Process: process, Template: w.template(process), Location: len(t.Locations)})
	l.Name = fmt.Sprintf("l%d", len(t.Locations))
	t.Locations = append(t.Locations, l)
	return w
}

func (w *world) blocks(process, site string) *world {
	return w.ends(process, artifact.LocationInfo{Site: w.site(site), Blocking: true})
}

// text is a plan as "g site#occ/case" words.
func text(p artifact.Plan) string {
	var out []string
	for _, s := range p.Steps {
		if s.G == timeStep {
			out = append(out, "T")
			continue
		}
		t := fmt.Sprintf("%s %s", s.G, s.Site)
		if s.Occ != 1 {
			t += fmt.Sprintf("#%d", s.Occ)
		}
		if s.Case != 0 {
			t += fmt.Sprintf("/%d", s.Case)
		}
		if s.Swap {
			t += "~"
		}
		out = append(out, t)
	}
	return strings.Join(out, ", ")
}

// places are the goroutines and sites of an expectation.
func places(e artifact.Expect) string {
	type place struct{ g, site string }
	out := []place{}
	for _, at := range e.Goroutines {
		out = append(out, place{at.G, at.Site})
	}
	return fmt.Sprint(out)
}

func TestPlanSteps(t *testing.T) {
	sites := []string{"send s", "receive r", "select sel", "select sel2", "select seld", "go g", "start g.start", "wggo wg", "start wg.start",
		"lock l", "unlock u", "close c", "sleep z", "end e", "lock w", "runlock ru", "condwait cw"}
	for name, tc := range map[string]struct {
		build func(w *world)
		want  string
	}{
		"operations and occurrences": {func(w *world) {
			w.step("M op l").step("M op u").step("M op l").step("M op e")
		}, "0 l, 0 u, 0 l#2, 0 e"},
		"local and wake make no step": {func(w *world) {
			w.step("M op l").step("M local").step("M wake r")
		}, "0 l"},
		"birth, start and paths": {func(w *world) {
			w.step("M op g", "W(0) birth").step("M op wg", "W(1) birth").step("W(1) start wg.start").
				step("W(1) op g", "W(2) birth").step("W(2) start g.start").step("W(0) start g.start")
		}, "0 g, 0 wg, 0.2 wg.start, 0.2 g, 0.2.1 g.start, 0.1 g.start"},
		"a process that is used again": {func(w *world) {
			w.step("M op g", "W(0) birth").step("W(0) start g.start").step("W(0) op l").
				step("M op g", "W(0) birth").step("W(0) start g.start").step("W(0) op l")
		}, "0 g, 0.1 g.start, 0.1 l, 0 g#2, 0.2 g.start, 0.2 l"},
		"a goroutine outside the model counts": {func(w *world) {
			w.step("M op g").step("M op g", "W(0) birth").step("W(0) start g.start")
		}, "0 g, 0 g#2, 0.2 g.start"},
		"rendezvous of plain operations": {func(w *world) {
			w.step("M op g", "W(0) birth").step("W(0) op s", "M op r")
		}, "0 g, 0.1 s, 0 r"},
		"a sending select comes second": {func(w *world) {
			w.step("M op g", "W(0) birth").step("W(0) op sel 2", "M op r")
		}, "0 g, 0 r, 0.1 sel/2"},
		"a receiving select comes second": {func(w *world) {
			w.step("M op g", "W(0) birth").step("W(0) op s", "M op sel 1")
		}, "0 g, 0.1 s, 0 sel/1"},
		"two selects are a guess": {func(w *world) {
			w.step("M op g", "W(0) birth").step("W(0) op sel 1", "M op sel2 3")
		}, "0 g, 0.1 sel/1~, 0 sel2/3"},
		"a select with default does not queue": {func(w *world) {
			w.step("M op seld -1").step("M op g", "W(0) birth").step("M op seld 1", "W(0) op sel 1")
			w.edge("W(0)", artifact.EdgeInfo{Role: "op", Site: w.site("sel"), Case: 1})
		}, "0 seld/-1, 0 g, 0.1 sel/1, 0 seld#2/1"},
		"queued before: not granted again": {func(w *world) {
			w.step("M op g", "W(0) birth").step("W(0) commit r").step("M op seld 0", "W(0) wake r")
		}, "0 g, 0.1 r, 0 seld"},
		"queued before, completed by an edge called op": {func(w *world) {
			w.step("M op g", "W(0) birth").step("W(0) commit r").step("M op s", "W(0) op r").step("W(0) op r")
		}, "0 g, 0.1 r, 0 s, 0.1 r#2"},
		"a queued select learns its case": {func(w *world) {
			w.step("M op g", "W(0) birth").step("W(0) commit sel").step("M op s", "W(0) op sel 2")
		}, "0 g, 0.1 sel/2, 0 s"},
		"a queued writer is woken by itself": {func(w *world) {
			w.step("M op g", "W(0) birth").step("W(0) commit w").step("M op ru").step("W(0) wake w").step("W(0) op u")
		}, "0 g, 0.1 w, 0 ru, 0.1 u"},
		"who was signalled passes again for its lock": {func(w *world) {
			w.step("M op g", "W(0) birth").step("W(0) commit cw").step("M op s").step("W(0) op cw").step("W(0) commit cw").step("W(0) op cw")
		}, "0 g, 0.1 cw, 0 s, 0.1 cw, 0.1 cw#2, 0.1 cw#2"},
		"who was signalled announces itself as a writer": {func(w *world) {
			w.step("M op g", "W(0) birth").step("W(0) commit cw").step("M op s").step("W(0) commit cw").step("M op ru").step("W(0) wake cw").step("W(0) commit cw")
		}, "0 g, 0.1 cw, 0 s, 0.1 cw, 0 ru, 0.1 cw#2"},
		"close completes many": {func(w *world) {
			w.step("M op g", "W(0) birth").step("M op g", "W(1) birth").step("W(0) commit r").step("W(1) commit r").
				step("M op c", "W(0) wake r", "W(1) wake r").step("W(0) op l")
		}, "0 g, 0 g#2, 0.1 r, 0.2 r, 0 c, 0.1 l"},
		"time": {func(w *world) {
			w.step("M commit z").step("Time time", "M wake z").step("Time time").step("M op l")
		}, "0 z, T, T, 0 l"},
		"the operation after a sleep": {func(w *world) {
			w.step("M commit z").step("M time z").step("M op l")
		}, "0 z, T, 0 l"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(sites...)
			tc.build(w)
			plan, err := PlanOf(&w.side, &w.trace, artifact.Query{Kind: artifact.KindTestFailure})
			require.NoError(t, err)
			require.Equal(t, tc.want, text(plan))
			for i, s := range plan.Steps {
				require.Less(t, s.Trace, len(w.trace.Steps), i)
			}
		})
	}
}

func TestPlanExpect(t *testing.T) {
	start := func() *world {
		return newWorld("go g", "receive r", "lock l", "close c", "unlock u", "send s").
			step("M op g", "W(0) birth").step("W(0) op l").step("M op c").step("W(0) op u")
	}
	for name, tc := range map[string]struct {
		kind  string
		query artifact.Query
		build func(w *world)
		want  string
		err   string
	}{
		"panic, by its sink": {
			query: artifact.Query{Kind: artifact.KindCloseOfClosed},
			build: func(w *world) {
				w.ends("M", artifact.LocationInfo{End: "panic"}).ends("W(0)", artifact.LocationInfo{})
			},
			want: "[{0 c}]"},
		"panic, then deferred calls": {
			query: artifact.Query{Kind: artifact.KindPanic, Site: 3},
			build: func(w *world) { w.ends("W(0)", artifact.LocationInfo{End: "panic"}) },
			want:  "[{0.1 l}]"},
		"panic at a place without guard": {
			query: artifact.Query{Kind: artifact.KindNilCall, Site: 6},
			build: func(w *world) { w.ends("W(0)", artifact.LocationInfo{End: "panic"}) },
			want:  "[{0.1 u}]"},
		"fatal error": {
			query: artifact.Query{Kind: artifact.KindUnlockUnlocked},
			build: func(w *world) { w.ends("W(0)", artifact.LocationInfo{End: "fatal"}) },
			want:  "[{0.1 u}]"},
		"exit": {
			query: artifact.Query{Kind: artifact.KindExit},
			build: func(w *world) { w.ends("M", artifact.LocationInfo{End: "exit"}) },
			want:  "[{0 c}]"},
		"panic without a last state": {
			query: artifact.Query{Kind: artifact.KindPanic},
			build: func(w *world) { w.step("Time time") },
			want:  "[{0.1 u}]"},
		"deadlock: all who are blocked, by path": {
			query: artifact.Query{Kind: artifact.KindDeadlock, Site: 2},
			build: func(w *world) { w.blocks("W(0)", "r").blocks("M", "s").ends("W(1)", artifact.LocationInfo{}) },
			want:  "[{0 s} {0.1 r}]"},
		"partial deadlock: the process of the query": {
			query: artifact.Query{Kind: artifact.KindPartialDeadlock, Process: "W(0)", Site: 2},
			build: func(w *world) { w.blocks("W(0)", "r").blocks("M", "r") },
			want:  "[{0.1 r}]"},
		"leak: who stands at the site of the query": {
			query: artifact.Query{Kind: artifact.KindLeak, Site: 6},
			build: func(w *world) { w.blocks("W(0)", "s").blocks("M", "r") },
			want:  "[{0.1 s}]"},
		"reachable": {
			query: artifact.Query{Kind: artifact.KindReachable, Site: 6},
			build: func(w *world) { w.blocks("W(0)", "s").blocks("M", "r") },
			want:  "[{0.1 s}]"},
		"test failure": {
			query: artifact.Query{Kind: artifact.KindTestFailure},
			build: func(w *world) {},
			want:  "[]"},
		"deadlock of nobody": {
			query: artifact.Query{Kind: artifact.KindDeadlock},
			build: func(w *world) { w.ends("M", artifact.LocationInfo{}) },
			err:   "no goroutine stands at a blocking operation"},
		"leak of nobody": {
			query: artifact.Query{Kind: artifact.KindLeak, Process: "W(7)"},
			build: func(w *world) { w.blocks("M", "r") },
			err:   "no goroutine stands at the operation of the query"},
		"bound": {
			query: artifact.Query{Kind: artifact.KindBound},
			build: func(w *world) {},
			err:   "nothing to replay"},
		"stranger in the last state": {
			query: artifact.Query{Kind: artifact.KindDeadlock},
			build: func(w *world) { w.blocks("W(9)", "r") },
			err:   "no go statement started it"},
	} {
		t.Run(name, func(t *testing.T) {
			w := start()
			tc.build(w)
			plan, err := PlanOf(&w.side, &w.trace, tc.query)
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tc.want, places(plan.Expect))
			require.Equal(t, tc.query.Kind, plan.Expect.Kind)
		})
	}
	// An entry that never moved is the entry all the same.
	w := newWorld("receive r").blocks("M", "r")
	plan, err := PlanOf(&w.side, &w.trace, artifact.Query{Kind: artifact.KindDeadlock})
	require.NoError(t, err)
	require.Equal(t, "[{0 r}]", places(plan.Expect))
	require.Empty(t, plan.Steps)
}

func TestPlanErrors(t *testing.T) {
	q := artifact.Query{Number: 3, Kind: artifact.KindTestFailure}
	for name, tc := range map[string]struct {
		build func(w *world)
		want  string
	}{
		"unborn":       {func(w *world) { w.step("M op l").step("W(0) op l") }, "query 3: trace step 2: process W(0) acts"},
		"birth alone":  {func(w *world) { w.step("W(0) birth") }, "is born"},
		"no site":      {func(w *world) { w.step("M op") }, "without a site"},
		"role":         {func(w *world) { w.step("M dance l") }, `unknown role "dance"`},
		"no template":  {func(w *world) { w.step("M op l"); w.trace.Steps[0].Parts[0].Template = 7 }, "no template 7"},
		"no edge":      {func(w *world) { w.step("M op l"); w.trace.Steps[0].Parts[0].Edge = -1 }, "no edge -1"},
		"local unborn": {func(w *world) { w.step("M op l").step("W(0) local") }, "process W(0) acts"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld("lock l")
			tc.build(w)
			_, err := PlanOf(&w.side, &w.trace, q)
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// Sidecars and traces come from bundles: reading them never panics.
func FuzzPlanOf(f *testing.F) {
	w := sampleWorld()
	type input struct {
		Side  artifact.Sidecar
		Trace artifact.Trace
		Query artifact.Query
		Step  int
	}
	seed, err := json.Marshal(input{w.side, w.trace, sampleQuery, 3})
	require.NoError(f, err)
	f.Add(seed)
	for _, edit := range []string{`"edge":0`, `"template":0`, `"location":0`, `"role":"op"`, `"Kind":"close of closed channel"`} {
		f.Add([]byte(strings.Replace(string(seed), edit, strings.SplitAfter(edit, ":")[0]+"-7", 1)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var in input
		if json.Unmarshal(data, &in) != nil {
			return
		}
		plan, err := PlanOf(&in.Side, &in.Trace, in.Query)
		net, _ := network(t)
		labels := NewLabels(&in.Side, net)
		if err != nil {
			return
		}
		Table(&in.Side, plan)
		Interleaving(&in.Side, plan, Stuck(plan))
		v := &Verdict{Status: Infeasible, Step: in.Step}
		Goroutines(&in.Side, plan, v)
		labels.Refute(&in.Trace, &plan, v)
	})
}

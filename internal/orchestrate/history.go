package orchestrate

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/sites"
)

// A visit is how a track has come to a place: by one of the ways there, the first that was
// found.
type visit struct {
	before *visit
	// step is the transition, nil if the place before is another one for the run only: an
	// operation has queued.
	step *check.Step
	at   place
}

// stage is a step of the run with the places behind it.
type stage struct {
	step   artifact.PlanStep
	places map[place]*visit
}

// reach adds a place. It reports whether that is new.
func (t *Track) reach(from *visit, p place, step *check.Step) bool {
	if _, ok := t.places[p]; ok {
		return false
	}
	var v *visit
	if t.remembers {
		v = &visit{from, step, p}
	}
	t.places[p] = v
	return true
}

// ordered are places in an order that is always the same if the first way to a place is
// remembered, so that it is always the same, too.
func (t *Track) ordered(places map[place]*visit) []place {
	out := slices.Collect(maps.Keys(places))
	if t.remembers {
		slices.SortFunc(out, comparePlaces)
	}
	return out
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.who, b.who))
}

// note remembers the step that was done.
func (t *Track) note(s artifact.PlanStep) {
	if t.remembers {
		t.done = append(t.done, stage{s, t.places})
	}
}

// History are the ways through a model that fit all that was observed of a run, up to its
// end or to where it was left.
type History struct {
	f     *Follower
	names []string // of goroutines, by number
	steps []artifact.PlanStep
	ends  []*visit       // the states in which the run may be
	stage map[*visit]int // of the visits on these ways: how many steps of the run were done
}

// Trail follows a run in the model, and remembers the ways. It is nil if the model cannot do
// what the run has done, or if too many states fit.
func (f *Follower) Trail(ctx context.Context, v *Verdict) (*History, error) {
	t, err := f.begin(true)
	if err != nil {
		return nil, err
	}
	for _, s := range v.Trace {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if ok, err := t.Step(s); !ok || err != nil {
			return nil, err
		}
	}
	return t.history(v)
}

// history are the ways of a track that remembers, once it has done all steps of a run. It is
// nil if the run does not end in any of its places.
func (t *Track) history(v *Verdict) (*History, error) {
	ends, err := t.fitting(v)
	if err != nil || len(ends) == 0 {
		return nil, err
	}
	return t.historyTo(ends, v.Trace), nil
}

// historyTo are the ways to some of the places of a track that has done some steps.
func (t *Track) historyTo(ends []*visit, steps []artifact.PlanStep) *History {
	h := &History{f: t.f, names: t.names, steps: steps, ends: ends, stage: map[*visit]int{}}
	t.done[len(t.done)-1].places = t.places
	for _, e := range h.ends {
		n := len(t.done) - 1
		for ; e != nil; e = e.before {
			if _, ok := h.stage[e]; ok {
				break
			}
			k := n
			for k > 0 && t.done[k].places[e.at] != e {
				k--
			}
			if t.done[k].places[e.at] != e { // what had to happen first, for a step
				h.stage[e] = max(n-1, 0)
				continue
			}
			for k > 0 && t.done[k-1].places[e.at] == e {
				k-- // steps that are none of the model
			}
			n, h.stage[e] = k, k
		}
	}
	return h
}

// fitting are the visits of places in which every goroutine can be where it was at the end
// of a run, in a fixed order.
func (t *Track) fitting(v *Verdict) (out []*visit, err error) {
	for _, time := range []bool{false, true} {
		if time { // what is due at once happens without a step, see Ends
			t.places = maps.Clone(t.places)
			if err := t.settle(true); err != nil || t.full {
				return nil, err
			}
		}
		for p, at := range t.places {
			ok, err := t.endsAt(p, v)
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, at)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	slices.SortFunc(out, compareVisits)
	return out, nil
}

func compareVisits(a, b *visit) int { return comparePlaces(a.at, b.at) }

// A Beginning is a state of the model in which a run may have been, with the way there.
type Beginning struct {
	// Path leads there from the initial state, for check.Options.From.
	Path []check.Step
	// Done is how many steps the run had done by then.
	Done int

	history *History
	way     []*visit
}

// Ends are the states in which the run may have been at its end.
func (h *History) Ends() (out []Beginning) {
	for _, v := range h.ends {
		out = append(out, h.beginning(v, len(h.steps)))
	}
	return out
}

// Before are the states in which the run may have been before a step, the last one first,
// of all ways that lead to its end. A long run has many, each with a long way: they are made one by one.
func (h *History) Before() iter.Seq[Beginning] {
	done := map[*visit]int{}
	for v, n := range h.stage {
		if b := v.before; b != nil && h.stage[b] < n {
			done[b] = max(done[b], n-1)
		}
	}
	order := slices.SortedFunc(maps.Keys(done), func(a, b *visit) int {
		return cmp.Or(cmp.Compare(done[b], done[a]), compareVisits(a, b))
	})
	return func(yield func(Beginning) bool) {
		for _, v := range order {
			if !yield(h.beginning(v, done[v])) {
				return
			}
		}
	}
}

func (h *History) beginning(v *visit, done int) Beginning {
	b := Beginning{Done: done, history: h}
	for ; v != nil; v = v.before {
		b.way = append(b.way, v)
	}
	slices.Reverse(b.way)
	for _, v := range b.way {
		if v.step != nil {
			b.Path = append(b.Path, *v.step)
		}
	}
	return b
}

// leads reports whether a trace begins with the path.
func (b *Beginning) leads(tr *artifact.Trace) bool {
	if len(b.Path) > len(tr.Steps) {
		return false
	}
	for i, step := range b.Path {
		same := slices.EqualFunc(step.Parts, tr.Steps[i].Parts, func(p check.Part, a artifact.Part) bool {
			return b.history.f.walk.Info.Processes[p.Process].Name == a.Process && p.Edge == a.Edge &&
				slices.EqualFunc(p.Select, a.Select, func(x int32, y int) bool { return int(x) == y })
		})
		if !same {
			return false
		}
	}
	return true
}

// PlanFrom turns a counterexample that goes on from one of some beginnings into a plan:
// what the run had done by then, and the steps that make the program follow the rest. It
// is nil if the model, followed along the plan, cannot do it: the plan would not be that
// of the trace. It is nil, too, if time passes later, or has passed in the model where it
// has not in the run: what a timer does then is not known.
func PlanFrom(begun []Beginning, tr *artifact.Trace, q artifact.Query) (_ *Continuation, err error) {
	var b *Beginning
	for i := range begun {
		if x := &begun[i]; x.leads(tr) && (b == nil || len(x.Path) > len(b.Path)) {
			b = x
		}
	}
	if b == nil {
		return nil, fmt.Errorf("query %d: the trace goes on from nowhere", q.Number)
	}
	if !b.timely() {
		return nil, nil
	}
	p := b.planner()
	done := len(p.steps)
	for i := len(b.Path); i < len(tr.Steps); i++ {
		if err := p.step(i, tr.Steps[i]); err != nil {
			return nil, fmt.Errorf("query %d: trace step %d: %w", q.Number, i+1, err)
		}
	}
	for _, s := range p.steps[done:] {
		if s.G == timeStep {
			return nil, nil
		}
	}
	expect, err := p.expect(tr, q)
	if err != nil {
		return nil, fmt.Errorf("query %d: %w", q.Number, err)
	}
	if ok, err := b.history.f.can(p.steps); err != nil || !ok {
		return nil, err
	}
	return &Continuation{artifact.Plan{Steps: p.steps, Expect: expect}, done}, nil
}

// Continuation is a plan whose first steps, Done of them, a run has done already.
type Continuation struct {
	Plan artifact.Plan
	Done int
}

// can reports whether the model can do the steps of a plan.
func (f *Follower) can(steps []artifact.PlanStep) (bool, error) {
	t, err := f.Begin()
	if err != nil {
		return false, err
	}
	for _, s := range steps {
		if ok, err := t.Step(s); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}

// timely reports whether time has passed on the way when it has in the run.
func (b *Beginning) timely() bool {
	h := b.history
	passed := map[int]bool{} // by the step of the run
	for _, v := range b.way {
		if v.step != nil && slices.ContainsFunc(v.step.Parts, func(p check.Part) bool { return h.f.edge(p).Role == artifact.RoleTime }) {
			passed[h.stage[v]-1] = true
		}
	}
	for n, s := range h.steps[:b.Done] {
		if passed[n] != (s.G == timeStep) {
			return false
		}
	}
	return !passed[-1]
}

// planner is one that has read the path of a beginning, but that the plan is what the run
// has done.
func (b *Beginning) planner() *planner {
	h, f := b.history, b.history.f
	p := newPlanner(f.side)
	name := func(process int) string { return f.walk.Info.Processes[process].Name }
	who := decode(b.way[len(b.way)-1].at.who)
	for i := range f.templates {
		if g := who[i].g; g != 0 {
			p.who[name(i)] = h.names[g]
		}
	}
	p.entry = name(f.entry)
	p.who[p.entry] = entryPath
	for i, site := range f.callbacks {
		p.children[siteOf(f.side, site).Key] = int(who[len(f.templates)+i].sel)
	}
	// The step of the path at which each step of the run was done, and who did it.
	at, process := make([]int, b.Done), make([]string, b.Done)
	moves := 0
	for i, v := range b.way {
		if v.step != nil {
			moves++
		}
		if i == 0 {
			continue
		}
		for n := h.stage[b.way[i-1]]; n < min(h.stage[v], b.Done); n++ {
			at[n] = max(moves-1, 0)
			for k, m := range decode(b.way[i-1].at.who)[:len(f.templates)] {
				if m.g != 0 && h.names[m.g] == h.steps[n].G {
					process[n] = name(k)
				}
			}
		}
	}
	for n, s := range h.steps[:b.Done] {
		if f.ignores(s) {
			continue // a run passes what its plan names nowhere
		}
		s.Trace, s.Process, s.Swap = at[n], process[n], false
		p.passed[artifact.At{G: s.G, Site: s.Site}] = s.Occ // who is granted a lock again has it again
		p.last[s.G] = len(p.steps)
		if sites.Named(f.siteByKey(s.Site).Kind).StartsGoroutine() {
			p.children[s.G]++
		}
		p.steps = append(p.steps, s)
	}
	for i, m := range who[:len(f.templates)] {
		k, acted := p.last[h.names[m.g]]
		switch {
		case !acted || m.mark == standing:
		case m.mark == queued && f.siteByKey(p.steps[k].Site).Kind == sites.Lock.String():
			// Who waits for a lock is granted it once more, and has not passed yet.
			p.passed[artifact.At{G: p.steps[k].G, Site: p.steps[k].Site}]--
		default:
			p.queued[name(i)] = k
		}
	}
	return p
}

// Choices are the edges of choices that the model leaves open and the run has come to, by
// whether it has taken them: on all of its ways, or on none.
func (h *History) Choices() map[EdgeOf]bool {
	met, taken := map[EdgeOf]bool{}, map[EdgeOf]int{}
	for _, v := range h.ends {
		once := map[EdgeOf]bool{}
		for ; v != nil; v = v.before {
			if v.step == nil {
				continue
			}
			for _, part := range v.step.Parts {
				i := h.f.templates[part.Process]
				edges := h.f.walk.Info.Processes[part.Process].Template.Edges
				for k, e := range edges {
					if at := (EdgeOf{i, k}); e.From == edges[part.Edge].From && LeftOpen(h.f.side, at) {
						met[at] = true
						once[at] = once[at] || k == part.Edge
					}
				}
			}
		}
		for at, is := range once {
			if is {
				taken[at]++
			}
		}
	}
	out := map[EdgeOf]bool{}
	for at := range met {
		if n := taken[at]; n == 0 || n == len(h.ends) {
			out[at] = n > 0
		}
	}
	return out
}

// Takes reports whether the path takes one of some edges.
func (b *Beginning) Takes(edges map[EdgeOf]bool) bool {
	return slices.ContainsFunc(b.Path, func(s check.Step) bool {
		return slices.ContainsFunc(s.Parts, func(p check.Part) bool { return edges[EdgeOf{b.history.f.templates[p.Process], p.Edge}] })
	})
}

// EdgeOf is an edge of a template, by their numbers.
type EdgeOf struct{ Template, Edge int }

// LeftOpen reports whether the model leaves open if the program takes an edge.
func LeftOpen(side *artifact.Sidecar, at EdgeOf) bool {
	if at.Template < 0 || at.Template >= len(side.Templates) || at.Edge < 0 || at.Edge >= len(side.Templates[at.Template].Edges) {
		return false
	}
	return slices.ContainsFunc(side.Templates[at.Template].Edges[at.Edge].Approx, func(a int) bool {
		return a >= 0 && a < len(side.Approximations) && side.Approximations[a].Direction == artifact.DirectionOver
	})
}

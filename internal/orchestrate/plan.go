package orchestrate

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/goroutine"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/sites"
)

// timeStep is the goroutine of a step that lets time pass.
const timeStep = artifact.TimeStep

// entryPath is the creation path of the entry goroutine.
const entryPath = "0"

// PlanOf turns a counterexample into the steps that make the program follow
// it, and what must be observed behind them.
//
// Which goroutine a process is follows from the births in the trace. One
// transition gives one step for every participant that passes a guard: none
// for one that has queued before and is completed now, two for a rendezvous of
// two that have not. Of these, the one that cannot do anything else queues
// first. Who was signalled by a Cond passes its guard again for the lock, which is
// a step, but no other pass.
func PlanOf(side *artifact.Sidecar, tr *artifact.Trace, q artifact.Query) (artifact.Plan, error) {
	p := newPlanner(side)
	for i, step := range tr.Steps {
		if err := p.step(i, step); err != nil {
			return artifact.Plan{}, fmt.Errorf("query %d: trace step %d: %w", q.Number, i+1, err)
		}
	}
	expect, err := p.expect(tr, q)
	if err != nil {
		return artifact.Plan{}, fmt.Errorf("query %d: %w", q.Number, err)
	}
	if p.steps == nil {
		p.steps = []artifact.PlanStep{}
	}
	return artifact.Plan{Steps: p.steps, Expect: expect}, nil
}

func newPlanner(side *artifact.Sidecar) *planner {
	return &planner{
		side:     side,
		who:      map[string]string{},
		children: map[string]int{},
		passed:   map[artifact.At]int{},
		queued:   map[string]int{},
		last:     map[string]int{},
	}
}

// planner is the state while reading a trace.
type planner struct {
	side  *artifact.Sidecar
	steps []artifact.PlanStep
	entry string            // the process of the entry goroutine, once known
	who   map[string]string // creation path by process
	// children counts the goroutines that a goroutine has started, and the
	// callbacks made at a site.
	children map[string]int
	passed   map[artifact.At]int
	// queued has the processes that have passed their guard without
	// completing, with the index of that step.
	queued map[string]int
	last   map[string]int // index of the last step by goroutine
}

// participant is a part with what the sidecar says of it.
type participant struct {
	artifact.Part
	edge artifact.EdgeInfo
	site artifact.Site
}

func (p *planner) resolve(part artifact.Part) (participant, error) {
	if part.Template < 0 || part.Template >= len(p.side.Templates) {
		return participant{}, fmt.Errorf("process %s: no template %d in the sidecar", part.Process, part.Template)
	}
	t := p.side.Templates[part.Template]
	if part.Edge < 0 || part.Edge >= len(t.Edges) {
		return participant{}, fmt.Errorf("process %s: template %s has no edge %d in the sidecar", part.Process, t.Name, part.Edge)
	}
	e := t.Edges[part.Edge]
	x := participant{Part: part, edge: e, site: siteOf(p.side, e.Site)}
	switch e.Role {
	case artifact.RoleOp, artifact.RoleCommit, artifact.RoleStart:
		if x.site.Key == "" {
			return x, fmt.Errorf("process %s: edge %d of %s passes a guard without a site", part.Process, part.Edge, t.Name)
		}
	}
	return x, nil
}

func (p *planner) step(index int, step artifact.Step) error {
	var granted, births []participant
	time := false
	for _, part := range step.Parts {
		x, err := p.resolve(part)
		if err != nil {
			return err
		}
		switch x.edge.Role {
		case artifact.RoleOp, artifact.RoleWake:
			if at, ok := p.queued[x.Process]; ok && x.passesAgain() {
				granted = append(granted, x)
			} else if ok {
				// It queued on all its cases: now it is known which one wins.
				p.steps[at].Case = x.edge.Case
				delete(p.queued, x.Process)
			} else if x.edge.Role == artifact.RoleOp {
				granted = append(granted, x)
			}
		case artifact.RoleCommit, artifact.RoleStart:
			granted = append(granted, x)
		case artifact.RoleBirth:
			births = append(births, x)
		case artifact.RoleTime:
			time = true
			delete(p.queued, x.Process) // it slept
		case artifact.RoleLocal:
			if p.side.Templates[x.Template].Role == string(sidecar.RoleGoroutine) {
				if _, err := p.goroutine(x.Process); err != nil {
					return err
				}
			}
		default:
			return fmt.Errorf("process %s: unknown role %q", x.Process, x.edge.Role)
		}
	}
	swap := p.order(granted)
	for i, x := range granted {
		g, err := p.goroutine(x.Process)
		if err != nil {
			return err
		}
		at := artifact.At{G: g, Site: x.site.Key}
		if _, again := p.queued[x.Process]; !again {
			p.passed[at]++
		}
		delete(p.queued, x.Process)
		if x.edge.Role == artifact.RoleCommit {
			p.queued[x.Process] = len(p.steps)
		}
		p.last[g] = len(p.steps)
		p.steps = append(p.steps, artifact.PlanStep{
			G: g, Site: x.site.Key, Occ: p.passed[at], Case: x.edge.Case,
			Trace: index, Process: x.Process, Swap: swap && i == 0,
		})
		if starts(x) {
			p.children[g]++
			if len(births) > 0 {
				p.who[births[0].Process] = g + "." + strconv.Itoa(p.children[g])
				births = births[1:]
			}
		}
	}
	if time {
		p.steps = append(p.steps, artifact.PlanStep{G: timeStep, Trace: index})
	}
	births = slices.DeleteFunc(births, func(x participant) bool {
		if !callback(x.site) {
			return false
		}
		p.children[x.site.Key]++
		p.who[x.Process] = callbackPath(x.site.Key, p.children[x.site.Key])
		return true
	})
	if len(births) > 0 {
		return fmt.Errorf("process %s is born, but no go statement starts it", births[0].Process)
	}
	return nil
}

// passesAgain reports whether who has queued is granted its guard once more on an edge that
// completes its operation: who was signalled by a Cond, and takes the lock.
func (x participant) passesAgain() bool {
	return x.edge.Role == artifact.RoleOp && x.site.Kind == sites.CondWait.String()
}

// starts reports whether the edge starts a goroutine. A go statement that fails by
// a panic starts nothing, and nothing follows it in its goroutine that counts.
func starts(x participant) bool {
	switch x.edge.Role {
	case artifact.RoleOp, artifact.RoleCommit: // a subtest is waited for
		return sites.Named(x.site.Kind).StartsGoroutine()
	}
	return false
}

// order sorts the sides of a rendezvous: plain operations, which queue; then
// selects without default, which may; then those with, which cannot. It
// reports whether the order of the first two is a guess.
func (p *planner) order(granted []participant) bool {
	rank := func(x participant) int {
		switch {
		case x.site.Kind != sites.Select.String():
			return 0
		case !p.hasDefault(x):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(granted, func(a, b participant) int { return rank(a) - rank(b) })
	return len(granted) == 2 && rank(granted[0]) > 0 && rank(granted[0]) == rank(granted[1])
}

// hasDefault reports whether the select of an edge has a default case.
func (p *planner) hasDefault(x participant) bool {
	for _, e := range p.side.Templates[x.Template].Edges {
		if e.Site == x.edge.Site && e.Case == -1 {
			return true
		}
	}
	return false
}

// goroutine is the creation path of the goroutine that a process is now. The
// one process that acts without having been born is the entry.
func (p *planner) goroutine(process string) (string, error) {
	if g, ok := p.who[process]; ok {
		return g, nil
	}
	if p.entry != "" {
		return "", fmt.Errorf("process %s acts, but no go statement started it (the entry is %s)", process, p.entry)
	}
	p.entry = process
	p.who[process] = entryPath
	return entryPath, nil
}

// locationOf is what the sidecar says of a final location, the zero value if
// it says nothing.
func locationOf(side *artifact.Sidecar, at artifact.ProcessAt) artifact.LocationInfo {
	if at.Template < 0 || at.Template >= len(side.Templates) {
		return artifact.LocationInfo{}
	}
	t := side.Templates[at.Template]
	if at.Location < 0 || at.Location >= len(t.Locations) || t.Role != string(sidecar.RoleGoroutine) {
		return artifact.LocationInfo{}
	}
	return t.Locations[at.Location]
}

// expect is what must be observed: who ends the program where, or who is stuck
// where.
func (p *planner) expect(tr *artifact.Trace, q artifact.Query) (artifact.Expect, error) {
	out := artifact.Expect{Kind: q.Kind, Goroutines: []artifact.At{}}
	switch q.Kind {
	case artifact.KindBound, artifact.KindImprecise:
		return out, fmt.Errorf("a bound of the model is not an error of the program: nothing to replay")
	case artifact.KindTestFailure:
		return out, nil
	case artifact.KindDeadlock:
		at, err := p.standing(tr, func(artifact.ProcessAt, artifact.LocationInfo) bool { return true })
		if err == nil && len(at) == 0 {
			err = fmt.Errorf("no goroutine stands at a blocking operation in the last state")
		}
		out.Goroutines = at
		return out, err
	case artifact.KindPartialDeadlock, artifact.KindLeak:
		at, err := p.standing(tr, func(x artifact.ProcessAt, l artifact.LocationInfo) bool {
			return (q.Process == "" || x.Process == q.Process) && (q.Site == 0 || l.Site == q.Site)
		})
		if err == nil && len(at) == 0 {
			err = fmt.Errorf("no goroutine stands at the operation of the query in the last state")
		}
		out.Goroutines = at
		return out, err
	case artifact.KindReachable:
		for _, x := range tr.Final {
			l := locationOf(p.side, x)
			if l.Site == 0 || l.Site != q.Site || q.Process != "" && x.Process != q.Process {
				continue
			}
			g, err := p.goroutine(x.Process)
			if err != nil {
				return out, err
			}
			out.Goroutines = append(out.Goroutines, artifact.At{G: g, Site: siteOf(p.side, l.Site).Key})
		}
		return out, nil
	}
	// One goroutine ends the program.
	for _, x := range tr.Final {
		if !sidecar.End(locationOf(p.side, x).End).Crash() {
			continue
		}
		g, err := p.goroutine(x.Process)
		if err != nil {
			return out, err
		}
		at := artifact.At{G: g}
		if k, ok := p.last[g]; ok {
			at.Site = p.steps[k].Site
		}
		// Deferred calls may have passed guards since the panic. What WaitGroup.Go counts
		// down, when the goroutine ends, belongs to the call that has started it.
		of := siteOf(p.side, q.Site)
		if p.passed[artifact.At{G: g, Site: of.Key}] > 0 || of.Kind == sites.WaitGroupGo.String() {
			at.Site = of.Key
		}
		out.Goroutines = append(out.Goroutines, at)
	}
	for k := len(p.steps) - 1; k >= 0 && len(out.Goroutines) == 0; k-- {
		if s := p.steps[k]; s.G != timeStep {
			out.Goroutines = []artifact.At{{G: s.G, Site: s.Site}}
		}
	}
	return out, nil
}

// standing are the goroutines at blocking operations in the last state, and a main that has
// ended by runtime.Goexit.
func (p *planner) standing(tr *artifact.Trace, want func(artifact.ProcessAt, artifact.LocationInfo) bool) ([]artifact.At, error) {
	out := []artifact.At{}
	for _, x := range tr.Final {
		l := locationOf(p.side, x)
		if !l.Blocking && sidecar.End(l.End) != sidecar.EndGoexit || !want(x, l) {
			continue
		}
		g, err := p.goroutine(x.Process)
		if err != nil {
			return nil, err
		}
		out = append(out, artifact.At{G: g, Site: siteOf(p.side, l.Site).Key, Process: x.Process})
	}
	slices.SortFunc(out, func(a, b artifact.At) int { return goroutine.Compare(a.G, b.G) })
	return out, nil
}

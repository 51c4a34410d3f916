package orchestrate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// What has become of a recording that was followed in the model.
const (
	// Followed: the model can do the same, to the end of what was recorded.
	Followed = "followed"
	// Rejected: the program did what the model cannot do. The model is wrong.
	Rejected = "rejected"
	// BeyondBounds: the model ends there, at one of its bounds.
	BeyondBounds = "beyond bounds"
	// LeftOut: the model cannot do the same, and says that it leaves out
	// something that the program does.
	LeftOut = "left out"
	// Undecided: the recording is not complete or not under control, or too
	// many states of the model fit it.
	Undecided = "undecided"
)

// Following is what a recording has shown of the model.
type Following struct {
	Status string
	Reason string
	// Step is the first step, from 1, that the model cannot do, and Want that
	// step; if it is behind the last, the model cannot end as the program did.
	Step int
	Want artifact.PlanStep
	// Instead is what the model could do there, Standing where it thinks the
	// goroutine of the step stands.
	Instead, Standing []string
	// Widest is the greatest number of states that fitted a prefix.
	Widest int
	// Work is what it cost: the states that fitted, summed over the steps.
	Work int
	// History has the ways, if the run was followed to its end.
	History *History
}

// maxPlaces bounds the states of the model that fit a prefix of a recording.
const maxPlaces = 50_000

// A Follower follows what the program did in its Proto model. It knows the
// states of the model that a recording has led through, so that many
// recordings of one program are followed fast. It is not safe for concurrent
// use.
type Follower struct {
	side      *artifact.Sidecar
	walk      *check.Walk
	templates []int    // of the processes
	committed [][]bool // by template and location
	last      [][]bool // the model ends behind the location, at a bound, whatever the goroutine does
	idle      []int    // location of a template before the birth
	entry     int      // the process of the entry goroutine
	callbacks []int    // the sites at which the model hands over callbacks
	moves     map[check.Packed][]check.Move
}

// NewFollower prepares a Proto model with its sidecar, unless the context ends.
func NewFollower(ctx context.Context, side *artifact.Sidecar, net *uppaal.Network) (*Follower, error) {
	walk, err := check.NewWalk(ctx, net)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	f := &Follower{side: side, walk: walk, entry: -1, moves: map[check.Packed][]check.Move{}}
	if len(side.Templates) != len(net.Templates) {
		return nil, errors.New("the sidecar does not fit the model")
	}
	for i, t := range net.Templates {
		if len(side.Templates[i].Locations) != len(t.Locations) || len(side.Templates[i].Edges) != len(t.Edges) {
			return nil, fmt.Errorf("the sidecar does not fit template %s", t.Name)
		}
		committed, last := make([]bool, len(t.Locations)), make([]bool, len(t.Locations))
		index := make(map[*uppaal.Location]int, len(t.Locations))
		for k, l := range t.Locations {
			index[l], committed[k], last[k] = k, l.Urgency == uppaal.Committed, true
		}
		for _, e := range t.Edges {
			if side.Templates[i].Locations[index[e.To]].End != string(sidecar.EndBound) {
				last[index[e.From]] = false
			}
		}
		f.committed, f.last = append(f.committed, committed), append(f.last, last)
		for _, e := range side.Templates[i].Edges {
			if e.Role == artifact.RoleBirth && callback(siteOf(side, e.Site)) && !slices.Contains(f.callbacks, e.Site) {
				f.callbacks = append(f.callbacks, e.Site)
			}
		}
		f.idle = append(f.idle, index[t.Init])
	}
	for i, p := range walk.Info.Processes {
		t := slices.Index(net.Templates, p.Original)
		f.templates = append(f.templates, t)
		if f.entry < 0 && f.goroutine(i) && !f.born(t) {
			f.entry = i
		}
	}
	if f.entry < 0 {
		return nil, errors.New("the model has no process of the entry")
	}
	return f, nil
}

// goroutine reports whether a process is one of a goroutine.
func (f *Follower) goroutine(process int) bool {
	return f.side.Templates[f.templates[process]].Role == string(sidecar.RoleGoroutine)
}

// born reports whether the goroutines of a template are started by others.
func (f *Follower) born(template int) bool {
	return slices.ContainsFunc(f.side.Templates[template].Edges, func(e artifact.EdgeInfo) bool { return e.Role == artifact.RoleBirth })
}

// edge is what the sidecar says of a part of a step.
func (f *Follower) edge(p check.Part) artifact.EdgeInfo {
	return f.side.Templates[f.templates[p.Process]].Edges[p.Edge]
}

// at is what the sidecar says of where a process is.
func (f *Follower) at(s check.Packed, process int) artifact.LocationInfo {
	return f.side.Templates[f.templates[process]].Locations[f.walk.Location(s, process)]
}

// successors are the transitions of a state.
func (f *Follower) successors(s check.Packed) ([]check.Move, error) {
	moves, ok := f.moves[s]
	if ok {
		return moves, nil
	}
	moves, err := f.walk.Moves(s)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	f.moves[s] = moves
	return moves, nil
}

// Follow follows a recording.
//
// What a statement does is one step of the model. Where the run has stopped within it, in front
// of a call, the step may come when the statement begins, or behind the call: all steps are
// tried at the beginning, and then all of them behind. So may a panic that ends the program,
// where a test has stopped before its cleanups.
func (f *Follower) Follow(ctx context.Context, r *Recording) (*Following, error) {
	out, err := f.follow(ctx, r, r.Plan.Steps)
	if err != nil || out.Status != Rejected {
		return out, err
	}
	later, moved := f.behindCalls(r)
	if !moved {
		return out, nil
	}
	again, err := f.follow(ctx, r, later)
	switch {
	case err != nil:
		return nil, err
	case again.Status == Followed:
		return again, nil
	}
	return out, nil
}

// behindCalls are the steps of a recording with those of statements, and panics, behind the guards
// that only the runtime has within them; without those of statements in which the run has ended at
// such a guard. It reports whether there are any.
func (f *Follower) behindCalls(r *Recording) (out []artifact.PlanStep, moved bool) {
	ends := map[string]string{} // sites, by goroutine
	panics := map[string]bool{} // whose last step is still to come
	for _, g := range r.Verdict.Goroutines {
		ends[g.G] = g.Site
		panics[g.G] = g.State == "panicked"
	}
	out = slices.Clone(r.Plan.Steps)
	for i := len(out) - 1; i >= 0; i-- {
		s := out[i]
		if f.ignores(s) {
			continue
		}
		within := func(site string) bool { return f.minor(site) && strings.HasPrefix(site, s.Site+".") }
		switch kind := f.siteByKey(s.Site).Kind; {
		case panics[s.G]:
			within, panics[s.G] = f.minor, false // its last step was to panic
		case kind != sites.Stmt.String():
			continue
		}
		to, last := i, true
		for j := i + 1; j < len(out) && last; j++ {
			switch {
			case out[j].G != s.G:
			case within(out[j].Site):
				to = j
			default:
				last = false
			}
		}
		switch {
		case last && within(ends[s.G]):
			out = slices.Delete(out, i, i+1)
		case to > i:
			out = slices.Insert(slices.Delete(out, i, i+1), to, s)
		default:
			continue
		}
		moved = true
	}
	return out, moved
}

// follow is Follow for the steps in an order.
func (f *Follower) follow(ctx context.Context, r *Recording, steps []artifact.PlanStep) (*Following, error) {
	t, err := f.begin(true)
	if err != nil {
		return nil, err
	}
	out := &Following{Status: Followed}
	for i, step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ok, err := t.Step(step)
		if err != nil {
			return nil, err
		}
		out.Widest = max(out.Widest, len(t.places))
		out.Work += len(t.places)
		switch {
		case ok:
		case t.full:
			out.Status, out.Step, out.Want = Undecided, i+1, step
			out.Reason = fmt.Sprintf("more than %d states of the model fit the first %d steps", maxPlaces, i)
			if t.tooMany {
				out.Reason = fmt.Sprintf("there are more than %d goroutines in the first %d steps", math.MaxUint16, i+1)
			}
			return out, nil
		case r.Verdict.Weak:
			out.Status, out.Reason = Undecided, "the run was not under control: "+strings.Join(r.Verdict.Weaknesses, "; ")
			return out, nil
		default:
			out.Step, out.Want = i+1, step
			out.Instead, out.Standing = t.instead(), t.standing(step.G)
			return out, f.reject(out, t, r.Verdict, fmt.Sprintf("step %d of %d, %s: the model cannot do it", i+1, len(steps), f.describe(step)))
		}
	}
	if r.Verdict.Status == Limit {
		return out, nil // what came behind was cut off
	}
	switch ok, err := t.Ends(r.Verdict); {
	case err != nil:
		return nil, err
	case ok:
		out.History, err = t.history(r.Verdict)
		return out, err
	case r.Verdict.Weak || r.Verdict.Status != Completed:
		out.Status, out.Reason = Undecided, "the run was not under control to its end: "+r.Verdict.Reason
	default:
		out.Step, out.Instead = len(steps)+1, t.instead()
		end := r.Verdict.Kind
		if end == "" {
			end = "the end of the program"
		}
		return out, f.reject(out, t, r.Verdict, fmt.Sprintf("after %d steps: the model cannot end by %s as the program did", len(steps), end))
	}
	return out, nil
}

// reject says what it means that the model cannot do what the program did.
func (f *Follower) reject(out *Following, t *Track, v *Verdict, what string) error {
	out.Status, out.Reason = Rejected, what
	if t.bound != "" {
		out.Status, out.Reason = BeyondBounds, what+"; the model ends where its bound is exceeded: "+t.bound
		return nil
	}
	if v.Kind == artifact.KindPanic && out.Want.G == "" && ofRuntime(v.Message) {
		out.Status = LeftOut
		out.Reason = what + "; panics of the run-time system are in the model only where it follows the value: " + v.Message
		return nil
	}
	if why := unmodelled(v.Kind); why != "" && out.Want.G == "" {
		out.Status, out.Reason = LeftOut, what+"; "+why
		return nil
	}
	if v.Kind == artifact.KindTestFailure {
		for i, a := range f.side.Approximations {
			if a.Kind == approximation.Assertion && t.used[i] {
				out.Status = BeyondBounds
				out.Reason = fmt.Sprintf("%s; the model assumes that an assertion holds, as at %s:%d", what, a.File, a.Line)
				return nil
			}
		}
	}
	for i, a := range f.side.Approximations {
		if a.Direction != artifact.DirectionUnder || out.Status == LeftOut && !t.used[i] {
			continue
		}
		out.Status = LeftOut
		out.Reason = fmt.Sprintf("%s; the model leaves out what %s:%d does: %s", what, a.File, a.Line, a.Reason)
		if t.used[i] {
			break // one that was met
		}
	}
	return nil
}

// ofRuntime reports that a panic is one of the run-time system, by its message.
func ofRuntime(message string) bool {
	return strings.Contains(message, "runtime error: ") || strings.Contains(message, "interface conversion: ")
}

// unshared reports whether a key is that of an atomic operation, or of a statement
// beside one, which is no guard of the model: it takes the variables for ones that
// goroutines do not share.
func (f *Follower) unshared(key string) bool {
	s := f.siteByKey(key)
	return (s.Kind == sites.Atomic.String() || s.Kind == sites.Stmt.String()) && !slices.Contains(f.side.Accesses, s.ID)
}

// describe says what a step does, and where.
func (f *Follower) describe(s artifact.PlanStep) string {
	if s.G == timeStep {
		return "time passes"
	}
	text := "goroutine " + s.G + " at " + f.place(s.Site)
	if f.siteByKey(s.Site).Kind == sites.Select.String() {
		text += fmt.Sprintf(", case %d", s.Case)
	}
	return text
}

// place is "file:line: text" of a site.
func (f *Follower) place(key string) string {
	if s := f.siteByKey(key); s.Key != "" {
		return fmt.Sprintf("%s:%d: %s (%s)", s.File, s.Line, s.Text, s.Kind)
	}
	return key
}

// ignores reports whether a step of a run is none of the model.
func (f *Follower) ignores(s artifact.PlanStep) bool {
	return f.spinning(s.Site) || f.unshared(s.Site) || f.minor(s.Site)
}

// spinning reports whether a key is that of the guard to which the runtime brings
// a goroutine that polls for long, see orcruntime.Polled. The model has no such
// guard: its goroutine may poll on, or have left the loop already with what it
// will see.
func (f *Follower) spinning(key string) bool {
	return strings.HasSuffix(key, spinSuffix) && f.siteByKey(key).Key == ""
}

// minor reports whether a key is that of a guard at which only the runtime stops
// goroutines, inside of operations or in front of what is none, see orcruntime. The
// model has no such guard: its goroutine has gone on.
func (f *Follower) minor(key string) bool {
	return orcruntime.MinorText(key) != "" && f.siteByKey(key).Key == ""
}

// IsCall reports whether a guard, by its key, stands in front of a call of uninstrumented code.
func IsCall(key string) bool { return orcruntime.IsCall(key) }

// unmodelled says what kind of error the model does not know, "" if it may.
func unmodelled(kind string) string {
	switch kind {
	case artifact.KindWaitGroupReuse:
		return "in the model waiters of a WaitGroup return as soon as they are released"
	case artifact.KindMapRace:
		return "in the model nothing happens at one time"
	}
	return ""
}

func (f *Follower) siteByKey(key string) artifact.Site {
	s, _ := SiteAt(f.side, key)
	return s
}

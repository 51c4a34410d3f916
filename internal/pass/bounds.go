package pass

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Where a model is too large with the bounds asked for, it begins with the least
// ones, and is searched. The bounds of the sites that the search reaches are
// doubled, up to those asked for, and the model is made and searched again, until
// none is reached: then it is exact as far as these bounds go, since its queries say
// that nobody needs more. A raise that makes the model or its search too large is
// taken back, for as few sites as can be told, and the model says so. What all this
// may cost is counted in what translations cost and in states, so that the same
// program always gets the same model; Search bounds it besides. In a check the program itself
// may be proved meanwhile, see portfolio.go: then greater bounds would be for nothing.
const (
	// raisesCost is what all translations may cost together, raiseCost each, which
	// is less where the model has cost little before: raiseTimes that.
	raisesCost = 150_000
	raiseCost  = 40_000
	raiseTimes = 4
	// askCost is what translations may cost before it is asked whether all schedules of the program were run.
	askCost = 5_000
	// raisesStates is how many states all searches may have together, raiseStates
	// each.
	raisesStates = 1_000_000
	raiseStates  = 200_000
)

// answered is a model with the answers of a search.
type answered struct {
	model  *translate.Model // nil in a search of its own
	net    *uppaal.Network
	report *check.Report
}

// decided reports that every query has an answer.
func (a *answered) decided() bool {
	return !slices.ContainsFunc(a.report.Results, func(r check.Result) bool {
		return r.Verdict != check.True && r.Verdict != check.False
	})
}

// violated reports whether a query is, by its number.
func (a *answered) violated(number int) bool {
	for i, q := range a.model.Queries {
		if q.Number == number {
			return a.report.Results[i].Verdict == check.False
		}
	}
	return false
}

// errors are those that the search has found, by kind and place.
func (a *answered) errors() map[string]bool {
	found := map[string]bool{}
	for i, q := range a.model.Queries {
		if a.report.Results[i].Verdict == check.False && q.Kind != artifact.KindBound && q.Kind != artifact.KindImprecise {
			found[fmt.Sprintf("%s:%d:%d: %s", q.File, q.Line, q.Col, q.Kind)] = true
		}
	}
	return found
}

// better reports that a says more about the program than b, whose bounds are
// smaller: it is whole, as b may be, or it shows errors that b does not.
func (a *answered) better(b *answered) bool {
	if a.decided() || !b.decided() {
		return true
	}
	known := b.errors()
	for e := range a.errors() {
		if !known[e] {
			return true
		}
	}
	return false
}

// raising is the search for the bounds of a model.
type raising struct {
	program *program
	opts    Options
	proto   bool
	rep     reporter

	part    context.Context // ends with the share of the budget
	best    *answered
	cost    int // of the translations so far
	states  int // of the searches so far
	elapsed time.Duration
	// kept are the sites that are not raised any more, with the reason.
	kept map[artifact.BoundSite]string
}

// fit makes the model of a program with the bounds that its search needs. With the
// model comes a search of it that has answered all queries, nil if there is none.
func (p *program) fit(ctx context.Context, opts Options, proto bool, rep reporter) (*translate.Model, *answered, error) {
	done := rep.stage("translate")
	m, err := p.translate(ctx, opts, proto, nil)
	done()
	if err != nil {
		return m, nil, err
	}
	if why, err := oversized(m, opts); err != nil {
		return nil, nil, err
	} else if why != "" {
		return p.withoutModel([]artifact.Approximation{noModel(p.position(), why)}), nil, nil
	}
	if m.Sidecar.Bounds == nil {
		return m, nil, nil
	}
	defer rep.stage("bounds")()
	part, cancel := opts.forModel(ctx, boundsShare)
	defer cancel()
	r := &raising{program: p, opts: opts, proto: proto, rep: rep, part: part, kept: map[artifact.BoundSite]string{}}
	if err := r.run(ctx, m); err != nil {
		return nil, nil, err
	}
	r.best.model.Explain(r.kept)
	if opts.Engine != nil || !r.best.decided() {
		return r.best.model, nil, nil
	}
	return r.best.model, r.best, nil
}

func (r *raising) run(ctx context.Context, m *translate.Model) (err error) {
	if r.best, err = r.search(ctx, m); err != nil {
		return err
	}
	for {
		reached := r.reached()
		if len(reached) == 0 {
			return nil
		}
		if r.cost > askCost && r.opts.proved != nil && r.opts.proved(r.part) {
			for _, p := range reached {
				r.kept[p.BoundSite] = "that is enough, as the program was run under all of its schedules"
			}
			return nil
		}
		if err := r.raise(ctx, reached); err != nil {
			return err
		}
	}
}

// reached are the sites whose bounds the search reaches, and which can be raised.
func (r *raising) reached() []artifact.SiteBound {
	var out []artifact.SiteBound
	for _, b := range r.best.model.Sidecar.Bounds.Sites {
		if b.Query != 0 && r.kept[b.BoundSite] == "" && r.best.violated(b.Query) {
			out = append(out, b)
		}
	}
	return out
}

// raise doubles the bounds of sites, of as many as it can: afterwards each is
// raised or kept.
func (r *raising) raise(ctx context.Context, sites []artifact.SiteBound) error {
	why, err := r.try(ctx, sites)
	switch {
	case err != nil || why == "":
		return err
	case len(sites) == 1:
		r.kept[sites[0].BoundSite] = why
		return nil
	}
	half := len(sites) / 2
	return errors.Join(r.raise(ctx, sites[:half]), r.raise(ctx, sites[half:]))
}

// try makes a model with the bounds of sites raised, and goes on with it if it is
// better. If not it says why.
func (r *raising) try(ctx context.Context, sites []artifact.SiteBound) (why string, err error) {
	if r.spent() {
		return "what greater bounds may cost has been spent", nil
	}
	bounds := *r.best.model.Sidecar.Bounds
	bounds.Sites = slices.Clone(bounds.Sites)
	for _, p := range sites {
		at, listed := slices.BinarySearchFunc(bounds.Sites, p, func(a, b artifact.SiteBound) int { return a.BoundSite.Compare(b.BoundSite) })
		if !listed {
			bounds.Sites = slices.Insert(bounds.Sites, at, p)
		}
		bounds.Sites[at].N = r.raised(p)
	}
	with := fmt.Sprintf("with %d", r.raised(sites[0]))
	limit := min(raiseCost, max(raiseCost/4, raiseTimes*r.best.model.Cost), raisesCost-r.cost)
	m, err := r.program.translateWithin(r.part, r.opts, r.proto, &bounds, limit)
	var refused *translate.UnsupportedError
	switch {
	case err != nil && cut(ctx, r.part) != "":
		return with + " the model was not finished: " + cut(ctx, r.part), nil
	case errors.Is(err, translate.ErrTooLarge):
		r.cost += limit
		return with + " the model would be too large", nil
	case errors.As(err, &refused):
		r.cost += limit
		return fmt.Sprintf("%s the program has no model: %v", with, refused), nil
	case err != nil:
		return "", err
	}
	r.cost += m.Cost
	next, err := r.search(ctx, m)
	if err != nil {
		return "", err
	}
	if !next.better(r.best) {
		return with + " the search would be too large", nil
	}
	r.best = next
	r.rep.send(BoundsRaised{Pass: r.rep.pass, Sites: sites, States: next.report.Stats.States})
	return "", nil
}

// raised is the next bound of a site.
func (r *raising) raised(p artifact.SiteBound) int {
	asked := r.program.translation(r.opts, r.proto).Asked()
	return min(2*p.N, asked.Of(p.Kind))
}

// spent reports that there is nothing left of what all this may cost.
func (r *raising) spent() bool {
	return r.part.Err() != nil || r.cost >= raisesCost || r.states >= raisesStates || r.opts.Search.Timeout > 0 && r.elapsed >= r.opts.Search.Timeout
}

// search looks which bounds a model reaches.
func (r *raising) search(ctx context.Context, m *translate.Model) (*answered, error) {
	opts := r.opts
	if opts.Search.Timeout > 0 {
		opts.Search.Timeout = max(1, opts.Search.Timeout-r.elapsed)
	}
	limits := opts.search()
	most := max(1, min(raiseStates, raisesStates-r.states))
	if limits.MaxStates == 0 || most < limits.MaxStates {
		limits.MaxStates = most
	}
	a, err := verify(ctx, r.part, m.Network, m.Queries, check.Embedded{}, limits, r.rep)
	if err != nil {
		return nil, err
	}
	a.model = m
	r.states += a.report.Stats.States
	r.elapsed += a.report.Stats.Elapsed
	return a, nil
}

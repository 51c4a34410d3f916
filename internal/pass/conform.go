package pass

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/sites"
)

// A model is believed only if runs of the program could have contradicted it and did
// not. ConformanceRuns is how many runs of each of two strategies (time passes only
// when nothing else can happen; time passes at any moment) a deep pass follows in
// the model. What such a run does and the model cannot is a gap.
const ConformanceRuns = 50

// evenRuns are those of them in which goroutines go on side by side, as random ones hardly do for long.
const evenRuns = 16

// firstFollowed are the first runs of either strategy. If the model can do none of so many, more say no more.
const firstFollowed = ConformanceRuns / 5

// maxGaps bounds the gaps that are listed, and conformanceWork what following all
// runs may cost, see orchestrate.Following.Work.
const (
	maxGaps         = 10
	conformanceWork = 400_000
)

// conformance follows runs of the program in its model.
type conformance struct {
	follower *orchestrate.Follower
	side     *artifact.Sidecar
	out      *artifact.Conformance
	seen     map[string]bool // schedules
	work     int
	part     context.Context // ends when no more runs are followed
	cancel   context.CancelFunc
	learn    func(*orchestrate.History)
	// departures are where runs leave the model.
	departures []departure
}

// newConformance is for the model of a deep pass; it is nil if the program has none.
func (d *deep) newConformance(ctx context.Context) (*conformance, error) {
	if d.side.Outside() != nil || d.opts.model != nil && d.opts.model.Err() != nil {
		return nil, nil
	}
	part, cancel := d.opts.lasting(ctx, conformShare)
	f, err := orchestrate.NewFollower(part, d.side, d.net)
	if err != nil {
		why := cut(ctx, part)
		cancel()
		if why != "" {
			return nil, errors.New(why)
		}
		return nil, err
	}
	return &conformance{follower: f, side: d.side, out: &artifact.Conformance{}, seen: map[string]bool{}, part: part, cancel: cancel, learn: d.learn}, nil
}

// follow compares a run with the model.
func (c *conformance) follow(ctx context.Context, run int, r *orchestrate.Recording) error {
	key := fmt.Sprint(r.Plan.Steps, r.Verdict.Kind, r.Verdict.Site)
	if c.seen[key] || c.work >= conformanceWork || c.out.Runs >= firstFollowed && c.out.Followed+c.out.LeftOut == 0 {
		return nil
	}
	c.seen[key] = true
	got, err := c.follower.Follow(c.part, r)
	switch why := cut(ctx, c.part); {
	case err != nil && why != "":
		got = &orchestrate.Following{Status: orchestrate.Undecided, Reason: why}
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		got = &orchestrate.Following{Status: orchestrate.Undecided, Reason: fmt.Sprintf("run %d in the model: %v", run, err)}
	}
	c.work += got.Work
	c.out.Runs++
	if got.Status == orchestrate.Rejected {
		// What is not under control may act between the steps.
		for _, a := range c.side.Approximations {
			if a.Direction == artifact.DirectionControl && a.Kind != approximation.Access {
				got.Status = orchestrate.Undecided
				got.Reason += fmt.Sprintf("; %s:%d is not under control (%s)", a.File, a.Line, a.Reason)
				break
			}
		}
	}
	switch got.Status {
	case orchestrate.Followed:
		c.out.Followed++
		if got.History != nil {
			c.learn(got.History)
		}
	case orchestrate.LeftOut:
		c.out.LeftOut++
		c.departed(run, r, got)
	case orchestrate.BeyondBounds:
		c.out.BeyondBounds++
	case orchestrate.Rejected:
		c.gap(run, r, got)
		c.departed(run, r, got)
	default:
		if c.out.Undecided++; c.out.Reason == "" {
			c.out.Reason = got.Reason
		}
	}
	return nil
}

// gap notes what the model cannot do, once for each operation.
func (c *conformance) gap(run int, r *orchestrate.Recording, got *orchestrate.Following) {
	g := artifact.Gap{Run: run, Step: got.Step, G: got.Want.G, Reason: got.Reason}
	key := got.Want.Site
	if key == "" { // the end
		g.G, key = r.Verdict.G, r.Verdict.Site
	}
	s := orchestrate.SitesByKey(c.side)[key]
	g.File, g.Line, g.Col, g.Operation = s.File, s.Line, s.Col, s.Kind
	same := func(o artifact.Gap) bool {
		return o.File == g.File && o.Line == g.Line && o.Col == g.Col && o.Operation == g.Operation
	}
	if len(c.out.Gaps) < maxGaps && !slices.ContainsFunc(c.out.Gaps, same) {
		c.out.Gaps = append(c.out.Gaps, g)
	}
}

// conform runs the program and follows it in the model.
func (d *deep) conform(ctx context.Context) error {
	c, err := d.newConformance(ctx)
	if c == nil && err == nil {
		return nil
	}
	if err != nil {
		// The model is not believed, and the program is run all the same.
		d.runs.Conformance = &artifact.Conformance{Undecided: 1, Reason: err.Error()}
		return nil
	}
	defer c.cancel()
	d.follower = c.follower
	defer d.rep.stage("conformance")()
	d.runs.Conformance = c.out
	// If time may pass while somebody could go on a few of both kinds come first, so that an
	// error of either shows soon.
	type some struct {
		by       orchestrate.Strategy
		patient  bool
		from, to int
	}
	begin, rest := some{patient: true, to: firstFollowed}, some{patient: true, from: firstFollowed, to: ConformanceRuns}
	slow, slower := some{from: ConformanceRuns, to: ConformanceRuns + firstFollowed}, some{from: ConformanceRuns + firstFollowed, to: 2 * ConformanceRuns}
	parts := []some{begin, slow, rest, slower}
	if !d.timed {
		even := some{orchestrate.StrategyEven, true, firstFollowed, firstFollowed + evenRuns}
		rest.from = even.to
		parts = []some{begin, even, rest, slow, slower}
	}
	reuses := d.reused // was tried already
	addsLate := lateAdds(d.side)
	for _, part := range parts {
		runs := part.to - part.from
		err := d.under(ctx, orchestrate.ExploreOptions{
			Runs: runs, Seed: uint64(part.from), Strategy: part.by, Patient: part.patient, TotalSteps: totalSteps / 4 * runs / ConformanceRuns, MaxProcesses: runProcesses,
			Recorded: func(seed uint64, r *orchestrate.Recording) error {
				d.reused = d.reused || addsLate(r)
				d.callsApart = d.callsApart || severalCall(r)
				return c.follow(ctx, int(seed)+1, r)
			},
		})
		if err != nil {
			return err
		}
		if d.reused && !reuses {
			reuses = true
			if err := d.reuse(ctx); err != nil {
				return err
			}
		}
		if d.runs.Stopped != "" {
			break
		}
	}
	return d.complete(ctx, c)
}

// severalCall reports that in a run several goroutines have called uninstrumented code that may keep something for them, while
// others were there. In which order they do so is in no trace of a model.
func severalCall(r *orchestrate.Recording) bool {
	by := ""
	for _, s := range r.Plan.Steps {
		if !orchestrate.IsCall(s.Site) {
			continue
		}
		if by != "" && by != s.G {
			return true
		}
		by = s.G
	}
	return false
}

// lateAdds is the condition that in a run a goroutine has added to a WaitGroup behind the call of Wait of another one. The
// steps do not say of which WaitGroup.
func lateAdds(side *artifact.Sidecar) func(*orchestrate.Recording) bool {
	return func(r *orchestrate.Recording) bool {
		waited := ""
		for _, s := range r.Plan.Steps {
			site, _ := orchestrate.SiteAt(side, s.Site)
			switch sites.Named(site.Kind) {
			case sites.WaitGroupWait:
				waited = s.G
			case sites.WaitGroupAdd, sites.WaitGroupGo:
				if waited != "" && waited != s.G {
					return true
				}
			}
		}
		return false
	}
}

// gapsOf says what keeps runs from bearing a model out, nothing if they do.
func gapsOf(r *artifact.Runs) []string {
	if r == nil || r.Conformance == nil {
		return nil
	}
	c := r.Conformance
	var out []string
	for _, g := range c.Gaps {
		out = append(out, g.String())
	}
	switch {
	case len(out) > 0:
	case c.Runs == 0 && r.Stopped != "":
		out = append(out, "the model was not compared with any run of the program: "+r.Stopped)
	case c.Followed+c.LeftOut+c.BeyondBounds == 0 && c.Undecided > 0:
		out = append(out, "no run of the program could be compared with the model: "+c.Reason)
	}
	return out
}

package library

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
)

// A failure that a test reports is an error like any other: the model can end
// where it is reported. It goes on as well, so that what comes behind is seen.
// Only where the model knows that the failing branch is taken it is asked for:
// where the condition is a free choice, every assertion could fail.

var testError = &program.Operation{Name: "error", Seed: true, Args: []int{}}

// failTest is the failure of a test that goes on, as that of t.Error.
func failTest(x *execution.Executor, p *exploration.Path) bool {
	failure(x, p, p.Statement(p.Peek().Call.Site), p.Picks > 0)
	return x.OpReturn(p, nil)
}

// exits lets the model end with the program. That it exits with a failure is its own way to
// say that it has failed, and is asked for as the failure of a test is.
func exits(x *execution.Executor, p *exploration.Path, well, unknown bool, detail string) {
	kind := artifact.KindExit
	switch {
	case well:
		kind = ""
	case unknown || p.Peek().Guess:
		kind = ""
		p.Note(approximation.Failure, artifact.DirectionBound, "whether the program exits with a failure here depends on what the model does not keep: it is not asked for")
	}
	x.SinkTo(p, &state.Sink{End: sidecar.EndExit, Kind: kind, Site: x.SiteOfOp(p), Pos: p.Here(), Detail: detail})
}

// failure lets the model end with the failure of the test, on a path beside that of the caller, which goes
// on. Where it is a guess that the failing branch is taken it is noted instead.
func failure(x *execution.Executor, p *exploration.Path, site sites.ID, guess bool) {
	switch {
	case !x.Program.Test():
		return
	case guess:
		p.Note(approximation.Failure, artifact.DirectionBound, "whether the test fails here depends on what the model does not keep: it is not asked for")
		return
	}
	x.SinkTo(p.Clone(), &state.Sink{End: sidecar.EndExit, Kind: artifact.KindTestFailure, Site: site, Pos: p.Here(), Detail: "the test fails"})
}

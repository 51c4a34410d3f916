package pass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// TestDoubtRefuted: what the program follows no trace to is not called false by a check that was
// interrupted before the runs that could have shown it, unless all schedules were run; and nothing
// is while errors of runs were not replayed.
func TestDoubtRefuted(t *testing.T) {
	all := &artifact.Exhaustive{Schedules: 3, Complete: true}
	for _, c := range []struct {
		runs artifact.Runs
		want string
	}{
		{artifact.Runs{Runs: 1000}, artifact.False},
		{artifact.Runs{Runs: 7, Cut: "it was interrupted"}, artifact.Unconfirmed},
		{artifact.Runs{Runs: 7, Cut: "it was interrupted", Exhaustive: all}, artifact.False},
		{artifact.Runs{Runs: 7, Exhaustive: all, Unproved: 1}, artifact.Unconfirmed},
	} {
		refuted, real := &suspect{decided: true, outcome: artifact.False, reason: "none"}, &suspect{decided: true, outcome: artifact.Real}
		d := &deep{runs: c.runs, cases: []*suspect{refuted, real}}
		d.doubtRefuted()
		require.Equal(t, c.want, refuted.outcome, "%+v", c.runs)
		require.Equal(t, artifact.Real, real.outcome)
	}
}

// TestShownByExploration: all schedules were run, and what none of them has come to is false; what
// one has come to is left to its replay.
func TestShownByExploration(t *testing.T) {
	leak := artifact.Expect{Kind: artifact.KindLeak, Goroutines: []artifact.At{{G: "0.1", Site: "f/1"}}}
	for name, c := range map[string]struct {
		end  orchestrate.End
		kind string
		want string
	}{
		"ends well":      {orchestrate.End{}, artifact.KindLeak, artifact.False},
		"the same":       {orchestrate.End{Kind: artifact.KindLeak, Plan: artifact.Plan{Expect: leak}}, artifact.KindLeak, artifact.Unconfirmed},
		"another place":  {orchestrate.End{Kind: artifact.KindLeak, G: "0.1", Site: "f/2"}, artifact.KindLeak, artifact.False},
		"another kind":   {orchestrate.End{Kind: artifact.KindDeadlock, G: "0", Site: "f/1"}, artifact.KindLeak, artifact.False},
		"main waits":     {orchestrate.End{Kind: artifact.KindDeadlock, G: "0", Site: "f/1"}, artifact.KindDeadlock, artifact.Unconfirmed},
		"another waits":  {orchestrate.End{Kind: artifact.KindDeadlock, G: "0.1", Site: "f/1"}, artifact.KindDeadlock, artifact.False},
		"another name":   {orchestrate.End{Kind: artifact.KindNilCall, G: "0", Site: "f/1"}, artifact.KindPanic, artifact.Unconfirmed},
		"somewhere":      {orchestrate.End{Kind: artifact.KindPanic}, artifact.KindPanic, artifact.Unconfirmed},
		"somewhere else": {orchestrate.End{Kind: artifact.KindNilCall, G: "0", Site: "f/2"}, artifact.KindNilCall, artifact.False},
	} {
		t.Run(name, func(t *testing.T) {
			s := &suspect{query: artifact.Query{Kind: c.kind, Site: 1, File: "f.go", Line: 1}, outcome: artifact.Unconfirmed}
			d := &deep{side: &artifact.Sidecar{Sites: []artifact.Site{{}, {ID: 1, Key: "f/1", File: "f.go", Line: 1}, {ID: 2, Key: "f/2", File: "f.go", Line: 2}}}, cases: []*suspect{s}}
			c.end.Status = orchestrate.Completed
			all := artifact.Exhaustive{Schedules: 3, Complete: true}
			d.takeExhaustive(&Exhausted{Exhaustive: &orchestrate.Exhaustive{Ends: []orchestrate.End{c.end}}, Covered: all})
			require.Equal(t, c.want, s.outcome)
		})
	}
}

// TestUntried: what was not replayed for want of time is as possible as it was before; what was, and has not shown
// itself, is unconfirmed.
func TestUntried(t *testing.T) {
	for _, c := range []struct {
		suspect suspect
		want    string
		reason  string
	}{
		{suspect{}, artifact.Possible, "not replayed: no time"},
		{suspect{attempts: 1, reason: "went another way"}, artifact.Unconfirmed, "no time; the last replay: went another way"},
		{suspect{decided: true, outcome: artifact.False, reason: "refuted"}, artifact.False, "refuted"},
	} {
		s := c.suspect
		s.query = artifact.Query{Number: 1}
		d := &deep{cases: []*suspect{&s}}
		d.leave("no time")
		f := artifact.Finding{Query: 1}
		d.decide(&f)
		require.Equal(t, c.want, f.Verdict)
		require.Equal(t, c.reason, f.Reason)
	}
}

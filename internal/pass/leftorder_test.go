package pass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/sites"
)

// TestSeveralCall: of calls of libraries the order matters where several goroutines make them.
func TestSeveralCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		steps []artifact.PlanStep
		want  bool
	}{
		{nil, false},
		{[]artifact.PlanStep{{G: "0.1", Site: "p.f@1.call"}, {G: "0.1", Site: "p.f@2.call"}}, false},
		{[]artifact.PlanStep{{G: "0.1", Site: "p.f@1.call"}, {G: "0.2", Site: "p.f#1"}}, false},
		{[]artifact.PlanStep{{G: "0.1", Site: "p.f@1.call"}, {G: "0.2", Site: "p.f#1"}, {G: "0.2", Site: "p.g@1.call"}}, true},
	} {
		require.Equal(t, c.want, severalCall(&orchestrate.Recording{Plan: artifact.Plan{Steps: c.steps}}), "%+v", c.steps)
	}
}

// TestLeavesOutOrder: a run is one of several orders of atomic operations that the model leaves out where two goroutines use a
// variable that is changed.
func TestLeavesOutOrder(t *testing.T) {
	t.Parallel()
	side := &artifact.Sidecar{Sites: []artifact.Site{
		{}, {ID: 1, Key: "p.f#1", Kind: sites.Atomic.String()}, {ID: 2, Key: "p.f#2", Kind: sites.Atomic.String()}, {ID: 3, Key: "p.f#3", Kind: sites.Lock.String()},
	}, Accesses: []int{2}}
	d := &deep{side: side}
	step := func(g, site string) artifact.PlanStep { return artifact.PlanStep{G: g, Site: site} }
	for _, c := range []struct {
		steps   []artifact.PlanStep
		effects []orcruntime.Effect
		want    bool
	}{
		{[]artifact.PlanStep{step("0.1", "p.f#1"), step("0.1", "p.f#1")}, nil, false},
		{[]artifact.PlanStep{step("0.1", "p.f#1"), step("0.2", "p.f#1")}, nil, true},
		{[]artifact.PlanStep{step("0.1", "p.f#2"), step("0.2", "p.f#2")}, nil, false}, // the model has it
		{[]artifact.PlanStep{step("0.1", "p.f#3"), step("0.2", "p.f#3")}, nil, false},
		{[]artifact.PlanStep{step("0.1", "p.f#1"), step("0.2", "p.f#1")}, []orcruntime.Effect{{Step: 1, Object: "a", After: "1"}, {Step: 2, Object: "a"}}, true},
		{[]artifact.PlanStep{step("0.1", "p.f#1"), step("0.2", "p.f#1")}, []orcruntime.Effect{{Step: 1, Object: "a"}, {Step: 2, Object: "a"}}, false}, // both read
		{[]artifact.PlanStep{step("0.1", "p.f#1"), step("0.2", "p.f#1")}, []orcruntime.Effect{{Step: 1, Object: "a", After: "1"}, {Step: 2, Object: "b", After: "1"}}, false},
	} {
		require.Equal(t, c.want, d.leavesOutOrder(&orchestrate.Verdict{Trace: c.steps, Effects: c.effects}), "%+v", c)
	}
}

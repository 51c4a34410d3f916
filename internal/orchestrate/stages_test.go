package orchestrate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// stagesModel has a goroutine that starts another one, which sends, and receives from it.
func stagesModel(t *testing.T) (*uppaal.Network, *artifact.Sidecar) {
	t.Helper()
	net, err := uppaal.ReadXML(strings.NewReader(`<nta><declaration>chan born, rv_c; int n = 0;</declaration>
<template><name>M</name><location id="m0"><name>go</name></location><location id="m1"><name>receive</name></location><location id="m2"><name>end</name></location><init ref="m0"/>
<transition><source ref="m0"/><target ref="m1"/><label kind="synchronisation">born!</label></transition>
<transition><source ref="m1"/><target ref="m2"/><label kind="synchronisation">rv_c?</label><label kind="assignment">n = 1</label></transition></template>
<template><name>W</name><location id="w0"><name>idle</name></location><location id="w1"><name>start</name></location><location id="w2"><name>send</name></location><location id="w3"><name>done</name></location><init ref="w0"/>
<transition><source ref="w0"/><target ref="w1"/><label kind="synchronisation">born?</label></transition>
<transition><source ref="w1"/><target ref="w2"/></transition>
<transition><source ref="w2"/><target ref="w3"/><label kind="synchronisation">rv_c!</label></transition></template>
<system>system M, W;</system></nta>`))
	require.NoError(t, err)
	side := &artifact.Sidecar{
		Sites: []artifact.Site{{}, {ID: 1, Kind: "go", Key: "go"}, {ID: 2, Kind: "start", Key: "go.start"}, {ID: 3, Kind: "send", Key: "snd"}, {ID: 4, Kind: "receive", Key: "rcv"}},
		Templates: []artifact.TemplateInfo{
			{Name: "M", Role: "goroutine", Locations: []artifact.LocationInfo{{Name: "go", Site: 1}, {Name: "receive", Site: 4, Blocking: true}, {Name: "end"}},
				Edges: []artifact.EdgeInfo{{Site: 1, Role: artifact.RoleOp}, {Site: 4, Role: artifact.RoleOp}}},
			{Name: "W", Role: "goroutine", Locations: []artifact.LocationInfo{{Name: "idle"}, {Name: "start", Site: 2}, {Name: "send", Site: 3, Blocking: true}, {Name: "done"}},
				Edges: []artifact.EdgeInfo{{Role: artifact.RoleBirth}, {Site: 2, Role: artifact.RoleStart}, {Site: 3, Role: artifact.RoleOp}}},
		},
	}
	return net, side
}

func follower(t *testing.T) *Follower {
	t.Helper()
	net, side := stagesModel(t)
	f, err := NewFollower(t.Context(), side, net)
	require.NoError(t, err)
	return f
}

// A plan is followed stage by stage: who queues, who completes whom, and what could be done.
func TestStages(t *testing.T) {
	f := follower(t)
	// The plan does not name the start of the goroutine.
	s, err := f.Stages(artifact.Plan{Steps: []artifact.PlanStep{{G: "0", Site: "go"}, {G: "0", Site: "rcv"}, {G: "0.1", Site: "snd"}}}, &Verdict{})
	require.NoError(t, err)
	require.True(t, s.Fits, s.Reason)
	require.Len(t, s.Stages, 4)
	require.Equal(t, []Standing{{"0", 0, 0, false}}, s.Stages[0].Standing)
	require.Equal(t, []Standing{{"0", 0, 1, false}, {"0.1", 1, 1, false}}, s.Stages[1].Standing)
	require.Equal(t, []string{"0", "0.1"}, s.Stages[1].Done[0].G, "who is born")
	require.Equal(t, []Standing{{"0", 0, 1, true}, {"0.1", 1, 1, false}}, s.Stages[2].Standing, "it queues")
	require.Empty(t, s.Stages[2].Done)
	require.Equal(t, []Standing{{"0", 0, 2, false}, {"0.1", 1, 3, false}}, s.Stages[3].Standing)
	require.Len(t, s.Stages[3].Done, 2, "the start, and both sides at once")
	require.Equal(t, []string{"0.1", "0"}, s.Stages[3].Done[1].G)
	require.EqualValues(t, 0, s.State(2).Vars[0].Value)
	require.EqualValues(t, 1, s.State(3).Vars[0].Value)
	require.Len(t, s.Enabled(0), 1)
	require.Equal(t, []string{"0.1"}, s.Enabled(1)[0].G)
	require.Empty(t, s.Enabled(3))
}

// A goroutine that is blocked at the end of a run has come there behind the plan.
func TestStagesGoOn(t *testing.T) {
	f := follower(t)
	plan := artifact.Plan{Steps: []artifact.PlanStep{{G: "0", Site: "go"}}}
	blocked := &Verdict{Goroutines: []Goroutine{{G: "0", State: "blocked", Site: "rcv"}}}
	s, err := f.Stages(plan, blocked)
	require.NoError(t, err)
	require.True(t, s.Fits, s.Reason)
	require.Len(t, s.Stages, 2)
	require.True(t, s.Stages[1].Standing[0].Queued)
}

// What the model cannot do ends the stages, with the reason; so does too much work, and an end
// that is another one.
func TestStagesEnd(t *testing.T) {
	f := follower(t)
	s, err := f.Stages(artifact.Plan{Steps: []artifact.PlanStep{{G: "0", Site: "go"}, {G: "0", Site: "snd"}, {G: "0", Site: "rcv"}}}, &Verdict{})
	require.NoError(t, err)
	require.False(t, s.Fits)
	require.Len(t, s.Stages, 2)
	require.Contains(t, s.Reason, "the model cannot do step 2")

	s, err = f.Stages(artifact.Plan{Steps: []artifact.PlanStep{{G: "0", Site: "go"}}}, &Verdict{Goroutines: []Goroutine{{G: "0", State: "finished"}}})
	require.NoError(t, err)
	require.False(t, s.Fits)
	require.Len(t, s.Stages, 2)
	require.Contains(t, s.Reason, "does not end where the run does")

	for work := range 3 {
		f = follower(t)
		f.Bound(work)
		s, err = f.Stages(artifact.Plan{Steps: []artifact.PlanStep{{G: "0", Site: "go"}, {G: "0.1", Site: "snd"}}}, &Verdict{})
		if work == 0 {
			require.ErrorIs(t, err, check.ErrWork, "not even its beginning")
			continue
		}
		require.NoError(t, err)
		require.False(t, s.Fits)
		require.Contains(t, s.Reason, "too much work")
	}
}

// Processes of a template whose types depend on its parameters are processes of that template.
func TestFollowDependent(t *testing.T) {
	net, err := uppaal.ReadXML(strings.NewReader(`<nta><declaration>int n = 0;</declaration>
<template><name>M</name><parameter>const int[1,2] size</parameter><location id="m0"><name>at</name></location><init ref="m0"/>
<transition><source ref="m0"/><target ref="m0"/><label kind="select">i : int[0,size]</label><label kind="assignment">n = i</label></transition></template>
<system>A = M(1); B = M(2); system A, B;</system></nta>`))
	require.NoError(t, err)
	side := &artifact.Sidecar{Templates: []artifact.TemplateInfo{{Name: "M", Role: "goroutine", Locations: []artifact.LocationInfo{{Name: "at"}}, Edges: []artifact.EdgeInfo{{Role: artifact.RoleLocal}}}}}
	f, err := NewFollower(t.Context(), side, net)
	require.NoError(t, err)
	require.Equal(t, []int{0, 0}, f.templates)
}

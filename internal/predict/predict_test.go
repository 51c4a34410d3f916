package predict

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/trace"
)

// sidecarOf has sites of which the keys begin with their kinds, as in "lock 1".
func sidecarOf(t *trace.Trace) *artifact.Sidecar {
	side := &artifact.Sidecar{Sites: []artifact.Site{{}}}
	for i, p := range t.Positions {
		kind, _, _ := strings.Cut(p.Site, "#")
		side.Sites = append(side.Sites, artifact.Site{ID: i + 1, Key: p.Site, Kind: kind})
	}
	return side
}

// text has the steps of a plan, as in "0.1 lock#1/2": goroutine, site, and how often it has passed that. A goroutine that
// only comes there has "..." in front.
func text(p artifact.Plan) string {
	var out []string
	for _, s := range p.Steps {
		if s.G == artifact.TimeStep {
			out = append(out, s.G)
			continue
		}
		step := fmt.Sprintf("%s %s/%d", s.G, s.Site, s.Occ)
		switch {
		case s.Case == orcruntime.Reach:
			step = "..." + step
		case s.Case != 0:
			step += fmt.Sprintf(" case %d", s.Case)
		}
		out = append(out, step)
	}
	return strings.Join(out, ", ")
}

// at is a position with a site of a kind.
func at(kind sites.Kind, n int) string { return fmt.Sprintf(" @p.go:%d(p.f,%s#%d)", n, kind, n) }

// TestPlan: the run itself as a plan, and what follows in it.
func TestPlan(t *testing.T) {
	for _, c := range []struct {
		name, trace string
		test        bool
		want        string
		next        []analyze.Turn
	}{
		{"goroutines by their starters, passes by their number", `
mutex m
goroutine 1
  go 2` + at(sites.Go, 1) + `
  go 3` + at(sites.Go, 1) + `
goroutine 2
  go 4` + at(sites.Go, 2) + `
goroutine 3
  lock m first` + at(sites.Lock, 3) + `
  unlock m` + at(sites.Unlock, 4) + `
  lock m from 3.2` + at(sites.Lock, 3) + `
goroutine 4
`, false, "0 go#1/1, 0 go#1/2, 0.1 go#2/1, 0.2 lock#3/1, 0.2 unlock#4/1, 0.2 lock#3/2", nil},
		{"a test and its subtest are the entry", `
mutex m
goroutine 1
  go 2
goroutine 2
  go 3
  go 4` + at(sites.Go, 1) + `
goroutine 3
  go 5` + at(sites.Go, 2) + `
goroutine 4
goroutine 5
  lock m first` + at(sites.Lock, 3) + `
`, true, "0 go#1/1, 0 go#2/1, 0.1 lock#3/1", nil},
		{"WaitGroup.Go and its Done", `
waitgroup w
goroutine 1
  add w +1 = 1 seq 1` + at(sites.WaitGroupGo, 1) + `
  go 2` + at(sites.WaitGroupGo, 1) + `
  wait w seq 3` + at(sites.WaitGroupWait, 2) + `
goroutine 2
  add w -1 = 0 seq 2` + at(sites.WaitGroupGo, 1) + `
  end
`, false, "0 wggo#1/1, ...0.1 /0, 0 wait#2/1", nil},
		{"a wait for a condition takes its lock again", `
mutex m
cond c
goroutine 1
  go 2` + at(sites.Go, 1) + `
  lock m first` + at(sites.Lock, 2) + `
  condwait c pending` + at(sites.CondWait, 3) + `
  unlock m` + at(sites.CondWait, 3) + `
  post 3 from 2.1 seq 2` + `
  lock m from 1.4` + at(sites.CondWait, 3) + `
goroutine 2
  signal c seq 1` + at(sites.CondSignal, 4) + `
`, false, "0 go#1/1, 0 lock#2/1, 0 condwait#3/1, 0.1 signal#4/1, 0 condwait#3/1", nil},
		{"callbacks, by their number", `
chan c 1
goroutine 1
  go 3` + at(sites.Callback, 1) + `
  go 2` + at(sites.Callback, 1) + `
  recv c from 3.1` + at(sites.Recv, 3) + `
goroutine 2
goroutine 3
  send c` + at(sites.Send, 2) + `
`, false, "F@callback#1.2 send#2/1, 0 receive#3/1", nil},
		{"what a library closes, and the case of a select", `
chan c 0
chan d 0
goroutine 1
  go 2` + at(sites.Go, 1) + `
  select recv c, recv d : 1 closed from 2.1` + at(sites.Select, 2) + `
goroutine 2
  close d
  end
`, false, "0 go#1/1, ...0.1 /0, 0 select#2/1 case 1", nil},
		{"time, for a select that waits for it", `
chan c 0
goroutine 1
  select recv c pending` + at(sites.Select, 1) + `
`, false, "...0 select#1/1, T, T, T, T, 0 select#1/1", []analyze.Turn{{Ref: trace.Ref{Goroutine: 1, PC: 1}, Timed: true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr, err := trace.Parse([]byte("trace 1" + c.trace))
			require.NoError(t, err)
			_, all, err := analyze.Predict(tr, analyze.Limits{})
			require.NoError(t, err)
			run := all[0]
			if c.next != nil {
				run.Next = c.next
			}
			planned := NewPlanner(tr, sidecarOf(tr), c.test).Plan(run)
			require.NoError(t, planned.Err)
			require.Equal(t, c.want, text(planned.Plans[0]))
		})
	}
}

// TestPlanned: what a prediction expects of a run, where the goroutines are, and runs near it.
func TestPlanned(t *testing.T) {
	tr, err := trace.Parse([]byte(`trace 1
mutex a
mutex b
goroutine 1
  go 2` + at(sites.Go, 1) + `
  go 3` + at(sites.Go, 2) + `
goroutine 2
  lock a first` + at(sites.Lock, 3) + `
  lock b first` + at(sites.Lock, 4) + `
  unlock b
  unlock a
goroutine 3
  lock b from 2.3` + at(sites.Lock, 5) + `
  lock a from 2.4` + at(sites.Lock, 6) + `
`))
	require.NoError(t, err)
	_, all, err := analyze.Predict(tr, analyze.Limits{})
	require.NoError(t, err)
	p := NewPlanner(tr, sidecarOf(tr), false).Plan(all[1])
	require.Equal(t, artifact.Expect{Kind: artifact.KindPartialDeadlock, Goroutines: []artifact.At{{G: "0.1", Site: "lock#4"}, {G: "0.2", Site: "lock#6"}}}, p.Expect())
	require.Equal(t, "0 go#1/1, 0 go#2/1, 0.1 lock#3/1, 0.2 lock#5/1, 0.1 lock#4/1, 0.2 lock#6/1", text(p.Plans[0]))
	require.Equal(t, p.Plans[0].Steps, p.Guides()[0])

	// Who was started by a library has no name.
	tr.Goroutines[0].Events[1].Pos = 0
	p = NewPlanner(tr, sidecarOf(tr), false).Plan(all[1])
	require.ErrorContains(t, p.Err, "goroutine 3 was started by code that is not instrumented")
	require.Empty(t, p.Plans)
}

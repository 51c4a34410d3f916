package promela_test

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/check/internal/families"
	"github.com/vtrace/vtrace/internal/check/promela"
	"github.com/vtrace/vtrace/internal/uppaal"
)

//go:embed testdata/relay.xta
var relay string

// relayTrail is what Spin 6.5.2 prints of a trail of it.
const relayTrail = `  1:	proc  0 (proc0:1) m.pml:35 (state 1)	[ch[( ((v2_left>0)) ? (2) : (0) )]!1,1]
  2:	proc  2 (proc2:1) m.pml:53 (state 1)	[ch[( ((at2==0)) ? (2) : (1) )]?_,sender]
  3:	proc  2 (proc2:1) m.pml:53 (state 2)	[((sender==1))]
  3:	proc  2 (proc2:1) m.pml:53 (state 3)	[assert(((v1_total+1)<=5))]
  3:	proc  2 (proc2:1) m.pml:53 (state 12)	[sender = 0]
  4:	proc  0 (proc0:1) m.pml:36 (state 3)	[ch[( ((v2_left>0)) ? (2) : (0) )]!1,2]
  5:	proc  2 (proc2:1) m.pml:53 (state 1)	[ch[( ((at2==0)) ? (2) : (1) )]?_,sender]
  6:	proc  2 (proc2:1) m.pml:53 (state 6)	[((sender==2))]
  7:	proc  0 (proc0:1) m.pml:37 (state 5)	[((v2_left==0))]
  8:	proc  0 (proc0:1) m.pml:37 (state 6)	[((at1==0))]
c_code2:	{  u3();  }
 10:	proc  0 (proc0:1) m.pml:37 (state 16)	[{c_code2}]
 11:	proc  0 (proc0:1) m.pml:37 (state 17)	[goto L1]
 12:	proc  3 (property:1) m.pml:59 (state 1)	[(!(!(((at2==1)&&(v1_total==3)))))]
	transition failed
spin: trail ends after 12 steps
 12:	proc  2 (proc2:1) m.pml:52 (state 14)
`

func relayed(t testing.TB) (*uppaal.Info, *uppaal.Query) {
	t.Helper()
	net, err := uppaal.ReadXTA(strings.NewReader(relay), "")
	require.NoError(t, err)
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	q, err := uppaal.ParseQuery("A[] not (Receiver(1).closed and total == 3)")
	require.NoError(t, err)
	return info, q
}

func TestReadTrail(t *testing.T) {
	info, q := relayed(t)
	trace, err := promela.ReadTrail(t.Context(), info, q, relayTrail)
	require.NoError(t, err)
	require.Equal(t, []string{
		"Sender: ready > ready", "Receiver(1): open > open", "Sender: ready > ready", "Receiver(1): open > open",
		"Sender: ready > done", "Receiver(0): open > closed", "Receiver(1): open > closed",
	}, trace.Lines(info))
	require.Equal(t, []int32{2}, trace.Steps[1].Parts[0].Select)

	_, err = promela.ReadTrail(t.Context(), info, q, "State:\n( P.a )\n")
	require.ErrorIs(t, err, promela.ErrNoTrail)
	for from, want := range map[string][2]string{
		"(proc0:1) m.pml:35":                   {"(proc0:1) m.pml:45", "line 45 is no step of process 0"},
		"m.pml:37 (state 5)":                   {"m.pml:99999999999999999999 (state 5)", "value out of range"},
		"m.pml:36 (state 3)":                   {"m.pml:37 (state 3)", "the model does not do what the trail does behind 2 of its"},
		"proc  2 (proc2:1) m.pml:53 (state 1)": {"proc  1 (proc1:1) m.pml:53 (state 1)", "line 53 is no step of process 1"},
	} {
		_, err := promela.ReadTrail(t.Context(), info, q, strings.Replace(relayTrail, from, want[0], 1))
		require.ErrorContains(t, err, want[1])
	}
	_, err = promela.ReadTrail(t.Context(), info, nil, relayTrail)
	require.ErrorContains(t, err, "in the model with this query")
}

// Trails of Spin lead to the states that its assertions are about.
func TestTrailsOfSpin(t *testing.T) {
	needSpin(t)
	run := func(net *uppaal.Network, info *uppaal.Info, q *uppaal.Query) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "m.pml"), export(t, net, q), 0o600))
		tool := func(name string, args ...string) string {
			cmd := exec.CommandContext(t.Context(), name, args...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			return string(out)
		}
		tool("spin", "-a", "m.pml")
		tool("gcc", "-O0", "-w", "-DSAFETY", "-DVECTORSZ=16384", "-o", "pan", "pan.c")
		flags := []string{"-m10000"}
		if !strings.Contains(uppaal.QueryString(q), "deadlock") {
			flags = append(flags, "-E")
		}
		tool(filepath.Join(dir, "pan"), flags...)
		require.FileExists(t, filepath.Join(dir, "m.pml.trail"))
		trace, err := promela.ReadTrail(t.Context(), info, q, tool("spin", "-t", "-p", "m.pml"))
		require.NoError(t, err)
		// The last state decides the query: from there it holds at once.
		from := check.Options{From: [][]check.Step{trace.Steps}}
		r, err := check.Verify(t.Context(), net, []*uppaal.Query{q}, from)
		require.NoError(t, err)
		require.NotNil(t, r.Results[0].Trace)
		require.Len(t, r.Results[0].Trace.Steps, len(trace.Steps), uppaal.QueryString(q))
	}
	info, q := relayed(t)
	run(info.Network, info, q)
	n := 0
	for _, f := range families.All() {
		net, err := f.Build(f.Small)
		require.NoError(t, err)
		info, err := uppaal.Check(net)
		require.NoError(t, err)
		r, err := check.Verify(context.Background(), net, net.Queries, check.Options{})
		require.NoError(t, err)
		for i, q := range net.Queries {
			if r.Results[i].Trace != nil && len(r.Results[i].Trace.Steps) > 0 && n < 3 {
				run(net, info, q)
				n++
				break
			}
		}
	}
	require.Positive(t, n)
}

func FuzzReadTrail(f *testing.F) {
	f.Add(relayTrail)
	info, q := relayed(f)
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := promela.ReadTrail(t.Context(), info, q, text)
		if err == nil {
			require.Len(t, trace.States, len(trace.Steps)+1)
		}
	})
}

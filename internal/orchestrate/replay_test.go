package orchestrate

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
)

// script replays with given verdicts in order, and notes the plans.
func script(t *testing.T, plan artifact.Plan, verdicts ...Verdict) (*Verdict, []string) {
	t.Helper()
	var plans []string
	v, err := replay(context.Background(), plan, func(p artifact.Plan) (*Verdict, error) {
		plans = append(plans, text(p))
		require.NotEmpty(t, verdicts, "more runs than expected")
		v := verdicts[0]
		v.Plan = p
		verdicts = verdicts[1:]
		return &v, nil
	})
	require.NoError(t, err)
	require.Empty(t, verdicts, "fewer runs than expected")
	return v, plans
}

func TestReplay(t *testing.T) {
	plan := artifact.Plan{
		Steps:  []artifact.PlanStep{{G: "0", Site: "a", Occ: 1}, {G: "0", Site: "s", Occ: 1, Swap: true}, {G: "0.1", Site: "r", Occ: 1}},
		Expect: artifact.Expect{Kind: artifact.KindDeadlock},
	}
	good := Verdict{Status: Reproduced, Reason: "reproduced"}
	lost := Verdict{Status: Infeasible, Step: 1, Reason: "not there"}

	v, plans := script(t, plan, good, good)
	require.Equal(t, Reproduced, v.Status)
	require.Equal(t, plans[0], plans[1])

	v, _ = script(t, plan, lost, lost)
	require.Equal(t, Infeasible, v.Status)

	// A guess at the order is tried the other way, from either of its steps.
	for _, step := range []int{2, 3} {
		v, plans = script(t, plan, Verdict{Status: Infeasible, Step: step}, good, good)
		require.Equal(t, Reproduced, v.Status)
		require.Equal(t, []string{"0 a, 0 s~, 0.1 r", "0 a, 0.1 r, 0 s", "0 a, 0.1 r, 0 s"}, plans)
		require.Equal(t, "0 a, 0.1 r, 0 s", text(v.Plan))
	}
	// If that is no better, the first answer stands.
	v, plans = script(t, plan, Verdict{Status: Infeasible, Step: 2}, Verdict{Status: Infeasible, Step: 2}, Verdict{Status: Infeasible, Step: 2})
	require.Equal(t, Infeasible, v.Status)
	require.Equal(t, plans[0], plans[2])

	// Runs without an answer are not repeated.
	for _, status := range []string{Unsupported, Limit} {
		v, _ = script(t, plan, Verdict{Status: status})
		require.Equal(t, status, v.Status)
	}

	// What two runs can differ in.
	for name, other := range map[string]Verdict{
		"infeasible":       {Status: Infeasible, Step: 1},
		"in goroutine 0.1": {Status: Reproduced, G: "0.1"},
		"step 2":           {Status: Reproduced, Step: 2},
	} {
		v, _ = script(t, plan, good, other)
		require.Equal(t, Unconfirmed, v.Status, name)
		require.Contains(t, v.Reason, "do not agree", name)
	}
	// The same end in another way is noted.
	for name, other := range map[string]Verdict{
		"steps, then 1":      {Status: Reproduced, Trace: []artifact.PlanStep{{G: "0"}}},
		"other goroutines":   {Status: Reproduced, Goroutines: []Goroutine{{G: "0"}}},
		"logs differ":        {Status: Reproduced, Log: "x"},
		"other choices":      {Status: Reproduced, Choices: []artifact.EnvChoice{{G: "0"}}},
		`then "other error"`: {Status: Reproduced, Message: "other error"},
	} {
		v, _ = script(t, plan, good, other)
		require.Equal(t, Reproduced, v.Status, name)
		require.Len(t, v.Notes, 1)
		require.Contains(t, v.Notes[0], name)
	}
	require.Contains(t, variation(
		&Verdict{Trace: []artifact.PlanStep{{G: timeStep}}},
		&Verdict{Trace: []artifact.PlanStep{{G: "0", Site: "s"}}}), "step 1 done was time passes, then goroutine 0 at s")
	require.Empty(t, variation(&Verdict{Message: "0xc000 7"}, &Verdict{Message: "0xc001 12"}), "messages may hold addresses")

	// Stuck goroutines under incomplete control prove nothing, a panic does.
	weak := Verdict{Status: Reproduced, Weak: true, Weaknesses: []string{"a goroutine outside"}}
	for _, kind := range []string{artifact.KindDeadlock, artifact.KindPartialDeadlock, artifact.KindLeak} {
		plan.Expect.Kind = kind
		v, _ = script(t, plan, weak, weak)
		require.Equal(t, Unconfirmed, v.Status, kind)
		require.Contains(t, v.Reason, "a goroutine outside")
	}
	plan.Expect.Kind = artifact.KindPanic
	v, _ = script(t, plan, weak, weak)
	require.Equal(t, Reproduced, v.Status)

	// One of several is stuck: then the error is that of this one.
	leak := plan
	leak.Expect = artifact.Expect{Kind: artifact.KindLeak, Goroutines: []artifact.At{{G: "0.1", Site: "s"}, {G: "0.2", Site: "s"}}}
	one := Verdict{Status: NotReproduced, Goroutines: []Goroutine{{G: "0.1", State: "finished"}, {G: "0.2", State: "blocked", Site: "s"}}}
	v, _ = script(t, leak, one, good, good)
	require.Equal(t, Reproduced, v.Status)
	require.Equal(t, []artifact.At{{G: "0.2", Site: "s"}}, v.Plan.Expect.Goroutines)
	one.Goroutines[1].Site = "elsewhere"
	v, _ = script(t, leak, one, one)
	require.Equal(t, NotReproduced, v.Status)

	_, err := replay(context.Background(), plan, func(artifact.Plan) (*Verdict, error) { return nil, errors.New("no run") })
	require.EqualError(t, err, "no run")
}

func TestObserve(t *testing.T) {
	v := Verdict{Plan: artifact.Plan{Steps: steps("0 a, 0 b")}}
	v.observe(orcruntime.Result{
		Verdict: orcruntime.Infeasible, Message: "m", Step: 2, Found: "0 is blocked",
		Goroutines: []orcruntime.GState{{G: "0", State: "blocked", Op: "lock", Object: "mutex#1", Site: "a", Source: "x.go:1: a", Stack: []string{"main.f x.go:1"}}},
		Trace:      []orcruntime.Step{{G: "0", Site: "a", Occ: 1}},
	})
	require.Equal(t, "b", v.Expected.Site)
	require.Equal(t, "mutex#1", v.Goroutines[0].Object)
	require.Equal(t, 1, v.Trace[0].Occ)
	for verdict, want := range map[string]string{orcruntime.Completed: NotReproduced, "": Unsupported, "news": Unsupported, orcruntime.Limit: Limit} {
		var v Verdict
		v.observe(orcruntime.Result{Verdict: verdict})
		require.Equal(t, want, v.Status)
	}
}

func TestLastStep(t *testing.T) {
	half := func(text string) string { return text + strings.Repeat("\x00", orcruntime.JournalSlot-len(text)) }
	for journal, want := range map[string]string{
		"":                                       "before the first step",
		half("1 0 a 1"):                          "before the first step", // not a whole line
		"x":                                      "before the first step",
		"\n\n":                                   "before the first step",
		"x y\n":                                  "before the first step",
		"1 0 a 1\n":                              "in step 1 (goroutine 0 after a)",
		half("1 0 a 1\n") + "2 0.1 b#2 1 -1\n":   "in step 2 (goroutine 0.1 after b#2)",
		half("3 T\n0.1 a 1\n") + "2 0.1 b#2 1\n": "in step 3 (T)", // behind it is what is left of an earlier line
		half("3 T\n") + "\x000.1 b#2 1\n":        "in step 3 (T)", // 4 is being written
	} {
		require.Equal(t, want, lastStep([]byte(journal)).String(), "%q", journal)
	}
}

func TestProgramOutput(t *testing.T) {
	require.Equal(t, "hello\n    x_test.go:4: bad\n", programOutput("hello\n--- FAIL: TestVtraceDriver (0.02s)\n    x_test.go:4: bad\nFAIL\n"))
	require.Equal(t, "PASS\n", programOutput("PASS\nPASS\n"))
	require.Equal(t, "", programOutput(""))
}

func TestDeathOf(t *testing.T) {
	require.Equal(t, "panic: x [recovered]", deathOf("hello\npanic: x [recovered]\n\tpanic: y\n"))
	require.Equal(t, "fatal error: all goroutines are asleep - deadlock!", deathOf("fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1"))
	require.Empty(t, deathOf("no panic: here\n"))
}

func TestBoundedWriter(t *testing.T) {
	for _, chunk := range []int{1, 3, 7, 100} {
		for n := range 40 {
			w := &boundedWriter{max: 10}
			var all strings.Builder
			for i := range n {
				fmt.Fprintf(&all, "%c", 'a'+i%26)
			}
			for s := all.String(); s != ""; {
				k := min(chunk, len(s))
				m, err := w.Write([]byte(s[:k]))
				require.NoError(t, err)
				require.Equal(t, k, m)
				s = s[k:]
			}
			want := all.String()
			if n > 10 {
				want = fmt.Sprintf("%s\n... %d bytes dropped ...\n%s", want[:5], n-10, want[n-5:])
			}
			require.Equal(t, want, w.String())
		}
	}
}

// Whatever a command does, runGroup comes back and nothing is left behind.
func TestRunGroup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	run := func(ctx context.Context, script string, timeout time.Duration) (string, error) {
		out := &boundedWriter{max: 4096}
		cmd := exec.Command("sh", "-c", script)
		cmd.Stdout, cmd.Stderr = out, out
		err := runGroup(ctx, cmd, timeout)
		return out.String(), err
	}
	ctx := context.Background()
	out, err := run(ctx, "echo hi", 0)
	require.NoError(t, err)
	require.Equal(t, "hi\n", out)

	_, err = run(ctx, "exit 3", time.Minute)
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 3, exit.ExitCode())

	start := time.Now()
	out, err = run(ctx, "sleep 1000 & echo child $!", 0)
	require.NoError(t, err)
	requireDead(t, out)

	_, err = run(ctx, "sleep 1000", 50*time.Millisecond)
	require.ErrorIs(t, err, errTimeout)
	out, err = run(ctx, "trap '' QUIT TERM INT; sleep 1000 & echo child $!; while :; do sleep 0.1; done", 100*time.Millisecond)
	require.ErrorIs(t, err, errTimeout)
	requireDead(t, out)

	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err = run(short, "trap '' QUIT TERM INT; while :; do sleep 0.1; done", 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = run(short, "echo never", 0)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = run(ctx, "kill -9 $$", 0)
	require.ErrorContains(t, err, "killed")
	require.Less(t, time.Since(start), 20*time.Second)

	require.Error(t, runGroup(ctx, exec.Command("/nonexistent/command"), 0))
}

package orchestrate

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	orcsource "github.com/vtrace/vtrace/internal/orcruntime/source"
)

// runtimeOverlay writes the runtime and files into a scratch directory and
// returns an overlay.json that puts them where the program imports them from.
func runtimeOverlay(t testing.TB) string {
	t.Helper()
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	dir := t.TempDir()
	replace := map[string]string{}
	for name, data := range orcsource.Files() {
		path := filepath.Join(dir, name)
		data = bytes.Replace(data, []byte("package orcruntime\n"), []byte("package vtraceorc\n"), 1)
		require.NoError(t, os.WriteFile(path, data, 0o600))
		replace[filepath.Join(strings.TrimSpace(string(goroot)), "src", "vtraceorc", name)] = path
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	path := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// instrumented is a program as the rewriter would leave it: main and a sender
// close the same channel, or with an argument do other things.
const instrumented = `package main

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"vtraceorc"
)

func init() {
	site := func(id int, kind, key, text string) vtraceorc.SiteInfo {
		return vtraceorc.SiteInfo{ID: id, Kind: kind, Key: key, Func: "m.main", File: "main.go", Line: id, Col: 1, Text: text}
	}
	vtraceorc.RegisterSites("example.com/m", []vtraceorc.SiteInfo{
		site(1, "go", "spawn", "go sender()"), site(2, "start", "spawn.start", "go sender()"),
		site(3, "send", "snd", "ch <- 1"), site(4, "close", "cls", "close(ch)"),
		site(5, "receive", "rcv", "<-ch"), site(6, "close", "cls2", "close(ch)"),
		site(7, "end", "m.end", "}"), site(8, "lock", "lck", "mu.Lock()"), site(9, "lock", "lck2", "mu.Lock()"),
		site(10, "statement", "stm", "odd()"),
	})
	vtraceorc.RegisterInit("example.com/m", 0, func() { ch = make(chan int); mu = sync.Mutex{} })
}

var (
	ch = make(chan int)
	mu sync.Mutex
)

func sender() {
	vtraceorc.To(ch).Send(3, 1)
	vtraceorc.Close(4, ch)
}

func main() {
	fmt.Println("hello from the program")
	switch odd := os.Getenv("ODD"); odd {
	case "":
	case "deadlock":
		vtraceorc.Lock(8, &mu)
		vtraceorc.Lock(9, &mu)
	case "spin":
		vtraceorc.Access(10)
		for {
		}
	case "exit":
		vtraceorc.Access(10)
		os.Exit(7)
	case "foreign panic":
		vtraceorc.Access(10)
		go panic("not ours")
		time.Sleep(time.Hour)
	case "child":
		cmd := exec.Command("sleep", "1000")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		fmt.Println("child", cmd.Process.Pid)
	case "flood":
		line := make([]byte, 1<<16)
		for range 200 {
			os.Stdout.Write(line)
		}
		fmt.Println("the end")
	case "random":
		vtraceorc.Access(10)
		if time.Now().Add(0) == (time.Time{}) || os.Getpid()%2 == flip() {
			vtraceorc.Access(10)
		}
	case "random end":
		vtraceorc.Access(10)
		if os.Getpid()%2 == flip() {
			vtraceorc.Lock(8, &mu)
			vtraceorc.Lock(9, &mu)
		}
	}
	vtraceorc.Go(1, sender)
	vtraceorc.Recv(5, ch)
	vtraceorc.Close(6, ch)
}

// flip is another bit in every process.
func flip() int {
	f, err := os.OpenFile(os.Getenv("ODD_FILE"), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	info, _ := f.Stat()
	f.WriteString("x")
	return (int(info.Size()) + os.Getpid()) % 2
}
`

func program(t testing.TB) (Target, *artifact.Sidecar) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n", "main.go": instrumented} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	w := newWorld("go spawn", "start spawn.start", "send snd", "close cls", "receive rcv", "close cls2", "end m.end", "lock lck", "lock lck2", "statement stm")
	return Target{Root: dir, Dir: dir, Name: "main", Entry: artifact.Entry{Package: "example.com/m", Func: "main"}, End: endOf(&w.side)}, &w.side
}

func steps(words string) []artifact.PlanStep {
	out := []artifact.PlanStep{}
	for s := range strings.SplitSeq(words, ",") {
		g, site, _ := strings.Cut(strings.TrimSpace(s), " ")
		if g != "" {
			out = append(out, artifact.PlanStep{G: g, Site: site})
		}
	}
	return out
}

// with returns the binary with another environment.
func (b *Binary) with(env ...string) *Binary {
	c := *b
	c.target.Env = append(os.Environ(), env...)
	return &c
}

func TestEndToEnd(t *testing.T) {
	target, side := program(t)
	ctx := t.Context()
	mainCloses := artifact.Plan{
		Steps:  steps("0 spawn, 0.1 snd, 0 rcv, 0.1 cls, 0 cls2"),
		Expect: artifact.Expect{Kind: artifact.KindCloseOfClosed, Goroutines: []artifact.At{{G: "0", Site: "cls2"}}},
	}
	senderCloses := artifact.Plan{
		Steps:  steps("0 spawn, 0.1 snd, 0 rcv, 0 cls2, 0.1 cls"),
		Expect: artifact.Expect{Kind: artifact.KindCloseOfClosed, Goroutines: []artifact.At{{G: "0.1", Site: "cls"}}},
	}
	meta := Meta{Query: 1, Trace: 1, Kind: mainCloses.Expect.Kind}
	src, err := Test(target, side, mainCloses, meta)
	require.NoError(t, err)
	b, err := Build(ctx, target, BuildOptions{Overlay: runtimeOverlay(t), Tests: map[string][]byte{meta.FileName(): src}})
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()

	for name, plan := range map[string]artifact.Plan{"main": mainCloses, "sender": senderCloses} {
		v, err := Replay(ctx, b, plan, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, Reproduced, v.Status, "%s: %s", name, v.Reason)
		require.Equal(t, artifact.KindCloseOfClosed, v.Kind)
		require.Equal(t, plan.Expect.Goroutines[0].G, v.G)
		require.Contains(t, v.Stdout, "hello from the program")
		require.NotContains(t, v.Log, "hello")
		require.Contains(t, v.Log, "0.000s 0  :  main.go:5: <-ch\n")
		require.NotEmpty(t, v.Trace)
		g := Goroutines(side, plan, v)
		require.Equal(t, "close", g[0].Operation)
		require.NotEmpty(t, g[0].Stack)
		require.Equal(t, "main.go", Interleaving(side, plan, nil)[0].File)
	}

	// A plan that the program does not follow.
	wrong := mainCloses
	wrong.Steps = steps("0 spawn, 0 cls2")
	v, err := Replay(ctx, b, wrong, RunOptions{})
	require.NoError(t, err)
	require.Equal(t, Infeasible, v.Status)
	require.Equal(t, 2, v.Step)
	require.Equal(t, wrong.Steps[1], v.Expected)
	require.Contains(t, v.Found, "0 is")
	require.Len(t, v.Goroutines, 2)

	// Another error than the expected one.
	other := senderCloses
	other.Expect.Kind = artifact.KindPanic
	v, err = Replay(ctx, b, other, RunOptions{})
	require.NoError(t, err)
	require.Equal(t, NotReproduced, v.Status)

	t.Run("deadlock", func(t *testing.T) {
		v, err := Replay(ctx, b.with("ODD=deadlock"), artifact.Plan{
			Steps:  steps("0 lck"),
			Expect: artifact.Expect{Kind: artifact.KindDeadlock, Goroutines: []artifact.At{{G: "0", Site: "lck2"}}},
		}, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, Reproduced, v.Status, v.Reason)
		require.Equal(t, "blocked", v.Goroutines[0].State)
	})
	t.Run("generated test", func(t *testing.T) {
		out, err := exec.CommandContext(ctx, b.Path, "-test.run=^"+meta.TestName()+"$").CombinedOutput()
		require.Error(t, err, "the test fails since the error is reproduced")
		require.Contains(t, string(out), "--- FAIL: TestOrchestration_Q1_1")
		require.Contains(t, string(out), "0.000s 0.1  :  main.go:4: close(ch)")
		require.Contains(t, string(out), "close of closed channel")
	})
	odd := artifact.Plan{Steps: steps("0 stm, 0 spawn"), Expect: mainCloses.Expect}
	t.Run("blocked outside", func(t *testing.T) {
		v, err := Replay(ctx, b.with("ODD=spin"), odd, RunOptions{Timeout: time.Second})
		require.NoError(t, err)
		require.Equal(t, Unsupported, v.Status)
		require.Contains(t, v.Reason, "blocked outside vtrace's control in step 1 (goroutine 0 after stm)")
		require.Contains(t, v.Stderr, "SIGQUIT")
	})
	t.Run("foreign exit", func(t *testing.T) {
		v, err := Replay(ctx, b.with("ODD=exit"), odd, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, Unsupported, v.Status)
		require.Equal(t, "the process exited with code 7 outside vtrace's control in step 1 (goroutine 0 after stm)", v.Reason)
	})
	t.Run("foreign panic", func(t *testing.T) {
		v, err := Replay(ctx, b.with("ODD=foreign panic"), odd, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, Unsupported, v.Status)
		require.Equal(t, "panic: not ours", v.Message)
	})
	t.Run("child left behind", func(t *testing.T) {
		v, err := b.with("ODD=child").Run(ctx, mainCloses, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, Reproduced, v.Status, v.Reason)
		requireDead(t, v.Stdout)
	})
	t.Run("flood", func(t *testing.T) {
		v, err := b.with("ODD=flood").Run(ctx, mainCloses, RunOptions{MaxOutput: 1 << 12})
		require.NoError(t, err)
		require.Equal(t, Reproduced, v.Status, v.Reason)
		require.Less(t, len(v.Stdout), 1<<13)
		require.Contains(t, v.Stdout, "bytes dropped")
		require.Contains(t, v.Stdout, "the end")
		require.Contains(t, v.Stdout, "hello")
	})
	t.Run("runs that do not agree", func(t *testing.T) {
		plan := artifact.Plan{Steps: steps("0 stm"), Expect: artifact.Expect{Kind: artifact.KindCloseOfClosed}}
		v, err := Replay(ctx, b.with("ODD=random end", "ODD_FILE="+filepath.Join(t.TempDir(), "f")), plan, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, Unconfirmed, v.Status)
		require.Contains(t, v.Reason, "do not agree")
		// They agree if they come to the same end, in whatever way.
		v, err = Replay(ctx, b.with("ODD=random", "ODD_FILE="+filepath.Join(t.TempDir(), "f")), plan, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, Reproduced, v.Status)
		require.Contains(t, strings.Join(v.Notes, "\n"), "came to the same end, but differ")
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := Replay(ctx, b.with("ODD=spin"), odd, RunOptions{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Less(t, time.Since(start), 5*time.Second)
	})
}

// requireDead waits until the process that the program names is gone.
func requireDead(t *testing.T, stdout string) {
	t.Helper()
	_, rest, ok := strings.Cut(stdout, "child ")
	require.True(t, ok, stdout)
	pid, _, _ := strings.Cut(rest, "\n")
	require.Eventually(t, func() bool {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		return err != nil || strings.Contains(string(stat), ") Z ")
	}, 5*time.Second, 10*time.Millisecond)
}

func TestBuildErrors(t *testing.T) {
	target, _ := program(t)
	ctx := context.Background()
	_, err := Build(ctx, target, BuildOptions{})
	var b *BuildError
	require.ErrorAs(t, err, &b)
	require.Contains(t, b.Output, "vtraceorc")
	_, err = Build(ctx, target, BuildOptions{Tests: map[string][]byte{"../x_test.go": nil}})
	require.ErrorContains(t, err, "not the name of a test file")
	_, err = Build(ctx, target, BuildOptions{Overlay: filepath.Join(t.TempDir(), "none.json")})
	require.ErrorIs(t, err, os.ErrNotExist)
	flagged := target
	flagged.Env = append(os.Environ(), "GOFLAGS=-overlay=x.json")
	_, err = Build(ctx, flagged, BuildOptions{})
	require.ErrorContains(t, err, "-overlay")
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err = Build(cancelled, target, BuildOptions{})
	require.ErrorIs(t, err, context.Canceled)
}

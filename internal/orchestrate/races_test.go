package orchestrate

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
)

// The lock orders the deposits, unless the second one is first: FIXED takes it
// then too.
const raceProgram = `package main

import "sync"

type account struct{ balance int }

var mu sync.Mutex

func deposit(a *account, n int) {
	mu.Lock()
	a.balance += n
	mu.Unlock()
}

func main() {
	a := &account{}
	first, done := make(chan int, 2), make(chan bool)
	go func() {
		first <- 1
		deposit(a, 1)
		done <- true
	}()
	go func() {
		first <- 2
		done <- true
	}()
	if <-first == 1 {
		deposit(a, 2)
	} else {
		REST
	}
	<-done
	<-done
	if a.balance != 3 {
		panic("money lost")
	}
}
`

func raceBinary(ctx context.Context, t *testing.T, rest string) (*Binary, Target, *artifact.Sidecar, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/race\n\ngo 1.26\n", "main.go": strings.Replace(raceProgram, "REST", rest, 1)} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	prog, err := source.Load(ctx, source.Spec{Dir: dir})
	require.NoError(t, err)
	idx := parse.Index(prog)
	side := &artifact.Sidecar{Sites: []artifact.Site{{}}}
	for _, s := range idx.Sites() {
		side.Sites = append(side.Sites, artifact.Site{
			ID: int(s.ID), Kind: s.Kind.String(), Key: s.Key, Func: s.Func, File: s.File, Line: s.Line, Col: s.Col, Text: s.Text,
		})
	}
	overlay, err := parse.Instrument(ctx, prog, idx, parse.Options{Races: true})
	require.NoError(t, err)
	require.Empty(t, overlay.Diagnostics)
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	require.NoError(t, err)
	file, err := overlay.Write(t.TempDir(), prog.Root, strings.TrimSpace(string(goroot)))
	require.NoError(t, err)
	b, err := Build(ctx, TargetOf(prog, side), BuildOptions{Overlay: file})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b, TargetOf(prog, side), side, file
}

// A race that shows under one order only is found under that order, and its
// recording shows it again.
func TestExploreRace(t *testing.T) {
	ctx := t.Context()
	b, target, side, overlay := raceBinary(ctx, t, "a.balance += 2")
	x, err := b.Explore(ctx, ExploreOptions{Runs: 1000})
	require.NoError(t, err)
	require.Len(t, x.Ends, 2)
	race := x.Ends[1]
	require.Empty(t, x.Ends[0].Kind)
	require.Equal(t, artifact.KindRace, race.Kind)
	require.Len(t, race.Races, 1)
	require.Equal(t, Reproduced, race.Replay.Status, race.Replay.Reason)
	require.Equal(t, artifact.KindRace, race.Replay.Kind)
	require.Len(t, race.Replay.Races, 1)
	require.Len(t, race.Plan.Expect.Goroutines, 2)
	found := race.Replay.Races[0]
	require.Equal(t, race.Races[0].Places(), found.Places())
	places := []string{found.First.Source, found.Second.Source}
	require.ElementsMatch(t, []string{"main.go:11", "main.go:30"}, places)
	for _, a := range []string{found.First.Stack[0], found.Second.Stack[0]} {
		require.Contains(t, a, "example.com/race.")
	}
	again, err := b.Explore(ctx, ExploreOptions{Runs: 1000})
	require.NoError(t, err)
	require.Equal(t, x, again)

	// The same interleaving without the race is not reproduced.
	other := race.Plan
	other.Expect.Goroutines = []artifact.At{{G: "0", Site: "no"}, {G: "0.1", Site: "no"}}
	v, err := Replay(ctx, b, other, RunOptions{})
	require.NoError(t, err)
	require.Equal(t, NotReproduced, v.Status)

	// The generated test fails by the race.
	meta := Meta{Query: 1, Trace: 1, Kind: artifact.KindRace}
	src, err := Test(target, side, race.Plan, meta)
	require.NoError(t, err)
	tests, err := Build(ctx, target, BuildOptions{Overlay: overlay, Tests: map[string][]byte{meta.FileName(): src}})
	require.NoError(t, err)
	defer func() { require.NoError(t, tests.Close()) }()
	v, err = tests.RunTest(ctx, meta.TestName(), RunOptions{})
	require.NoError(t, err)
	require.Equal(t, Reproduced, v.Status, v.Reason)
	require.Contains(t, v.Stdout, "data race: ")
	require.Contains(t, v.Stdout, "a.balance at main.go:30 by goroutine 0")
}

// Locked properly, the program has no race.
func TestExploreNoRace(t *testing.T) {
	inLong(t)
	ctx := t.Context()
	b, _, _, _ := raceBinary(ctx, t, "deposit(a, 2)")
	x, err := b.Explore(ctx, ExploreOptions{Runs: 1000})
	require.NoError(t, err)
	require.Equal(t, 1000, x.Runs)
	require.Len(t, x.Ends, 1)
	require.Empty(t, x.Ends[0].Kind, x.Ends[0].Message)
}

package pass

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

// completedKinds are those of the completions of a bundle.
func completedKinds(b *artifact.Bundle) (kinds []string) {
	for _, c := range b.Sidecar().Completions {
		kinds = append(kinds, c.Kind)
	}
	return kinds
}

// That the library calls a function of the program is taken from runs: what the model
// left out is in it then, and its traces show the error.
func TestCompletesLibraryCall(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	t.Parallel()
	ctx := context.Background()
	spec := source.Spec{Dir: "../../internal/translate/testdata/verdicts/iocopy", Entry: "main"}
	b, err := Check(ctx, spec, Options{})
	require.NoError(t, err)
	require.Equal(t, []string{artifact.CompletedCall, artifact.CompletedCall}, completedKinds(b))
	c := b.Runs().Conformance
	require.Positive(t, c.Runs)
	require.Equal(t, c.Runs, c.Followed)
	require.Len(t, b.Findings(), 1)
	f := b.Findings()[0]
	require.Equal(t, []any{artifact.Real, artifact.KindDeadlock, 15, ""}, []any{f.Verdict, f.Kind, f.Line, f.Reason})

	// Whoever is given the completions makes the same model.
	opts := Options{Model: &Model{Completions: b.Sidecar().Completions}}
	one, err := First(ctx, spec, opts)
	require.NoError(t, err)
	two, err := First(ctx, spec, opts)
	require.NoError(t, err)
	require.Equal(t, one.Model(), two.Model())
	second, err := Second(ctx, one, Options{})
	require.NoError(t, err)
	require.Equal(t, b.Sidecar().Completions, second.Sidecar().Completions)
	require.Equal(t, b.Model(), second.Model())
}

// planted loads a program whose models are made of another one, which differs in a
// value: what the first does seems impossible.
func planted(t *testing.T, text, is, seems string) (loader, source.Spec) {
	t.Helper()
	write := func(text string) source.Spec {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module p\n\ngo 1.26\n"), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o600))
		return source.Spec{Dir: dir, Entry: "main"}
	}
	require.Equal(t, 1, strings.Count(text, "VALUE"))
	other := write(strings.Replace(text, "VALUE", seems, 1))
	return func(ctx context.Context, spec source.Spec) (*program, error) {
		p, err := load(ctx, spec)
		if err != nil {
			return nil, err
		}
		o, err := load(ctx, other)
		if err != nil {
			return nil, err
		}
		p.prepareWith = func(c ...artifact.Completion) (*translate.Prepared, error) {
			return translate.Prepare(t.Context(), o.source, parse.Index(o.source), c...)
		}
		return p, nil
	}, write(strings.Replace(text, "VALUE", is, 1))
}

const plantedBranch = `package main

var on = VALUE

func receive(c chan int) {
	if on {
		<-c
	}
}

func main() {
	c, done := make(chan int, 1), make(chan int)
	go func() {
		receive(c)
		close(done)
	}()
	c <- 1
	<-done
}
`

const plantedCallee = `package main

type worker interface{ do(c chan int) }

type sends struct{}

func (sends) do(c chan int) { c <- 1 }

type waits struct{}

func (waits) do(c chan int) { <-c }

var w worker = VALUE

func main() {
	c, done := make(chan int, 1), make(chan int)
	c <- 1
	go func() {
		w.do(c)
		close(done)
	}()
	<-done
}
`

const plantedReturn = `package main

import "sync"

var limit = VALUE

var mu sync.Mutex

func count() (n int) {
	for n < 3 {
		if n == limit {
			return n
		}
		mu.Lock()
		n++
		mu.Unlock()
	}
	return n
}

func main() {
	done := make(chan int)
	go func() {
		count()
		close(done)
	}()
	<-done
}
`

// A model that takes for impossible what runs do has a gap, until it is completed.
func TestCompletesPlanted(t *testing.T) {
	programs.InLong(t)
	for name, p := range map[string]struct{ text, is, seems, kind string }{
		"branch": {plantedBranch, "true", "false", artifact.CompletedBranch},
		"callee": {plantedCallee, "waits{}", "sends{}", artifact.CompletedCall},
		"return": {plantedReturn, "1", "9", artifact.CompletedBranch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			load, spec := planted(t, p.text, p.is, p.seems)
			b, err := checkRound(ctx, load, spec, Options{})
			require.NoError(t, err)
			require.NotEmpty(t, b.Runs().Conformance.Gaps)
			require.Empty(t, b.Sidecar().Completions)

			b, err = checkWith(ctx, load, spec, Options{})
			require.NoError(t, err)
			c := b.Runs().Conformance
			require.Empty(t, c.Gaps)
			require.Positive(t, c.Runs)
			require.Equal(t, c.Runs, c.Followed)
			require.NotEmpty(t, completedKinds(b))
			for _, k := range completedKinds(b) {
				require.Equal(t, p.kind, k)
			}
			said := 0
			for _, a := range b.Sidecar().Approximations {
				if a.Kind == approximation.Completed {
					require.Equal(t, artifact.DirectionOver, a.Direction)
					require.Equal(t, "main.go", a.File)
					said++
				}
			}
			require.Equal(t, len(completedKinds(b)), said)
		})
	}
}

// Why a model cannot be completed is said beside its gap.
func TestUncompletedSaysWhy(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	load, spec := planted(t, plantedBranch, "true", "false")
	fails := func(ctx context.Context, spec source.Spec) (*program, error) {
		p, err := load(ctx, spec)
		if err != nil {
			return nil, err
		}
		with := p.prepareWith
		p.prepareWith = func(c ...artifact.Completion) (*translate.Prepared, error) {
			if len(c) > 0 {
				return nil, &translate.InternalError{Entry: spec.Entry, What: "planted"}
			}
			return with(c...)
		}
		return p, nil
	}
	b, err := checkWith(context.Background(), fails, spec, Options{})
	require.NoError(t, err)
	require.NotEmpty(t, b.Runs().Conformance.Gaps)
	for _, limit := range gapsOf(b.Runs()) {
		require.Regexp(t, "the model cannot do it; no model could be made that can: .*planted", limit)
	}
}

package pass

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Programs of which the model leaves something open: it does not know what package
// reflect does with what it is given.
var openPrograms = map[string]string{
	"what reflection may do": `
func TestProgram(t *testing.T) {
	c := make(chan int)
	go func() { c <- 1 }()
	if reflect.ValueOf(c).Len() == 0 {
		<-c
	}
}`,
	"a possible error that no run shows": `
func TestProgram(t *testing.T) {
	c, d := make(chan int), make(chan int)
	go func() { c <- 1 }()
	if reflect.ValueOf(c).Len() == 1 {
		<-d
	}
	<-c
}`,
}

func openProgram(t *testing.T, text string) source.Spec {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"go.mod":    "module open\n\ngo 1.25\n",
		"p_test.go": "package open\n\nimport (\n\t\"reflect\"\n\t\"testing\"\n)\n" + text + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
	}
	return source.Spec{Dir: dir, Entry: "TestProgram"}
}

// TestEngines: it makes no difference which engine is faster, or whether the exploration
// of all schedules begins only when the model has left something open.
func TestEngines(t *testing.T) {
	for name, text := range openPrograms {
		t.Run(name, func(t *testing.T) {
			spec := openProgram(t, text)
			second, err := first2(spec)
			require.NoError(t, err)
			alone, err := Deep(context.Background(), second, Options{})
			require.NoError(t, err)
			require.NotNil(t, alone.Runs().Exhaustive)
			for _, headStart := range []time.Duration{0, time.Hour} {
				b, err := Check(context.Background(), spec, Options{timing: &engineTiming{headStart: headStart, provedShare: 1, steps: exhaustSteps}})
				require.NoError(t, err)
				require.Equal(t, alone.Runs(), b.Runs())
				require.Equal(t, alone.Findings(), b.Findings())
				require.Equal(t, Conclude(alone), Conclude(b))
			}
		})
	}
}

// first2 does the first two passes.
func first2(spec source.Spec) (*artifact.Bundle, error) {
	b, err := First(context.Background(), spec, Options{})
	if err != nil {
		return nil, err
	}
	return Second(context.Background(), b, Options{})
}

// endless is an engine whose searches take until somebody ends them.
type endless struct{ searches *int }

func (e endless) Verify(ctx context.Context, _ *uppaal.Network, queries []*uppaal.Query, _ check.Options) (*check.Report, error) {
	*e.searches++
	<-ctx.Done()
	r := &check.Report{}
	for range queries {
		r.Results = append(r.Results, check.Result{Verdict: check.Maybe, Reason: "cancelled: " + context.Cause(ctx).Error()})
	}
	return r, nil
}

// TestErrorEndsModel: runs that end in an error end a search of the model that goes on for long, and the result says so.
func TestErrorEndsModel(t *testing.T) {
	t.Parallel()
	searches := 0
	opts := Options{Engine: endless{&searches}, Budget: time.Hour, timing: &engineTiming{steps: exhaustSteps, fewSteps: exhaustSteps}}
	b, err := Check(t.Context(), openProgram(t, `
func TestProgram(t *testing.T) {
	c := make(chan reflect.Kind)
	go func() { c <- reflect.Int }()
	if <-c == reflect.Int {
		panic("an int")
	}
}`), opts)
	require.NoError(t, err)
	require.Equal(t, 1, searches)
	require.Positive(t, Conclude(b).Real, describe(b))
	require.Contains(t, b.Verdicts()[0].Reason, errFails.Error())
}

// TestProofEndsModel: a proof by all schedules ends a search of the model, and says so. An
// error is no proof: the model may know of others.
func TestProofEndsModel(t *testing.T) {
	searches := 0
	opts := Options{Engine: endless{&searches}, Budget: time.Hour, timing: &engineTiming{steps: exhaustSteps, fewSteps: exhaustSteps}}
	b, err := Check(context.Background(), openProgram(t, `
func TestProgram(t *testing.T) {
	c := make(chan reflect.Kind)
	go func() { c <- reflect.Int }()
	<-c
}`), opts)
	require.NoError(t, err)
	require.Equal(t, 1, searches) // the second pass does not begin one
	c := Conclude(b)
	require.NotEmpty(t, c.Proved)
	require.Empty(t, b.Findings())
	require.Contains(t, b.Verdicts()[0].Reason, errProved.Error())

	// It is not lost if the check is ended before there is a build for replays.
	interrupt := make(chan struct{})
	opts.Interrupt = interrupt
	opts.Progress = func(e Event) {
		if e == (StageStarted{Pass: artifact.PassDeep, Stage: "build"}) {
			close(interrupt)
		}
	}
	b, err = Check(context.Background(), openProgram(t, `
func TestProgram(t *testing.T) {
	c := make(chan reflect.Kind)
	go func() { c <- reflect.Int }()
	<-c
}`), opts)
	require.NoError(t, err)
	require.Zero(t, b.Runs().Runs)
	require.True(t, Conclude(b).Proved)

	p, err := load(context.Background(), openProgram(t, `
func TestProgram(t *testing.T) {
	c := make(chan reflect.Kind)
	go func() { c <- reflect.Int }()
}`))
	require.NoError(t, err)
	defer func() { require.NoError(t, p.close()) }()
	found, err := p.everySchedule(context.Background(), Options{Model: &Model{}}, reporter{}, func(*Exhausted) bool { return true })
	require.NoError(t, err)
	require.True(t, found.rounds[0].Complete)
	require.False(t, proved(found.rounds))
}

// withSteps bounds the steps of all runs under every schedule, for tests of programs that go on
// for ever.
func withSteps(o Options, steps int) Options {
	timing := defaultTiming
	timing.steps = steps
	o.timing = &timing
	return o
}

var everyRow = flag.Bool("rows", false, "all rows of the tables of programs that are checked one like the other, not one of some")

// oneOf reports whether the i-th row of such a table is tried: one of n, unless all are asked for.
func oneOf(n, i int) bool { return *everyRow || i%n == 0 }

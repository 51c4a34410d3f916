package translate_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

// TestFixedPoint: the solution is one. Every location is executed again, and what is known of all of
// them is the same, as nothing that a segment reads has changed since it was executed last. Who forgets
// to have a location executed again when what it depends on grows is noticed here, and by TestVerdicts. All programs:
//
//	go test ./internal/translate -run TestFixedPoint -models
func TestFixedPoint(t *testing.T) {
	each := 20
	if *allModels {
		each = 1
	}
	set, all, err := programs.Load(t.Context(), "../../internal/pass/testdata/verdicts", each, t.TempDir())
	require.NoError(t, err)
	solved := 0
	for _, p := range all {
		prog, err := set.Program(p.Entry)
		require.NoError(t, err)
		if fixed(t, prog, p.Name) {
			solved++
		}
	}
	assert.Greater(t, solved, len(all)/2)
}

// fixed checks that the solution of a program is a fixed point. It reports whether there is one.
func fixed(t *testing.T, prog *source.Program, name string) bool {
	before, after, err := translate.Repeated(t.Context(), prog, number(prog), translate.Options{})
	if err != nil {
		return false // it is refused, or too large, which others test
	}
	assert.Contains(t, before, "template 0", name)
	assert.Equal(t, before, after, name)
	return true
}

// TestDump: each stage of a program, as text.
func TestDump(t *testing.T) {
	prog, err := source.Load(t.Context(), source.Spec{Dir: "testdata/verdicts/mapkeys"})
	require.NoError(t, err)
	idx := number(prog)
	texts := map[translate.Stage]string{}
	for _, stage := range translate.Stages() {
		d := &translate.Dump{Stage: stage}
		_, err := translate.Translate(context.Background(), prog, idx, translate.Options{Dump: d})
		require.NoError(t, err)
		texts[stage] = d.Text.String()
		again := &translate.Dump{Stage: stage}
		_, err = translate.Translate(context.Background(), prog, idx, translate.Options{Dump: again})
		require.NoError(t, err)
		assert.Equal(t, texts[stage], again.Text.String(), "the same program, the same text")
	}
	const at = "internal/translate/testdata/verdicts/mapkeys/main.go"
	has := func(stage translate.Stage, lines ...string) {
		for _, want := range lines {
			assert.Contains(t, texts[stage], want, stage)
		}
	}
	has(translate.StageSlice, at+":15:11 t1 = (*sync.Mutex).Lock(t0)\n", "\nmemory\n", "  field idle int\n")
	has(translate.StageAssumptions, "attempt 1\nattempt 2\n", "  the statement touches memory that goroutines share "+at+":16:2\n")
	has(translate.StageSolution, "template 0 main (1 at a time, once in a run)\n", "  2 lock "+at+":38:11\n", "    holds main_complit_mu_locked for writing\n",
		"    get_quit {nil}\n", "end: fatal unlock of unlocked mutex", "memory\n")
}

// TestDumpRefused: a stage is there to be read also if no model comes of the program.
func TestDumpRefused(t *testing.T) {
	prog, err := source.Load(t.Context(), source.Spec{Dir: "testdata/verdicts/mapkeys"})
	require.NoError(t, err)
	d := &translate.Dump{Stage: translate.StageSolution}
	_, err = translate.Translate(t.Context(), prog, number(prog), translate.Options{Dump: d, Cost: 1})
	require.ErrorIs(t, err, translate.ErrTooLarge)
	assert.True(t, strings.HasPrefix(d.Text.String(), "template 0 main"), d.Text.String())
	d.Stage = "none"
	_, err = translate.ParseStage(string(d.Stage))
	require.ErrorIs(t, err, translate.ErrStage)
	assert.False(t, bytes.Contains([]byte(err.Error()), []byte("%!")))
}

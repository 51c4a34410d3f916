package translate_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// xml is a model as a file.
func xml(t *testing.T, m *translate.Model) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, uppaal.WriteXML(&b, m.Network))
	return b.String()
}

// TestLeastBounds checks that a program that is too large for the default bounds
// is translated with the least ones, that its model says where these are reached,
// and that the bounds make the same model again.
func TestLeastBounds(t *testing.T) {
	ctx := context.Background()
	prog, idx := load(t, "testdata/large", "main")
	p, err := translate.Prepare(t.Context(), prog, idx)
	require.NoError(t, err)
	part, err := p.Translate(ctx, translate.Options{})
	require.NoError(t, err)
	require.Equal(t, 500, part.Sidecar.Bounds.Paths)
	require.Equal(t, artifact.BoundSite{Kind: approximation.BoundPaths}, part.Sidecar.Bounds.Sites[0].BoundSite)

	// All of it.
	whole := translate.Options{}.Least()
	whole.Paths = 0
	m, err := p.Translate(ctx, translate.Options{At: &whole})
	require.NoError(t, err)
	verify(t, m)
	sites := func(m *translate.Model) (kinds map[string]int) {
		kinds = map[string]int{}
		for _, b := range m.Sidecar.Bounds.Sites {
			kinds[b.Kind]++
			require.Equal(t, "internal/translate/testdata/large/main.go", b.File)
			require.NotZero(t, b.Query)
			a := approximationOf(t, m, b)
			require.Equal(t, []any{b.File, b.Line, b.Col}, []any{a.File, a.Line, a.Col})
			q := m.Queries[b.Query-1]
			require.Equal(t, []int{b.Query, b.Line, b.Col}, []int{q.Number, q.Line, q.Col})
		}
		return kinds
	}
	require.Equal(t, artifact.Bounds{Objects: 1, Elements: 2, Entries: 1, Activations: 2, Sites: m.Sidecar.Bounds.Sites}, *m.Sidecar.Bounds)
	require.Equal(t, map[string]int{"objects": 2, "entries": 4}, sites(m))

	again, err := p.Translate(ctx, translate.Options{At: m.Sidecar.Bounds})
	require.NoError(t, err)
	require.Equal(t, xml(t, m), xml(t, again))
	require.Equal(t, m.Queries, again.Queries)
	require.Equal(t, m.Sidecar, again.Sidecar)

	// Sites have bounds of their own.
	at := *m.Sidecar.Bounds
	at.Sites = append([]artifact.SiteBound{}, at.Sites...)
	for i := range at.Sites {
		at.Sites[i].N *= 2
	}
	more, err := p.Translate(ctx, translate.Options{At: &at})
	require.NoError(t, err)
	require.NotEqual(t, xml(t, m), xml(t, more))
	for _, b := range more.Sidecar.Bounds.Sites {
		require.Equal(t, 2, b.N)
	}

	// A translation can be given up.
	_, err = p.Translate(ctx, translate.Options{At: &at, Cost: 100})
	require.ErrorIs(t, err, translate.ErrTooLarge)
	_, err = p.Translate(ctx, translate.Options{Cost: 100})
	require.ErrorIs(t, err, translate.ErrTooLarge)

	// Bounds that are asked for stay.
	m, err = p.Translate(ctx, translate.Options{Bounds: translate.Bounds{Objects: 2, Slice: 3, Recursion: 3}})
	require.NoError(t, err)
	require.Equal(t, artifact.Bounds{Objects: 2, Elements: 3, Entries: 1, Activations: 3, Paths: 500, Sites: m.Sidecar.Bounds.Sites}, *m.Sidecar.Bounds)

	prog, idx = load(t, "testdata/verdicts/workers", "main")
	m, err = translate.Translate(ctx, prog, idx, translate.Options{})
	require.NoError(t, err)
	require.Nil(t, m.Sidecar.Bounds)
}

// TestEntriesAtOnce: an iteration over more entries than the model tells sets of apart ends at a bound, with its place.
func TestEntriesAtOnce(t *testing.T) {
	prog, idx := load(t, programs.Main(t, "package main\n\nfunc main() {\n\tc := make(chan int, 8)\n\tm := map[int]int{1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1}\n"+
		"\tfor range m {\n\t\tc <- 1\n\t}\n\tc <- 1\n}\n").Dir, "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{Bounds: translate.Bounds{Entries: 8}})
	require.NoError(t, err)
	require.True(t, slices.ContainsFunc(m.Queries, func(q artifact.Query) bool {
		return q.Kind == artifact.KindBound && q.Line == 6 && strings.HasSuffix(q.Description, "a step that the model cannot follow (iteration over a map: it may have been at too many sets of entries)")
	}), "%+v", m.Queries)
}

// TestSlots: where more goroutines may be alive than the model has, that is a bound, also if
// the model has one of them. What is started once needs no more.
func TestSlots(t *testing.T) {
	ctx := context.Background()
	prog, idx := load(t, programs.Main(t, "package main\n\nimport \"math/rand/v2\"\n\nfunc main() {\n\tc := make(chan int)\n\tgo func() { c <- 0 }()\n"+
		"\tfor range rand.IntN(5) {\n\t\tgo func() { c <- 1 }()\n\t}\n\t<-c\n}\n").Dir, "main")
	p, err := translate.Prepare(t.Context(), prog, idx)
	require.NoError(t, err)
	for _, slots := range []int{1, 2} {
		m, err := p.Translate(ctx, translate.Options{Bounds: translate.Bounds{Slots: slots}})
		require.NoError(t, err)
		var lines []int
		for _, q := range m.Queries {
			if q.Kind == artifact.KindBound && q.Line > 0 {
				lines = append(lines, q.Line)
			}
		}
		require.Equal(t, []int{9}, lines, "%d goroutines", slots)
	}
}

// approximationOf is the approximation that a bound is.
func approximationOf(t *testing.T, m *translate.Model, b artifact.SiteBound) artifact.Approximation {
	t.Helper()
	for _, a := range m.Sidecar.Approximations {
		if a.Kind == approximation.Bound && a.Query == b.Query {
			return a
		}
	}
	require.Fail(t, "no approximation")
	return artifact.Approximation{}
}

// TestOneGoroutine: with one goroutine for a go statement that runs again and again, the model
// says that the program has more.
func TestOneGoroutine(t *testing.T) {
	prog, idx := load(t, "testdata/verdicts/boundgoroutines", "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{Bounds: translate.Bounds{Slots: 1}})
	require.NoError(t, err)
	require.Equal(t, []string{"main.go:7 bound exceeded"}, found(m, verify(t, m)))
}

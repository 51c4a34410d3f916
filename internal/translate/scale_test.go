package translate_test

import (
	"bytes"
	"context"
	"fmt"
	"sort"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/examples"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// write makes a module of an example.
func write(t testing.TB, name string, form examples.Form, n int) (dir string, wants []string) {
	t.Helper()
	dir, files := programs.Example(t, name, form, n)
	wants = []string{}
	for _, w := range programs.Wants(files) {
		wants = append(wants, fmt.Sprintf("%s:%d %s", w.File, w.Line, w.Kind))
	}
	sort.Strings(wants)
	return dir, wants
}

// TestSizes checks that the examples are translated and checked in time where
// they are large.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
	}{
		{"sequences", 100}, {"sequences_fixed", 100}, {"mutexloopconst", 1024}, {"mutexloopconst_fixed", 1024},
		{"mutexloopvar", 1024}, {"loopspawn", 8}, {"loopspawn_fixed", 8},
	} {
		t.Run(fmt.Sprintf("%s-%d", c.name, c.n), func(t *testing.T) {
			dir, wants := write(t, c.name, examples.Main, c.n)
			prog, idx := load(t, dir, "main")
			start := time.Now()
			m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
			require.NoError(t, err)
			translated := time.Since(start)
			rep := verify(t, m)
			t.Logf("%d queries, translate %v, %v with checks, %d states", len(m.Queries), translated, time.Since(start), rep.Stats.States)
			require.Equal(t, wants, found(m, rep))
		})
	}
}

// TestForms checks the examples as tests.
func TestForms(t *testing.T) {
	for _, p := range examples.Programs() {
		t.Run(p.Name, func(t *testing.T) {
			dir, wants := write(t, p.Name, examples.Test, 0)
			prog, idx := load(t, dir, p.TestName())
			m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
			require.NoError(t, err)
			require.Equal(t, wants, found(m, verify(t, m)))
		})
	}
}

// TestDeterministic translates programs several times, from the start.
func TestDeterministic(t *testing.T) {
	for _, dir := range []string{"testdata/verdicts/workers", "testdata/verdicts/closureloop"} {
		var first []byte
		for i := range 5 {
			prog, idx := load(t, dir, "main")
			m, err := translate.Translate(context.Background(), prog, idx, translate.Options{Proto: true, Hash: true})
			require.NoError(t, err)
			verify(t, m)
			var b bytes.Buffer
			require.NoError(t, uppaal.WriteXML(&b, m.Network))
			fmt.Fprintf(&b, "%+v\n%+v\n", m.Queries, m.Sidecar)
			if i == 0 {
				first = b.Bytes()
			}
			require.Equal(t, string(first), b.String(), dir)
		}
	}
}

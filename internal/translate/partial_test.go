package translate_test

import (
	"context"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// TestPartial makes models of parts of the programs of testdata, as if these were too large. Such a model has no error that
// the model of the program lacks, and one whose end the search does not come to has all of them. With -models it takes all
// programs.
func TestPartial(t *testing.T) {
	set, err := source.LoadSet(context.Background(), source.Spec{Dir: "testdata/verdicts", Pattern: "./...", Deps: []string{"golang.org/x/sync/..."}})
	require.NoError(t, err)
	parts, shown := 0, 0
	for i, e := range set.Entries() {
		if e.Func != "main" && e.Func != "TestProgram" || !*allModels && i%4 != 0 {
			continue
		}
		prog, err := set.Program(e)
		require.NoError(t, err)
		full, err := translate.Translate(context.Background(), prog, number(prog), translate.Options{})
		if err != nil || full.Sidecar.Bounds != nil {
			continue
		}
		requireLocal(t, path.Base(e.Package), full)
		errors, _ := errorsOf(t, full)
		for _, paths := range []int{6, 40} {
			at := translate.Options{}.Asked()
			at.Paths = paths
			m, err := translate.Translate(context.Background(), prog, number(prog), translate.Options{At: &at})
			if err != nil {
				require.ErrorContains(t, err, "too large", e)
				continue
			}
			requireLocal(t, path.Base(e.Package), m)
			for _, a := range m.Sidecar.Approximations {
				require.NotEmpty(t, a.File, "%s: %s", path.Base(e.Package), a.Reason)
			}
			some, ended := errorsOf(t, m)
			switch {
			case slices.ContainsFunc(m.Sidecar.Approximations, guesses):
				continue
			case !ended:
				require.Equal(t, errors, some, "%s: with %d paths, and no end that is reached", path.Base(e.Package), paths)
				continue
			}
			if slices.ContainsFunc(m.Queries, ofPart) {
				parts++
			}
			shown += len(some)
			for _, s := range some {
				require.Contains(t, errors, s, "%s: the model of a part of %d paths has an error of its own", path.Base(e.Package), paths)
			}
		}
	}
	t.Logf("%d models of parts, with %d errors", parts, shown)
	require.Greater(t, parts, 20)
	require.Positive(t, shown)
}

// requireLocal: what leaves a committed location of a goroutine is no operation of the program, and runs that are followed
// in the model pass it without a step.
func requireLocal(t *testing.T, name string, m *translate.Model) {
	t.Helper()
	for i, tmpl := range m.Network.Templates {
		for j, edge := range tmpl.Edges {
			if role := m.Sidecar.Templates[i].Edges[j].Role; edge.From.Urgency == uppaal.Committed && m.Sidecar.Templates[i].Role == "goroutine" {
				require.Contains(t, []string{artifact.RoleLocal, artifact.RoleBirth}, role, "%s: %s to %s", name, edge.From.Name, edge.To.Name)
			}
		}
	}
}

// guesses reports that nothing is known of what a map with smaller bounds does not have, so that there are other errors.
func guesses(a artifact.Approximation) bool {
	return a.Kind == approximation.Bound && a.Direction == artifact.DirectionOver
}

// ofPart reports that a query asks for the end of the model of a part.
func ofPart(q artifact.Query) bool {
	return strings.Contains(q.Description, "paths from guard to guard")
}

// errorsOf are the errors that a model has, and whether the search comes to where the model ends.
func errorsOf(t *testing.T, m *translate.Model) (errors []string, ended bool) {
	rep := verify(t, m)
	for i, r := range rep.Results {
		ended = ended || m.Queries[i].Kind == artifact.KindBound && r.Verdict == check.False
	}
	for _, s := range found(m, rep) {
		// What is never reached may be reached behind the end of the model: the passes do not ask that where there is one.
		if !strings.HasSuffix(s, artifact.KindBound) && !(ended && strings.HasSuffix(s, artifact.KindNeverReached)) {
			errors = append(errors, s)
		}
	}
	return errors, ended
}

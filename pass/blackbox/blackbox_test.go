// Package blackbox tests the passes through their public functions alone. It is a directory of its own
// so that it and the other tests of package pass stay each under the ten minutes that Go gives to a package.
package blackbox_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/pass"
	"github.com/vtrace/vtrace/source"
)

var (
	examplesAll = flag.Bool("examples", false, "both forms of each program of TestExamples, not one")
	everyRow    = flag.Bool("rows", false, "all rows of the tables of programs that are checked one like the other, not one of some")
)

// sampled: the i-th of many programs that are checked one like the other is one of those of the
// short form, which looks for data races of the tool itself.
func sampled(i int) bool { return !testing.Short() || i%4 == 0 }

// oneOf reports whether the i-th row of such a table is tried: one of n, unless all are asked for.
func oneOf(n, i int) bool { return *everyRow || i%n == 0 }

// programOf writes a program to a directory of its own.
func programOf(t *testing.T, src string) source.Spec {
	t.Helper()
	return written(t, "1.25", "main.go", src, "main")
}

// written writes a file to a module of its own, in that version of the language, and names
// its entry.
func written(t *testing.T, version, name, text, entry string) source.Spec {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/p\n\ngo "+version+"\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	return source.Spec{Dir: dir, Pattern: ".", Entry: entry}
}

// inLong skips a test in the short form of the suite, which is for the race detector: it
// builds programs and looks at what these do, or searches a large model, and this package has
// no goroutines in it beyond those of others.
func inLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("has no goroutines that others have not")
	}
}

// kindsOf are the errors in which an exploration has seen runs end, with those replays
// that did not show them again.
func kindsOf(t *testing.T, x *pass.Exhausted) (kinds []string) {
	for _, e := range x.Ends {
		if e.Kind == "" || e.Kind == artifact.KindRace || e.Status != orchestrate.Completed {
			continue
		}
		named := func(limit string) bool { return strings.Contains(e.Replay.Reason, limit) }
		if e.Replay != nil && e.Replay.Status == orchestrate.Unconfirmed && slices.ContainsFunc(x.Covered.Limits, named) {
			continue // the exploration says so, too
		}
		if e.Replay != nil {
			require.Equal(t, orchestrate.Reproduced, e.Replay.Status, "%s %s: %s", e.Kind, e.Message, e.Replay.Reason)
		}
		if !slices.Contains(kinds, e.Kind) {
			kinds = append(kinds, e.Kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// testProgram is a module of one test.
func testProgram(t *testing.T, text string) source.Spec {
	t.Helper()
	return written(t, "1.25", "program_test.go",
		"package program\n\nimport (\n\t\"sync\"\n\t\"testing\"\n\t\"time\"\n)\n"+text+"\nvar _ sync.Mutex\nvar _ time.Time\n", "TestProgram")
}

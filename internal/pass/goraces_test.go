package pass

import (
	"flag"
	"go/build"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/module"
)

var (
	goRaces       = flag.String("goraces", "", "functions of the race detector's own tests that TestGoRaces checks, a regular expression; \".\" for all")
	goRacesBudget = flag.Duration("goracesbudget", 20*time.Second, "budget of each of these checks")
)

// goRacesDir has the tests of Go's race detector, which come with Go.
var goRacesDir = filepath.Join(build.Default.GOROOT, "src", "runtime", "race", "testdata")

// goRacesChanges make them a package that compiles as any other does, without the race detector and outside of the
// standard library.
var goRacesChanges = strings.NewReplacer(
	`"internal/synctest"`, `"testing/synctest"`,
	"synctest.Run(func() {", "synctest.Test(t, func(t *testing.T) {",
	"runtime.RaceDisable()", "runtime.Gosched()",
	// A race of a package-level variable's initialiser, which every test would have.
	"var _ LogImpl = NewLog()", "",
)

// TestGoRaces checks the tests by which Go's race detector is tested: those that have a data race, by their names, and
// those that have none. It demands no false alarm, and that at least as many races are found as goRacesFound says.
// They take twenty minutes:
//
//	go test ./internal/pass -run 'TestGoRaces$' -goraces . -timeout 2h -v
func TestGoRaces(t *testing.T) {
	if *goRaces == "" {
		t.Skip("needs -goraces")
	}
	files, err := filepath.Glob(filepath.Join(goRacesDir, "*_test.go"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("this Go has no ", goRacesDir)
	}
	dir := t.TempDir()
	for _, file := range files {
		if name := filepath.Base(file); name != "cgo_test.go" { // which runs another program
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(goRacesChanges.Replace(string(text))), 0o644))
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/races\n\ngo 1.26\n"), 0o644))
	set, err := module.Load(t.Context(), dir)
	require.NoError(t, err)

	only := regexp.MustCompile(*goRaces)
	var racy, found, free, silent int
	for _, e := range set.Entries() {
		race := strings.HasPrefix(e.Func, "TestRace") && e.Func != "TestRaceRangeFuncIterator" // which skips itself
		if !race && !strings.HasPrefix(e.Func, "TestNoRace") || !only.MatchString(e.Func) {
			continue
		}
		b, err := CheckEntry(t.Context(), set, e, Options{Budget: *goRacesBudget, Model: &Model{Races: true}})
		require.NoError(t, err, e.Func)
		var shown []string
		for _, f := range b.Findings() {
			switch f.Kind {
			case artifact.KindRace, artifact.KindMapRace, artifact.KindSendOnClosed, artifact.KindWaitGroupReuse:
				// A timer of an hour may fire before it is stopped, which nobody waits for.
				late := slices.ContainsFunc(f.Stalls, func(s artifact.FindingStall) bool { return s.For >= time.Hour })
				if (f.Verdict == artifact.Real || f.Verdict == artifact.TimingDependent) && !late {
					shown = append(shown, f.Message)
				}
			}
		}
		switch {
		case race:
			if racy++; len(shown) > 0 {
				found++
			} else {
				t.Logf("not found: %s: %v", e.Func, Conclude(b).Limits)
			}
		default:
			if free++; len(shown) == 0 {
				silent++
			} else {
				t.Logf("false alarm: %s: %v", e.Func, shown)
			}
		}
	}
	t.Logf("%d of %d with a race found, %d of %d without one silent", found, racy, silent, free)
	require.Equal(t, free, silent)
	if *goRaces == "." {
		require.GreaterOrEqual(t, found, goRacesFound)
	}
}

// goRacesFound is how many a check of the package finds at least: one more on a fast machine (docs/analyses.md).
const goRacesFound = 235

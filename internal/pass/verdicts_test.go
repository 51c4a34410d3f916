package pass

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

var (
	verdictsAll    = flag.Bool("verdicts", false, "all programs of TestVerdicts, not a few")
	verdictsRun    = flag.String("verdicts-run", "", "those programs of TestVerdicts with a name that begins so")
	verdictsBudget = flag.Duration("verdicts-budget", 0, "budget of each check of TestVerdicts, 0: none; with one, outcomes may be open that are not in the golden file")
	verdictsUpdate = flag.Bool("update-verdicts", false, "write the outcomes of TestVerdicts")
)

// What a check says of a program, in a word.
const (
	outcomeReal = "real"   // an error, reproduced
	outcomeOpen = "open"   // nothing is claimed
	outcomeNote = "note"   // a worker of a service that the test has not stopped, and no error
	outcomeTime = "timing" // a test that fails only where a goroutine is slow
	outcomeNone = "none"   // no error
)

// mostRuns is how many runs of the program a real error may take.
const mostRuns = 50

const outcomesFile = "testdata/verdicts.golden"

// onceMisjudged are programs of which something wrong was said, or nothing: what they see of their surroundings was that of a test, their
// timers those of another release, or they wait for locks of a library.
var onceMisjudged = []string{"t2_lockandlogger", "t2_logwriter", "t2_pipewriters", "t1_testing", "t1_testing_ok", "t1_testflag", "t1_argname", "t1_asynctimer", "t1_filetime_ok"}

// TestVerdicts checks programs that somebody wrote who did not know vtrace, in pairs:
// one with an error, which `// want "kind"` marks, and a corrected one, NAME_ok. Of the
// first nobody may say that it has no error, of the second no error may be called real.
// The outcomes are golden: an error that was found is found, what was proved is proved.
//
// The program of a check is one that many checks share, and that of its bundle another one: with
// -verdicts each error is replayed as the finding says, and else those that rest on choices.
//
// The first lines of an archive name the entry, and the directory of its package. With
// -verdicts-budget it counts what is known by then.
func TestVerdicts(t *testing.T) {
	golden := outcomes(t)
	var mu sync.Mutex
	got := map[string]string{}
	var runs []int // of each real error
	t.Run("programs", func(t *testing.T) {
		for i, file := range verdictPrograms(t) {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			if *verdictsRun != "" && !strings.HasPrefix(name, *verdictsRun) {
				continue
			}
			if !*verdictsAll && *verdictsRun == "" && (i%150 != 9 && !slices.Contains(onceMisjudged, name) || testing.Short()) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				spec, wants := unpack(t, file)
				opts := Options{Search: Search{MaxStates: 100_000, MaxMemory: 1 << 30}, Budget: *verdictsBudget}
				b, err := Check(context.Background(), spec, opts)
				require.NoError(t, err)
				out := outcomeOf(b)
				var real []artifact.Finding
				for _, f := range b.Findings() {
					requireOnePlace(t, f)
					if f.Verdict == artifact.Real {
						t.Logf("%s:%d: %s: %d runs (%d replays) %s", f.File, f.Line, f.Kind, f.Runs, f.Attempts, f.Reason)
						assert.True(t, f.Runs <= mostRuns, describe(b))
						real = append(real, f)
					}
				}
				mu.Lock()
				got[name] = out
				for _, f := range real {
					runs = append(runs, f.Runs)
				}
				mu.Unlock()
				for _, f := range real {
					if len(f.Values) > 0 || *verdictsAll || *verdictsRun != "" { // what the trace does not say
						again(t, spec, b, f)
					}
				}
				if len(wants) == 0 && knownAlarms[name] == "" {
					require.NotEqual(t, outcomeReal, out, describe(b))
				}
				if !*verdictsUpdate && (*verdictsBudget == 0 || out != outcomeOpen) {
					require.Equal(t, golden[name], out, describe(b))
				}
			})
		}
	})
	if *verdictsBudget > 0 {
		count := map[string]int{}
		for name, out := range got {
			if strings.HasSuffix(name, "_ok") {
				out += " of a corrected one"
			}
			count[out]++
		}
		t.Log("outcomes within the budget: ", count)
	}
	if slices.Sort(runs); len(runs) > 0 {
		t.Logf("runs for each of %d real errors: median %d, most %d", len(runs), runs[len(runs)/2], runs[len(runs)-1])
	}
	if *verdictsUpdate {
		maps.Copy(golden, got)
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(golden)) {
			fmt.Fprintf(&text, "%s %s\n", name, golden[name])
		}
		require.NoError(t, os.WriteFile(outcomesFile, []byte(text.String()), 0o644))
		return
	}
	silent := 0
	for name, out := range golden {
		if !strings.HasSuffix(name, "_ok") && !strings.HasPrefix(name, "g10_") && out == outcomeNone {
			silent++
			require.Contains(t, knownSilent, name)
		}
	}
	require.Equal(t, len(knownSilent), silent)
}

// requireOnePlace: what a run takes for one object was made at one place. The run knows objects by their addresses, and the
// places are read from the source, along other calls for each goroutine.
func requireOnePlace(t *testing.T, f artifact.Finding) {
	t.Helper()
	made := map[string]string{}
	for _, g := range f.Goroutines {
		for _, o := range g.Made {
			at := fmt.Sprintf("%s:%d", o.File, o.Line)
			if was := made[o.Object]; was != "" {
				require.Equal(t, was, at, "%s is made at two places: %+v", o.Object, f)
			}
			made[o.Object] = at
		}
	}
}

// again replays a real finding by the command that it names: in the program of the bundle, or where that lacks modules, in
// the one that was checked.
func again(t *testing.T, spec source.Spec, b *artifact.Bundle, f artifact.Finding) {
	t.Helper()
	v, err := Replay(t.Context(), b, f.Test, Options{})
	if errors.As(err, new(*RefusedError)) || errors.As(err, new(*ModulesError)) {
		require.True(t, HoldsFiles(b, spec.Dir))
		v, err = Replay(t.Context(), b, f.Test, Options{Root: spec.Dir})
	}
	require.NoError(t, err)
	require.Equal(t, orchestrate.Reproduced, v.Status, v.Reason)
}

// TestReplayOfChoices: the replay of an error that rests on the order of a map has that order.
func TestReplayOfChoices(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	for _, name := range []string{"e11_maporder", "e11_numgoroutine"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, _ := unpack(t, filepath.Join("testdata", "verdicts", name+".txtar"))
			b, err := Check(t.Context(), spec, Options{})
			require.NoError(t, err)
			replayed := 0
			for _, f := range b.Findings() {
				if f.Verdict == artifact.Real && len(f.Values) > 0 {
					again(t, spec, b, f)
					replayed++
				}
			}
			require.Positive(t, replayed)
		})
	}
}

// knownSilent are the programs with an error of which a check says that they have none,
// with the reason. Each is a defect.
var knownSilent = map[string]string{}

// knownAlarms are the programs without an error that a check calls real, with the
// reason. Each is a defect.
var knownAlarms = map[string]string{}

// verdictPrograms are the archives.
func verdictPrograms(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob("testdata/verdicts/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	return names
}

func outcomes(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	data, err := os.ReadFile(outcomesFile)
	if err != nil && !*verdictsUpdate {
		require.NoError(t, err)
	}
	for line := range strings.Lines(string(data)) {
		name, outcome, _ := strings.Cut(strings.TrimSpace(line), " ")
		out[name] = outcome
	}
	return out
}

func outcomeOf(b *artifact.Bundle) string {
	switch c := Conclude(b); {
	case c.Real > 0:
		return outcomeReal
	case c.Notes > 0:
		return outcomeNote
	case c.Inconclusive():
		return outcomeOpen
	case c.TimingDependent > 0:
		return outcomeTime
	default:
		return outcomeNone
	}
}

// describe lists what a check has found, and its limits.
func describe(b *artifact.Bundle) string {
	var out strings.Builder
	for _, f := range b.Findings() {
		fmt.Fprintf(&out, "%s %s:%d %s %s (%s)\n", f.Verdict, f.File, f.Line, f.Kind, f.Message, f.Reason)
	}
	for _, l := range Conclude(b).Limits {
		out.WriteString(l + "\n")
	}
	return out.String()
}

var wantComment = regexp.MustCompile(`// want ((?:"[^"]*"\s*)+)`)

// unpack writes the files of an archive, and gives the kinds of errors of the program.
func unpack(t *testing.T, file string) (spec source.Spec, wants []string) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	require.NoError(t, err)
	dir := t.TempDir()
	spec.Dir = dir
	for line := range strings.Lines(string(a.Comment)) {
		if v, ok := strings.CutPrefix(line, "entry: "); ok {
			spec.Entry = strings.TrimSpace(v)
		} else if v, ok := strings.CutPrefix(line, "dir: "); ok {
			spec.Dir = filepath.Join(dir, strings.TrimSpace(v))
		}
	}
	for _, f := range a.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, f.Data, 0o644))
		for _, m := range wantComment.FindAllSubmatch(f.Data, -1) {
			for _, kind := range strings.Split(strings.TrimSpace(string(m[1])), `" "`) {
				wants = append(wants, strings.Trim(kind, `"`))
			}
		}
	}
	return spec, wants
}

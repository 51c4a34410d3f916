package pass

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/source"
)

var predictAll = flag.Bool("predict.all", false, "record all programs of testdata/predict, and not a few; takes minutes")
var predictUpdate = flag.Bool("predict.update", false, "record the run of TestPredict anew")
var predictRun = flag.String("predict.run", "", "of the programs of testdata/predict, those with names that match this regexp")

// predictable is a program of testdata/predict.
type predictable struct {
	name  string
	kinds []string // of errors that are to be predicted, none: no schedule shows one
	race  bool
}

// predictables writes the programs of testdata/predict into a module, each with a test that calls it, and one that calls several.
func predictables(t *testing.T, several ...string) (dir string, all []predictable) {
	t.Helper()
	dir = t.TempDir()
	files, err := filepath.Glob("testdata/predict/*.go")
	require.NoError(t, err)
	var tests strings.Builder
	tests.WriteString("package predictable\n\nimport \"testing\"\n")
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o644))
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Doc == nil || !f.Name.IsExported() {
				continue
			}
			p := predictable{name: f.Name.Name}
			for _, c := range f.Doc.List {
				if want, ok := strings.CutPrefix(c.Text, "// want "); ok && want != "nothing" {
					p.kinds = strings.Split(want, ", ")
				}
				p.race = p.race || c.Text == "// race"
			}
			all = append(all, p)
			fmt.Fprintf(&tests, "\nfunc Test%[1]s(t *testing.T) { %[1]s() }\n", p.name)
		}
	}
	tests.WriteString("\nfunc TestSeveral(t *testing.T) {\n")
	for _, name := range several {
		fmt.Fprintf(&tests, "\t%s()\n", name)
	}
	tests.WriteString("}\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "table_test.go"), []byte(tests.String()), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/predictable\n\ngo 1.26\n"), 0o644))
	return dir, all
}

// recordings bounds how often a program is recorded until a run goes well.
const recordings = 5

// predictHarmless predicts from a run that went well.
func predictHarmless(t *testing.T, dir, entry string, race bool) *Predicted {
	t.Helper()
	model := Model{Races: race}
	for range recordings {
		r, err := Predict(t.Context(), source.Spec{Dir: dir, Pattern: ".", Entry: entry}, Predicting{Recording: Recording{Accesses: race}}, Options{Model: &model})
		require.NoError(t, err)
		if harmless(r) {
			return r
		}
	}
	require.Fail(t, "no run of "+entry+" goes well")
	return nil
}

// happened are the codes of analyses of what has gone wrong in the run itself.
var happened = regexp.MustCompile(`^(A0[1345678]|L0[1-9]|L1[0-4])$`)

// harmless reports whether the recorded run has gone well.
func harmless(r *Predicted) bool {
	if r.Recorded.End != goodEnd {
		return false
	}
	for i := range r.Analysis.Findings {
		if happened.MatchString(string(r.Analysis.Findings[i].Code)) {
			return false
		}
	}
	return true
}

// several is a recording of a run of programs that were called one after the other, which went well. With -predict.update it
// is made anew.
const several = "testdata/predict/several.vtr"

// Errors of several programs are predicted from one run, and each is shown behind the programs in front of it. Of
// programs that have none nothing is real.
func TestPredict(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	wrong := []string{"CloseBehindCancel", "SendOrTimeout", "SignalMissed"}
	right := []string{"LockOrderGate", "SignalWithFlag"}
	dir, all := predictables(t, append(right, wrong...)...)
	spec := source.Spec{Dir: dir, Pattern: ".", Entry: "TestSeveral"}
	if *predictUpdate {
		var recorded bytes.Buffer
		ran, err := Record(t.Context(), spec, Recording{To: &recorded}, Options{})
		require.NoError(t, err)
		require.Equal(t, goodEnd, ran.End)
		require.NoError(t, os.WriteFile(several, recorded.Bytes(), 0o644))
	}
	f, err := os.Open(several)
	require.NoError(t, err)
	defer f.Close()
	r, err := Predict(t.Context(), spec, Predicting{From: f}, Options{})
	require.NoError(t, err)
	kinds := map[string]string{} // of what is real, by function
	for _, f := range r.Bundle.Findings() {
		if f.Verdict == artifact.Real {
			name, _, _ := strings.Cut(strings.TrimPrefix(f.Function, "example.com/predictable."), "$")
			kinds[name] = f.Kind
			require.NotEmpty(t, f.Test, f.Message)
			require.Contains(t, f.Reason, "predicted from a recorded run")
		}
	}
	require.Len(t, kinds, len(wrong), "%v", kinds)
	for _, name := range wrong {
		p := all[slices.IndexFunc(all, func(p predictable) bool { return p.name == name })]
		require.Contains(t, p.kinds, kinds[name], name)
	}
	for _, p := range r.Predictions {
		require.False(t, p.Message == analyze.RunItself && p.Outcome != PredictionRefuted, "%v", p)
		require.False(t, p.Code != "" && p.Outcome != PredictionConfirmed, "%v", p)
	}
}

// The order of two critical sections hides a data race in the recorded run: it is predicted from the accesses that are
// recorded, and the program shows it.
func TestPredictRace(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	dir, _ := predictables(t)
	r := predictHarmless(t, dir, "TestRaceBehindSection", true)
	confirmed := slices.ContainsFunc(r.Predictions, func(p Prediction) bool {
		return p.Code == analyze.ReorderedRace && p.Outcome == PredictionConfirmed
	})
	require.True(t, confirmed, "%v", r.Predictions)
	require.False(t, slices.ContainsFunc(r.Analysis.Findings, func(f analyze.Finding) bool { return f.Code == analyze.Race }))
}

// Of programs whose recorded run goes well the error is predicted, and the program shows it; of those that
// have none nothing is real.
func TestPredictAll(t *testing.T) {
	if !*predictAll && *predictRun == "" {
		t.Skip("-predict.all is not set")
	}
	dir, all := predictables(t)
	only := regexp.MustCompile(*predictRun)
	errors, confirmed, impossible, real, unconfirmed, refuted := 0, 0, 0, 0, 0, 0
	for _, p := range all {
		if !only.MatchString(p.name) {
			continue
		}
		r := predictHarmless(t, dir, "Test"+p.name, p.race)
		var kinds, open []string
		for _, f := range r.Bundle.Findings() {
			switch f.Verdict {
			case artifact.Real:
				kinds = append(kinds, f.Kind)
			default:
				open = append(open, fmt.Sprintf("%s %s: %s", f.Verdict, f.Kind, f.Reason))
			}
			if f.Verdict == artifact.Unconfirmed && p.kinds == nil {
				unconfirmed++
			}
			if f.Verdict == artifact.False && p.kinds == nil {
				refuted++
			}
		}
		note := ""
		if p.kinds == nil {
			impossible++
			if len(kinds) > 0 {
				real++
				note = "WRONG"
			}
		} else {
			errors++
			if slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(p.kinds, k) }) {
				confirmed++
			} else {
				note = "MISSED"
				for _, o := range r.Predictions {
					open = append(open, fmt.Sprintf("  %s %s %s: %s", o.Outcome, o.Code, o.Message, o.Reason))
				}
			}
		}
		counts := map[PredictionOutcome]int{}
		for _, o := range r.Predictions {
			counts[o.Outcome]++
		}
		t.Logf("%-28s %s real %v of %v; %v\n%s", p.name, note, kinds, p.kinds, counts, strings.Join(open, "\n"))
	}
	t.Logf("%d of %d errors were predicted and confirmed; of %d programs without one %d have a real finding, and %d are unconfirmed, %d refuted", confirmed, errors, impossible, real, unconfirmed, refuted)
	if *predictRun == "" {
		require.GreaterOrEqual(t, confirmed, 55)
		require.Zero(t, real)
		require.LessOrEqual(t, unconfirmed, 5)
	}
}

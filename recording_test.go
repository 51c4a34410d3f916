package vtrace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/examples"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/pass"
)

// recorded is a run in which the main goroutine closes a channel behind a send that nothing orders with it.
const recorded = `trace 1
program example.com/p.main
chan jobs 1 @main.go:3:7
goroutine 1 main.main
  go 2
  close jobs @main.go:9:2
goroutine 2 main.main.func1 of 1
  send jobs @main.go:6:3
`

// A recording says what else could have happened: here the close may come before the send.
func ExampleReadRecording() {
	run, err := vtrace.ReadRecording(strings.NewReader(recorded))
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := run.Analyze(pass.AnalysisLimits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range found.Findings {
		if f.Level == "error" {
			fmt.Println(f.Code, f.Title)
		}
	}
	// Output:
	// SC possible send on a closed channel
}

// What a program has recorded can be read, written as text, read again, and followed on a page.
func TestReadRecording(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	src := vtrace.Dir(filepath.FromSlash("examples/rendezvous"))
	ran, err := vtrace.Record(t.Context(), src, pass.Recording{To: &file})
	require.NoError(t, err)
	run, err := vtrace.ReadRecording(&file)
	require.NoError(t, err)
	require.Equal(t, ran.Program, run.Program())
	require.Equal(t, ran.End, run.End())
	require.Equal(t, ran.Limits, run.Limits())
	var text, page, pageOfText strings.Builder
	require.NoError(t, run.WriteText(&text))
	again, err := vtrace.ReadRecording(strings.NewReader(text.String()))
	require.NoError(t, err)
	require.Equal(t, run.Program(), again.Program())
	one, err := run.Analyze(pass.AnalysisLimits{})
	require.NoError(t, err)
	two, err := again.Analyze(pass.AnalysisLimits{})
	require.NoError(t, err)
	require.Equal(t, one.Events, two.Events)
	require.Len(t, two.Findings, len(one.Findings))
	require.NoError(t, run.WritePage(&page, 0))
	require.NoError(t, again.WritePage(&pageOfText, 0))
	for _, p := range []string{page.String(), pageOfText.String()} {
		require.Contains(t, p, "<html")
		require.Contains(t, p, "rendezvous")
	}
}

// What is no recording has an error that says why.
func TestReadRecordingRefuses(t *testing.T) {
	programs.InLong(t)
	t.Parallel()
	broken := errors.New("broken")
	for name, r := range map[string]io.Reader{
		"nothing":        strings.NewReader(""),
		"something else": strings.NewReader("<html>"),
		"cut":            strings.NewReader(recorded[:40]),
		"too large":      io.LimitReader(zeros{}, 1<<30),
		"unreadable":     io.MultiReader(strings.NewReader("trace 1\n"), failing{broken}),
	} {
		run, err := vtrace.ReadRecording(r)
		var refused *vtrace.RecordingError
		require.ErrorAs(t, err, &refused, name)
		require.Nil(t, run, name)
		require.Equal(t, name == "unreadable", errors.Is(err, broken), name)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// A finding of a check can be looked at on a page, exported as a test of the program, run there, and run again from the
// bundle with the options of the check.
func TestFindingElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("a program is checked")
	}
	t.Parallel()
	program, ok := examples.Find("funcarg")
	require.True(t, ok)
	files, err := program.Files(examples.Main, 0)
	require.NoError(t, err)
	files["go.mod"] = []byte("module example.com/m\n\ngo 1.26\n")
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	opts := []vtrace.Option{vtrace.EveryLine(), vtrace.Results(t.TempDir(), 0)}
	b, err := vtrace.Check(t.Context(), vtrace.Dir(dir), opts...)
	require.NoError(t, err)
	i := 0
	for b.Findings()[i].Verdict != artifact.Real {
		i++
	}
	f := b.Findings()[i]
	var page strings.Builder
	require.NoError(t, vtrace.WritePage(&page, b))
	require.Contains(t, page.String(), f.Kind)
	v, err := vtrace.Replay(t.Context(), b, f.Test, append(opts, vtrace.AsMade())...)
	require.NoError(t, err)
	require.Equal(t, orchestrate.Reproduced, v.Status)
	exported, err := vtrace.ExportTest(b, f.Test)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(exported.Path)), exported.Data, 0o644))
	results, err := vtrace.RunExported(t.Context(), dir, regexp.MustCompile("^"+exported.Name+"$"))
	require.NoError(t, err)
	require.Len(t, results, 1)
	require.Equal(t, orchestrate.Reproduced, results[0].Verdict.Status)
}

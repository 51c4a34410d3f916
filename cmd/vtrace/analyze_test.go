package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
)

const kubernetes = "../../internal/analyze/testdata/kubernetes.trace"

func writeTrace(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.trace")
	require.NoError(t, os.WriteFile(path, []byte("trace 1\n"+text), 0o644))
	return path
}

func TestAnalyze(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := execute(t, "analyze", "-json", kubernetes)
	require.Equal(t, exitInconclusive, code, stderr)
	var r analyze.Result
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Equal(t, 3, r.Goroutines)
	require.Equal(t, analyze.MixedCycle, r.Findings[0].Code)
	require.Equal(t, "main.go:14:3", r.Findings[0].Operations[0].Position)
	require.Empty(t, r.Limits)

	// Notes are counted, and printed if they are wanted.
	_, stdout, _ = execute(t, "analyze", kubernetes)
	require.Contains(t, stdout, "notes: 1 MP; -notes prints them\n")
	require.NotContains(t, stdout, "MP note")
	_, stdout, _ = execute(t, "analyze", "-notes", kubernetes)
	require.Contains(t, stdout, "MP note: message contention: m\n")

	// Critical sections in another order are an error if what is read stays as it was, which the accesses show.
	const twoLocks = "mutex a\nmutex b\nvar x\nvar y\ngoroutine 1\n go 2\n lock a first\n lock b first\n write x\n unlock b\n unlock a\n" +
		"goroutine 2 of 1\n lock b from 1.5\n read %s\n lock a from 1.6\n unlock a\n unlock b\n"
	code, stdout, stderr = execute(t, "analyze", writeTrace(t, fmt.Sprintf(twoLocks, "y")))
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "P05 error: possible cyclic deadlock of locks")
	code, stdout, stderr = execute(t, "analyze", writeTrace(t, fmt.Sprintf(twoLocks, "x")))
	require.Equal(t, exitInconclusive, code, stderr)
	require.Contains(t, stdout, "P05 warning: possible cyclic deadlock of locks")
	require.Contains(t, stdout, "\n  unless the program does something else where critical sections come in another order, by what it reads in them\n")

	// Nothing, a warning, and a result that does not cover all.
	code, stdout, _ = execute(t, "analyze", writeTrace(t, "chan x 0\ngoroutine 1\n go 2\n recv x from 2.1\ngoroutine 2 of 1\n send x\n"))
	require.Equal(t, exitNothing, code)
	require.Equal(t, "0 errors, 0 warnings, 0 notes; 3 events of 2 goroutines\n", stdout)
	code, stdout, _ = execute(t, "analyze", writeTrace(t, "chan x 0\ngoroutine 1\n go 2\n end\ngoroutine 2 of 1\n send x pending @%3Cb%3E.go:1\n"))
	require.Equal(t, exitInconclusive, code)
	require.Contains(t, stdout, "L02 warning: goroutine stays at an unbuffered channel, no partner: x\n  send x in goroutine 2 at <b>.go:1 was never completed\n")
	code, stdout, _ = execute(t, "analyze", "-orders", "1", writeTrace(t, twoOrders))
	require.Equal(t, exitInconclusive, code)
	require.Contains(t, stdout, "not all orders of operations on buffered channels were looked at, but 1\n")
	_, stdout, _ = execute(t, "analyze", "-notes", writeTrace(t, twoOrders))
	require.Contains(t, stdout, "it shows in another order of the operations on buffered channels\n")
}

const twoOrders = `chan x 1
goroutine 1
  go 2
  send x
  recv x from 1.2
goroutine 2 of 1
  send x
  recv x from 2.1
`

func TestAnalyzeErrors(t *testing.T) {
	t.Parallel()
	large := filepath.Join(t.TempDir(), "large.trace")
	f, err := os.Create(large)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(maxTrace+1))
	require.NoError(t, f.Close())
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "usage: vtrace analyze"},
		{[]string{"a", "b"}, "usage: vtrace analyze"},
		{[]string{"-orders", "0", kubernetes}, "-orders and -max-memory are at least 1"},
		{[]string{"missing.trace"}, "missing.trace"},
		{[]string{large}, "larger than 64 MiB"},
		{[]string{writeTrace(t, "goroutine 1\n  fly\n")}, `run.trace:3: there is no operation "fly"`},
		{[]string{writeTrace(t, "")}, "it has no goroutine"},
		{[]string{"-max-memory", "1", kubernetes}, "need more than 0 KiB"},
	} {
		code, stdout, stderr := execute(t, append([]string{"analyze"}, c.args...)...)
		require.Equal(t, exitUsage, code, c.args)
		require.Empty(t, stdout)
		require.Contains(t, stderr, c.want)
	}
}

// The commands of docs/analyses.md print what it says, and it has a section for each code.
func TestAnalysesDocument(t *testing.T) {
	const path = "../../docs/analyses.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	ran := 0
	got := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		ran++
		line := consoleBlock.FindStringSubmatch(block)[1]
		code, stdout, stderr := execute(t, strings.Fields(line)[1:]...)
		require.Equal(t, exitInconclusive, code, "%s: %s", line, stderr)
		return "```console\n$ " + line + "\n" + stdout + "```"
	})
	require.Positive(t, ran)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, got, string(text), "run: go test ./cmd/vtrace -run TestAnalysesDocument -update")
	var sections []string
	for _, m := range regexp.MustCompile(`(?m)^## ([A-Z]+[0-9]*)$`).FindAllStringSubmatch(got, -1) {
		sections = append(sections, m[1])
	}
	var codes []string
	for _, c := range analyze.Codes() {
		codes = append(codes, string(c))
		require.NotEmpty(t, c.Title())
	}
	require.ElementsMatch(t, codes, sections)
}

// Operations at one place are named once, with how often; findings that differ only in that are one.
func TestAnalyzeAlike(t *testing.T) {
	t.Parallel()
	_, stdout, _ := execute(t, "analyze", "-notes", writeTrace(t, `chan x 0
goroutine 1
  go 2
  go 3
  send x @f.go:1
  send x @f.go:1
goroutine 2 of 1
  recv x from 1.3 @f.go:2
  recv x from 1.4 @f.go:2
goroutine 3 of 1
  select recv x, default : default @f.go:3
  select recv x, default : default @f.go:3
`))
	require.Contains(t, stdout, "could have been with select x in goroutine 3 at f.go:3 (2 times)\n  2 times at these places\n")
	require.Equal(t, 1, strings.Count(stdout, "\nAC "))
	require.Equal(t, 1, strings.Count(stdout, "\nASC "))
}

// TestAnalyzeStandardInput: the trace is that of the call.
func TestAnalyzeStandardInput(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(kubernetes)
	require.NoError(t, err)
	c := &call{ctx: t.Context(), stdin: bytes.NewReader(text)}
	read, _, err := c.readTrace(standardInput)
	require.NoError(t, err)
	require.Len(t, read.Goroutines, 3)
}

package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check"
)

// queryFile writes queries to a file.
func queryFile(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "queries.q")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	return path
}

const door = "testdata/door.xml"

func TestVerifyExitCodes(t *testing.T) {
	const holds, fails = "A[] not (A.open and B.open)", "A[] not deadlock"
	for _, c := range []struct {
		name    string
		flags   []string
		queries []string
		code    int
		stdout  string
		stderr  string
	}{
		{"satisfied", nil, []string{holds}, exitNothing, "1  satisfied  " + holds, ""},
		{"not satisfied", nil, []string{holds, fails}, exitReal, "2  NOT satisfied  " + fails, ""},
		{"undecided", []string{"-states", "2"}, []string{holds}, exitInconclusive, "1  undecided  " + holds, ""},
		{"not satisfied and undecided", []string{"-states", "2"}, []string{"A[] A.closed", holds}, exitReal, "2  undecided", ""},
		{"wrong query", nil, []string{"A[] nothing"}, exitInconclusive, "1  error  A[] nothing", ""},
		{"no queries", nil, nil, exitUsage, "", "has no queries"},
		{"wrong order", []string{"-order", "wide"}, []string{holds}, exitUsage, "", "-order is bfs, dfs or random"},
		{"wrong engine", []string{"-engine", "none"}, []string{holds}, exitUsage, "", "-engine is embedded or verifyta"},
		{"depth first", []string{"-order", "dfs"}, []string{holds, fails}, exitReal, "1  satisfied", ""},
		{"random", []string{"-order", "random", "-seed", "3"}, []string{holds, fails}, exitReal, "1  satisfied", ""},
		{"one core", []string{"-workers", "1"}, []string{holds, fails}, exitReal, "1  satisfied", ""},
		{"negative cores", []string{"-workers", "-1"}, []string{holds}, exitUsage, "", "-workers is 0 or more"},
		{"without reductions", []string{"-reductions=false", "-stats"}, []string{holds}, exitNothing, "states/s", ""},
		{"budget", []string{"-memory", "1K"}, []string{holds}, exitInconclusive, "memory", ""},
		{"trace", []string{"-trace"}, []string{"A[] not A.open"}, exitReal, "trace of query 1: 0 initial state locations A.closed B.closed 1 A: closed > open guard !busy update busy = true, used = used + 1 > 2 ? 2 : used + 1 values busy = 1, used = 1", ""},
		{"compacted depth first", []string{"-compact", "-order", "dfs"}, []string{holds}, exitUsage, "", "-compact needs -order bfs"},
		{"too small to be compacted", []string{"-compact"}, []string{holds}, exitNothing, "1  satisfied", ""},
		{"timeout", []string{"-timeout", "1ns"}, []string{holds}, exitInconclusive, "", "time budget reached while the model was read: no query is decided"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := append(append([]string{"verify"}, c.flags...), door, queryFile(t, c.queries...))
			code, stdout, stderr := execute(t, args...)
			require.Equal(t, c.code, code, "%s%s", stdout, stderr)
			require.Contains(t, strings.Join(strings.Fields(stdout), " "), strings.Join(strings.Fields(c.stdout), " "))
			require.Contains(t, stderr, c.stderr)
		})
	}
}

// States of several words are compacted: what is not found is only probable.
func TestVerifyCompact(t *testing.T) {
	model := `<nta><declaration>int a, b, c, d, e;</declaration><template><name>P</name><location id="l"><name>l</name></location><init ref="l"/>
		<transition><source ref="l"/><target ref="l"/><label kind="guard">a &lt; 9</label><label kind="assignment">a++, b += a, c += b, d += c, e += d</label></transition>
		</template><system>system P;</system>
		<queries><query><formula>A[] a &lt; 10</formula></query><query><formula>E&lt;&gt; a == 10</formula></query><query><formula>A[] a &lt; 9</formula></query>
		<query><formula>simulate [&lt;=3] { a }</formula></query></queries></nta>`
	file := filepath.Join(t.TempDir(), "wide.xml")
	require.NoError(t, os.WriteFile(file, []byte(model), 0o644))
	code, stdout, stderr := execute(t, "verify", "-compact", file)
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "1  probably satisfied      A[] a < 10\n2  probably NOT satisfied  E<> a == 10\n3  NOT satisfied           A[] a < 9\n")
	require.Contains(t, stdout, "1: nothing was found, but with a probability of at most ")
	require.Equal(t, "vtrace: left out: "+file+": query 4:1:1: simulations are not supported\n", stderr)
	code, stdout, stderr = execute(t, "verify", "-compact", "-json", file, queryFile(t, "A[] a < 10"))
	require.Equal(t, exitInconclusive, code)
	require.Empty(t, stderr)
	require.Contains(t, stdout, `"omission": `)

	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(model, "a++", "f()", 1)), 0o644))
	code, _, stderr = execute(t, "verify", file)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "vtrace: "+file+": template P, edge 0, assignment:1:1: unknown function f\n")
}

func TestVerifyJSON(t *testing.T) {
	code, stdout, stderr := execute(t, "verify", "-json", "-stats", "-trace", door, queryFile(t, "A[] not A.broken"))
	require.Equal(t, exitReal, code, stderr)
	var r struct {
		Results []verified
		Stats   struct{ States, Transitions int }
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Equal(t, "F", r.Results[0].Verdict)
	require.Equal(t, "A: open > broken", r.Results[0].Trace[len(r.Results[0].Trace)-1])
	require.Positive(t, r.Stats.States)
	require.Equal(t, "A: open > broken", r.Results[0].Steps[len(r.Results[0].Steps)-1].Parts[0])
	require.NotContains(t, stdout, "vtrace:")
}

// A model as text, with the queries beside it, from the standard input, and errors with
// their place first.
func TestVerifyText(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "count.xta")
	text := "int[0,9] n;\nprocess P() {\n state a;\n init a;\n trans a -> a { guard n < 4; assign n++; };\n}\nsystem P;\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	code, _, stderr := execute(t, "verify", file)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "has no queries")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "count.q"), []byte("A[] n < 4\nbounds{n > 1}: n, 2 * n\nsup{n > 7}: n\n"), 0o644))
	const want = "1  NOT satisfied   A[] n < 4\n2  [2, 4], [4, 8]  bounds{n > 1}: n, 2 * n\n3  no state        sup{n > 7}: n\n"
	code, stdout, stderr := execute(t, "verify", file)
	require.Equal(t, exitReal, code, stderr)
	require.Equal(t, want, stdout)

	input := func(stdin string, args ...string) (int, string, error) {
		var out, errs strings.Builder
		c := &call{ctx: t.Context(), args: args, stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs}
		code, err := runVerify(c)
		return code, out.String(), err
	}
	queries := filepath.Join(dir, "count.q")
	code, stdout, err := input("\n "+text, "-", queries)
	require.NoError(t, err)
	require.Equal(t, exitReal, code)
	require.Equal(t, want, stdout)
	code, stdout, err = input("A[] n < 5\n", file, "-")
	require.NoError(t, err)
	require.Equal(t, exitNothing, code)
	require.Equal(t, "1  satisfied  A[] n < 5\n", stdout)
	xml, err := os.ReadFile(door)
	require.NoError(t, err)
	code, _, err = input("\xef\xbb\xbf"+string(xml), "-", "testdata/door.q")
	require.NoError(t, err)
	require.Equal(t, exitReal, code)
	_, _, err = input("", "-", "-")
	require.ErrorIs(t, err, errUsage)
	_, _, err = input("", "-")
	require.EqualError(t, err, "-: the document has no root element: is it XML? (The textual format has the names .xta and .ta.)")
	_, _, err = input("A[] n <\n", file, "-")
	require.EqualError(t, err, "-:1:8: unexpected end of line, expected an expression")

	for broken, message := range map[string]string{
		strings.Replace(text, "n < 4", "m < 4", 1):   file + ":5:23: unknown identifier m",
		strings.Replace(text, "init a", "init b", 1): file + ":4:7: unknown location b",
	} {
		require.NoError(t, os.WriteFile(file, []byte(broken), 0o644))
		code, _, stderr = execute(t, "verify", file)
		require.Equal(t, exitUsage, code)
		require.Equal(t, "vtrace: "+message+"\n", stderr)
	}
}

// Queries keep their numbers, whatever is left out.
func TestVerifyNumbers(t *testing.T) {
	text, err := os.ReadFile(door)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "door.xml")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(text), "</nta>", `<queries><query><formula/></query>
		<query><formula>A[] nonsense(</formula><comment>of no use</comment></query><query><formula>A[] not A.broken</formula></query>
		<query><formula>inf: used</formula></query></queries></nta>`, 1)), 0o644))
	code, stdout, stderr := execute(t, "verify", file)
	require.Equal(t, exitReal, code)
	require.Equal(t, "3  NOT satisfied  A[] not A.broken\n4  0              inf: used\n", stdout)
	require.Contains(t, stderr, "vtrace: left out: "+file+": query 2:1:")
	code, stdout, _ = execute(t, "verify", "-query", "4, 2", "-json", "-stats", file)
	require.Equal(t, exitInconclusive, code)
	var r struct {
		Results  []verified
		LeftOut  []unparsed
		Complete bool
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &r))
	require.Len(t, r.Results, 1)
	require.Equal(t, 4, r.Results[0].Number)
	require.Zero(t, *r.Results[0].Values[0].Inf)
	require.Nil(t, r.Results[0].Values[0].Sup)
	require.Positive(t, r.Results[0].Stats.Explored)
	require.Len(t, r.LeftOut, 1)
	require.Equal(t, 2, r.LeftOut[0].Number)
	require.Equal(t, "A[] nonsense(", r.LeftOut[0].Query)
	require.Equal(t, "of no use", r.LeftOut[0].Comment)
	require.Contains(t, r.LeftOut[0].Reason, "query 2:1:")
	for list, want := range map[string]string{"9": "there is no query 9", "1": "there is no query 1", "x": "-query has numbers", "0": "-query has numbers"} {
		code, _, stderr = execute(t, "verify", "-query", list, file)
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, want)
	}
	code, stdout, _ = execute(t, "verify", "-query", "3", "-promela", "-", file)
	require.Equal(t, exitNothing, code)
	require.Contains(t, stdout, "active proctype property()")
	_, stdout, _ = execute(t, "verify", "-stats", file)
	require.Regexp(t, `(?m)^3: decided after \d+ states, \d+ explored, \d+ transitions, depth \d+, \d+ bytes, [0-9.]+s$`, stdout)
	code, stdout, _ = execute(t, "verify", "-states", "3", "-query", "4", file)
	require.Equal(t, exitInconclusive, code)
	require.Contains(t, stdout, "4  undecided; so far 0  inf: used\n4: state budget reached\n")
}

// Traces in files, in every format.
func TestVerifyTraceFiles(t *testing.T) {
	one := queryFile(t, "A[] not deadlock", "E<> A.open", "A[] not (A.open and B.open)")
	prefix := filepath.Join(t.TempDir(), "door")
	for format, want := range map[string]string{
		"text": "trace of query 2: E<> A.open\n    0  initial state\n       locations  A.closed B.closed\n    1  A: closed > open\n       guard      !busy\n",
		"json": "{\n  \"number\": 2,\n  \"query\": \"E<> A.open\",\n  \"steps\": [\n    {\n      \"parts\": [],\n      \"locations\": [\n",
		"xtr":  "0 0 \n.\n0 1 0\n.\n.\n0 0 \n.\n1 0 \n.\n0 1 0\n.\n.\n1 1 \n.\n0 0 ; .\n.\n",
		"xml":  "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<trace initial_node=\"State1\">\n",
	} {
		ending := map[string]string{"text": "txt"}[format]
		if ending == "" {
			ending = format
		}
		code, stdout, stderr := execute(t, "verify", "-trace-format", format, "-trace-out", prefix, door, one)
		require.Equal(t, exitReal, code, stderr)
		require.Contains(t, stdout, "2: trace in "+prefix+"-2."+ending+"\n")
		text, err := os.ReadFile(prefix + "-2." + ending)
		require.NoError(t, err)
		require.Contains(t, string(text), want)
		require.NoFileExists(t, prefix+"-3."+ending)
	}
	code, _, stderr := execute(t, "verify", "-trace-format", "xtr", door, one)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "needs -trace-out")
	code, _, stderr = execute(t, "verify", "-trace-format", "pdf", door, one)
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "-trace-format is text, json, xtr or xml")
	code, _, _ = execute(t, "verify", "-trace-format", "xml", "-trace-out", filepath.Join(prefix, "no", "place"), door, one)
	require.Equal(t, exitUsage, code)
}

// What does not look at the time is left behind when it is over.
func TestWithin(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	hold := make(chan struct{})
	defer close(hold)
	cancel(errLate)
	n, err := within(ctx, 0, func() (int, error) { <-hold; return 1, nil })
	require.ErrorIs(t, err, errLate)
	require.Zero(t, n)
	n, err = within(ctx, time.Hour, func() (int, error) { return 1, nil })
	require.NoError(t, err, "what ends by itself counts")
	require.Equal(t, 1, n)
	require.Equal(t, check.Maybe, undecided(2).Results[1].Verdict)
}

func TestVerifyPromela(t *testing.T) {
	file := filepath.Join(t.TempDir(), "door.pml")
	one := queryFile(t, "A[] not (A.open and B.open)")
	code, stdout, stderr := execute(t, "verify", "-promela", file, door, one)
	require.Equal(t, exitNothing, code, stderr)
	require.Empty(t, stdout)
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(written), "active proctype proc0()")
	code, stdout, _ = execute(t, "verify", "-promela", "-", door, one)
	require.Equal(t, exitNothing, code)
	require.Equal(t, string(written), stdout)
	code, _, stderr = execute(t, "verify", "-promela", "-", door, "testdata/door.q")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "one query, not 3: choose one with -query")
	code, _, stderr = execute(t, "verify", "-promela", "-", door, queryFile(t, "A<> A.open"))
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "cannot be exported")
}

// An engine that is not installed is an error, one that is answers.
func TestVerifyEngine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	code, _, stderr := execute(t, "verify", "-engine", "verifyta", door, "testdata/door.q")
	require.Equal(t, exitUsage, code)
	require.Contains(t, stderr, "verifyta of UPPAAL is not installed")
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "verifyta"), []byte("#!/bin/sh\necho ' -- Formula is NOT satisfied.'\n"), 0o755))
	t.Setenv("PATH", dir)
	code, stdout, stderr := execute(t, "verify", "-engine", "verifyta", door, queryFile(t, "A[] not deadlock"))
	require.Equal(t, exitReal, code, stderr)
	require.Equal(t, "1  NOT satisfied  A[] not deadlock\n", stdout)
}

// The queries of a program's model say what they ask and where.
func TestVerifyAbout(t *testing.T) {
	for comment, want := range map[string]string{
		"": "",
		"description: main at receive\nlocation: a/main.go:11:3\ncategory: x\nnumber: 1": "a/main.go:11:3: main at receive",
		"description: it is whole\ncategory: internal":                                   "it is whole",
		"nobody meets\nin the middle":                                                    "nobody meets",
		" \n":                                                                            "",
	} {
		require.Equal(t, want, (&verified{Comment: comment}).about())
	}
	file := filepath.Join(t.TempDir(), "model.xml")
	code, _, stderr := execute(t, "translate", "-o", file, "../../examples/sharedvar_increment")
	require.Equal(t, exitNothing, code, stderr)
	code, stdout, _ := execute(t, "verify", "-trace", file)
	require.Equal(t, exitReal, code)
	require.Contains(t, stdout, "sharedvar_increment/main.go:16:8: a panic is not recovered\n")
	require.Regexp(t, `(?m)^ +comment +(\.\./)*examples/sharedvar_increment/main.go:\d+:\d+$`, stdout)

	// As text it is the same model, with its queries beside it.
	text := filepath.Join(filepath.Dir(file), "text.xta")
	code, _, stderr = execute(t, "translate", "-format", "xta", "-o", text, "../../examples/sharedvar_increment")
	require.Equal(t, exitNothing, code, stderr)
	verdicts := func(stdout string) (list []string) {
		for _, line := range strings.Split(stdout, "\n") {
			if fields := strings.Fields(line); len(fields) > 2 && !strings.HasPrefix(line, " ") {
				list = append(list, strings.Join(fields, " "))
			}
		}
		return list
	}
	_, stdout, _ = execute(t, "verify", file)
	code, asText, stderr := execute(t, "verify", text)
	require.Equal(t, exitReal, code, stderr)
	require.Equal(t, verdicts(stdout), verdicts(asText))
	for _, flags := range [][]string{{"-format", "pdf"}, {"-format", "xta", "-o", "a.q"}} {
		code, _, _ = execute(t, append(append([]string{"translate"}, flags...), "../../examples/sharedvar_increment")...)
		require.Equal(t, exitUsage, code)
	}
}

// A portable model has no extension of vtrace, and says what it does not ask.
func TestTranslatePortable(t *testing.T) {
	const program = "../../internal/translate/testdata/verdicts/server"
	file := filepath.Join(t.TempDir(), "model.xml")
	args := []string{"translate", "-o", file, program}
	code, _, stderr := execute(t, args...)
	require.Equal(t, exitNothing, code, stderr)
	require.NotContains(t, stderr, "portable (under)")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), "stuck(")
	code, _, stderr = execute(t, append(args, "-portable")...)
	require.Equal(t, exitNothing, code, stderr)
	require.Contains(t, stderr, "portable (under): it is not asked whether ")
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	require.NotContains(t, string(text), "stuck(")
	require.NotRegexp(t, `system [^;]*&lt;`, string(text))
	code, stdout, _ := execute(t, "verify", "-query", "1", "-promela", "-", file)
	require.Equal(t, exitNothing, code)
	require.Contains(t, stdout, "active proctype property()")
}

// The commands of docs/checker.md print what it says.
func TestCheckerDocument(t *testing.T) {
	const path = "../../docs/checker.md"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	n := 0
	got := consoleBlock.ReplaceAllStringFunc(string(text), func(block string) string {
		n++
		line := consoleBlock.FindStringSubmatch(block)[1]
		dir := t.TempDir()
		_, stdout, stderr := execute(t, strings.Fields(strings.ReplaceAll(line, "DIR", dir))[1:]...)
		require.Empty(t, stderr, line)
		return "```console\n$ " + line + "\n" + strings.ReplaceAll(stdout, dir, "DIR") + "```"
	})
	require.Positive(t, n)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	require.Equal(t, string(text), got, "run: go test ./cmd/vtrace -run TestCheckerDocument -update")
}

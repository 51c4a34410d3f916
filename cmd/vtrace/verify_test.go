package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
		{"trace", []string{"-trace"}, []string{"A[] not A.open"}, exitReal, "trace of query 1: 0 initial state 1 A: closed > open", ""},
		{"compacted depth first", []string{"-compact", "-order", "dfs"}, []string{holds}, exitUsage, "", "-compact needs -order bfs"},
		{"too small to be compacted", []string{"-compact"}, []string{holds}, exitNothing, "1  satisfied", ""},
		{"timeout", []string{"-timeout", "1ns"}, []string{holds}, exitInconclusive, "undecided", ""},
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
		<query><formula>sup: a</formula></query></queries></nta>`
	file := filepath.Join(t.TempDir(), "wide.xml")
	require.NoError(t, os.WriteFile(file, []byte(model), 0o644))
	code, stdout, stderr := execute(t, "verify", "-compact", file)
	require.Equal(t, exitReal, code, stderr)
	require.Contains(t, stdout, "1  probably satisfied      A[] a < 10\n2  probably NOT satisfied  E<> a == 10\n3  NOT satisfied           A[] a < 9\n")
	require.Contains(t, stdout, "1: nothing was found, but with a probability of at most ")
	require.Equal(t, "vtrace: left out: "+file+": query 4:1:1: sup queries are not supported\n", stderr)
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
	require.Contains(t, stderr, "one query, not 3")
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
	code, stdout, _ := execute(t, "verify", file)
	require.Equal(t, exitReal, code)
	require.Contains(t, stdout, "sharedvar_increment/main.go:16:8: a panic is not recovered\n")
}

package verifyta

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

func pair(t testing.TB) *uppaal.Network {
	t.Helper()
	f, err := os.Open("testdata/pair.xml")
	require.NoError(t, err)
	defer f.Close()
	net, err := uppaal.ReadXML(f)
	require.NoError(t, err)
	return net
}

func query(t testing.TB, text string) *uppaal.Query {
	t.Helper()
	q, err := uppaal.ParseQuery(text)
	require.NoError(t, err)
	return q
}

// fake writes a program that prints recorded text instead of verifying.
func fake(t testing.TB, stdout, stderr string, exit int) Engine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the fake verifyta is a shell script")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "verifyta")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "out"), []byte(stdout), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "err"), []byte(stderr), 0o600))
	return script(t, path, fmt.Sprintf("echo \"$@\" > %[1]s/args\ncp model.xml query.q %[1]s\ncat %[1]s/out\ncat %[1]s/err >&2\nexit %[2]d\n", dir, exit))
}

func script(t testing.TB, path, text string) Engine {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700))
	return Engine{Path: path}
}

func recorded(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(data)
}

// The three forms of traces are read to what the embedded engine finds.
func TestTraces(t *testing.T) {
	net, q := pair(t), query(t, "A[] not Adder(0).done")
	want, err := check.Verify(context.Background(), net, []*uppaal.Query{q}, check.Options{})
	require.NoError(t, err)
	require.Equal(t, check.False, want.Results[0].Verdict)
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	for _, form := range []string{"4.1", "stratego", "tracer"} {
		t.Run(form, func(t *testing.T) {
			e := fake(t, recorded(t, "violated.stdout"), recorded(t, "violated-"+form+".stderr"), 0)
			r, err := e.Verify(context.Background(), net, []*uppaal.Query{q}, check.Options{})
			require.NoError(t, err)
			got := r.Results[0]
			require.Equal(t, check.False, got.Verdict)
			require.Empty(t, got.Reason)
			require.Equal(t, []string{
				"Adder(0): idle > _id1", "S: open > open", "Adder(0): _id1 > idle",
			}, got.Trace.Lines(info))
			require.Equal(t, want.Results[0].Trace.Steps[0].Parts[0].Select, got.Trace.Steps[0].Parts[0].Select)
			for i, s := range want.Results[0].Trace.States {
				require.Equal(t, s.Vars, got.Trace.States[i].Vars)
			}
			require.Equal(t, check.Step{Parts: []check.Part{{Process: 0, Edge: 1}}}, got.Trace.Steps[1])
			require.Equal(t, 5, r.Stats.States)
			require.EqualValues(t, 8<<10, r.Stats.Bytes)
		})
	}
}

func TestOutputs(t *testing.T) {
	satisfied := recorded(t, "satisfied.stdout")
	for _, c := range []struct {
		name, stdout, stderr string
		exit                 int
		verdict              check.Verdict
		reason               string
		err                  string
	}{
		{"satisfied", satisfied, "", 0, check.True, "", ""},
		{"property, as before 4.1", " -- Property is satisfied.\n", "", 0, check.True, "", ""},
		{"may", " -- Formula MAY be satisfied.\n", "", 0, check.Maybe, "MAY be satisfied", ""},
		{"may not", " -- Formula MAY NOT be satisfied.\n", "", 0, check.Maybe, "MAY NOT be satisfied", ""},
		{"aborted", "Verifying formula 1 at query.q:1\n -- Aborted.\n",
			"/tmp/x/model.xml::81: [error] Index value 20 is out of range. Array range = 0..19.\n", 1,
			check.Error, "verifyta: model.xml::81: Index value 20 is out of range. Array range = 0..19.", ""},
		{"query refused", "", "query.q:1: [error] Unknown identifier: Boy1.\n", 1, check.Error, "Unknown identifier: Boy1.", ""},
		{"model refused", "", "/tmp/x/model.xml::2: [error] Unknown identifier: Boy1.\n", 1, 0, "", "refuses the model: model.xml::2: Unknown identifier: Boy1."},
		{"no licence", "", "Could not find a license key.\n", 1, 0, "", "exit status 1: Could not find a license key."},
		{"nothing", "", "", 0, 0, "", "it printed nothing"},
		{"violated without trace", " -- Formula is NOT satisfied.\n", "", 0, check.False, "", ""},
		{"trace of another model", " -- Formula is NOT satisfied.\n", "State:\n( X.a )\n", 0, check.False, `no process "X"`, ""},
		{"trace without values", " -- Formula is NOT satisfied.\n", "State:\n( Adder(0).idle Adder(1).idle S.open )\nv=0\n", 0, check.False, "variable kept[0] has no value", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := fake(t, c.stdout, c.stderr, c.exit).Verify(context.Background(), pair(t), []*uppaal.Query{query(t, "A[] v < 2")}, check.Options{})
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.verdict.String(), r.Results[0].Verdict.String())
			require.Contains(t, r.Results[0].Reason, c.reason)
			if c.reason == "" {
				require.Empty(t, r.Results[0].Reason)
			}
			require.Nil(t, r.Results[0].Trace)
		})
	}
}

// What verifyta is given.
func TestArguments(t *testing.T) {
	e := fake(t, recorded(t, "satisfied.stdout"), "", 0)
	e.Args = []string{"-S", "1"}
	r, err := e.Verify(context.Background(), pair(t), []*uppaal.Query{query(t, "A[] v < 2")}, check.Options{Order: check.RandomDepthFirst, Seed: 7})
	require.NoError(t, err)
	require.True(t, r.Complete)
	require.Equal(t, 9, r.Stats.States)
	dir := filepath.Dir(e.Path)
	args, err := os.ReadFile(filepath.Join(dir, "args"))
	require.NoError(t, err)
	require.Equal(t, "-s -q -u -o 2 -t 0 -r 7 -S 1 model.xml query.q\n", string(args))
	text, err := os.ReadFile(filepath.Join(dir, "query.q"))
	require.NoError(t, err)
	require.Equal(t, "A[] v < 2\n", string(text))
	model, err := os.ReadFile(filepath.Join(dir, "model.xml"))
	require.NoError(t, err)
	net, err := uppaal.ReadXML(bytes.NewReader(model))
	require.NoError(t, err)
	_, err = uppaal.Check(net)
	require.NoError(t, err)
	require.Empty(t, net.Queries)
}

func TestRefused(t *testing.T) {
	e := Engine{Path: filepath.Join(t.TempDir(), "verifyta")}
	for _, o := range []check.Options{{MaxMemory: 1}, {MaxStates: 1}, {HashCompaction: true}, {Refuted: [][]check.Label{{"a"}}}} {
		_, err := e.Verify(context.Background(), pair(t), nil, o)
		require.ErrorContains(t, err, "verifyta cannot")
	}
	r, err := e.Verify(context.Background(), pair(t), []*uppaal.Query{query(t, "A[] not stuck(S)"), query(t, "A[] nothing"), query(t, "sup: v")}, check.Options{})
	require.NoError(t, err)
	require.Equal(t, check.Error, r.Results[2].Verdict)
	require.Contains(t, r.Results[2].Reason, "not read from verifyta")
	require.Equal(t, check.Error, r.Results[0].Verdict)
	require.Contains(t, r.Results[0].Reason, "stuck")
	require.Equal(t, check.Error, r.Results[1].Verdict)
	_, err = e.Verify(context.Background(), pair(t), []*uppaal.Query{query(t, "A[] v < 2")}, check.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A timeout ends verifyta and what it has started; what is decided is kept.
func TestTimeout(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake verifyta is a shell script")
	}
	dir := t.TempDir()
	e := script(t, filepath.Join(dir, "verifyta"), `if grep -q deadlock query.q; then (sleep 600); fi; echo " -- Formula is satisfied."`)
	start := time.Now()
	ctx, cancel := context.WithCancelCause(context.Background())
	opts := check.Options{Progress: func(check.Stats) { cancel(errors.New("enough")) }}
	r, err := e.Verify(ctx, pair(t), []*uppaal.Query{query(t, "A[] v < 3"), query(t, "A[] not deadlock"), query(t, "A[] v < 2")}, opts)
	require.NoError(t, err)
	require.Less(t, time.Since(start), time.Minute)
	require.Equal(t, check.True, r.Results[0].Verdict)
	for _, r := range r.Results[1:] {
		require.Equal(t, check.Maybe, r.Verdict)
		require.Contains(t, r.Reason, "enough")
	}
	r, err = e.Verify(context.Background(), pair(t), []*uppaal.Query{query(t, "A[] not deadlock")}, check.Options{Timeout: 50 * time.Millisecond})
	require.NoError(t, err)
	require.Less(t, time.Since(start), time.Minute)
	require.Equal(t, check.Maybe, r.Results[0].Verdict)
	require.Contains(t, r.Results[0].Reason, "timeout of 50ms")
}

// TestReal compares an installed verifyta with the embedded engine.
func TestReal(t *testing.T) {
	path, err := Find()
	if err != nil {
		t.Skip(err)
	}
	var queries []*uppaal.Query
	for _, text := range []string{"A[] v < 2", "A[] v < LIMIT", "E<> deadlock", "E<> Adder(1).done", "A<> v > 0", "v == 1 --> v == 2"} {
		queries = append(queries, query(t, text))
	}
	want, err := check.Verify(context.Background(), pair(t), queries, check.Options{})
	require.NoError(t, err)
	got, err := Engine{Path: path}.Verify(context.Background(), pair(t), queries, check.Options{})
	require.NoError(t, err)
	for i, r := range want.Results {
		require.Equal(t, r.Verdict.String(), got.Results[i].Verdict.String(), "%s: %s", uppaal.QueryString(queries[i]), got.Results[i].Reason)
		require.Empty(t, got.Results[i].Reason)
	}
}

func FuzzReadTrace(f *testing.F) {
	for _, form := range []string{"4.1", "stratego", "tracer"} {
		f.Add(recorded(f, "violated-"+form+".stderr"))
	}
	info, err := uppaal.Check(pair(f))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := readTrace(info, text)
		if err != nil {
			return
		}
		require.Len(t, trace.States, len(trace.Steps)+1)
		require.NotContains(t, strings.Join(trace.Lines(info), "\n"), "_ >")
	})
}

package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"testing"

	"github.com/jstemmer/go-junit-report/v2/junit"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// suitesOf reads a report back.
func suitesOf(t *testing.T, j *JUnit, complete bool) junit.Testsuites {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, j.Write(&out, complete))
	var read junit.Testsuites
	require.NoError(t, xml.Unmarshal(out.Bytes(), &read), out.String())
	return read
}

func TestJUnit(t *testing.T) {
	note := deadlock(artifact.Note)
	note.Cause = "a worker \x01 ]]> stays"
	other := Result{Entry: artifact.Entry{Package: "m/q", Func: "TestD"}, Err: errors.New("m/q: it does not compile")}
	var j JUnit
	for _, r := range []Result{
		resultOf(bundleOf(t, "TestA", 0, deadlock(artifact.Real))),
		resultOf(bundleOf(t, "TestB", 0, deadlock(artifact.Unconfirmed))),
		resultOf(bundleOf(t, "TestC", 0, note)),
		resultOf(bundleOf(t, "TestE", 0, deadlock(artifact.Real)), Acceptance{Finding: 1, By: InComment, Reason: "so be it", File: "a b.go", Line: 2}),
		other,
	} {
		require.NoError(t, j.Add(r))
	}
	all := suitesOf(t, &j, true)
	require.Equal(t, []int{5, 1, 1, 1}, []int{all.Tests, all.Failures, all.Errors, all.Skipped})
	require.Len(t, all.Suites, 2)
	require.Equal(t, "m/p", all.Suites[0].Name)
	require.Equal(t, "6.000", all.Suites[0].Time)
	c := all.Suites[0].Testcases
	require.Equal(t, "TestA", c[0].Name)
	require.Equal(t, "m/p", c[0].Classname)
	require.Equal(t, "deadlock", c[0].Failure.Type)
	require.Equal(t, "a b.go:3: deadlock: nobody receives (the program has done it, in a replay)", c[0].Failure.Message)
	require.Contains(t, c[0].Failure.Data, "time passes", "the interleaving")
	require.Equal(t, "inconclusive: a b.go:3: deadlock: nobody receives (unconfirmed)", c[1].Skipped.Message)
	require.Contains(t, c[2].SystemOut.Data, "a worker \uFFFD ]] > stays")
	require.Nil(t, c[3].Failure)
	require.Contains(t, c[3].SystemOut.Data, "accepted: a b.go:3: deadlock: nobody receives (the program has done it, in a replay) (a b.go:2: so be it)")
	require.Equal(t, "m/q: it does not compile", all.Suites[1].Testcases[0].Error.Data)

	// What is not complete says so.
	require.Equal(t, 2, suitesOf(t, &j, false).Errors)
	require.Equal(t, 1, suitesOf(t, &JUnit{}, false).Errors)
	require.Zero(t, suitesOf(t, &JUnit{}, true).Tests)
}

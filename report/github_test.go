package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

func TestGitHub(t *testing.T) {
	hostile := deadlock(artifact.Unconfirmed)
	hostile.File, hostile.Cause, hostile.Interleaving, hostile.Goroutines = "a,b:c%.go", "100%\r\n::error::x", nil, nil
	var out bytes.Buffer
	g := GitHub{Path: func(file string) string { return "sub/" + file }}
	for _, r := range []Result{
		resultOf(bundleOf(t, "TestA", 0, deadlock(artifact.Real))),
		resultOf(bundleOf(t, "TestB", 0, deadlock(artifact.Real))), // the same
		resultOf(bundleOf(t, "TestC", 0, hostile)),
		resultOf(bundleOf(t, "TestD", 0, deadlock(artifact.Note)), Acceptance{Finding: 1, By: InBaseline}),
		resultOf(bundleOf(t, "TestE", 0, deadlock(artifact.False))),
		{Entry: artifact.Entry{Package: "m/p", Func: "TestF"}, Err: errors.New("it does\nnot compile")},
	} {
		require.NoError(t, g.Write(&out, r))
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	require.Len(t, lines, 3)
	require.True(t, strings.HasPrefix(lines[0], "::error file=sub/a b.go,line=3,col=8,title=vtrace%3A deadlock::a b.go:3: deadlock: nobody receives (the program has done it, in a replay)%0A"), lines[0])
	require.Equal(t, "::warning file=sub/a%2Cb%3Ac%25.go,line=3,title=vtrace%3A deadlock::a,b:c%25.go:3: deadlock: 100%25\uFFFD%0A::error::x (unconfirmed)", lines[1])
	require.Equal(t, "::error title=vtrace::m/p TestF was not checked: it does%0Anot compile", lines[2])
}

package recording

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/trace"
)

// What the garbage collector has said of goroutines is in the header, and in the text.
func TestLeft(t *testing.T) {
	const text = `trace 1
chan c 0
goroutine 1 path 0
  go 2
  go 3
  go 4
goroutine 2 reachable of 1 path 0.1 unreachable
  recv c pending
goroutine 3 of 1 path 0.2 reachable
  recv c pending
goroutine 4 of 1 path 0.3
  end
`
	want, err := trace.Parse([]byte("trace 1\nchan c 0\ngoroutine 1 path 0\n  go 2\n  go 3\n  go 4\ngoroutine 2 of 1 path 0.1 unreachable\n  recv c pending\ngoroutine 3 of 1 path 0.2 reachable\n  recv c pending\ngoroutine 4 of 1 path 0.3\n  end\n"))
	require.NoError(t, err)
	_, err = trace.Parse([]byte(text))
	require.Error(t, err, "a word is no name")
	var file bytes.Buffer
	require.NoError(t, Write(&file, want, Header{}))
	got, h, err := Load(&file, 0)
	require.NoError(t, err)
	require.True(t, h.Judged)
	require.Equal(t, []uint64{2}, h.Leaked)
	for i, left := range []trace.Left{trace.NotJudged, trace.Unreachable, trace.Reachable, trace.NotJudged} {
		require.Equal(t, left, want.Goroutines[i].Left)
		require.Equal(t, left, got.Goroutines[i].Left)
	}
	var out bytes.Buffer
	require.NoError(t, trace.Format(&out, got))
	require.Contains(t, out.String(), "goroutine 2 of 1 path 0.1 unreachable\n")
	require.Contains(t, out.String(), "goroutine 3 of 1 path 0.2 reachable\n")
}

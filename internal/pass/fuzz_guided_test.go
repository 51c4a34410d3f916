package pass

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/source"
)

// TestFuzzFindings: what a search shows is proved, with a test that can be replayed; a select that takes the case of its
// timeout needs somebody to be slow, which the finding says; with Races data races are findings; and a search ends when
// it is interrupted.
func TestFuzzFindings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n",
		"m_test.go": `package m

import (
	"testing"
	"time"
)

func TestTimeout(t *testing.T) {
	res := make(chan int)
	go func() { res <- 1 }()
	select {
	case <-res:
	case <-time.After(time.Second):
	}
}

func TestRace(t *testing.T) {
	x, done := 0, make(chan bool)
	go func() {
		x = 1
		close(done)
	}()
	x = 2
	<-done
	_ = x
}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	spec := source.Spec{Dir: dir, Pattern: ".", Entry: "TestTimeout"}
	x, err := Fuzz(t.Context(), spec, Fuzzing{MaxRuns: 100}, Options{})
	require.NoError(t, err)
	require.Equal(t, 100, x.Runs)
	found := x.Bundle.Findings()
	require.Len(t, found, 1)
	require.Equal(t, artifact.Real, found[0].Verdict)
	require.Equal(t, artifact.KindLeak, found[0].Kind)
	require.NotEmpty(t, found[0].Stalls)
	v, err := Replay(t.Context(), x.Bundle, found[0].Test, Options{})
	require.NoError(t, err)
	require.Equal(t, orchestrate.Reproduced, v.Status, v.Reason)

	interrupt := make(chan struct{})
	y, err := Fuzz(t.Context(), spec, Fuzzing{Corpus: x.Corpus}, Options{Interrupt: interrupt, Progress: func(e Event) {
		if s, ok := e.(StageStarted); ok && s.Stage == "fuzz" {
			close(interrupt)
		}
	}})
	require.NoError(t, err) // else it has no end
	require.NotNil(t, y.Bundle)

	spec.Entry = "TestRace"
	x, err = Fuzz(t.Context(), spec, Fuzzing{MaxRuns: 20}, Options{Model: &Model{Races: true}})
	require.NoError(t, err)
	found = x.Bundle.Findings()
	require.NotEmpty(t, found)
	require.Equal(t, artifact.KindRace, found[0].Kind)
	require.Equal(t, artifact.Real, found[0].Verdict)
}

package pass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/programs"
)

// keptBuffer has an encoder that keeps a buffer which the program reads before, or after, it
// waits for the goroutine that encodes. What gob does under its lock is not known, as that of a logger is.
func keptBuffer(writer, read, end string) string {
	return `package main

import (
	"bytes"
	"encoding/gob"
	"io"
	"sync"
)

func writerOf(b *bytes.Buffer) io.Writer { return b }

func main() {
	var b bytes.Buffer
	e := gob.NewEncoder(` + writer + `)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		_ = e.Encode(1)
	}()
	` + read + `
	if n ` + end + ` {
		panic("late")
	}
}
`
}

// TestCheckKept: what a library does to a buffer that it has kept, by whichever way, comes before
// and after what the program does to it, in an exploration and in a check. Where the program
// waits it does not.
func TestCheckKept(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	for name, c := range map[string]struct{ writer, read, end, kind string }{
		"an argument":          {"&b", "n := b.Len()\n\twg.Wait()", "!= 0", artifact.KindPanic},
		"a result":             {"writerOf(&b)", "n := b.Len()\n\twg.Wait()", "!= 0", artifact.KindPanic},
		"a literal":            {"[]io.Writer{&b}[0]", "n := b.Len()\n\twg.Wait()", "!= 0", artifact.KindPanic},
		"read when it is over": {"writerOf(&b)", "wg.Wait()\n\tn := b.Len()", "!= 4", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := programs.Main(t, keptBuffer(c.writer, c.read, c.end))
			x, err := Exhaust(t.Context(), spec, Exhaustion{}, Options{})
			require.NoError(t, err)
			require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
			b, err := Check(t.Context(), spec, Options{})
			require.NoError(t, err)
			concluded := Conclude(b)
			if c.kind == "" {
				require.Empty(t, programs.Errors(t, x.Ends, x.Covered.Limits))
				require.Zero(t, concluded.Real+concluded.Unconfirmed, describe(b))
				require.Empty(t, concluded.Limits)
				return
			}
			require.Equal(t, []string{c.kind}, programs.Errors(t, x.Ends, x.Covered.Limits))
			require.Equal(t, 1, concluded.Real, describe(b))
		})
	}
}

// TestCheckKeptNamed: where the schedules are too many to be run, a result names the use, which
// is no step of the model.
func TestCheckKeptNamed(t *testing.T) {
	programs.InLong(t)
	b, err := Check(t.Context(), programs.Main(t, keptBuffer("&b", "n := b.Len()\n\twg.Wait()", "!= 0")), Options{timing: &engineTiming{steps: 1}})
	require.NoError(t, err)
	c := Conclude(b)
	require.Zero(t, c.Real, describe(b))
	require.Contains(t, c.Limits, "main.go:21: a value is used of which a library may have kept a pointer: what it does to it in calls of other goroutines was not looked at in every order")
}

package view_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/trace"
	"github.com/vtrace/vtrace/internal/view"
)

// Whatever a valid trace says, and does not say, it has a page, with each event once.
func FuzzRecorded(f *testing.F) {
	for _, text := range []string{
		"chan x 0\ngoroutine 1\n  go 2\n  recv x from 2.1\n  recv x from 2.7\ngoroutine 2 of 1 truncated\n  send x pending",
		"chan x 1\nmutex m\ngoroutine 1\n  go 2\n  select send x, recv x, default : 1 from 2.1\n  lock m from 9.9\n  unlock m panicked\ngoroutine 2 of 1\n  send x\n  close nil panicked",
		"once o\nwaitgroup w\ncond c\natomic a\nvar v\nrwmutex r\ngoroutine 1\n  once o pending\n  add w +1\n  runlock r\n  rmw a from 1.9 seq 2\n  read v\n  condwait c pending\n  end panicked\ngoroutine 2\n  wait w seq 3\n  rlock r first\n  unlock r",
		"goroutine 1\n  end\ngoroutine 2\n  go 2\n  end",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tr, err := trace.Parse([]byte("trace 1\n" + text))
		if err != nil {
			return
		}
		d, err := view.OfRecording(view.Recording{Trace: tr})
		if err != nil {
			return // too large
		}
		require.NoError(t, view.WriteRecording(io.Discard, view.Recording{Trace: tr}))
		page := d.Traces[0]
		if n := page.Skipped + len(page.Steps) + page.Behind; n != tr.Events() {
			require.Contains(t, strings.Join(d.Notes, "\n"), fmt.Sprintf("%d events are not on this page: their goroutines cannot have been started", tr.Events()-n))
		}
		for _, a := range page.Arrows {
			require.Positive(t, a.FromStep)
			require.LessOrEqual(t, a.ToStep, page.Skipped+len(page.Steps))
		}
	})
}

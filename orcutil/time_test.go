package orcutil

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNow: the first call of time.Now is noted, in a bubble.
func TestNow(t *testing.T) {
	ask := func() {
		Go(1, func() { Now() })
		Sleep(2, time.Hour)
		Now()
	}
	for _, tt := range []struct {
		name string
		cfg  Config
		want []string
	}{
		{"bubble", Config{Bubble: bubble(t), Main: ask},
			[]string{"in a run it is 2000-01-01 00:00:00 UTC, and later only by steps that let time pass; goroutine 0.1 asks for the time at time_test.go:13"}},
		{"never", Config{Bubble: bubble(t), Main: func() { Go(1, func() {}) }}, nil},
		{"real time", Config{Main: func() { Now() }}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := Run(tt.cfg)
			require.Equal(t, Completed, res.Verdict, "%s", res)
			require.Equal(t, tt.want, res.Notes)
			require.False(t, res.Weak)
		})
	}
	require.WithinDuration(t, time.Now(), Now(), time.Hour)
}

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

// TestTimeMayPass: what a Chooser is told about time is what asking every
// goroutine gives.
func TestTimeMayPass(t *testing.T) {
	told := [2]int{}
	for _, p := range programs {
		for seed := range 20 {
			cfg := p.config(bubble(t))
			cfg.Chooser = asking{Random(uint64(seed)), t, &told}
			Run(cfg)
		}
	}
	require.NotZero(t, told[0])
	require.NotZero(t, told[1])
}

type asking struct {
	Chooser
	t    *testing.T
	told *[2]int
}

func (c asking) Next(v View) Choice {
	s := active.Load()
	_, known := s.nextKnown()
	sleepers, settlers := 0, 0
	for _, g := range s.blocked {
		switch g.op {
		case opSleep:
			sleepers++
		case opSettle:
			settlers++
		}
	}
	if v.Time != (known && settlers == 0) || s.sleepers != sleepers || s.settlers != settlers {
		c.t.Errorf("told %t, known %t, sleepers %d, counted %d, settlers %d, counted %d", v.Time, known, sleepers, s.sleepers, settlers, s.settlers)
	}
	if v.Time {
		c.told[1]++
	} else {
		c.told[0]++
	}
	return c.Chooser.Next(v)
}

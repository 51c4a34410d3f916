package orcruntime

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStalls: that time has passed while a goroutine could go on is recorded, whether
// it goes on then or is left where it stood.
func TestStalls(t *testing.T) {
	for name, left := range map[string][]string{
		"goes on": {"0", "0.1", "0", TimeStep, "0.1"},
		"is left": {"0", "0.1", "0", TimeStep, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &inTurn{left: left}
			res := Run(Config{Bubble: bubble(t), Chooser: c, Main: func() {
				Go(1, func() { Access(3) })
				Sleep(2, time.Hour)
				Access(4)
			}})
			require.Empty(t, c.left, "%s", res)
			require.Equal(t, []Stall{{"0.1", Site(3).key(), time.Hour}}, res.Stalls)
			require.Equal(t, time.Hour, res.VirtualTime)
		})
	}
	res := Run(Config{Bubble: bubble(t), Main: func() {
		Go(1, func() { Access(3) })
		Sleep(2, time.Hour)
		Access(4)
	}})
	require.Empty(t, res.Stalls, "everybody has had his turn before")
}

// TestCondStalls: who waits for a signal, or for the lock behind it, is not held.
func TestCondStalls(t *testing.T) {
	var mu sync.Mutex
	for name, signaller := range map[string]func(c *sync.Cond){
		"a late signal": func(c *sync.Cond) {
			Sleep(3, time.Hour)
			Lock(4, &mu)
			CondSignal(5, c)
			Unlock(6, &mu)
		},
		"a lock that is held for long": func(c *sync.Cond) {
			Lock(4, &mu)
			CondSignal(5, c)
			Sleep(3, time.Hour)
			Unlock(6, &mu)
		},
	} {
		t.Run(name, func(t *testing.T) {
			res := Run(Config{Bubble: bubble(t), Main: func() {
				c := sync.NewCond(&mu)
				done := false
				Go(1, func() {
					Lock(7, &mu)
					for !done {
						done = true
						CondWait(8, c)
					}
					Unlock(9, &mu)
				})
				Sleep(2, time.Minute)
				signaller(c)
				Sleep(10, time.Minute)
			}})
			require.Equal(t, Completed, res.Verdict, "%s", res)
			require.Empty(t, res.Stalls)
		})
	}
}

package orchestrate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// A panic of the run-time system that the model cannot end by is one that it leaves out;
// one of the program is a gap.
func TestRejectPanics(t *testing.T) {
	for message, status := range map[string]string{
		"panic: runtime error: index out of range [2] with length 2":                LeftOut,
		"panic: interface conversion: interface {} is nil, not string":              LeftOut,
		"panic: interface conversion: main.a is not main.b: missing method M":       LeftOut,
		"panic: send on closed channel":                                             Rejected,
		"panic: conversion of an interface is not what we want (a program said so)": Rejected,
	} {
		f, out := &Follower{side: &artifact.Sidecar{}}, &Following{}
		require.NoError(t, f.reject(out, &Track{}, &Verdict{Kind: artifact.KindPanic, Message: message}, "it ends"))
		require.Equal(t, status, out.Status, message)
	}
}

// Goroutines beyond those that can be told apart end the following, and are not taken for
// others.
func TestFollowCrowd(t *testing.T) {
	net, side := network(t)
	f, err := NewFollower(t.Context(), side, net)
	require.NoError(t, err)
	track, err := f.Begin()
	require.NoError(t, err)
	for n := range 70_000 {
		require.NotZero(t, track.goroutine(fmt.Sprint("0.", n)))
	}
	ok, err := track.Step(artifact.PlanStep{G: "0.70001", Site: "snd"})
	require.NoError(t, err)
	require.False(t, ok)
	require.True(t, track.full)
}

//go:build !linux

package main

import (
	"os/exec"
	"testing"
)

// isolate does nothing where there are no namespaces.
func isolate(*exec.Cmd) {}

// isolated skips a test where there are no namespaces.
func isolated(t *testing.T, _ *process) { t.Skip("needs a user namespace") }

// fullVariable is not obeyed: nobody can mount a file system of his own.
const fullVariable = "VTRACE_TEST_FULL"

func inFull(_ string, run func() int) int { return run() }

// full skips a test.
func full(string) func(*testing.T, string, *process) {
	return func(t *testing.T, _ string, _ *process) { t.Skip("needs a mount namespace") }
}

// peakMemory is not known in one form everywhere.
func peakMemory() int64 { return 0 }

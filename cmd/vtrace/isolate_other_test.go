//go:build !linux

package main

import "os/exec"

// isolate does nothing where there are no namespaces.
func isolate(*exec.Cmd) {}

// peakMemory is not known in one form everywhere.
func peakMemory() int64 { return 0 }

//go:build !linux

package sandbox

import (
	"os/exec"
	"runtime"
)

func enclosable() error { return missing("vtrace has none for %s", runtime.GOOS) }

func namespaces(*exec.Cmd) {}

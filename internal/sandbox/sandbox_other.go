//go:build !linux

package sandbox

import (
	"os"
	"os/exec"
	"runtime"
)

func enclosable() error { return missing("vtrace has none for %s", runtime.GOOS) }

func namespaces(*exec.Cmd) {}

// WriteExecutable writes a file that can be started.
func WriteExecutable(path string, data []byte) error { return os.WriteFile(path, data, 0o700) }

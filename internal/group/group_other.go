//go:build !unix

package group

import (
	"os"
	"os/exec"
)

// Own does nothing where there are no process groups.
func Own(*exec.Cmd) {}

// Kill kills the process.
func Kill(p *os.Process) error { return p.Kill() }

// Quit reports that a program cannot be asked.
func Quit(*os.Process) bool { return false }

//go:build !unix

package orchestrate

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func killGroup(p *os.Process) error { return p.Kill() }

func quit(*os.Process) bool { return false }

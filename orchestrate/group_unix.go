//go:build unix

package orchestrate

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts the command in a process group of its own.
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// killGroup kills the group that a process leads.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// quit asks a Go program to print its stacks and end.
func quit(p *os.Process) bool { return p.Signal(syscall.SIGQUIT) == nil }

//go:build unix

package group

import (
	"os"
	"os/exec"
	"syscall"
)

// Own starts the command in a process group of its own.
func Own(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// Kill kills the group that a process leads.
func Kill(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// Quit asks a Go program to print its stacks and end.
func Quit(p *os.Process) bool { return p.Signal(syscall.SIGQUIT) == nil }

//go:build unix

package verifyta

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts the command in a process group of its own: verifyta may be a
// script that starts others.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the group that a process leads.
func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

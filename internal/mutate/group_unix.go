//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// inGroup has a command run in a process group of its own, which ends as a whole. It returns what ends
// those of the group that are left.
func inGroup(cmd *exec.Cmd) (end func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kill := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = kill
	return func() {
		if cmd.Process != nil {
			_ = kill()
		}
	}
}

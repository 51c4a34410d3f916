//go:build !unix

package group

import (
	"os"
	"os/exec"
)

// ToolExec are no flags: there is nothing to find out whether this process lives.
func ToolExec() []string { return nil }

// Ready does nothing: commands have no guards.
func Ready() (release func()) { return func() {} }

// members is the command: there are no process groups.
type members struct{ process *os.Process }

func (m *members) start(cmd *exec.Cmd) error {
	err := cmd.Start()
	m.process = cmd.Process
	return err
}

func (m *members) kill() error { return m.process.Kill() }

func (m *members) end() {}

func quit(*os.Process) bool { return false }

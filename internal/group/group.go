// Package group runs commands so that they end with all that they have started, and with the process
// that has started them, however that one ends.
//
// On Unix a command runs in a process group. The first process of the group is its guard, a shell
// that reads from a pipe of which this process has the other end, and kills the group at the end of
// it. So nothing of the group is left where this process is killed. A process that leaves the group
// is not found.
//
// Elsewhere there are no such groups: the command can be killed, what it has started goes on, and
// both go on where this process is killed.
package group

import (
	"bytes"
	"os"
	"os/exec"
	"sync"
)

// Group is a command that was started, with all that it has started.
type Group struct {
	cmd     *exec.Cmd
	members members
	mu      sync.Mutex
	ended   bool // all were killed: their numbers may be those of others
}

// Start starts a command in a group. A context of the command ends the group. The caller calls Wait.
func Start(cmd *exec.Cmd) (*Group, error) {
	g := &Group{cmd: cmd}
	g.mu.Lock() // for who cancels at once
	defer g.mu.Unlock()
	if cmd.Cancel != nil {
		cmd.Cancel = g.Kill
	}
	if err := g.members.start(cmd); err != nil {
		return nil, err
	}
	return g, nil
}

// Wait waits until the command has ended, and kills those of the group that are left. The error is
// that of the command.
func (g *Group) Wait() error {
	err := g.cmd.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
	g.members.end()
	return err
}

// Kill kills all of the group.
func (g *Group) Kill() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		return os.ErrProcessDone
	}
	return g.members.kill()
}

// Quit asks a Go program to print its stacks and end, and reports whether it can be asked.
func (g *Group) Quit() bool { return quit(g.cmd.Process) }

// Run starts a command in a group and waits for it.
func Run(cmd *exec.Cmd) error {
	g, err := Start(cmd)
	if err != nil {
		return err
	}
	return g.Wait()
}

// Output runs a command in a group and returns what it has written to its standard output.
func Output(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout = &out
	err := Run(cmd)
	return out.Bytes(), err
}

// CombinedOutput runs a command in a group and returns what it has written to its standard output
// and its standard error.
func CombinedOutput(cmd *exec.Cmd) ([]byte, error) {
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := Run(cmd)
	return out.Bytes(), err
}

//go:build unix

package group

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// members are the processes of a group.
type members struct {
	id    int       // of the process group
	guard *exec.Cmd // has our end of its pipe
}

// script is what the guard does. It outlives the signals that a program may send to its own group,
// and says so before there is one.
const script = `trap '' HUP INT QUIT ABRT ALRM TERM USR1 USR2 TSTP TTIN TTOU
echo
read -r none
kill -KILL 0`

// ToolExec are flags of the go command, for one that a library starts outside of a group: with them
// it and what it has started end before the next tool that it starts, as soon as this process has ended.
// They change nothing of what the tools do.
func ToolExec() []string {
	return []string{fmt.Sprintf(`-toolexec=/bin/sh -c 'kill -0 %d || kill -KILL 0; exec "$0" "$@"'`, os.Getpid())}
}

// start starts the guard and then the command: there is no moment at which the command runs without it.
func (m *members) start(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if alone(cmd.SysProcAttr) {
		if err := cmd.Start(); err != nil {
			return err
		}
		m.id = cmd.Process.Pid
		return nil
	}
	if err := m.startGuard(); err != nil {
		return fmt.Errorf("a shell, which ends %s if this process is killed: %w", cmd.Path, err)
	}
	cmd.SysProcAttr.Pgid = m.id
	if err := cmd.Start(); err != nil {
		m.end()
		return err
	}
	return nil
}

func (m *members) startGuard() error {
	guard := exec.Command("/bin/sh", "-c", script)
	guard.Dir, guard.Env = "/", []string{}
	guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if _, err := guard.StdinPipe(); err != nil {
		return err
	}
	ready, err := guard.StdoutPipe()
	if err != nil {
		return err
	}
	if err := guard.Start(); err != nil {
		return err
	}
	m.id, m.guard = guard.Process.Pid, guard
	if _, err := ready.Read(make([]byte, 1)); err != nil {
		m.end()
		return err
	}
	return nil
}

func (m *members) kill() error { return syscall.Kill(-m.id, syscall.SIGKILL) }

// end kills those that are left. As long as nobody has waited for the guard, the number of the group is
// that of no other one; of a namespace nobody is left.
func (m *members) end() {
	if m.guard != nil {
		_ = m.kill()
		_ = m.guard.Wait() // it was killed
	}
}

func quit(p *os.Process) bool { return p.Signal(syscall.SIGQUIT) == nil }

//go:build unix

package group

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
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
	next, err := takeGuard()
	if err != nil {
		return fmt.Errorf("a shell, which ends %s if this process is killed: %w", cmd.Path, err)
	}
	defer spareGuard() // behind the command, which is not to wait for it
	*m = next
	cmd.SysProcAttr.Pgid = m.id
	if err := cmd.Start(); err != nil {
		m.end()
		return err
	}
	return nil
}

// spare is a guard for the next command, while there is somebody who is Ready for many.
var spare struct {
	sync.Mutex
	users int
	members
	coming bool // it is being started
	ending int  // guards that were killed, and have not ended yet
}

// spareIdle is told when one has come or ended.
var spareIdle = sync.NewCond(&spare.Mutex)

// Ready is for those who run many commands that take no longer than a shell takes to start: while one runs, the
// guard of the next one starts, and that of the last one ends. Whoever is ready calls release in the end, after
// which nobody is left.
func Ready() (release func()) {
	spare.Lock()
	defer spare.Unlock()
	spare.users++
	return sync.OnceFunc(func() {
		spare.Lock()
		defer spare.Unlock()
		spare.users--
		for spare.users == 0 && (spare.coming || spare.ending > 0) {
			spareIdle.Wait()
		}
		if spare.users == 0 && spare.guard != nil {
			_ = spare.kill()
			_ = spare.guard.Wait()
			spare.members = members{}
		}
	})
}

// takeGuard takes the spare guard, or starts one.
func takeGuard() (members, error) {
	spare.Lock()
	m := spare.members
	spare.members = members{}
	spare.Unlock()
	if m.guard != nil {
		return m, nil
	}
	err := m.startGuard()
	return m, err
}

// spareGuard has a guard started for the next command, if there is none.
func spareGuard() {
	spare.Lock()
	defer spare.Unlock()
	if spare.users == 0 || spare.coming || spare.guard != nil {
		return
	}
	spare.coming = true
	go func() {
		var m members
		err := m.startGuard()
		spare.Lock()
		defer spare.Unlock()
		if err == nil { // else who needs one is told
			spare.members = m
		}
		spare.coming = false
		spareIdle.Broadcast()
	}()
}

// awaitGuard waits for the end of a guard that was killed, unless that can be done beside what follows.
func awaitGuard(guard *exec.Cmd) {
	spare.Lock()
	defer spare.Unlock()
	if spare.users == 0 {
		_ = guard.Wait()
		return
	}
	spare.ending++
	go func() {
		_ = guard.Wait()
		spare.Lock()
		defer spare.Unlock()
		spare.ending--
		spareIdle.Broadcast()
	}()
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
		awaitGuard(m.guard)
	}
}

func quit(p *os.Process) bool { return p.Signal(syscall.SIGQUIT) == nil }

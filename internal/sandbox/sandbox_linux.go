package sandbox

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
)

// enclosable says why there is no sandbox on this system, if that is known.
func enclosable() error {
	if processors := []string{"amd64", "arm64", "riscv64"}; !slices.Contains(processors, runtime.GOARCH) {
		return missing("vtrace has none for Linux on %s", runtime.GOARCH)
	}
	return nil
}

// These are the capabilities that the launcher needs in the new namespaces:
// they are gone when it starts the program.
const (
	netAdmin    = 12
	setPCap     = 8
	sysAdmin    = 21
	sysResource = 24
)

// namespaces has a command started in new namespaces. In that of users the user is who he is.
func namespaces(cmd *exec.Cmd) {
	attr := cmd.SysProcAttr
	if attr == nil {
		attr = &syscall.SysProcAttr{}
		cmd.SysProcAttr = attr
	}
	attr.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}
	attr.AmbientCaps = []uintptr{setPCap, netAdmin, sysAdmin, sysResource}
}

// WriteExecutable writes a file that can be started at once: no process that is started
// meanwhile has it open for writing.
func WriteExecutable(path string, data []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, data, 0o700)
}

//go:build linux && (amd64 || arm64 || riscv64)

// Command launcher runs a program in a sandbox. It is started by package sandbox as the first
// process of new namespaces of users, mounts, processes, networks and IPC, in which it may do
// what the system keeps for root. It makes the file system read-only, takes everything away
// that the program is not to have, gives up what it may do, starts the program, and stays
// until the program has ended: then the kernel ends all others of the namespace. It also ends
// when the process that has started it does, which holds the other end of a pipe.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// config is what package sandbox asks for, the first argument. The others are the command.
type config struct {
	// Read is read-only also where it is below one of Private, Write may be written.
	Read, Write []string
	// Private are directories that are empty, and the program's own.
	Private []string
	// Hidden are directories that are empty, and read-only.
	Hidden []string
	// Dir is the working directory.
	Dir string
	// Memory is what a process may map to write, in bytes; 0 is no bound.
	Memory int64
	// FileSize bounds a file, PrivateSize all files of one of Private, in bytes.
	FileSize, PrivateSize int64
	// Tasks is how many processes and threads there may be.
	Tasks int
}

// report is what package sandbox is told on the pipe, by the launcher only.
type report struct {
	Error   string   `json:",omitempty"` // there is no sandbox
	Missing []string `json:",omitempty"` // what the sandbox does not bound
	Code    int      // of the program's exit, -1 if a signal has ended it
	Text    string   // the same for people, as os.ProcessState has it
}

// The files that package sandbox hands over.
const (
	reportFile = 3
	lifeFile   = 4
)

func main() {
	// What a thread may do, its children may do.
	runtime.LockOSThread()
	syscall.CloseOnExec(reportFile)
	syscall.CloseOnExec(lifeFile)
	r, err := run(os.Args[1:])
	if err != nil {
		r.Error = err.Error()
		r.Code = 1
	}
	if data, err := json.Marshal(r); err == nil {
		_, _ = syscall.Write(reportFile, data)
	}
	if r.Code < 0 {
		os.Exit(1)
	}
	os.Exit(r.Code)
}

func run(args []string) (report, error) {
	var r report
	if len(args) < 2 {
		return r, errors.New("no command")
	}
	c, err := request(args[0])
	if err != nil {
		return r, err
	}
	go func() {
		var b [1]byte
		for {
			if n, err := syscall.Read(lifeFile, b[:]); n == 0 || err != nil && err != syscall.EINTR {
				os.Exit(1)
			}
		}
	}()
	quit := make(chan os.Signal, 1)
	signal.Notify(quit, syscall.SIGQUIT)
	if err := loopback(); err != nil {
		return r, fmt.Errorf("loopback interface: %w", err)
	}
	if err := files(&c); err != nil {
		return r, err
	}
	bounded, err := processes(&c)
	if err != nil {
		return r, err
	}
	if !bounded {
		r.Missing = append(r.Missing, "the number of processes is not bounded: the system bounds it for users other than root, or from Linux 6.14 on")
	}
	if err := limits(&c); err != nil {
		return r, err
	}
	if err := os.Chdir(c.Dir); err != nil {
		return r, err
	}
	if err := drop(); err != nil {
		return r, err
	}
	pid, err := syscall.ForkExec(args[1], args[1:], &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}})
	if err != nil {
		return r, fmt.Errorf("start %s: %w", args[1], err)
	}
	go func() {
		for range quit {
			_ = syscall.Kill(pid, syscall.SIGQUIT)
		}
	}()
	for {
		var status syscall.WaitStatus
		ended, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return r, fmt.Errorf("wait: %w", err)
		case ended == pid && status.Signaled():
			r.Code, r.Text = -1, "signal: "+status.Signal().String()
			if status.CoreDump() {
				r.Text += " (core dumped)"
			}
			return r, nil
		case ended == pid && status.Exited():
			r.Code, r.Text = status.ExitStatus(), "exit status "+strconv.Itoa(status.ExitStatus())
			return r, nil
		}
	}
}

// request reads what package sandbox asks for. What the launcher does not know it could not do.
func request(text string) (config, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	var c config
	if err := dec.Decode(&c); err != nil {
		return config{}, fmt.Errorf("request: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return config{}, errors.New("request: there is something behind it")
	}
	return c, nil
}

// loopback switches the one interface on that a new namespace has: programs talk to themselves.
func loopback() error {
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(s)
	request := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP}
	copy(request.name[:], "lo")
	if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(s), syscall.SIOCSIFFLAGS, uintptr(unsafe.Pointer(&request))); e != 0 {
		return e
	}
	return nil
}

// System calls and flags that package syscall does not have. The numbers are those of all
// processors for which the launcher is built.
const (
	sysOpenTree     = 428
	sysMoveMount    = 429
	sysMountSetattr = 442

	openTreeClone    = 1
	atRecursive      = 0x8000
	atEmptyPath      = 0x1000
	moveMountFromFD  = 4
	attrReadOnly     = 1
	attrNoSuid       = 2
	attrNoDev        = 4
	attrNoExec       = 8
	currentDirectory = -100
)

// The devices that programs get.
var devices = []string{"null", "zero", "full", "random", "urandom"}

// files makes the file system what the program is to see.
func files(c *config) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("mount namespace: %w", err)
	}
	// What stays as it is, or comes to light again above what hides it.
	type kept struct {
		path string
		tree int
		attr uint64
	}
	var all []kept
	keep := func(path string, attr uint64) error {
		tree, err := openTree(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, kept{path, tree, attr})
		return nil
	}
	for _, d := range devices {
		if err := keep("/dev/"+d, attrReadOnly|attrNoSuid|attrNoExec); err != nil {
			return err
		}
	}
	for _, path := range c.Read {
		if within(path, c.Private) || within(path, c.Hidden) {
			if err := keep(path, attrReadOnly|attrNoSuid|attrNoDev); err != nil {
				return err
			}
		}
	}
	for _, path := range c.Write {
		if err := keep(path, attrNoSuid|attrNoDev); err != nil {
			return err
		}
	}
	if err := setattr(currentDirectory, "/", atRecursive, attrReadOnly|attrNoSuid|attrNoDev); err != nil {
		return fmt.Errorf("read-only file system: %w", err)
	}
	tmpfs := func(path string, mode string, size int64) error {
		if err := syscall.Mount("tmpfs", path, "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV, fmt.Sprintf("mode=%s,size=%d", mode, size)); err != nil {
			return fmt.Errorf("private %s: %w", path, err)
		}
		return nil
	}
	const small = 1 << 20
	for i, path := range c.Private {
		if within(path, c.Private[:i]) { // which is empty by now
			if err := os.MkdirAll(path, 0o755); err != nil {
				return fmt.Errorf("private %s: %w", path, err)
			}
		}
		if err := tmpfs(path, "1777", c.PrivateSize); err != nil {
			return err
		}
	}
	hidden := append([]string{"/dev"}, c.Hidden...)
	for _, path := range hidden {
		if err := tmpfs(path, "755", small); err != nil {
			return err
		}
	}
	if err := syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("private /proc: %w", err)
	}
	for i, k := range all {
		place := func(path string) error { return os.MkdirAll(path, 0o755) }
		if i < len(devices) {
			place = func(path string) error { return os.WriteFile(path, nil, 0o644) }
		} else if !within(k.path, c.Private) && !within(k.path, hidden) {
			place = func(string) error { return nil } // it is there
		}
		if err := place(k.path); err != nil {
			return err
		}
		if err := setattr(k.tree, "", atRecursive|atEmptyPath, k.attr); err != nil {
			return fmt.Errorf("%s: %w", k.path, err)
		}
		if err := moveMount(k.tree, k.path); err != nil {
			return fmt.Errorf("%s: %w", k.path, err)
		}
		if err := syscall.Close(k.tree); err != nil {
			return err
		}
	}
	for name, to := range map[string]string{"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"} {
		if err := os.Symlink("/proc/self/"+to, "/dev/"+name); err != nil {
			return err
		}
	}
	if err := os.Mkdir("/dev/shm", 0o1777); err != nil {
		return err
	}
	if err := tmpfs("/dev/shm", "1777", c.PrivateSize); err != nil {
		return err
	}
	for _, path := range hidden {
		if err := setattr(currentDirectory, path, 0, attrReadOnly|attrNoSuid|attrNoDev); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// within reports whether a path is one of these directories, or below one.
func within(path string, dirs []string) bool {
	for _, d := range dirs {
		if rel, err := filepath.Rel(d, path); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// openTree is another mount of what is at a path, which is nowhere yet.
func openTree(path string) (int, error) {
	p, err := syscall.BytePtrFromString(path)
	if err != nil {
		return 0, err
	}
	at := currentDirectory
	fd, _, e := syscall.Syscall(sysOpenTree, uintptr(at), uintptr(unsafe.Pointer(p)), openTreeClone|atRecursive|syscall.O_CLOEXEC)
	if e != 0 {
		return 0, e
	}
	return int(fd), nil
}

func moveMount(tree int, path string) error {
	p, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	var empty byte
	at := currentDirectory
	if _, _, e := syscall.Syscall6(sysMoveMount, uintptr(tree), uintptr(unsafe.Pointer(&empty)), uintptr(at), uintptr(unsafe.Pointer(p)), moveMountFromFD, 0); e != 0 {
		return e
	}
	return nil
}

// setattr adds attributes to a mount, or to it and all below it.
func setattr(dir int, path string, flags uintptr, attr uint64) error {
	p, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	set := struct{ set, clear, propagation, users uint64 }{set: attr}
	if _, _, e := syscall.Syscall6(sysMountSetattr, uintptr(dir), uintptr(unsafe.Pointer(p)), flags, uintptr(unsafe.Pointer(&set)), unsafe.Sizeof(set), 0); e != 0 {
		return e
	}
	return nil
}

// processes bounds the number of processes and threads, and makes /proc read-only.
func processes(c *config) (bounded bool, err error) {
	// A namespace of users in this one would have more of the kernel to attack. Where the
	// system does not let it be forbidden, it opens nothing that is closed here.
	_ = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	// The namespace has a bound of its own since Linux 6.14; the kernel before has one for all
	// of the system, and refuses.
	own := false
	if before, err := os.ReadFile("/proc/sys/kernel/pid_max"); err == nil && os.WriteFile("/proc/sys/kernel/pid_max", []byte(strconv.Itoa(c.Tasks)), 0) == nil {
		after, err := os.ReadFile("/proc/sys/kernel/pid_max")
		own = err == nil && strings.TrimSpace(string(after)) == strconv.Itoa(c.Tasks)
		if !own {
			return false, fmt.Errorf("number of processes: it was %s, and is not %d", strings.TrimSpace(string(before)), c.Tasks)
		}
	}
	if err := setattr(currentDirectory, "/proc", 0, attrReadOnly|attrNoSuid|attrNoDev|attrNoExec); err != nil {
		return false, fmt.Errorf("read-only /proc: %w", err)
	}
	// The kernel counts no processes of root.
	return own || os.Getuid() != 0, nil
}

// Resources that package syscall does not name.
const rlimitProcesses = 6

func limits(c *config) error {
	set := func(what string, resource int, to int64) error {
		var l syscall.Rlimit
		if err := syscall.Getrlimit(resource, &l); err != nil {
			return fmt.Errorf("limit of %s: %w", what, err)
		}
		l.Max = min(l.Max, uint64(to))
		l.Cur = l.Max
		if err := syscall.Setrlimit(resource, &l); err != nil {
			return fmt.Errorf("limit of %s: %w", what, err)
		}
		return nil
	}
	err := errors.Join(
		set("file size", syscall.RLIMIT_FSIZE, c.FileSize),
		set("core dumps", syscall.RLIMIT_CORE, 0),
		set("processes", rlimitProcesses, int64(c.Tasks)),
	)
	if c.Memory > 0 {
		// The first counts what is private and may be written, and not what the runtime of Go
		// reserves; the second also what is shared.
		const reserved = 4 << 30
		err = errors.Join(err, set("memory", syscall.RLIMIT_DATA, c.Memory), set("address space", syscall.RLIMIT_AS, c.Memory+reserved))
	}
	return err
}

// The parts of prctl and capset that package syscall does not name.
const (
	prSetDumpable   = 4
	prSetSeccomp    = 22
	prCapbsetDrop   = 24
	prSetNoNewPrivs = 38
	prCapAmbient    = 47
	ambientClear    = 4
	lastCapability  = 63
	capabilityV3    = 0x20080522
	seccompFilter   = 2
)

// drop gives up all that the launcher may do, on all of its threads, and all that the
// programs that it starts, on this one, could come to do.
func drop() error {
	prctl := func(option, argument, more uintptr) error {
		if _, _, e := syscall.Syscall6(syscall.SYS_PRCTL, option, argument, more, 0, 0, 0); e != 0 {
			return e
		}
		return nil
	}
	for capability := range uintptr(lastCapability + 1) {
		if err := prctl(prCapbsetDrop, capability, 0); err == syscall.EINVAL {
			break // the kernel knows no more
		} else if err != nil {
			return fmt.Errorf("capabilities: %w", err)
		}
	}
	if err := prctl(prCapAmbient, ambientClear, 0); err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	header := struct {
		version uint32
		pid     int32
	}{version: capabilityV3}
	var none [2]struct{ effective, permitted, inheritable uint32 }
	if _, _, e := syscall.AllThreadsSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0); e != 0 {
		return fmt.Errorf("capabilities: %w", e)
	}
	if err := prctl(prSetNoNewPrivs, 1, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	// The program must not get at the launcher, which tells how it has ended.
	if err := prctl(prSetDumpable, 0, 0); err != nil {
		return fmt.Errorf("not dumpable: %w", err)
	}
	f := filter()
	program := struct {
		length uint16
		filter *instruction
	}{uint16(len(f)), &f[0]}
	if err := prctl(prSetSeccomp, seccompFilter, uintptr(unsafe.Pointer(&program))); err != nil {
		return fmt.Errorf("system call filter: %w", err)
	}
	runtime.KeepAlive(f)
	return nil
}

// instruction is one of a filter of system calls, in the language of the kernel.
type instruction struct {
	code    uint16
	yes, no uint8
	k       uint32
}

// refused are system calls that fail. A link, pipe or device would let the program lead vtrace
// out of the directories that it may write when vtrace reads its results; the others know no
// namespace, or go around this filter.
var refused = append([]uint32{
	syscall.SYS_SYMLINKAT, syscall.SYS_MKNODAT,
	syscall.SYS_ADD_KEY, syscall.SYS_REQUEST_KEY, syscall.SYS_KEYCTL, syscall.SYS_PERF_EVENT_OPEN,
	425, // io_uring_setup
	sysBPF, sysUserfaultfd,
}, oldRefused...)

// families are the kinds of sockets that there may be. Those of the file system and of virtual
// machines are in no namespace of networks.
var families = []uint32{syscall.AF_INET, syscall.AF_INET6, syscall.AF_NETLINK}

func filter() []instruction {
	const (
		load    = 0x20 // a word of the description of the call
		equal   = 0x15
		atLeast = 0x35
		end     = 0x06

		callNumber, processor, firstArgument = 0, 4, 16

		allow = 0x7fff0000
		fail  = 0x00050000
		kill  = 0x80000000
	)
	f := []instruction{
		{load, 0, 0, processor},
		{equal, 1, 0, auditArch},
		{end, 0, 0, kill},
		{load, 0, 0, callNumber},
		{atLeast, 0, 1, 0x40000000}, // another numbering of the same calls
		{end, 0, 0, fail | uint32(syscall.ENOSYS)},
	}
	for _, n := range refused {
		f = append(f, instruction{equal, 0, 1, n}, instruction{end, 0, 0, fail | uint32(syscall.EPERM)})
	}
	f = append(f,
		instruction{equal, 1, 0, syscall.SYS_SOCKET},
		instruction{end, 0, 0, allow},
		instruction{load, 0, 0, firstArgument},
	)
	for _, n := range families {
		f = append(f, instruction{equal, 0, 1, n}, instruction{end, 0, 0, allow})
	}
	return append(f, instruction{end, 0, 0, fail | uint32(syscall.EAFNOSUPPORT)})
}

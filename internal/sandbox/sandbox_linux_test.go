package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/sandbox"
)

// programs are what this binary does as a program in a sandbox: it prints "done" if it could.
var programs = map[string]func(arg string) error{
	"nothing": func(string) error { return nil },
	"write":   func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
	"read":    func(path string) error { _, err := os.ReadFile(path); return err },
	"list": func(dir string) error {
		entries, err := os.ReadDir(dir)
		if err == nil && len(entries) == 0 {
			err = fmt.Errorf("%s is empty", dir)
		}
		return err
	},
	"dial": func(address string) error {
		network, address, _ := strings.Cut(address, ":")
		c, err := net.Dial(network, address)
		if err == nil {
			err = c.Close()
		}
		return err
	},
	"talk": func(string) error { // to itself
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			return err
		}
		return c.Close()
	},
	"link":   func(path string) error { return os.Symlink("/etc/passwd", path) },
	"shrink": func(path string) error { return os.Truncate(path, 0) },
	"remount": func(string) error {
		return syscall.Mount("", "/", "", 32 /* MS_REMOUNT */ |4096 /* MS_BIND */, "")
	},
	"signal": func(pid string) error {
		n, err := strconv.Atoi(pid)
		if err != nil {
			return err
		}
		return syscall.Kill(n, 0)
	},
	"memory": func(bytes string) error {
		n, err := strconv.Atoi(bytes)
		if err != nil {
			return err
		}
		m := make([]byte, n)
		for i := 0; i < n; i += 4096 {
			m[i] = 1
		}
		runtime.KeepAlive(m)
		return nil
	},
	"grow": func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		_, err = f.WriteAt([]byte("x"), 1<<20)
		return err
	},
	"fork": func(n string) error { // processes that wait, at once
		count, err := strconv.Atoi(n)
		if err != nil {
			return err
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		var all []*os.Process
		defer func() {
			for _, p := range all {
				_ = p.Kill()
				_, _ = p.Wait()
			}
		}()
		for range count {
			cmd := exec.Command(self)
			cmd.Env = []string{"GOMAXPROCS=1", programEnv + "=wait"}
			if _, err := cmd.StdinPipe(); err != nil {
				return err
			}
			if err := cmd.Start(); err != nil {
				return err
			}
			all = append(all, cmd.Process)
		}
		return nil
	},
	"leave": func(string) error { // a process that leaves the group, and goes on
		self, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.Command(self)
		cmd.Env = []string{programEnv + "=hold"}
		cmd.ExtraFiles = []*os.File{os.Stderr}
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := cmd.Start(); err != nil {
			return err
		}
		fmt.Println(cmd.Process.Pid)
		return nil
	},
	"supervise": func(path string) error { // another one in a sandbox, until somebody kills this
		self, err := os.Executable()
		if err != nil {
			return err
		}
		cmd := exec.Command(self)
		cmd.Dir, cmd.Env = filepath.Dir(self), []string{programEnv + "=quit"}
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		box, err := (&sandbox.Launcher{Path: path}).Enclose(cmd, sandbox.Access{Read: []string{cmd.Dir}})
		if err != nil {
			return err
		}
		_, err = box.End(cmd.Run())
		return err
	},
	"wait":  func(string) error { _, err := io.Copy(io.Discard, os.Stdin); return err },
	"hold":  func(string) error { select {} },
	"exit":  func(string) error { os.Exit(7); return nil },
	"panic": func(string) error { panic("of the program") },
	"killed": func(string) error {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	},
	"quit": func(string) error { fmt.Println("ready"); select {} },
	"unshare": func(string) error {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = []string{programEnv + "=nothing"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: 0x10000000 /* CLONE_NEWUSER */}
		return cmd.Run()
	},
}

const programEnv = "SANDBOXED_PROGRAM"

func TestMain(m *testing.M) {
	what, ok := os.LookupEnv(programEnv)
	if !ok {
		os.Exit(m.Run())
	}
	name, arg, _ := strings.Cut(what, " ")
	if err := programs[name](arg); err != nil {
		fmt.Println(err)
		os.Exit(3)
	}
	fmt.Println("done")
}

// launcher is a launcher, or the test is skipped since the system has no sandbox.
func launcher(t testing.TB, limits sandbox.Limits) *sandbox.Launcher {
	files, err := sandbox.Files()
	require.NoError(t, err)
	dir := t.TempDir()
	args := []string{"build", "-o", filepath.Join(dir, "launcher")}
	for name, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env = dir, sandbox.BuildEnv(os.Environ())
	out, err := cmd.CombinedOutput()
	if runtime.GOOS != "linux" {
		t.Skip("there is no sandbox")
	}
	require.NoError(t, err, string(out))
	l := &sandbox.Launcher{Path: filepath.Join(dir, "launcher"), Limits: limits}
	unbounded, err := l.Probe(context.Background())
	if err != nil {
		t.Skip(err)
	}
	t.Logf("not bounded: %q", unbounded)
	return l
}

// program prepares one of the programs.
func program(t testing.TB, what string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Dir = filepath.Dir(self)
	cmd.Env = append(os.Environ(), programEnv+"="+what)
	return cmd
}

// outside and inside run one, and return what it prints and how it has ended.
func outside(t testing.TB, what string) (string, int) {
	cmd := program(t, what)
	var out bytes.Buffer
	cmd.Stdout = &out
	_ = cmd.Run()
	return out.String(), cmd.ProcessState.ExitCode()
}

func inside(t testing.TB, l *sandbox.Launcher, what string, access sandbox.Access) (string, sandbox.Ended) {
	cmd := program(t, what)
	access.Read = append(access.Read, cmd.Dir)
	var out bytes.Buffer
	cmd.Stdout = &out
	box, err := l.Enclose(cmd, access)
	require.NoError(t, err)
	ended, err := box.End(cmd.Run())
	require.NoError(t, err)
	return out.String(), ended
}

// What a program could do outside fails in a sandbox, and the rest does not.
func TestSandbox(t *testing.T) {
	l := launcher(t, sandbox.Limits{Memory: 256 << 20, FileSize: 1 << 20, Tasks: 301})
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	if strings.HasPrefix(home, os.TempDir()) {
		home = "." // which is not private
	}
	home, err = filepath.Abs(home)
	require.NoError(t, err)
	inHome, err := os.MkdirTemp(home, ".vtrace-sandbox-test-")
	require.NoError(t, err)
	defer os.RemoveAll(inHome)
	mine := t.TempDir()
	secret := filepath.Join(inHome, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
	kept := filepath.Join(mine, "kept")
	require.NoError(t, os.WriteFile(kept, []byte("kept"), 0o600))
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer tcp.Close()
	unix, err := net.Listen("unix", filepath.Join(inHome, "socket"))
	require.NoError(t, err)
	defer unix.Close()
	here, err := os.Getwd()
	require.NoError(t, err)

	written := []string{filepath.Join(here, ".written"), filepath.Join(inHome, "link"), filepath.Join(os.TempDir(), filepath.Base(inHome))}
	defer os.Remove(written[0])
	defer os.Remove(written[2])
	for _, c := range []struct {
		what    string
		outside bool   // that it is tried there, and can be done
		inside  string // what it prints
	}{
		{"write " + filepath.Join(inHome, "new"), true, "read-only file system"},
		{"write " + secret, true, "read-only file system"},
		{"shrink " + secret, true, "read-only file system"},
		{"write " + kept, true, "read-only file system"},
		{"write " + written[0], true, "read-only file system"},
		{"write /dev/null", true, "done"},
		{"read " + secret, true, "done"}, // reading is not forbidden
		{"read /proc/self/status", true, "done"},
		{"list " + filepath.Dir(mine), true, "done"}, // of all, what it may read
		{"list /run", true, "is empty"},
		{"dial tcp:" + tcp.Addr().String(), true, "connection refused"},
		{"dial unix:" + unix.Addr().String(), true, "address family not supported"},
		{"talk", true, "done"},
		{"link " + written[1], true, "operation not permitted"},
		{"signal " + strconv.Itoa(os.Getpid()), true, "no such process"},
		{"memory " + strconv.Itoa(320<<20), true, ""},
		{"memory " + strconv.Itoa(32<<20), true, "done"},
		{"grow " + written[2], true, "file too large"},
		{"fork 150", true, "resource temporarily unavailable"}, // each has some threads
		{"fork 10", true, "done"},
		{"remount", false, "operation not permitted"},
		{"unshare", true, ""},
	} {
		t.Run(strings.ReplaceAll(c.what, "/", "_"), func(t *testing.T) {
			if c.outside {
				out, _ := outside(t, c.what)
				require.Equal(t, "done\n", out)
			}
			require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
			out, ended := inside(t, l, c.what, sandbox.Access{Read: []string{mine}})
			if c.inside == "done" {
				require.Equal(t, "done\n", out)
				require.Zero(t, ended.Code)
				return
			}
			require.NotContains(t, out, "done")
			require.Contains(t, out, c.inside)
			require.NotZero(t, ended.Code)
		})
	}
}

// A temporary directory below another one is the program's own, too.
func TestTemporaryBelow(t *testing.T) {
	l := launcher(t, sandbox.Limits{})
	below, err := os.MkdirTemp("/tmp", "vtrace-sandbox-test-")
	require.NoError(t, err)
	defer os.RemoveAll(below)
	t.Setenv("TMPDIR", below)
	out, ended := inside(t, l, "write "+filepath.Join(below, "new"), sandbox.Access{})
	require.Equal(t, "done\n", out)
	require.Zero(t, ended.Code)
	require.NoFileExists(t, filepath.Join(below, "new"))
}

// How a program ends is told as it would be outside.
func TestEnd(t *testing.T) {
	l := launcher(t, sandbox.Limits{})
	for _, what := range []string{"nothing", "exit", "panic", "killed"} {
		cmd := program(t, what)
		_ = cmd.Run()
		_, ended := inside(t, l, what, sandbox.Access{})
		require.Equal(t, sandbox.Ended{Code: cmd.ProcessState.ExitCode(), Text: cmd.ProcessState.String()}, ended, what)
	}

	// It is asked for its stacks as outside.
	cmd := program(t, "quit")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	box, err := l.Enclose(cmd, sandbox.Access{Read: []string{cmd.Dir}})
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGQUIT))
	ended, err := box.End(cmd.Wait())
	require.NoError(t, err)
	require.Equal(t, 2, ended.Code)
	require.Contains(t, stderr.String(), "SIGQUIT: quit")
	require.Contains(t, stderr.String(), "goroutine 1 ")
}

// Nothing outlives the program, nor it whoever has started it.
func TestNothingStays(t *testing.T) {
	l := launcher(t, sandbox.Limits{})
	out, code := outside(t, "leave")
	require.Zero(t, code)
	pid, err := strconv.Atoi(strings.TrimSuffix(out, "\ndone\n"))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL), "it should be there still")

	// A process that is there keeps its standard error open.
	start := func(what string, enclose bool) (stdout *bufio.Reader, stderr io.Reader, cmd *exec.Cmd, end func()) {
		cmd = program(t, what)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		r, w, err := os.Pipe()
		require.NoError(t, err)
		t.Cleanup(func() { r.Close() })
		cmd.Stderr = w
		end = func() { _ = cmd.Wait() }
		if enclose {
			box, err := l.Enclose(cmd, sandbox.Access{Read: []string{cmd.Dir}})
			require.NoError(t, err)
			end = func() {
				_, err := box.End(cmd.Wait())
				require.NoError(t, err)
			}
		}
		require.NoError(t, cmd.Start())
		require.NoError(t, w.Close())
		return bufio.NewReader(out), r, cmd, end
	}
	stdout, stderr, _, end := start("leave", true)
	text, err := io.ReadAll(stdout)
	require.NoError(t, err)
	require.Contains(t, string(text), "done")
	_, err = io.ReadAll(stderr)
	require.NoError(t, err)
	end()

	stdout, stderr, cmd, end := start("supervise "+l.Path, false)
	line, err := stdout.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	require.NoError(t, cmd.Process.Kill())
	end()
	_, err = io.ReadAll(stderr)
	require.NoError(t, err)
}

func BenchmarkOutside(b *testing.B) {
	for b.Loop() {
		if _, code := outside(b, "nothing"); code != 0 {
			b.Fatal(code)
		}
	}
}

func BenchmarkInside(b *testing.B) {
	l := launcher(b, sandbox.Limits{})
	for b.Loop() {
		if _, ended := inside(b, l, "nothing", sandbox.Access{}); ended.Code != 0 {
			b.Fatal(ended)
		}
	}
}

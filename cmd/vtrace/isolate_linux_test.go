package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// isolate has a process be of another user, without a network.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 1234, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 1234, HostID: os.Getgid(), Size: 1}},
	}
}

// isolated has a process be of another user, or skips the test.
func isolated(t *testing.T, p *process) {
	t.Helper()
	isolate(p.Cmd)
	try := exec.Command("true")
	isolate(try)
	if err := try.Run(); err != nil {
		t.Skipf("the system lets nobody be another user: %v", err)
	}
}

// fullDisk has the command see a file system of its own which has space for one small file.
type fullDisk struct {
	Dir  string // where it is
	File string // that is there, with the text of an earlier bundle; "" if there is none
}

// fullVariable names it for the test binary.
const fullVariable = "VTRACE_TEST_FULL"

// inFull runs the command where the disk is full. What was there has to be there still, and nothing else.
func inFull(disk string, run func() int) int {
	var d fullDisk
	if err := json.Unmarshal([]byte(disk), &d); err != nil {
		panic(err)
	}
	if err := syscall.Mount("tmpfs", d.Dir, "tmpfs", 0, "size=4k"); err != nil {
		panic(err)
	}
	if d.File != "" {
		if err := os.WriteFile(d.File, []byte(earlierText), 0o600); err != nil {
			panic(err)
		}
	}
	code := run()
	if d.File != "" {
		if data, err := os.ReadFile(d.File); err != nil || string(data) != earlierText {
			panic("the earlier bundle is damaged")
		}
	}
	own := []string{d.Dir, d.File, filepath.Join(d.Dir, "bundles"), filepath.Join(d.Dir, "records")}
	err := filepath.WalkDir(d.Dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && !slices.Contains(own, path) {
			err = fmt.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		panic(err)
	}
	return code
}

// full has no space left for something: temporary files, a bundle or the results.
func full(what string) func(t *testing.T, dir string, p *process) {
	return func(t *testing.T, dir string, p *process) {
		t.Helper()
		d := fullDisk{Dir: t.TempDir()}
		switch what {
		case "TMPDIR":
			p.Env = append(p.Env, "TMPDIR="+d.Dir)
		case "bundle":
			d.File = filepath.Join(d.Dir, "b.vtz")
			p.Args[slices.Index(p.Args, "b.vtz")] = d.File
		case "cache":
			p.Args = slices.Insert(p.Args, 2, "-cache", d.Dir)
		}
		data, err := json.Marshal(d)
		require.NoError(t, err)
		p.Env = append(p.Env, fullVariable+"="+string(data))
		p.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
		try := exec.Command("mount", "-t", "tmpfs", "tmpfs", d.Dir)
		try.SysProcAttr = p.SysProcAttr
		if out, err := try.CombinedOutput(); err != nil {
			t.Skipf("the system lets nobody mount a file system of his own: %v: %s", err, out)
		}
	}
}

// peakMemory is the most memory, in bytes, that this process has had at once. What the system
// says of a process that has ended is no less than what the one had that has started it.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); n == 1 {
			return kilobytes << 10
		}
	}
	return 0
}

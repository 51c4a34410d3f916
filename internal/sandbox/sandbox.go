// Package sandbox runs a program in what Linux offers without root: namespaces of users,
// mounts, processes, networks and IPC, limits of resources, and a filter of system calls.
//
// A small program, the launcher, is put in front of the program: it sets all that up and
// starts it. Its source is in this package, and whoever uses it builds it with the go command
// ([Files], [BuildEnv]), since vtrace may be a part of a program that knows nothing of it and
// cannot be started once more in its place.
//
// docs/security.md says what a program in it can and cannot do.
package sandbox

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/group"
)

// sources are those of the launcher.
//
//go:embed launcher/main.go launcher/calls_*.go
var sources embed.FS

// Files are the files of the launcher, a module with a package main that imports the standard
// library only.
func Files() (map[string][]byte, error) {
	entries, err := sources.ReadDir("launcher")
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{"go.mod": []byte("module launcher\n\ngo 1.26\n")}
	for _, e := range entries {
		if out[e.Name()], err = sources.ReadFile("launcher/" + e.Name()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// BuildEnv is the environment to build the launcher in: env without what is for the program.
func BuildEnv(env []string) []string {
	ours := []string{"GOFLAGS=", "GOWORK=off", "GO111MODULE=on", "CGO_ENABLED=0", "GOOS=", "GOARCH=", "GOEXPERIMENT="}
	out := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		return slices.ContainsFunc(ours, func(o string) bool { return strings.HasPrefix(kv, o[:strings.Index(o, "=")+1]) })
	})
	return append(out, ours...)
}

// Limits bound what a program takes. Those that are 0 are as in DefaultLimits.
type Limits struct {
	// Memory is what each process may have of its own, in bytes; a negative one is no bound,
	// which the detectors of Go need: they reserve more than there is.
	Memory int64
	// FileSize bounds a file, PrivateSize all files of a private directory, in bytes.
	FileSize, PrivateSize int64
	// Tasks is how many processes and threads there may be.
	Tasks int
}

// DefaultLimits are those of a program about which nothing is known.
var DefaultLimits = Limits{Memory: 4 << 30, FileSize: 1 << 30, PrivateSize: 512 << 20, Tasks: 1024}

// Error says why there is no sandbox.
type Error struct{ Reason string }

func (e *Error) Error() string { return "no sandbox: " + e.Reason }

func missing(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Offered says why there is no sandbox, as far as that is known without trying.
func Offered() error { return enclosable() }

// Launcher is a launcher that was built.
type Launcher struct {
	Path   string
	Limits Limits
}

// Access is what a command is to have of the file system besides reading what is there.
type Access struct {
	// Read are directories that it may read also if they are below one that is private.
	Read []string
	// Write are directories that it may write.
	Write []string
}

// Box is the sandbox of one command.
type Box struct {
	cmd    *exec.Cmd
	result *os.File   // what the launcher tells
	life   *os.File   // as long as it is open, the launcher goes on
	theirs []*os.File // the other ends
}

// Ended is how a program has ended, as os.ProcessState says it of the launcher.
type Ended struct {
	Code int // -1 if a signal has ended it
	Text string
}

// config and report are what the launcher has under the same names.
type config struct {
	Read, Write, Private, Hidden  []string
	Dir                           string
	Memory, FileSize, PrivateSize int64
	Tasks                         int
}

type report struct {
	Error   string
	Missing []string
	Code    int
	Text    string
}

// Probe tries whether the system offers what the launcher needs: a launcher that is started
// by the launcher does nothing. Unbounded is what there are no limits of.
func (l *Launcher) Probe(ctx context.Context) (unbounded []string, err error) {
	cmd := exec.CommandContext(ctx, l.Path)
	cmd.Dir = filepath.Dir(l.Path)
	cmd.Env = os.Environ()
	box, err := l.Enclose(cmd, Access{Read: []string{cmd.Dir}})
	if err != nil {
		return nil, err
	}
	err = group.Run(cmd)
	r, ended := box.end(err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case ended != nil:
		return nil, ended
	case r.Code != noCommand:
		return nil, missing("a program that does nothing has ended in it with %s", r.Text)
	}
	return r.Missing, nil
}

// noCommand is the exit code of a launcher without a command.
const noCommand = 1

// Enclose makes a command, which was not started, one that runs in a sandbox. It needs an
// absolute Dir and Path, and must have no ExtraFiles. The caller calls End after it has
// ended, or was not started.
func (l *Launcher) Enclose(cmd *exec.Cmd, access Access) (*Box, error) {
	lim, d := l.Limits, DefaultLimits
	c := config{
		Dir:    cmd.Dir,
		Memory: max(0, cmp.Or(lim.Memory, d.Memory)), FileSize: cmp.Or(lim.FileSize, d.FileSize),
		PrivateSize: cmp.Or(lim.PrivateSize, d.PrivateSize), Tasks: cmp.Or(lim.Tasks, d.Tasks),
	}
	temp := "/tmp"
	for _, kv := range cmd.Env {
		if v, ok := strings.CutPrefix(kv, "TMPDIR="); ok && filepath.IsAbs(v) {
			temp = v
		}
	}
	c.Private = existing("/tmp", "/var/tmp", temp)
	// Sockets are there with which one may ask others to do what oneself may not.
	c.Hidden = slices.DeleteFunc(existing("/run", "/var/run"), func(dir string) bool { return slices.Contains(c.Private, dir) })
	for _, list := range []struct{ from, to *[]string }{{&access.Read, &c.Read}, {&access.Write, &c.Write}} {
		for _, path := range *list.from {
			real, err := filepath.EvalSymlinks(path)
			if err != nil {
				return nil, missing("%v", err)
			}
			*list.to = append(*list.to, real)
		}
	}
	args, err := json.Marshal(c)
	if err != nil {
		return nil, missing("%v", err)
	}
	ourResult, theirResult, err := os.Pipe()
	if err != nil {
		return nil, missing("%v", err)
	}
	theirLife, ourLife, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(missing("%v", err), ourResult.Close(), theirResult.Close())
	}
	cmd.Args = append([]string{l.Path, string(args), cmd.Path}, cmd.Args[1:]...)
	cmd.Path = l.Path
	cmd.ExtraFiles = []*os.File{theirResult, theirLife}
	namespaces(cmd)
	return &Box{cmd: cmd, result: ourResult, life: ourLife, theirs: []*os.File{theirResult, theirLife}}, nil
}

// End says how the program has ended. The error is for a sandbox that there was none of: the
// program was not started.
func (b *Box) End(err error) (Ended, error) {
	r, err := b.end(err)
	return Ended{r.Code, r.Text}, err
}

// end is End; err is that of the start of the command or its end.
func (b *Box) end(err error) (r report, _ error) {
	for _, f := range b.theirs {
		_ = f.Close()
	}
	_ = b.life.Close()
	defer b.result.Close()
	state := b.cmd.ProcessState
	if state == nil {
		return r, missing("namespaces of users, mounts, processes, networks and IPC: %v", err)
	}
	// Nobody has the other end any more: the launcher has ended, and its file is closed in
	// what it has started.
	data, err := io.ReadAll(io.LimitReader(b.result, maxReport))
	if err != nil {
		return r, missing("%v", err)
	}
	if len(data) == 0 {
		// Somebody has killed it, and so all processes of the namespace.
		return report{Code: -1, Text: state.String()}, nil
	}
	return readReport(data)
}

// readReport reads what a launcher has told. The error is for a sandbox that there was none of.
func readReport(data []byte) (report, error) {
	var r report
	if err := json.Unmarshal(data, &r); err != nil {
		return report{}, missing("launcher: %v", err)
	}
	if r.Error != "" {
		return r, &Error{r.Error}
	}
	return r, nil
}

const maxReport = 1 << 16

// existing are the directories that are there, each once, without links in their names.
func existing(dirs ...string) []string {
	var out []string
	for _, d := range dirs {
		real, err := filepath.EvalSymlinks(d)
		if err != nil || real == "/" || slices.Contains(out, real) {
			continue
		}
		if info, err := os.Stat(real); err == nil && info.IsDir() {
			out = append(out, real)
		}
	}
	return out
}

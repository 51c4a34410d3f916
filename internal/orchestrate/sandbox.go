package orchestrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vtrace/vtrace/internal/sandbox"
	"github.com/vtrace/vtrace/internal/scratch"
)

// SandboxError says why there is no sandbox.
type SandboxError = sandbox.Error

// Sandbox is what the system offers to keep a program from what its user may do. The programs
// of all targets that name it run in one each; see docs/security.md for what they cannot do.
type Sandbox struct {
	// Unbounded is what the system has no bounds for, in words.
	Unbounded []string
	launcher  sandbox.Launcher
	dir       string // scratch
}

// NewSandbox builds the program that sets a sandbox up, with the go command, and tries it. A
// *SandboxError says that the system offers none. The environment is that of a Target; the
// name of the go command may be empty. The program is built once in a process as long as both
// are the same. NewSandbox is safe for concurrent use.
func NewSandbox(ctx context.Context, env []string, goCmd string) (_ *Sandbox, err error) {
	if env == nil {
		env = os.Environ()
	}
	if goCmd == "" {
		goCmd = "go"
	}
	if err := sandbox.Offered(); err != nil {
		return nil, err
	}
	env = sandbox.BuildEnv(env)
	key := strings.Join(append([]string{goCmd}, env...), "\x00")
	data, err := launchers.get(ctx, key, func() ([]byte, error) { return buildLauncher(ctx, env, goCmd) })
	if err != nil {
		return nil, err
	}
	dir, err := scratch.Make("sandbox")
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	s := &Sandbox{dir: dir, launcher: sandbox.Launcher{Path: filepath.Join(dir, launcherFile)}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := sandbox.WriteExecutable(s.launcher.Path, data); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	s.Unbounded, err = s.launcher.Probe(ctx)
	return s, err
}

const launcherFile = "launcher"

// buildLauncher returns the executable of the launcher.
func buildLauncher(ctx context.Context, env []string, goCmd string) (_ []byte, err error) {
	files, err := sandbox.Files()
	if err != nil {
		return nil, err
	}
	dir, err := scratch.Make("launcher")
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(dir)) }()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
	}
	cmd := exec.Command(goCmd, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", launcherFile, ".")
	cmd.Dir, cmd.Env = dir, scratch.GoEnv(env, dir)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := runGroup(ctx, cmd, 0); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &SandboxError{Reason: fmt.Sprintf("the launcher was not built: %v: %s", err, strings.TrimSpace(out.String()))}
	}
	data, err := os.ReadFile(filepath.Join(dir, launcherFile))
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return data, nil
}

// launchers has the launcher that was built last: a check of many entry points needs the same
// for each. It is kept in memory. In a file it would have to be removed when nobody needs it
// any more, and whoever can write there could have something else started outside of the sandbox.
var launchers = lastBuilt{turn: make(chan struct{}, 1)}

// lastBuilt has what was built last. It is safe for concurrent use.
type lastBuilt struct {
	turn chan struct{} // full while somebody has one
	key  string
	data []byte
}

// get returns what was built for a key, or has it built. Others wait meanwhile, until their
// contexts end.
func (l *lastBuilt) get(ctx context.Context, key string, build func() ([]byte, error)) ([]byte, error) {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l.data != nil && l.key == key {
		return l.data, nil
	}
	data, err := build()
	if err != nil {
		return nil, err
	}
	l.key, l.data = key, data
	return data, nil
}

// Close removes what was built.
func (s *Sandbox) Close() error { return scratch.Remove(s.dir) }

// child is a process of the program.
type child struct {
	*exec.Cmd
	box *sandbox.Box // nil: it is in no sandbox
	// How it has ended, once it has: the exit code, which is -1 if it was a signal, and the
	// same in words, "" if it was not started.
	code int
	text string
}

// enclose prepares a process of the binary, which may write the directory of its results.
func (b *Binary) enclose(cmd *exec.Cmd, dir string) (*child, error) {
	c := &child{Cmd: cmd}
	if b.target.Sandbox == nil {
		return c, nil
	}
	launcher := b.target.Sandbox.launcher
	if slices.ContainsFunc(b.target.allFlags(), detector) {
		launcher.Limits.Memory = -1
	}
	access := sandbox.Access{Read: []string{b.dir, b.target.Dir}, Write: []string{dir}}
	if b.target.Root != "" {
		access.Read = append(access.Read, b.target.Root)
	}
	var err error
	c.box, err = launcher.Enclose(cmd, access)
	return c, err
}

// detector reports whether a flag has a program built with a detector, which reserves memory
// without bound.
func detector(flag string) bool {
	return isFlag(flag, "race") || isFlag(flag, "msan") || isFlag(flag, "asan")
}

// run is runGroup. That the program has ended with a failure is an error with the words of
// text.
func (c *child) run(ctx context.Context, timeout time.Duration) error {
	err := runGroup(ctx, c.Cmd, timeout)
	if c.box == nil {
		if state := c.ProcessState; state != nil {
			c.code, c.text = state.ExitCode(), state.String()
		}
		return err
	}
	ended, missing := c.box.End(err)
	if missing != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return missing
	}
	c.code, c.text = ended.Code, ended.Text
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return errors.New(ended.Text)
	}
	return err
}

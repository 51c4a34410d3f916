// Package blackbox tests the command as its users have it: built, and run as a process. It is a directory of
// its own so that it and the other tests of the command stay each under the ten minutes that Go gives to a package.
package blackbox_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/examples"
	"github.com/vtrace/vtrace/internal/earlier"
	"github.com/vtrace/vtrace/internal/programs"
)

// The exit codes, as docs/ci.md has them.
const (
	exitNothing = iota
	exitReal
	exitUsage
	exitInconclusive
)

// command is the path of the command.
var command string

func TestMain(m *testing.M) { os.Exit(tested(m)) }

func tested(m *testing.M) int {
	dir, err := os.MkdirTemp("", "vtrace-command-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	// What tests check is checked, whatever was checked before.
	if err := os.Setenv(earlier.ResultsVariable, earlier.NoResults); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	command = filepath.Join(dir, "vtrace")
	if runtime.GOOS == "windows" {
		command += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", command, "..").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// execute runs a command line.
func execute(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), command, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode(), out.String(), errs.String()
	}
	require.NoError(t, err)
	return exitNothing, out.String(), errs.String()
}

// program writes an example as a module and makes a fresh directory current.
func program(t *testing.T, name string) (dir string) {
	t.Helper()
	dir, _ = programs.Example(t, name, examples.Main, 0)
	t.Chdir(t.TempDir())
	return dir
}

package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/group"
)

// GoCommandError says what the go command has to say when it can list no packages at all.
type GoCommandError struct {
	// Patterns are what it was to list.
	Patterns []string
	// Output is what it has said, "" if it could not be run.
	Output string
	Err    error
}

func (e *GoCommandError) Error() string {
	text := strings.TrimSpace(strings.TrimPrefix(e.Output, "go: "))
	switch {
	case strings.HasPrefix(e.Err.Error(), noGoCommand) || errors.Is(e.Err, exec.ErrNotFound):
		text = "the go command is needed, and there is none in PATH"
	case text == "":
		text = e.Err.Error()
	case strings.Contains(text, "go.mod file not found"):
		text = "there is no go.mod in the directory or above it: 'go mod init NAME' makes one"
	}
	return fmt.Sprintf("load %s: %s", strings.Join(e.Patterns, " "), text)
}

func (e *GoCommandError) Unwrap() error { return e.Err }

// driverOutput finds what the go command has said in an error of package packages.
var driverOutput = regexp.MustCompile(`(?s)^err: .*?: stderr: (.*)$`)

// noGoCommand begins an error of package packages which does not wrap exec.ErrNotFound.
const noGoCommand = "err: go command required, not found"

// goCommandError is the error of a load that package packages has given up.
func goCommandError(patterns []string, err error) error {
	e := &GoCommandError{Patterns: patterns, Err: err}
	if m := driverOutput.FindStringSubmatch(err.Error()); m != nil {
		e.Output = m[1]
	}
	return e
}

// unlisted says why the go command has listed nothing, nil if it has, or if there is nothing.
// Package packages takes some of its failures for packages that do not exist.
func unlisted(ctx context.Context, cfg *packages.Config, pkgs []*packages.Package, patterns []string) error {
	e := &GoCommandError{Patterns: patterns}
	switch {
	case len(pkgs) == 1 && pkgs[0].PkgPath == "command-line-arguments" && len(pkgs[0].GoFiles) == 0 && len(pkgs[0].Errors) > 0:
		e.Output = pkgs[0].Errors[0].Msg
		e.Err = pkgs[0].Errors[0]
		return e
	case len(pkgs) > 0:
		return nil
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-export"}, cfg.BuildFlags, []string{"--"}, patterns)...)
	cmd.Dir, cmd.Env, cmd.Stderr = cfg.Dir, cfg.Env, &stderr
	if e.Err = group.Run(cmd); e.Err == nil {
		return nil
	}
	e.Output = stderr.String()
	return e
}

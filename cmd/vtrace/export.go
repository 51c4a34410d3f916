package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/group"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/source"
)

// runExportTest writes an Orchestration test into the tree of the program.
func runExportTest(c *call) (int, error) {
	fs := c.flags()
	out := fs.String("o", "", "write the file to `DIR`, the directory of the entry's package; default: where it belongs in the tree around the current directory")
	var s settings
	s.trusted(fs)
	s.verifying(fs)
	args, err := c.parse(fs, 2, 2)
	if err != nil {
		return 0, err
	}
	b, err := s.load(args[0])
	if err != nil {
		return 0, err
	}
	e, err := pass.Export(b, args[1], s.flags()...)
	if err != nil {
		return 0, err
	}
	dir, name := *out, filepath.Base(e.Path)
	if dir == "" {
		if dir, err = rootOf(b); err != nil {
			return 0, err
		}
		name = filepath.FromSlash(e.Path)
	}
	path := filepath.Join(dir, name)
	if err := writeNew(dir, name, e.Data); err != nil {
		return 0, err
	}
	fmt.Fprintf(c.stdout, "wrote %s: %s\nrun it with: %s\n", path, e.Name, e.Command)
	return exitNothing, nil
}

// writeNew writes a file of a directory, which may be there with the same content. No link
// leads it out of the directory.
func writeNew(dir, name string, data []byte) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		old, err := root.ReadFile(name)
		if err == nil && !bytes.Equal(old, data) {
			err = fmt.Errorf("%s exists, with other content: remove it first", filepath.Join(dir, name))
		}
		return err
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// rootOf finds the root of the program of a bundle: the current directory, or
// the nearest above it that has all its files, be they changed or not.
func rootOf(b *artifact.Bundle) (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		all := true
		for path := range b.Below(artifact.SourceDir) {
			if source.OfDependency(path) {
				continue
			}
			_, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path)))
			all = all && err == nil
		}
		if all {
			return dir, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("no directory from the current one upwards has the files of the program: say with -o where the test belongs")
		}
		dir = filepath.Dir(dir)
	}
}

// runTest runs exported tests on the program as it is now.
func runTest(c *call) (int, error) {
	var s settings
	fs := c.flags()
	run := fs.String("run", "", "run only tests whose names match `REGEXP`")
	s.trusted(fs)
	verbose := fs.Bool("v", false, "print the output of the tests, with the execution logs")
	s.watchdogFlag(fs)
	s.inSandbox(fs)
	fs.BoolVar(&s.timing, "timing", false, "print what each stage takes")
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	match, err := regexp.Compile(*run)
	if err != nil {
		return 0, fmt.Errorf("%w: -run: %v", errUsage, err)
	}
	dir, err := packageDir(c, args[0])
	if err != nil {
		return 0, err
	}
	rep := newProgress(c.stderr, s.timing)
	results, err := pass.RunExported(c.ctx, dir, match, pass.Options{Watchdog: s.watchdog, Flags: s.flags(), Sandbox: string(s.sandbox), Progress: rep.event})
	rep.done()
	if err != nil {
		return 0, err
	}
	if len(results) == 0 {
		return 0, fmt.Errorf("%s has no exported tests that match: see vtrace help export-test", args[0])
	}
	code := exitNothing
	for _, r := range results {
		if *verbose {
			fmt.Fprint(c.stdout, r.Verdict.Stdout, r.Verdict.Stderr)
		}
		switch r.Verdict.Status {
		case orchestrate.Reproduced:
			code = exitReal
			fmt.Fprintf(c.stdout, "FAIL %s: %s\n", r.Name, r.Verdict.Reason)
		case orchestrate.Infeasible:
			fmt.Fprintf(c.stdout, "ok   %s: no longer reproducible at step %d: %s\n", r.Name, r.Verdict.Step, r.Verdict.Reason)
		case orchestrate.NotReproduced:
			fmt.Fprintf(c.stdout, "ok   %s: no longer reproducible: %s\n", r.Name, r.Verdict.Reason)
		default:
			if code == exitNothing {
				code = exitInconclusive
			}
			fmt.Fprintf(c.stdout, "??   %s: %s: %s\n", r.Name, r.Verdict.Status, r.Verdict.Reason)
		}
		for _, key := range r.Missing {
			fmt.Fprintf(c.stdout, "     the program has no site like %s any more\n", key)
		}
	}
	rep.writeUnsandboxed(c.stdout)
	return code, nil
}

// packageDir is the directory of a package, given as such or by a pattern.
func packageDir(c *call, pattern string) (string, error) {
	if info, err := os.Stat(pattern); err == nil && info.IsDir() {
		return pattern, nil
	}
	out, err := group.Output(exec.CommandContext(c.ctx, "go", "list", "-e", "-find", "-f", "{{.Dir}}", "--", pattern))
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" || strings.Contains(dir, "\n") {
		return "", fmt.Errorf("%s does not name a package of this module", pattern)
	}
	return dir, nil
}

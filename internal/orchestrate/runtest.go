package orchestrate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"

	"github.com/vtrace/vtrace/internal/scratch"
)

// RunTest runs one of the tests that the binary was built with, one that Test
// has generated, as the go command would. The verdict's Stdout is the output of
// the test, with its execution log.
func (b *Binary) RunTest(ctx context.Context, name string, opts RunOptions) (_ *Verdict, err error) {
	if opts.Timeout <= 0 {
		opts.Timeout = defaultTimeout
	}
	if opts.MaxOutput <= 1 {
		opts.MaxOutput = defaultMaxOutput
	}
	dir, err := scratch.Make("run")
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(dir)) }()
	file := filepath.Join(dir, "result")
	run := exec.Command(b.Path, "-test.run=^"+regexp.QuoteMeta(name)+"$", "-test.count=1", "-test.timeout=0", "-test.v")
	run.Dir = b.target.Dir
	env := b.target.environ()
	run.Env = append(env[:len(env):len(env)], envResult+"="+file)
	stdout, stderr := &boundedWriter{max: opts.MaxOutput}, &boundedWriter{max: opts.MaxOutput}
	run.Stdout, run.Stderr = stdout, stderr
	cmd, err := b.enclose(run, dir)
	if err != nil {
		return nil, err
	}
	runErr := cmd.run(ctx, opts.Timeout)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if cmd.text == "" {
		return nil, fmt.Errorf("run %s: %w", b.Path, runErr)
	}
	v := &Verdict{Stdout: stdout.String(), Stderr: stderr.String()}
	switch result, err := readRun(file); {
	case err == nil:
		v.observe(result)
	case !errors.Is(err, os.ErrNotExist):
		v.Status, v.Reason = Unsupported, "the result cannot be read: "+err.Error()
	default:
		v.died(journalStep{}, cmd, errors.Is(runErr, errTimeout), opts.Timeout)
	}
	return v, nil
}

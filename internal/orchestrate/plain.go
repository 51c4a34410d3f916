package orchestrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/vtrace/vtrace/internal/scratch"
)

// A plain run is one of the program as it is: not instrumented, under nobody's control, with the
// clock of the machine. It can contradict what is known of runs under control.

// PlainRun is how a program of BuildFree has ended that is not instrumented.
type PlainRun struct {
	// Ended: it has ended by itself, within the time that it was given.
	Ended bool
	// Failure is in words how it has failed, "" if it has not, or if it could be the machine's fault.
	Failure string
	// Failed are, of a run of all tests, those that have failed, or that ran when the program ended.
	Failed []string
}

// maxPlainOutput bounds what is kept of the output of a plain run.
const maxPlainOutput = 1 << 20

// RunPlain runs a program of BuildFree that is not instrumented: the test of its target, or main.
// A program that takes longer than timeout is ended.
func (b *Binary) RunPlain(ctx context.Context, timeout time.Duration) (PlainRun, error) {
	if !b.target.IsTest() {
		return b.plain(ctx, timeout)
	}
	// Without a time limit of package testing, the Go runtime sees that all goroutines are stuck.
	return b.plain(ctx, timeout, onlyTest(b.target.Entry.Func), "-test.count=1", "-test.timeout=0")
}

// RunPlainTests runs all tests of the package of the target, as go test does.
func (b *Binary) RunPlainTests(ctx context.Context, timeout time.Duration) (PlainRun, error) {
	return b.plain(ctx, timeout, "-test.run=^Test", "-test.v=true", "-test.count=1", "-test.timeout=0")
}

func (b *Binary) plain(ctx context.Context, timeout time.Duration, args ...string) (run PlainRun, err error) {
	dir, err := scratch.Make("plain")
	if err != nil {
		return run, fmt.Errorf("plain run: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(dir)) }()
	c, err := b.asItIs(slices.Concat(args, b.target.Args), nil, dir)
	if err != nil {
		return run, err
	}
	out := &boundedWriter{max: maxPlainOutput}
	c.Stdout, c.Stderr = out, out
	runErr := c.run(ctx, timeout)
	switch {
	case ctx.Err() != nil:
		return run, ctx.Err()
	case errors.Is(runErr, errTimeout):
		return run, nil
	case c.text == "":
		return run, fmt.Errorf("run %s: %w", b.Path, runErr)
	}
	run.Ended = true
	// A process that a signal has ended has not failed by itself.
	if c.code > 0 {
		run.Failure, run.Failed = failureIn([]byte(out.String()))
	}
	return run, nil
}

var (
	// A crash is said on a line of its own, before the stacks of all goroutines.
	crashLine = regexp.MustCompile(`(?m)^(panic: |fatal error: ).*$`)
	// A test that has failed is reported with its subtests, and what they have said.
	failLine = regexp.MustCompile(`(?m)^--- FAIL: .*\n(?: +--- FAIL: .*\n)*( +\S+\.go:\d+: .*\n)?`)
	testLine = regexp.MustCompile(`(?m)^(=== RUN   |--- PASS: |--- FAIL: |--- SKIP: )([^\s/]+)(?:$| \()`)
	// beside is what differs from run to run in what is said of a crash, or says nothing of its cause.
	beside = regexp.MustCompile(`0x[0-9a-f]+|goroutine [0-9]+ | \[recovered.*\]$`)
)

// machines are the crashes of the Go runtime that say something of the machine, or the sandbox, and
// nothing of the program.
var machines = []string{"out of memory", "cannot allocate", "newosproc", "thread", "signal "}

// maxFailure bounds the words of a failure, in bytes.
const maxFailure = 200

// failureIn reads how a program has failed from what it has printed, and which of its tests.
func failureIn(out []byte) (failure string, tests []string) {
	if crash := crashLine.Find(out); crash != nil {
		failure = string(crash)
		for _, m := range machines {
			if strings.HasPrefix(failure, "fatal error: ") && strings.Contains(failure, m) {
				return "", nil
			}
		}
	} else if fail := failLine.FindSubmatch(out); fail != nil {
		failure = "test failure"
		if said := bytes.TrimSpace(fail[1]); len(said) > 0 {
			failure += ": " + string(said)
		}
	}
	if failure == "" {
		return "", nil
	}
	for _, m := range testLine.FindAllSubmatch(out, -1) {
		switch name := string(m[2]); string(m[1]) {
		case "=== RUN   ", "--- FAIL: ":
			if !slices.Contains(tests, name) {
				tests = append(tests, name)
			}
		default:
			tests = slices.DeleteFunc(tests, func(t string) bool { return t == name })
		}
	}
	failure = beside.ReplaceAllString(failure, "")
	return strings.ToValidUTF8(failure[:min(len(failure), maxFailure)], "?"), tests
}

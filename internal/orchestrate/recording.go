package orchestrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/scratch"
)

// BuildFree compiles the instrumented program as it is, without a driver: main as the go command
// builds it, a test with its package's test binary. Of the options Tests is not used.
func BuildFree(ctx context.Context, target Target, opts BuildOptions) (*Binary, error) {
	if err := target.check(); err != nil {
		return nil, err
	}
	as := mainBinary
	if target.IsTest() {
		as = testBinary
	}
	return target.link(ctx, "program", as, opts, func(string) (string, error) { return opts.Overlay, nil })
}

// RecordOptions bound a run that is recorded.
type RecordOptions struct {
	// Timeout ends the program; 0 is no bound.
	Timeout time.Duration
	// Limit is how many bytes are recorded at most; 0 is the runtime's default, 4 GiB.
	Limit int64
	// Args are arguments behind those of the target.
	Args []string
	// Stdout and Stderr get what the program prints; nil: nobody does.
	Stdout, Stderr io.Writer
}

// Ran is how a program has ended.
type Ran struct {
	// End is that in words: "exit status 2", "signal: killed", "timeout", "interrupted".
	End string
	// Code is the exit code, -1 if there is none.
	Code int
	// Judged: the program has exited by itself, and its garbage collector has said which goroutines nothing can wake that can
	// still be reached. Leaked are the numbers of those in the recording, Reachable those of others that have waited.
	Judged            bool
	Leaked, Reachable []uint64
	// Others is how many more processes of the program there were, which are not in the recording.
	Others int
}

// RecordFree runs a program of BuildFree once and gives what it has recorded to read, however the
// program has ended: also when the context is done, which ends it.
func (b *Binary) RecordFree(ctx context.Context, opts RecordOptions, read func(recorded io.Reader, ran *Ran) error) (_ *Ran, err error) {
	dir, err := scratch.Make("record")
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(dir)) }()
	var args []string
	if b.target.IsTest() {
		args = []string{onlyTest(b.target.Entry.Func), "-test.count=1", "-test.timeout=0"}
	}
	env := []string{orcruntime.EnvRecord + "=" + dir}
	if opts.Limit > 0 {
		env = append(env, orcruntime.EnvRecordLimit+"="+strconv.FormatInt(opts.Limit, 10))
	}
	c, err := b.asItIs(slices.Concat(args, b.target.Args, opts.Args), env, dir)
	if err != nil {
		return nil, err
	}
	c.Stdout, c.Stderr = opts.Stdout, opts.Stderr
	runErr := c.run(ctx, opts.Timeout)
	ran := &Ran{Code: c.code, End: c.text}
	switch {
	case ctx.Err() != nil:
		ran.Code, ran.End = -1, "interrupted"
	case errors.Is(runErr, errTimeout):
		ran.Code, ran.End = -1, "timeout"
	case c.text == "":
		return nil, fmt.Errorf("run %s: %w", b.Path, runErr)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	name := ""
	for _, e := range entries {
		if c.Process != nil && e.Name() == strconv.Itoa(c.Process.Pid) {
			name = e.Name()
		}
	}
	if name == "" && b.target.Sandbox != nil {
		// There the processes have numbers of their own: the first one started the others.
		name = firstProcess(entries)
	}
	if name == "" {
		return nil, fmt.Errorf("record: the program has recorded nothing; it has ended with %s", ran.End)
	}
	ran.Others = -1
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil {
			ran.Others++
		}
	}
	if ran.Leaked, ran.Reachable, ran.Judged, err = readLeft(filepath.Join(dir, name+orcruntime.LeftSuffix)); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	defer f.Close()
	return ran, read(f, ran)
}

// onlyTest is the argument for a test binary to run one test.
func onlyTest(name string) string { return "-test.run=^" + name + "$" }

// asItIs prepares a run of a program of BuildFree, which may write a directory.
func (b *Binary) asItIs(args, env []string, dir string) (*child, error) {
	cmd := exec.Command(b.Path, args...)
	cmd.Dir = b.target.Dir
	cmd.Env = slices.Concat(b.target.environ(), env)
	return b.enclose(cmd, dir)
}

// maxLeft bounds the file that says which goroutines are leaked.
const maxLeft = 64 << 20

// readLeft reads which goroutines are leaked, and which others have waited; false if the program has not said so.
func readLeft(path string) (leaked, reachable []uint64, judged bool, err error) {
	data, err := readBounded(path, maxLeft)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil, false, nil
	case err != nil:
		return nil, nil, false, err
	}
	for line := range strings.Lines(string(data)) {
		number, reached := strings.CutPrefix(strings.TrimSuffix(line, "\n"), orcruntime.LeftReachable)
		n, err := strconv.ParseUint(number, 10, 32)
		switch {
		case err != nil:
			return nil, nil, false, fmt.Errorf("the goroutines that are left: %w", err)
		case reached:
			reachable = append(reachable, n)
		default:
			leaked = append(leaked, n)
		}
	}
	slices.Sort(leaked)
	slices.Sort(reachable)
	return slices.Compact(leaked), slices.Compact(reachable), true, nil
}

// firstProcess is the least of the numbers that files have for names, "" if there is none.
func firstProcess(entries []os.DirEntry) string {
	least, name := 0, ""
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && (name == "" || n < least) {
			least, name = n, e.Name()
		}
	}
	return name
}

// RecordRun bounds what is recorded of a run under control, and says who reads it.
type RecordRun struct {
	// Limit is how many bytes are recorded at most; 0 is the runtime's default, 4 GiB.
	Limit int64
	// Read is given what was recorded, and what was observed.
	Read func(recorded io.Reader, v *Verdict) error
}

// RecordSeed runs a program of Build once by the random choices that an exploration makes with the seed and the strategy, and
// gives what it has recorded to read. The portfolio is no strategy of a single run.
func (b *Binary) RecordSeed(ctx context.Context, seed uint64, by Strategy, opts RunOptions, how RecordRun) (*Verdict, error) {
	if by == StrategyPortfolio {
		return nil, fmt.Errorf("record: a run has one strategy, and %s is all of them by turns", by)
	}
	x := &explorer{binary: b, opts: ExploreOptions{Runs: 1, Seed: seed, Strategy: by, RunOptions: opts}, ends: map[string]*End{}, schedules: map[uint64]bool{}}
	if by.NeedsProfile() {
		if err := x.process(ctx); err != nil {
			return nil, err
		}
	}
	x.opts.recorded, x.opts.recordLimit = how.Read, how.Limit
	r, err := x.again(ctx, seed, by)
	if err != nil {
		return nil, err
	}
	return r.Verdict, nil
}

// RecordPlan makes a program of Build follow a plan once, and gives what it has recorded to read.
func (b *Binary) RecordPlan(ctx context.Context, plan artifact.Plan, opts RunOptions, how RecordRun) (*Verdict, error) {
	opts.recorded, opts.recordLimit = how.Read, how.Limit
	return b.Run(ctx, plan, opts)
}

// readRecorded has the file read that a run was recorded in: one process has been told to record.
func readRecorded(dir string, v *Verdict, read func(io.Reader, *Verdict) error) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if len(entries) == 0 {
		return &NotRecordedError{v}
	}
	f, err := os.Open(filepath.Join(dir, entries[0].Name()))
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	defer f.Close()
	return read(f, v)
}

// NotRecordedError says that a run under control was not recorded: it has ended before it began, or the instrumented program
// is that of an older vtrace, whose runtime records no such runs.
type NotRecordedError struct{ Verdict *Verdict }

func (e *NotRecordedError) Error() string {
	return "record: the program has recorded nothing, as that of an older vtrace: " + e.Verdict.Reason
}

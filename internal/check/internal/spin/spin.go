// Package spin runs the model checker Spin on a model, for comparison with
// package check: spin makes a C program of the model, gcc compiles it, and the
// program searches.
package spin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/vtrace/vtrace/internal/group"
)

// Options direct a run.
type Options struct {
	// Full switches off every reduction: merging of steps, dataflow analysis
	// and partial orders.
	Full bool
	// Deadlock looks for invalid end states; otherwise they are ignored.
	Deadlock bool
	// Continue goes on after the first error, so that all states are counted.
	Continue bool
	// Quick compiles without optimisation, for small models.
	Quick bool
	// Depth bounds the depth-first search; 0: ten million.
	Depth int
	// Table is the logarithm of the size of the hash table; 0: 20.
	Table int
}

// Result is what pan reports.
type Result struct {
	States, Transitions, Errors int
	Truncated                   bool // the depth bound was reached
	Vector                      int  // bytes
	Memory                      int64
	Compile, Search             time.Duration // wall time
	CPU                         time.Duration // of the search
	Output                      string
}

// Available reports what is missing to run Spin.
func Available() error {
	for _, tool := range []string{"spin", "gcc"} {
		if _, err := exec.LookPath(tool); err != nil {
			return fmt.Errorf("%s is not installed (Debian: apt-get install %s)", tool, tool)
		}
	}
	return nil
}

// Run checks a model. A search that is cancelled gives the context's error.
func Run(ctx context.Context, model []byte, o Options) (*Result, error) {
	dir, err := os.MkdirTemp("", "spin")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "model.pml"), model, 0o600); err != nil {
		return nil, err
	}
	start := time.Now()
	args, cc := []string{"-a"}, []string{"-O2", "-fwrapv", "-w", "-DSAFETY", "-DVECTORSZ=16384", "-o", "pan", "pan.c"}
	if o.Quick {
		cc[0] = "-O0"
	}
	if o.Full {
		args = append(args, "-o1", "-o2", "-o3")
		cc = append(cc, "-DNOREDUCE")
	}
	if out, _, err := run(ctx, dir, "spin", append(args, "model.pml")...); err != nil || !exists(dir, "pan.c") {
		return nil, fmt.Errorf("spin: %w: %s", errOr(err, "no pan.c"), out)
	}
	if out, _, err := run(ctx, dir, "gcc", cc...); err != nil {
		return nil, fmt.Errorf("gcc: %w: %s", err, out)
	}
	r := &Result{Compile: time.Since(start)}
	if o.Depth == 0 {
		o.Depth = 10_000_000
	}
	if o.Table == 0 {
		o.Table = 20
	}
	pan := []string{fmt.Sprintf("-m%d", o.Depth), fmt.Sprintf("-w%d", o.Table)}
	if !o.Deadlock {
		pan = append(pan, "-E")
	}
	if o.Continue {
		pan = append(pan, "-c0")
	}
	start = time.Now()
	out, cpu, err := run(ctx, dir, filepath.Join(dir, "pan"), pan...)
	r.Search, r.CPU = time.Since(start), cpu
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return r, r.parse(out)
}

func exists(dir, file string) bool {
	_, err := os.Stat(filepath.Join(dir, file))
	return err == nil
}

func errOr(err error, text string) error {
	if err != nil {
		return err
	}
	return errors.New(text)
}

// run gives the output of a command and the processor time it took.
func run(ctx context.Context, dir, name string, args ...string) (string, time.Duration, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := group.Run(cmd)
	var cpu time.Duration
	if cmd.ProcessState != nil {
		cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return out.String(), cpu, err
}

var fields = map[string]*regexp.Regexp{
	"states":      regexp.MustCompile(`(?m)^\s*(\d+) states, stored`),
	"transitions": regexp.MustCompile(`(?m)^\s*(\d+) transitions \(=`),
	"errors":      regexp.MustCompile(`errors: (\d+)`),
	"vector":      regexp.MustCompile(`State-vector (\d+) byte`),
	"memory":      regexp.MustCompile(`(?m)^\s*([\d.]+)\s+total actual memory usage`),
}

func (r *Result) parse(out string) error {
	r.Output = out
	number := func(name string) float64 {
		m := fields[name].FindStringSubmatch(out)
		if m == nil {
			return -1
		}
		x, _ := strconv.ParseFloat(m[1], 64)
		return x
	}
	r.States, r.Transitions, r.Errors = int(number("states")), int(number("transitions")), int(number("errors"))
	r.Transitions-- // pan counts one into the initial state
	r.Vector, r.Memory = int(number("vector")), int64(number("memory")*(1<<20))
	r.Truncated = strings.Contains(out, "max search depth too small")
	if r.States < 0 || r.Transitions < 0 || r.Errors < 0 {
		return fmt.Errorf("pan: %s", strings.TrimSpace(out))
	}
	return nil
}

package orchestrate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/scratch"
)

// RunOptions bound a run. The zero value has defaults.
type RunOptions struct {
	Timeout   time.Duration // wall time; default 20 s; a plan has stepTime for each of its steps at least
	MaxOutput int           // bytes kept of each of stdout and stderr; default 1 MiB
	MaxSteps  int           // steps of the run, those after the plan included; default the runtime's
	// Environments is how many other environments Replay tries where a plan does not
	// show what it expects: random numbers, orders of maps and the like.
	Environments int
	// Delays has deadlines be set late, by the seed of the plan, as if goroutines were slow.
	Delays bool
	// Durations are those that the clock is compared with, besides those that the program
	// names.
	Durations []time.Duration
	// PassOthers is as in orcruntime.Plan.
	PassOthers bool
	// recorded, if not nil, reads what the run has recorded, of which there are at most recordLimit bytes.
	recorded    func(recorded io.Reader, v *Verdict) error
	recordLimit int64
}

const (
	defaultTimeout   = 20 * time.Second
	stepTime         = 20 * time.Microsecond // several times what a step needs
	defaultMaxOutput = 1 << 20
)

// Bounds of what is read of the files that the program writes: the bytes of a result or of a
// line, of a frontier, and of all records or all ends, and how many ends are told apart.
const (
	maxResult   = 512 << 20
	maxFrontier = 256 << 20
	maxRecords  = 1 << 30
	maxEnds     = 1 << 16
)

// job is what the driver reads: what it is to do.
type job struct {
	artifact.Plan
	MaxSteps int
	// Elastic is as in orcruntime.Plan.
	Elastic bool `json:",omitempty"`
	// Late is as in orcruntime.Plan.
	Late string `json:",omitempty"`
	// PassOthers is as in orcruntime.Plan.
	PassOthers bool `json:",omitempty"`
	// Random is the seed of the choices after the plan; nil is the first
	// goroutine that can go on.
	Random *uint64 `json:",omitempty"`
	// Guides are steps that random choices go along with.
	Guides [][]artifact.PlanStep `json:",omitempty"`
	// Patient makes time wait for everything else with random choices.
	Patient bool `json:",omitempty"`
	// Strategy and Profile are those of ExploreOptions, and Exploration, for random choices
	// without guides.
	Strategy Strategy            `json:",omitempty"`
	Profile  *orcruntime.Profile `json:",omitempty"`
	// Delays is that of RunOptions.
	Delays bool `json:",omitempty"`
	// Durations is that of RunOptions.
	Durations []time.Duration `json:",omitempty"`
	// Guards are those of the Binary.
	Guards *[]string `json:",omitempty"`
	// Shared says which entry is run, and how, if the program has several.
	Shared *SharedRun `json:",omitempty"`
	// Explore asks for many runs instead.
	Explore *exploreJob `json:",omitempty"`
	// Exhaust asks for all schedules that are not equivalent.
	Exhaust *exhaustJob `json:",omitempty"`
	// Fuzz asks for a search that is guided by what runs come to.
	Fuzz *fuzzJob `json:",omitempty"`
	// Minimise asks for a schedule with less to understand that ends as the plan does.
	Minimise *minimiseJob `json:",omitempty"`
	// Screen asks for several plans.
	Screen *screenJob `json:",omitempty"`
	// Packed has the steps of the plan instead, if there are many.
	Packed *orcruntime.Packed `json:",omitempty"`
}

// Run makes the program follow a plan once. The error is for what prevents any
// run, such as a cancelled context; whatever the program does is a Verdict.
func (b *Binary) Run(ctx context.Context, plan artifact.Plan, opts RunOptions) (*Verdict, error) {
	v, _, err := b.run(ctx, job{Plan: plan, MaxSteps: opts.MaxSteps, PassOthers: opts.PassOthers, Delays: opts.Delays, Durations: opts.Durations}, opts)
	return v, err
}

// run does one run. The result is what the runtime has reported, the zero value
// if it has not.
func (b *Binary) run(ctx context.Context, j job, opts RunOptions) (_ *Verdict, _ orcruntime.Result, err error) {
	fail := func(err error) (*Verdict, orcruntime.Result, error) { return nil, orcruntime.Result{}, err }
	if opts.Timeout <= 0 {
		opts.Timeout = defaultTimeout
	}
	opts.Timeout = max(opts.Timeout, time.Duration(len(j.Plan.Steps))*stepTime)
	if opts.MaxOutput <= 1 {
		opts.MaxOutput = defaultMaxOutput
	}
	dir, err := scratch.Make("run")
	if err != nil {
		return fail(fmt.Errorf("run: %w", err))
	}
	defer func() { err = errors.Join(err, scratch.Remove(dir)) }()
	files := map[string]string{}
	for _, name := range []string{envPlan, envResult, envLog, envJournal} {
		files[name] = filepath.Join(dir, strings.ToLower(name))
	}
	if opts.recorded != nil {
		files[orcruntime.EnvRecordRun] = filepath.Join(dir, "recorded")
		if err := os.Mkdir(files[orcruntime.EnvRecordRun], 0o700); err != nil {
			return fail(fmt.Errorf("run: %w", err))
		}
		if opts.recordLimit > 0 {
			files[orcruntime.EnvRecordLimit] = strconv.FormatInt(opts.recordLimit, 10)
		}
	}
	cmd, err := b.command(j, dir, files)
	if err != nil {
		return fail(err)
	}
	stdout, stderr := &boundedWriter{max: opts.MaxOutput}, &boundedWriter{max: opts.MaxOutput}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	runErr := cmd.run(ctx, opts.Timeout)
	if ctx.Err() != nil {
		return fail(ctx.Err())
	}
	if cmd.text == "" {
		return fail(fmt.Errorf("run %s: %w", b.Path, runErr))
	}
	v, result, err := observed(j.Plan, files, cmd, errors.Is(runErr, errTimeout), opts.Timeout, stdout.String(), stderr.String())
	if err == nil && opts.recorded != nil {
		err = readRecorded(files[orcruntime.EnvRecordRun], v, opts.recorded)
	}
	return v, result, err
}

// observed is what a process that has ended has left in its files and printed. The program has
// written that, whatever it is.
func observed(plan artifact.Plan, files map[string]string, cmd *child, timedOut bool, timeout time.Duration, stdout, stderr string) (*Verdict, orcruntime.Result, error) {
	var result orcruntime.Result
	log, err := readTail(files[envLog], maxLog)
	if err != nil {
		return nil, result, fmt.Errorf("run: %w", err)
	}
	v := &Verdict{Plan: plan, Of: len(plan.Steps), Log: string(log), Stdout: programOutput(stdout), Stderr: stderr}
	switch result, err = readRun(files[envResult]); {
	case err == nil:
		v.observe(result)
	case errors.Is(err, os.ErrNotExist):
		journal, err := readTail(files[envJournal], 2*orcruntime.JournalSlot)
		if err != nil {
			return nil, result, fmt.Errorf("run: %w", err)
		}
		v.died(lastStep(journal), cmd, timedOut, timeout)
	default:
		v.Status, v.Reason = Unsupported, "the result cannot be read: "+err.Error()
	}
	return v, result, nil
}

// command prepares the driver for a job, which leaves its results in a directory; files are
// the values of its environment variables.
func (b *Binary) command(j job, dir string, files map[string]string) (*child, error) {
	if b.Guards != nil {
		j.Guards = &b.Guards
	}
	j.Shared = b.shared
	if len(j.Steps) >= orcruntime.PackedFrom {
		j.Packed, j.Steps = orcruntime.Pack(runtimeSteps(j.Steps), nil), nil
	}
	data, err := json.Marshal(j)
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	if err := os.WriteFile(files[envPlan], data, 0o600); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	cmd := exec.Command(b.Path, "-test.run=^"+driverTest+"$", "-test.count=1", "-test.timeout=0")
	cmd.Dir = b.target.Dir
	env := b.target.environ()
	cmd.Env = env[:len(env):len(env)]
	for _, name := range []string{envPlan, envResult, envLog, envJournal, orcruntime.EnvRecordRun, orcruntime.EnvRecordLimit} {
		if file := files[name]; file != "" {
			cmd.Env = append(cmd.Env, name+"="+file)
		}
	}
	return b.enclose(cmd, dir)
}

// runtimeSteps are steps of a plan as the runtime has them.
func runtimeSteps(steps []artifact.PlanStep) []orcruntime.Step {
	out := make([]orcruntime.Step, len(steps))
	for i, s := range steps {
		out[i] = orcruntime.Step{G: s.G, Site: s.Site, Occ: s.Occ, Case: s.Case}
	}
	return out
}

// driverReport is what package testing prints about the driver: it is not the
// program's, and has a duration in it.
var driverReport = regexp.MustCompile(`(?m)^--- (FAIL|SKIP): ` + driverTest + ` \([0-9.]+s\)\n`)

// programOutput is the standard output without what package testing adds.
func programOutput(s string) string {
	s = driverReport.ReplaceAllString(s, "")
	for _, end := range []string{"PASS\n", "FAIL\n"} {
		if rest, ok := strings.CutSuffix(s, end); ok {
			return rest
		}
	}
	return s
}

// readResult decodes what the program has written at its end. v is as it was if that cannot be
// done.
func readResult[T any](path string, v *T) error {
	data, err := readBounded(path, maxResult)
	if err != nil {
		return err
	}
	var read T
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*v = read
	return nil
}

// readRun reads the result of a run, the zero value where that cannot be done.
func readRun(path string) (orcruntime.Result, error) {
	var r orcruntime.PackedResult
	if err := readResult(path, &r); err != nil {
		return orcruntime.Result{}, err
	}
	if err := r.Unpack(); err != nil {
		return orcruntime.Result{}, err
	}
	return r.Result, nil
}

// readBounded reads a file that the program has written.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// readTail reads the last n bytes of a file, without zeros at its end, none if it does not exist.
func readTail(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	// A process that has died leaves as many zeros as a region has.
	room := n + orcruntime.MaxRegion
	if off := info.Size() - room; off > 0 {
		if _, err := f.Seek(off, io.SeekStart); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, room))
	data = bytes.TrimRight(data, "\x00")
	return data[max(int64(len(data))-n, 0):], err
}

// journalStep is a line of the journal: "k G site occ case".
type journalStep struct {
	k       int
	g, site string
}

// lastStep is the later one of the lines of a journal, of which each half has one, the zero value if there
// is none. Behind a line are the ends of earlier ones.
func lastStep(journal []byte) (last journalStep) {
	for half := range slices.Chunk(journal, orcruntime.JournalSlot) {
		line, _, whole := bytes.Cut(half, []byte("\n"))
		fields := strings.Fields(string(line))
		if !whole || len(fields) < 2 {
			continue
		}
		k, err := strconv.Atoi(fields[0])
		if err != nil || k <= last.k {
			continue
		}
		last = journalStep{k: k, g: fields[1]}
		if len(fields) > 2 {
			last.site = fields[2]
		}
	}
	return last
}

func (s journalStep) String() string {
	switch {
	case s.k == 0:
		return "before the first step"
	case s.site == "":
		return fmt.Sprintf("in step %d (%s)", s.k, s.g)
	}
	return fmt.Sprintf("in step %d (goroutine %s after %s)", s.k, s.g, s.site)
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vtrace/vtrace/pass"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/trace"
)

// recordingExt ends the names of recordings.
const recordingExt = ".vtr"

// runRecord runs a program, free or by a seed, and records what its goroutines do.
func runRecord(c *call) (_ int, err error) {
	var s settings
	fs := c.flags()
	s.program(fs)
	fs.StringVar(&s.out, "o", "", "write the recording to `FILE`, which must not exist")
	timeout := fs.Duration("timeout", time.Minute, "end the program after this time; 0 is no bound")
	limit := sizeFlag(1 << 30)
	fs.Var(&limit, "limit", "record at most so many `BYTES`, before they are compressed; what is done beyond that is not recorded")
	var seed seedFlag
	fs.Var(&seed, "seed", "run the program under control, by the random choices that vtrace explore makes with the seed `N` and the same -strategy and -race, in place of free")
	s.choosing(fs)
	race := fs.Bool("race", false, "record also reads and writes of memory, which data races are predicted from")
	s.inSandbox(fs)
	fs.BoolVar(&s.timing, "timing", false, "print what each stage takes")
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	if *timeout < 0 || limit < 1 {
		return 0, fmt.Errorf("%w: -timeout is not negative, and -limit at least 1", errUsage)
	}
	if err := s.checkStrategy(); err != nil {
		return 0, err
	}
	if seed.seed != nil && vtrace.Strategy(s.strategy) == vtrace.StrategyPortfolio {
		return 0, fmt.Errorf("%w: -strategy: a run has one, and %s is all of them by turns; vtrace explore says which a run had", errUsage, s.strategy)
	}
	rep := newProgress(c.stderr, s.timing)
	opts := []vtrace.Option{vtrace.Sandbox(string(s.sandbox)), vtrace.WithStrategy(vtrace.Strategy(s.strategy)), vtrace.Progress(rep.event)}
	if len(c.program) > 0 {
		opts = append(opts, vtrace.Args(c.program...))
	}
	var r *pass.Recorded
	record := func(to io.Writer) (err error) {
		how := pass.Recording{To: to, Timeout: *timeout, MaxBytes: int64(limit), Accesses: *race, Seed: seed.seed, Stdout: c.stdout, Stderr: c.stderr}
		r, err = vtrace.Record(c.ctx, s.source(args[0]), how, opts...)
		rep.done()
		return err
	}
	name := s.out
	if name != "" {
		err = newFile("-o", name, record)
	} else if err = makeBundleDir(); err == nil {
		err = intoFile(bundleDir, record, func(temp string) error {
			name = filepath.Join(bundleDir, recordingName(r.Program))
			return os.Rename(temp, name)
		})
	}
	if err != nil {
		return 0, err
	}
	for _, l := range r.Limits {
		fmt.Fprintf(c.stdout, "not recorded: %s\n", plain(l))
	}
	if err := summarise(c.stdout, name); err != nil {
		return 0, err
	}
	rep.writeUnsandboxed(c.stdout)
	fmt.Fprintf(c.stdout, "recording: %s\n", name)
	return exitNothing, nil
}

// seedFlag is a seed that may be given or not.
type seedFlag struct{ seed *uint64 }

func (f *seedFlag) String() string {
	if f == nil || f.seed == nil {
		return ""
	}
	return strconv.FormatUint(*f.seed, 10)
}

func (f *seedFlag) Set(value string) error {
	n, err := strconv.ParseUint(value, 0, 64)
	if err != nil {
		return errors.New("it is no seed: a number from 0 to 18446744073709551615")
	}
	f.seed = &n
	return nil
}

// recordingName is the name of the recording of a program.
func recordingName(program string) string {
	pkg, entry := program, ""
	if i := strings.LastIndex(program, "."); i >= 0 {
		pkg, entry = program[:i], program[i+1:]
	}
	return filepath.Base(filepath.FromSlash(pkg)) + "-" + entry + recordingExt
}

// isRecording reports whether a file is a recording, and no bundle, by its name or what it begins with.
func isRecording(name string) bool {
	return strings.HasSuffix(name, recordingExt) || begins(name, recording.Starts)
}

// isTrace reports whether a file is a recording, or a trace in the text form.
func isTrace(name string) bool {
	return isRecording(name) || begins(name, func(r *bufio.Reader) bool {
		const first = "trace "
		text, _ := r.Peek(len(first))
		return string(text) == first
	})
}

// begins reports whether a file begins as something does.
func begins(name string, as func(*bufio.Reader) bool) bool {
	f, err := os.Open(name)
	if err != nil {
		return false // who reads it says what is wrong
	}
	defer f.Close()
	return as(bufio.NewReader(f))
}

// tally counts what is in a recording.
type tally struct {
	header     recording.Header
	cut        bool
	goroutines map[uint64]*goroutineTally
	ops        map[trace.Op]*opTally
	objects    map[trace.ObjectKind]int
	events     int
}

type goroutineTally struct {
	id        uint64
	creator   uint64
	creatorPC int32
	ops       int
	ended     bool
	blocked   string
}

type opTally struct{ begun, done, withPartner int }

// count reads a recording.
func count(name string) (_ *tally, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := recording.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer r.Close()
	t := &tally{header: r.Header(), goroutines: map[uint64]*goroutineTally{}, ops: map[trace.Op]*opTally{}, objects: map[trace.ObjectKind]int{}}
	err = r.Read(recording.Visitor{
		Goroutine: func(g recording.Goroutine) error {
			t.goroutines[g.ID] = &goroutineTally{id: g.ID, creator: g.Creator, creatorPC: g.CreatorPC}
			return nil
		},
		Object: func(_ uint64, o recording.Object) error {
			t.objects[o.Kind]++
			return nil
		},
		Event: t.event,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t.cut = r.Cut()
	last := map[uint64]int32{}
	r.Pending(func(g uint64, pc int32, op trace.Op, object, site uint64) {
		if pc < last[g] {
			return
		}
		last[g] = pc
		t.goroutines[g].blocked = op.String()
		if at := t.position(site); at != "" {
			t.goroutines[g].blocked += " at " + at
		}
	})
	return t, nil
}

func (t *tally) event(g uint64, e *recording.Event) error {
	t.events++
	o := t.ops[e.Op]
	if o == nil {
		o = &opTally{}
		t.ops[e.Op] = o
	}
	if e.Phase.HasPre() {
		o.begun++
		t.goroutines[g].ops++
	}
	if e.Phase.HasPost() {
		o.done++
		if e.Partner != 0 || e.PartnerPC != 0 {
			o.withPartner++
		}
	}
	if e.Op == trace.OpEnd {
		t.goroutines[g].ended = true
	}
	return nil
}

func (t *tally) position(site uint64) string {
	if site < 1 || site > uint64(len(t.header.Positions)) {
		return ""
	}
	return t.header.Positions[site-1].String()
}

// summarise prints the first lines about a recording.
func summarise(w io.Writer, name string) error {
	t, err := count(name)
	if err != nil {
		return err
	}
	return t.summary(w, name)
}

func (t *tally) summary(w io.Writer, name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	left := 0
	for _, g := range t.goroutines {
		if !g.ended {
			left++
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s: %s\n", t.header.Program, t.header.End)
	if t.header.Schedule != "" {
		fmt.Fprintf(&out, "under control: %s\n", t.header.Schedule)
	}
	fmt.Fprintf(&out, "%s, %d of them not at the end; %s in %d bytes\n", plural(len(t.goroutines), "goroutine", "goroutines"), left, plural(t.events, "event", "events"), info.Size())
	if left > 1 && !t.header.Judged && t.header.Schedule == "" {
		out.WriteString("whether anybody could still wake those that are left is not known: the program did not exit by itself, or its Go runtime is not one that can say so\n")
	}
	if t.cut {
		out.WriteString("more was done than is recorded: see -limit\n")
	}
	_, err = io.WriteString(w, plain(out.String()))
	return err
}

// mostGoroutines is how many goroutines inspect lists.
const mostGoroutines = 100

// inspectRecording prints what is in a recording, by operations and goroutines.
func inspectRecording(c *call, name string) error {
	t, err := count(name)
	if err != nil {
		return err
	}
	if err := t.summary(c.stdout, name); err != nil {
		return err
	}
	var out strings.Builder
	for _, n := range t.header.Notes {
		fmt.Fprintf(&out, "not recorded: %s\n", n)
	}
	out.WriteString("\n   begun     done  partner  operation\n")
	for op := trace.OpSend; op <= trace.OpCall; op++ {
		if o := t.ops[op]; o != nil {
			fmt.Fprintf(&out, "%8d %8d %8d  %s\n", o.begun, o.done, o.withPartner, op)
		}
	}
	out.WriteString("\n objects  kind\n")
	for k := trace.Chan; k <= trace.Library; k++ {
		if n := t.objects[k]; n > 0 {
			fmt.Fprintf(&out, "%8d  %s\n", n, k)
		}
	}
	out.WriteString("\n     ops  goroutine\n")
	list := make([]*goroutineTally, 0, len(t.goroutines))
	for _, g := range t.goroutines {
		list = append(list, g)
	}
	// First those that did not come to their end, then those that have done most.
	slices.SortFunc(list, func(a, b *goroutineTally) int {
		switch {
		case a.ended != b.ended && b.ended:
			return -1
		case a.ended != b.ended:
			return 1
		case a.ops != b.ops:
			return b.ops - a.ops
		case a.id < b.id:
			return -1
		}
		return 1
	})
	for i, g := range list {
		if i == mostGoroutines {
			fmt.Fprintf(&out, "          and %d others\n", len(list)-i)
			break
		}
		fmt.Fprintf(&out, "%8d  %d", g.ops, g.id)
		if g.creator != 0 {
			fmt.Fprintf(&out, ", started by %d", g.creator)
		}
		switch {
		case g.ended:
		case g.blocked != "":
			fmt.Fprintf(&out, ", in %s", g.blocked)
		default:
			out.WriteString(", not at its end")
		}
		if !g.ended && g.blocked != "" && t.header.Judged {
			switch {
			case slices.Contains(t.header.Leaked, g.id):
				out.WriteString(", which nothing that can go on reaches")
			case slices.Contains(t.header.Reachable, g.id):
				out.WriteString(", which could still be reached")
			default:
				out.WriteString(", and was not waiting when the program ended")
			}
		}
		out.WriteString("\n")
	}
	_, err = io.WriteString(c.stdout, plain(out.String()))
	return err
}

// writeEvents prints a recording as text.
func writeEvents(c *call, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	t, _, err := recording.Load(f, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return trace.Format(c.stdout, t)
}

// newFile has a recording written to the file that a flag names, which is not to exist: before anything is run for
// nothing, too.
func newFile(flag, name string, write func(io.Writer) error) error {
	there := fmt.Errorf("%s: %s is there already, and is not replaced: name another file, or remove it", flag, name)
	if _, err := os.Lstat(name); err == nil {
		return there
	}
	return intoFile(filepath.Dir(name), write, func(temp string) error {
		err := os.Link(temp, name) // which does not replace a file
		if errors.Is(err, os.ErrExist) {
			return there
		}
		return err
	})
}

// intoFile has a recording written in a directory, and called by its name when it is whole. If something fails there is none.
func intoFile(dir string, write func(io.Writer) error, call func(temp string) error) error {
	temp, err := os.CreateTemp(dir, ".recording-*")
	if err != nil {
		return err
	}
	defer func() {
		_ = temp.Close()
		_ = os.Remove(temp.Name())
	}()
	if err := write(temp); err != nil {
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	return call(temp.Name())
}

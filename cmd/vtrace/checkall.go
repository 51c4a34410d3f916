package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/vtrace/vtrace/orchestrate"

	"github.com/hashicorp/go-multierror"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/output"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/scratch"
	"github.com/vtrace/vtrace/report"
)

// several are the flags of a check of more than one entry point.
type several struct {
	list     bool
	run      string
	parallel int    // 0 for the default
	since    string // a revision of git: entry points that can reach nothing that has changed are left out
	// check is what is done with each entry point, nil for a check of it.
	check func(ctx context.Context, set *vtrace.Set, e vtrace.EntryPoint, opts []vtrace.Option) (*vtrace.Bundle, error)
	// main: of a package that has one, main alone.
	main bool
	// config are the settings of a file, nil for none.
	config *config
	// configFile is where they are, or would be, "" if none are taken.
	configFile string
	// functions: the functions of packages are checked on their own.
	functions functionsFlags
}

// atOnce is how many entry points are checked at once.
func (a *several) atOnce() int {
	return cmp.Or(a.parallel, max(runtime.GOMAXPROCS(0)/2, 1))
}

// selected returns the entry points of a set that are asked for.
func (a *several) selected(set *vtrace.Set, entry string) ([]vtrace.EntryPoint, error) {
	re, err := regexp.Compile(a.run)
	if err != nil {
		return nil, fmt.Errorf("%w: -run: %v", errUsage, err)
	}
	var out []vtrace.EntryPoint
	for _, e := range set.Entries() {
		if re.MatchString(e.Func) && (entry == "" || entry == allEntries || e.Func == entry) {
			out = append(out, e)
		}
	}
	if isMain := func(e vtrace.EntryPoint) bool { return e.Func == "main" }; a.main && slices.ContainsFunc(out, isMain) {
		out = slices.DeleteFunc(out, func(e vtrace.EntryPoint) bool { return !isMain(e) })
	}
	return out, nil
}

// whole reports whether a check is of all that there is in a module: only then can it be said that
// something is nowhere.
func (a *several) whole(s *settings, pattern string) bool {
	rest, all := strings.CutSuffix(pattern, "...")
	dir, err := filepath.Abs(rest)
	return all && err == nil && dir == moduleDir(pattern) && a.run == "" && a.since == "" && s.entry == "" && s.categories == ""
}

// leftOut is why an entry point is not checked, "" if it is. One that is named on the command line is.
func (a *several) leftOut(e vtrace.EntryPoint, named string, changed *changes) string {
	if skip := a.config.skips(e); skip != "" && e.Func != named {
		return skip
	}
	if changed.leavesOut(e) {
		return changed.reason()
	}
	return ""
}

// allEntries is the -entry that stands for every entry point of a package.
const allEntries = "all"

// checked is what became of one entry point.
type checked struct {
	signature string // its file, "" if it was not signed
	entry     vtrace.EntryPoint
	bundle    *vtrace.Bundle
	path      string
	err       error
	elapsed   time.Duration
	accepted  []report.Acceptance
	// unchanged, if not nil: the result is that of an earlier check.
	unchanged *pass.Unchanged
	// without is what of a sandbox there was not, "" if nothing.
	without string
	// leftOut says why it was not to be checked, "" if it was.
	leftOut string
}

// checkAll checks the entry points of the packages that a pattern names. What it finds is printed in
// their order as it comes, a table at the end.
func (c *call) checkAll(s *settings, a *several, pattern string) (_ int, err error) {
	if _, err := s.signingKey(); err != nil {
		return 0, err
	}
	if !a.list { // what is written says so if there is nothing else to say
		if s.out == "" {
			if err := refuseLinks(); err != nil {
				return 0, err
			}
		}
		if err := s.accept.begin(); err != nil {
			return 0, err
		}
		if err := s.logs.begin(c.stdout, pattern, s.json); err != nil {
			return 0, err
		}
		defer s.logs.end()
	}
	// As long as it is there, so is the directory of this process that it is in, which else each stage would make anew.
	held, err := scratch.Make("check")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, scratch.Remove(held)) }()
	rep := s.progress(c)
	rep.load(pattern)
	set, err := vtrace.Load(c.ctx, s.source(pattern))
	rep.done()
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, set.Close()) }()
	entries, err := a.selected(set, s.entry)
	if err != nil {
		return 0, err
	}
	others := ""
	if a.run == "" {
		others = leftOut(set.Others())
	}
	if len(entries) == 0 {
		if a.since != "" && s.entry != "" {
			others = "-changed-since is for main and tests: without it -entry takes other functions too\n"
		}
		return 0, errors.New(strings.TrimSuffix(pattern+": no entry points\n"+others, "\n"))
	}
	files := slices.DeleteFunc([]string{a.configFile, s.accept.path}, func(name string) bool { return name == "" })
	changed, err := c.changedSince(set, a.since, entries, files, s.verbose)
	if err != nil {
		return 0, err
	}
	if a.list {
		return exitNothing, c.listEntries(slices.DeleteFunc(entries, func(e vtrace.EntryPoint) bool { return a.leftOut(e, s.entry, changed) != "" }), s.json)
	}
	opts, err := s.options(true, rep)
	if err != nil {
		return 0, err
	}
	if s.out != "" && s.out != "-" {
		if err := os.MkdirAll(s.out, 0o755); err != nil {
			return 0, fmt.Errorf("-o: %w", err)
		}
	}
	lines := c.lines(s)
	if err := lines.begin(len(entries)); err != nil {
		return 0, err
	}
	var unused *report.Unused
	if a.whole(s, pattern) {
		unused = &report.Unused{Baseline: s.accept.base, Races: s.race}
	}
	all := make([]checked, 0, len(entries))
	add := func(r checked) {
		last := len(all) == len(entries)-1
		err := errors.Join(
			s.logs.add(report.Result{Entry: r.name(), Bundle: r.bundle, Err: r.err, Took: r.elapsed, Accepted: r.accepted, LeftOut: r.leftOut}, last),
			lines.add(&r),
		)
		if said := errors.Join(r.err, err); said != nil && (err != nil || s.json && r.bundle != nil) {
			for line := range strings.Lines(said.Error()) { // of a result that is there, no document says it
				fmt.Fprintf(c.stderr, "vtrace: %s: %s\n", r.entry, plain(strings.TrimSuffix(line, "\n")))
			}
		}
		r.err = errors.Join(r.err, err)
		if unused != nil {
			unused.Add(report.Result{Bundle: r.bundle, Accepted: r.accepted}, r.unchanged != nil && r.unchanged.Elsewhere)
		}
		all = append(all, r)
	}
	leftOut := make([]string, len(entries)) // why
	for i, e := range entries {
		leftOut[i] = a.leftOut(e, s.entry, changed)
		s.accept.part = s.accept.part || leftOut[i] != ""
	}
	results, stop := c.checkSeveral(set, s, entries, leftOut, a, opts, rep)
	defer stop()
	for i, e := range entries {
		if leftOut[i] != "" {
			_ = rep.whileNothingIsDrawn(func() error { add(checked{entry: e, leftOut: leftOut[i]}); return nil })
			continue
		}
		r := <-results[i]
		var missing *orchestrate.SandboxError
		if errors.As(r.err, &missing) {
			return 0, r.err // as it would be for all others
		}
		rep.without = cmp.Or(rep.without, r.without)
		err := rep.whileNothingIsDrawn(func() error {
			r.accepted = s.accept.of(r.bundle, c.stderr)
			s.accept.failed = s.accept.failed || c.ctx.Err() != nil
			add(r)
			if !s.json && r.notable() {
				if err := writeText(c.stdout, r.bundle, r.path, r.accepted); err != nil {
					return err
				}
				if len(entries) > 1 || !r.said() {
					fmt.Fprintln(c.stdout)
				}
			} else if !s.json {
				r.writeLimits(c.stdout)
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	if s.json {
		fmt.Fprint(c.stderr, others)
	}
	s.accept.unused(unused, c.stderr)
	show := func() error { return c.report(all, s.json, rep) }
	if s.stream {
		show = func() error { return lines.end(worst(all)) }
	}
	if err := errors.Join(show(), s.accept.end(c.stderr)); err != nil {
		return worst(all), err
	}
	if !s.json {
		fmt.Fprint(c.stdout, others)
	}
	return worst(all), nil
}

// shownOthers is how many functions that were left out are named.
const shownOthers = 5

// leftOut says what the go command runs with the tests and a check does not, "" for nothing.
func leftOut(others []vtrace.EntryPoint) string {
	if len(others) == 0 {
		return ""
	}
	var names []string
	for _, e := range others[:min(len(others), shownOthers)] {
		names = append(names, e.Func)
	}
	text := strings.Join(names, ", ")
	if n := len(others) - shownOthers; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return "not checked, though go test runs it: " + text + "; -entry NAME checks one\n"
}

// shownLimits is how many of the limits of a result are printed beside a table.
const shownLimits = 3

// writeLimits says what keeps the result for an entry point open, which goroutines of libraries are
// left behind, and which data races are not counted, of which nothing else is printed.
func (r *checked) writeLimits(out io.Writer) {
	if r.bundle == nil {
		return
	}
	if limits := conclude(r.bundle, r.accepted).Limits; len(limits) > 0 {
		fmt.Fprintf(out, "%s: what the result does not cover:\n", r.entry)
		for _, l := range limits[:min(len(limits), shownLimits)] {
			fmt.Fprintf(out, "  %s\n", l)
		}
		if n := len(limits) - shownLimits; n > 0 {
			fmt.Fprintf(out, "  and %d more, with -entry %s\n", n, r.entry.Func)
		}
		if runs := r.bundle.Runs(); runs != nil {
			for _, s := range runs.SmallScopes {
				fmt.Fprintln(out, smallScope(s))
			}
		}
		fmt.Fprintln(out)
	}
	if left := remaining(fmt.Sprintf("%s: ", r.entry), r.bundle.Runs()); left != "" {
		fmt.Fprintln(out, left)
	}
	if races := listRaces(fmt.Sprintf("%s: ", r.entry), wordRaces(r.bundle)); races != "" {
		fmt.Fprintln(out, races)
	}
}

// name is the entry point as bundles have it.
func (r *checked) name() artifact.Entry {
	if r.bundle != nil {
		return r.bundle.Manifest().Entry
	}
	return artifact.Entry{Package: r.entry.Package, Func: r.entry.Func}
}

// errInterrupted is why an entry point was not checked.
var errInterrupted = errors.New("interrupted before there was a result")

// checkSeveral checks entry points, some at once, but those that are left out. The results come as they
// are known. stop ends what is still being done, and waits for its end.
func (c *call) checkSeveral(set *vtrace.Set, s *settings, entries []vtrace.EntryPoint, leftOut []string, a *several, opts []vtrace.Option, rep *progress) (results []chan checked, stop func()) {
	ctx, cancel := context.WithCancel(c.hard())
	atOnce := a.atOnce()
	each := max(runtime.GOMAXPROCS(0)/atOnce, 1)
	results = make([]chan checked, len(entries))
	for i := range results {
		results[i] = make(chan checked, 1)
	}
	var next atomic.Int64
	var running sync.WaitGroup
	for range min(atOnce, len(entries)) {
		running.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(entries); i = int(next.Add(1)) - 1 {
				e := entries[i]
				switch {
				case leftOut[i] != "":
					continue
				case c.ctx.Err() != nil, ctx.Err() != nil:
					results[i] <- checked{entry: e, err: errInterrupted}
					continue
				}
				at := rep.at(e, atOnce > 1)
				at.say("%s (%d of %d)", e, i+1, len(entries))
				r := c.checkEntry(ctx, set, e, s, a, slices.Concat(opts, []vtrace.Option{vtrace.Progress(at.event), vtrace.Processors(each)}, a.config.options(e.Package, e.Func)))
				r.unchanged, r.without = at.unchanged, at.without
				at.entry(e, r.elapsed)
				results[i] <- r
			}
		})
	}
	return results, func() { cancel(); running.Wait() }
}

// checkEntry checks one entry point, within the budget for each.
func (c *call) checkEntry(ctx context.Context, set *vtrace.Set, e vtrace.EntryPoint, s *settings, a *several, opts []vtrace.Option) checked {
	start := time.Now()
	r := checked{entry: e}
	k := s.keeper()
	check := a.check
	if check == nil {
		check = func(ctx context.Context, set *vtrace.Set, e vtrace.EntryPoint, opts []vtrace.Option) (*vtrace.Bundle, error) {
			return set.Check(ctx, e, opts...)
		}
	}
	r.bundle, r.err = check(ctx, set, e, slices.Concat(opts, k.options(), []vtrace.Option{vtrace.Interrupt(c.ctx.Done())}))
	r.elapsed = time.Since(start)
	if r.bundle == nil && ctx.Err() != nil {
		r.err = errInterrupted
	}
	if r.err == nil {
		to := s.out
		if to != "" && to != "-" {
			to = filepath.Join(to, bundleName(r.bundle))
		}
		if r.path, r.err = s.saveTo(to, r.bundle); r.err == nil {
			r.signature = s.signature(r.path)
			k.done(r.bundle)
		}
	}
	return r
}

// notable reports whether there is more to say of an entry point than its row
// in the table.
func (r *checked) notable() bool {
	if r.bundle == nil {
		return false
	}
	c := conclude(r.bundle, nil)
	return c.Real+c.Possible+c.Unconfirmed+c.TimingDependent+c.Notes > 0
}

// said reports whether what is printed of a notable result is all that there is to say.
func (r *checked) said() bool { return r.notable() && r.err == nil && r.unchanged == nil }

// code is the exit code that one entry point alone would give. One that cannot
// be translated leaves the question open.
func (r *checked) code() int {
	switch {
	case r.leftOut != "" && r.err == nil:
		return exitNothing
	case r.bundle == nil:
		return exitInconclusive
	}
	return exitCode(r.bundle, r.accepted)
}

// worst is the exit code for all.
func worst(all []checked) int {
	rank := []int{exitNothing: 0, exitInconclusive: 1, exitUsage: 2, exitReal: 3}
	code := exitNothing
	for _, r := range all {
		n := r.code()
		if r.bundle != nil && r.err != nil {
			n = exitUsage // not saved
		}
		if rank[n] > rank[code] {
			code = n
		}
	}
	return code
}

func (c *call) listEntries(entries []vtrace.EntryPoint, asJSON bool) error {
	if asJSON {
		type entry struct {
			Package string `json:"package"`
			Func    string `json:"func"`
			File    string `json:"file"`
			Line    int    `json:"line"`
		}
		out := make([]entry, len(entries))
		for i, e := range entries {
			out[i] = entry{e.Package, e.Func, shorten(e.Pos.Filename), e.Pos.Line}
		}
		enc := json.NewEncoder(c.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(out)
	}
	for _, e := range entries {
		fmt.Fprintf(c.stdout, "%s\t%s:%d\n", e, shorten(e.Pos.Filename), e.Pos.Line)
	}
	return nil
}

// shorten makes a file name relative to the current directory, if it lies below.
func shorten(file string) string {
	wd, err := os.Getwd()
	if err != nil {
		return file
	}
	if rel, err := filepath.Rel(wd, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}

// precision is that of the model, as a word in the table.
func (r *checked) precision() string {
	if r.leftOut != "" {
		return "-"
	}
	return precision(r.bundle)
}

func (r *checked) asEntry() *output.EntryOutput {
	row := resultOf(r.bundle, r.path, r.accepted)
	row.Unsandboxed, row.Signature, row.Unchanged = r.without, r.signature, r.unchanged != nil
	return &row
}

func (r *checked) asRefused() *output.RefusedOutput {
	return &output.RefusedOutput{Package: r.entry.Package, Func: r.entry.Func, Errors: linesOf(r.err)}
}

func (r *checked) asLeftOut() *output.LeftOutOutput {
	return &output.LeftOutOutput{Package: r.entry.Package, Func: r.entry.Func, Reason: r.leftOut}
}

// report prints the table, or everything as JSON.
func (c *call) report(all []checked, asJSON bool, rep *progress) error {
	if asJSON {
		out := output.SeveralOutput{Version: output.OutputVersion, Entries: []output.EntryOutput{}, Refused: []output.RefusedOutput{}}
		for _, r := range all {
			switch {
			case r.leftOut != "":
				out.LeftOut = append(out.LeftOut, *r.asLeftOut())
			case r.bundle != nil:
				out.Entries = append(out.Entries, *r.asEntry())
			default:
				out.Refused = append(out.Refused, *r.asRefused())
			}
		}
		return encode(c.stdout, out)
	}
	if len(all) == 1 && all[0].said() {
		rep.writeUnsandboxed(c.stdout)
		return nil // a table would only repeat what stands above it
	}
	var rows strings.Builder
	table := tabwriter.NewWriter(&rows, 0, 8, 2, ' ', 0)
	count, unchanged := map[string]int{}, 0
	for _, r := range all {
		text := ""
		switch {
		case r.leftOut != "":
			text = "left out: " + r.leftOut
			count["left out"]++
		case r.bundle == nil:
			lines := linesOf(r.err)
			text = "not checked: " + lines[0]
			if n := len(lines) - 1; n > 0 {
				text += fmt.Sprintf(" (and %d more)", n)
			}
			count["not checked"]++
		case r.err != nil:
			text = headline(r.bundle, r.accepted) + ", but: " + r.err.Error()
		default:
			text = headline(r.bundle, r.accepted)
		}
		if r.bundle != nil {
			count[map[int]string{exitNothing: "without error", exitReal: "with real errors", exitInconclusive: "inconclusive"}[r.code()]]++
		}
		if r.unchanged != nil {
			text += " (unchanged)"
			unchanged++
		}
		// Some of it is the word of the program and of its settings, which could make up rows.
		fmt.Fprintf(table, "%s\t%s\t%s\n", plain(r.entry.String()), r.precision(), plain(oneLine(text)))
	}
	if err := errors.Join(table.Flush(), printReport(c.stdout, rows.String())); err != nil {
		return err
	}
	if slices.ContainsFunc(all, func(r checked) bool { return inexact[r.precision()] != "" }) {
		fmt.Fprintln(c.stdout)
		for _, word := range slices.Sorted(maps.Keys(inexact)) {
			if slices.ContainsFunc(all, func(r checked) bool { return r.precision() == word }) {
				fmt.Fprintf(c.stdout, "%s: %s\n", word, inexact[word])
			}
		}
	}
	var parts []string
	for what, n := range count {
		parts = append(parts, fmt.Sprintf("%d %s", n, what))
	}
	slices.SortFunc(parts, func(a, b string) int { return cmp.Compare(a[strings.Index(a, " "):], b[strings.Index(b, " "):]) })
	fmt.Fprintf(c.stdout, "\n%s: %s\n", plural(len(all), "entry point", "entry points"), strings.Join(parts, ", "))
	if unchanged > 0 {
		fmt.Fprintf(c.stdout, "not checked again, since nothing that they can reach has changed: %d; -cache off checks all\n", unchanged)
	}
	rep.writeUnsandboxed(c.stdout)
	return nil
}

// linesOf are the messages of an error that may be several.
func linesOf(err error) []string {
	var many *multierror.Error
	if !errors.As(err, &many) || len(many.Errors) == 0 {
		return []string{err.Error()}
	}
	var out []string
	for _, e := range many.Errors {
		out = append(out, e.Error())
	}
	return out
}

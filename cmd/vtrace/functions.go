package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/driver"
	"github.com/vtrace/vtrace/internal/output"
	"github.com/vtrace/vtrace/report"
)

// functionsFlags are the flags of a check of functions.
type functionsFlags struct {
	on         bool
	numbers    []int
	valuations int
}

// checkedFunction is what became of one function.
type checkedFunction struct {
	function *vtrace.Function
	summary  *vtrace.FunctionSummary
	err      error
	elapsed  time.Duration
	// paths are those of the bundles that were saved, by the number of the valuation.
	paths map[int]string
}

// refuses says which of the other flags a check of functions cannot obey.
func (f *functionsFlags) refuses(c *call, s *settings, a *several) error {
	for _, other := range []struct {
		given bool
		name  string
	}{
		{s.stream, "-json=stream"}, {a.since != "", "-changed-since"}, {s.accept.update, "-update-baseline"}, {s.sign != "", "-sign"},
		{len(c.program) > 0, "arguments of the program"},
	} {
		if other.given {
			return fmt.Errorf("%w: -functions and %s do not go together", errUsage, other.name)
		}
	}
	return nil
}

// checkFunctions checks the functions of the packages that a pattern names, each with drivers of its own.
func (c *call) checkFunctions(s *settings, a *several, pattern string) (_ int, err error) {
	if err := a.functions.refuses(c, s, a); err != nil {
		return 0, err
	}
	re, err := regexp.Compile(a.run)
	if err != nil {
		return 0, fmt.Errorf("%w: -run: %v", errUsage, err)
	}
	if err := s.accept.begin(); err != nil {
		return 0, err
	}
	if s.out == "" && !a.list {
		if err := refuseLinks(); err != nil {
			return 0, err
		}
	}
	if err := s.logs.begin(c.stdout, pattern, s.json); err != nil {
		return 0, err
	}
	defer s.logs.end()
	all, err := vtrace.LoadFunctions(c.ctx, s.source(pattern), vtrace.FunctionOptions{
		Numbers: a.functions.numbers, Valuations: a.functions.valuations,
		Only: func(name string) bool {
			return re.MatchString(name) && (s.entry == "" || s.entry == allEntries || s.entry == name)
		},
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	list := all.List()
	if len(list) == 0 {
		return 0, fmt.Errorf("%s: there are no such functions that use concurrency", pattern)
	}
	if a.list {
		return exitNothing, c.listFunctions(list, s.json)
	}
	rep := s.progress(c)
	opts, err := s.options(true, rep)
	if err != nil {
		return 0, err
	}
	if s.out != "" && s.out != "-" {
		if err := os.MkdirAll(s.out, 0o755); err != nil {
			return 0, fmt.Errorf("-o: %w", err)
		}
	}
	results := make([]checkedFunction, 0, len(list))
	for r := range c.functionsAtOnce(all, list, a, opts, rep) {
		err := rep.whileNothingIsDrawn(func() error {
			r.accept(s, c)
			r := c.saveFunction(s, r)
			results = append(results, r)
			if err := s.logs.addFunction(&r, len(results) == len(list)); err != nil {
				return err
			}
			if s.json || r.summary == nil {
				return nil
			}
			return c.writeFunction(all, &r)
		})
		if err != nil {
			return 0, err
		}
	}
	rep.done()
	code := exitNothing
	for _, r := range results {
		if n := r.code(); n == exitReal || code == exitNothing {
			code = n
		}
	}
	if s.json {
		out := output.FunctionsOutput{Version: output.OutputVersion, Functions: []output.FunctionOutput{}}
		for _, r := range results {
			out.Functions = append(out.Functions, r.output(all))
		}
		return code, encode(c.stdout, out)
	}
	return code, c.writeFunctions(results)
}

// functionsAtOnce checks functions, some at once, and gives the results in their order.
func (c *call) functionsAtOnce(all *vtrace.Functions, list []*vtrace.Function, a *several, opts []vtrace.Option, rep *progress) func(yield func(checkedFunction) bool) {
	return func(yield func(checkedFunction) bool) {
		ctx, cancel := context.WithCancel(c.ctx)
		atOnce := a.atOnce()
		each := max(runtime.GOMAXPROCS(0)/atOnce, 1)
		results := make([]chan checkedFunction, len(list))
		next := make(chan int, len(list))
		for i := range list {
			results[i] = make(chan checkedFunction, 1)
			next <- i
		}
		close(next)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		for range min(atOnce, len(list)) {
			running.Go(func() {
				for i := range next {
					f := list[i]
					r := checkedFunction{function: f}
					if f.LeftOut == "" && ctx.Err() == nil {
						at := rep.at(vtrace.EntryPoint{Package: f.Package, Func: f.Name, Pos: f.Pos}, atOnce > 1)
						at.say("%s (%d of %d)", f, i+1, len(list))
						start := time.Now()
						r.summary, r.err = all.Check(ctx, f, slices.Concat(opts, []vtrace.Option{vtrace.Progress(at.event), vtrace.Processors(each), vtrace.Interrupt(c.ctx.Done())})...)
						r.elapsed = time.Since(start)
					} else if f.LeftOut == "" {
						r.err = errInterrupted
					}
					results[i] <- r
				}
			})
		}
		for i := range list {
			if !yield(<-results[i]) {
				return
			}
		}
	}
}

// accept takes the errors out of the alarms that a comment or the baseline accepts.
func (r *checkedFunction) accept(s *settings, c *call) {
	if r.summary == nil {
		return
	}
	r.summary.Accept(func(e driver.Error) string {
		for _, a := range s.accept.of(r.summary.Checked[e.In[0]].Bundle, c.stderr) {
			if a.Finding == e.Finding.Number {
				return a.String()
			}
		}
		return ""
	})
}

// saveFunction saves the bundles that an alarm of a function is first seen in.
func (c *call) saveFunction(s *settings, r checkedFunction) checkedFunction {
	r.paths = map[int]string{}
	if r.summary == nil {
		return r
	}
	for _, e := range r.summary.Alarms() {
		i := e.In[0]
		if _, ok := r.paths[i]; ok {
			continue
		}
		b := r.summary.Checked[i].Bundle
		to := s.out
		if to != "" && to != "-" {
			to = filepath.Join(to, bundleName(b))
		}
		path, err := s.saveTo(to, b)
		r.paths[i], r.err = path, errors.Join(r.err, err)
	}
	return r
}

func (r *checkedFunction) code() int {
	switch {
	case r.err != nil:
		return exitInconclusive
	case r.summary == nil:
		return exitNothing
	case slices.ContainsFunc(r.summary.Alarms(), func(e driver.Error) bool { return e.Verdict == artifact.Real }):
		return exitReal
	case len(r.summary.Alarms()) > 0 || r.open() > 0:
		return exitInconclusive
	}
	return exitNothing
}

// open is how many valuations have no answer.
func (r *checkedFunction) open() int {
	n := len(r.function.Valuations) - len(r.summary.Checked)
	for _, c := range r.summary.Checked {
		if !c.Decided {
			n++
		}
	}
	return n
}

// headline says in a line what became of a function.
func (r *checkedFunction) headline() string {
	switch {
	case r.function.LeftOut != "":
		return "left out: " + r.function.LeftOut
	case r.err != nil:
		return "not checked: " + oneLine(r.err.Error())
	}
	var parts []string
	n, possible := 0, 0
	for _, e := range r.summary.Alarms() {
		if e.Verdict == artifact.Real {
			n++
		} else {
			possible++
		}
	}
	if n > 0 {
		parts = append(parts, plural(n, "real error", "real errors"))
	}
	if possible > 0 {
		parts = append(parts, plural(possible, "possible error", "possible errors")+" not confirmed")
	}
	if len(parts) == 0 {
		parts = append(parts, "no error")
	}
	if n := r.open(); n > 0 {
		parts = append(parts, fmt.Sprintf("open for %d of %d", n, len(r.function.Valuations)))
	}
	if n := r.summary.Refused; n > 0 {
		parts = append(parts, fmt.Sprintf("refuses %d", n))
	}
	return strings.Join(parts, ", ")
}

// writeFunction prints the alarms of a function.
func (c *call) writeFunction(all *vtrace.Functions, r *checkedFunction) error {
	alarms := r.summary.Alarms()
	if len(alarms) == 0 {
		return nil
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%s (%s:%d): %s\n", r.function, shorten(r.function.Pos.Filename), r.function.Pos.Line, r.headline())
	told := newTold()
	for n, e := range alarms {
		least := r.summary.Checked[e.In[0]]
		f := e.Finding
		f.Number = n + 1
		writeFinding(&out, least.Bundle, f, r.paths[e.In[0]], told)
		fmt.Fprintf(&out, "   shown with %d of %d choices of values", len(e.In), r.summary.Valuations())
		if text := least.Valuation.String(); text != "" {
			fmt.Fprintf(&out, ", least: %s", text)
			if who := all.Callers(r.function, least.Valuation); who != "" {
				fmt.Fprintf(&out, " (%s)", who)
			}
		}
		out.WriteString("\n   the driver:\n")
		for line := range strings.Lines(least.Valuation.Source) {
			out.WriteString("     " + strings.ReplaceAll(line, "\t", "    "))
		}
	}
	_, err := fmt.Fprintln(c.stdout, plain(out.String()))
	return err
}

// writeFunctions prints the table of all functions.
func (c *call) writeFunctions(results []checkedFunction) error {
	table := tabwriter.NewWriter(c.stdout, 0, 8, 2, ' ', 0)
	count := map[string]int{}
	for _, r := range results {
		values := "-"
		what := map[int]string{exitNothing: "without error", exitReal: "with real errors", exitInconclusive: "inconclusive"}[r.code()]
		if r.summary != nil {
			values = fmt.Sprint(r.summary.Valuations())
			if r.function.More > 0 {
				values += fmt.Sprintf(" of more than %d", len(r.function.Valuations)+r.function.More-1)
			}
		} else if r.function.LeftOut != "" {
			what = "left out"
		}
		count[what]++
		fmt.Fprintf(table, "%s\t%s\t%s\n", plain(r.function.String()), values, plain(r.headline()))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	var parts []string
	for what, n := range count {
		parts = append(parts, fmt.Sprintf("%d %s", n, what))
	}
	slices.SortFunc(parts, func(a, b string) int { return cmp.Compare(a[strings.Index(a, " "):], b[strings.Index(b, " "):]) })
	var races strings.Builder
	for _, r := range results {
		races.WriteString(listRaces(fmt.Sprintf("\n%s: ", r.function), r.wordRaces()))
	}
	_, err := fmt.Fprintf(c.stdout, "\n%s: %s\n%s", plural(len(results), "function", "functions"), strings.Join(parts, ", "), plain(races.String()))
	return err
}

// wordRaces are the data races that the results of its valuations do not count, without those that a driver takes part in.
func (r *checkedFunction) wordRaces() (all []string) {
	if r.summary == nil {
		return nil
	}
	for _, v := range r.summary.Checked {
		for _, race := range wordRaces(v.Bundle) {
			if !strings.Contains(race, driver.File) && !slices.Contains(all, race) {
				all = append(all, race)
			}
		}
	}
	slices.Sort(all)
	return all
}

// listFunctions prints functions with the values that they would be called with.
func (c *call) listFunctions(list []*vtrace.Function, asJSON bool) error {
	if asJSON {
		out := []output.FunctionOutput{}
		for _, f := range list {
			r := checkedFunction{function: f}
			out = append(out, r.output(nil))
		}
		enc := json.NewEncoder(c.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(out)
	}
	for _, f := range list {
		text := plural(len(f.Valuations), "choice of values", "choices of values")
		if f.LeftOut != "" {
			text = "left out: " + f.LeftOut
		}
		fmt.Fprintf(c.stdout, "%s\t%s:%d\t%s\n", f, shorten(f.Pos.Filename), f.Pos.Line, text)
	}
	return nil
}

// output is a function as JSON has it.
func (r *checkedFunction) output(all *vtrace.Functions) output.FunctionOutput {
	f := r.function
	out := output.FunctionOutput{
		Package: f.Package, Func: f.Name, File: filepath.ToSlash(shorten(f.Pos.Filename)), Line: f.Pos.Line, Exported: f.Exported,
		LeftOut: f.LeftOut, Valuations: []output.ValuationOutput{}, Errors: []output.FunctionErrorOutput{},
	}
	for _, v := range f.Valuations {
		val := output.ValuationOutput{Test: v.Test, Values: []output.ValueOutput{}, Result: "not checked"}
		for _, x := range v.Values {
			val.Values = append(val.Values, output.ValueOutput{Name: x.Name, Value: x.Text})
		}
		out.Valuations = append(out.Valuations, val)
	}
	if r.summary == nil {
		return out
	}
	out.Races = r.wordRaces()
	for i, c := range r.summary.Checked {
		switch {
		case c.Bundle == nil && c.Err != nil:
			out.Valuations[i].Result = oneLine(c.Err.Error())
		case c.Decided:
			out.Valuations[i].Result = "decided"
		default:
			out.Valuations[i].Result, out.Valuations[i].Limits = "open", c.Limits
		}
	}
	for _, e := range r.summary.Errors {
		f := e.Finding
		path := r.paths[e.In[0]]
		f.Reproduce = reproduce(r.summary.Checked[e.In[0]].Bundle, f, path)
		o := output.FunctionErrorOutput{
			Class: string(e.Class), Reason: e.Reason, Shown: len(e.In), Of: r.summary.Valuations(), Bundle: path, Finding: f,
			Driver: r.summary.Checked[e.In[0]].Valuation.Source,
		}
		for _, i := range e.In {
			o.In = append(o.In, r.summary.Checked[i].Valuation.Test)
		}
		if all != nil {
			o.Callers = all.Callers(r.function, r.summary.Checked[e.In[0]].Valuation)
		}
		out.Errors = append(out.Errors, o)
	}
	return out
}

// addFunction adds the result for a function: that of each choice of values that is the first to show an error of
// it, or that of the first choice if there is none.
func (l *logs) addFunction(r *checkedFunction, complete bool) error {
	name := artifact.Entry{Package: r.function.Package, Func: r.function.Name}
	if r.summary == nil || len(r.summary.Checked) == 0 {
		return l.add(report.Result{Entry: name, Err: r.err, LeftOut: r.function.LeftOut, Took: r.elapsed}, complete)
	}
	alarms := r.summary.Alarms()
	first := []int{}
	for _, e := range alarms {
		if !slices.Contains(first, e.In[0]) {
			first = append(first, e.In[0])
		}
	}
	if len(first) == 0 {
		first = []int{0}
	}
	var errs []error
	for n, i := range first {
		c := r.summary.Checked[i]
		res := report.Result{Entry: name, Bundle: c.Bundle, Err: c.Err, Took: r.elapsed / time.Duration(len(first))}
		if c.Bundle != nil {
			for _, f := range c.Bundle.Findings() {
				if !slices.ContainsFunc(alarms, func(e driver.Error) bool { return e.In[0] == i && e.Finding.Number == f.Number }) {
					res.Accepted = append(res.Accepted, report.Acceptance{Finding: f.Number, By: report.ByDriver, Reason: r.reason(i, f)})
				}
			}
		}
		errs = append(errs, l.add(res, complete && n == len(first)-1))
	}
	return errors.Join(errs...)
}

// reason says why a finding of a choice of values is not an error of the function, or not one that was not reported before.
func (r *checkedFunction) reason(valuation int, f vtrace.Finding) string {
	for _, e := range r.summary.Errors {
		if e.Kind == f.Kind && e.File == f.File && e.Line == f.Line && slices.Contains(e.In, valuation) {
			if e.Class == driver.Alarm {
				return "reported with smaller values"
			}
			return e.Reason
		}
	}
	return "no error"
}

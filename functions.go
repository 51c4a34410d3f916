package vtrace

import (
	"context"
	"time"

	"github.com/vtrace/vtrace/artifact"

	"github.com/vtrace/vtrace/internal/driver"
	passes "github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/source"
)

// The types of functions that are checked on their own: see docs/functions.md.
type (
	// Function is one of them: its Package, Name and Pos, the Valuations that it is called with, or why it is LeftOut.
	Function = driver.Function
	// FunctionOptions say with which values they are called, with which Numbers, and which Only.
	FunctionOptions = driver.Options
	// Valuation is a choice of the Values that a function is called with, and the Test that does so.
	Valuation = driver.Valuation
	// FunctionValue is what one of its parameters, or a part of one, is.
	FunctionValue = driver.Value
	// FunctionSummary is what the check of one has shown: with each valuation that was Checked, and the Errors of all.
	FunctionSummary = driver.Summary
	// CheckedValuation is the result of the check with one valuation: its Bundle, and whether it has Decided all.
	CheckedValuation = driver.Checked
	// FunctionError is an error that the checks of a function have shown, with the Judgement whose it is, and the indexes of
	// the checked valuations that it is In.
	FunctionError = driver.Error
	// FunctionJudgement says whose error it is: the function's, its caller's, or that of a slow machine.
	FunctionJudgement = driver.Judgement
	// FunctionClass is a judgement in a word: "alarm", "refused", "by contract", "accepted", "elsewhere" or "slow".
	FunctionClass = driver.Class
)

// Functions are the functions of packages that use concurrency of their own, each with the tests that call it: no
// test of the packages is needed, and none is run.
type Functions struct {
	plan *driver.Plan
	set  *Set // with the drivers
}

// LoadFunctions loads the packages that a source's pattern names, "./..." for all of a module, and writes the drivers
// of their functions, in memory. The entry of the source is not used.
func LoadFunctions(ctx context.Context, src Source, opts FunctionOptions) (*Functions, error) {
	if opts.Valuations < 0 {
		return nil, &artifact.ArgumentError{Name: "valuations", Reason: "negative"}
	}
	set, err := Load(ctx, src)
	if err != nil {
		return nil, err
	}
	plan, err := driver.Find(ctx, set.set, opts)
	if err != nil {
		return nil, err
	}
	for {
		named := spec{src.spec}
		Overlay(plan.Overlay)(&named)
		with, err := source.LoadSet(ctx, named.Spec)
		if err != nil {
			return nil, err
		}
		switch some, err := plan.LeaveOut(with); {
		case err != nil:
			return nil, err
		case !some:
			return &Functions{plan, &Set{with, &passes.Builds{}}}, nil
		}
	}
}

// List lists the functions, by package and place, those that are left out with their reasons among them.
func (f *Functions) List() []*Function {
	if f == nil || f.plan == nil {
		return nil
	}
	return f.plan.Functions
}

// Close removes what checks have shared, as that of a Set.
func (f *Functions) Close() error {
	if f == nil {
		return nil
	}
	return f.set.Close()
}

// Callers says whether the packages themselves call a function with the values of a valuation, in words.
func (f *Functions) Callers(fn *Function, v Valuation) string {
	if f == nil || f.plan == nil || fn == nil {
		return ""
	}
	return f.plan.Callers(fn, v)
}

// randomRuns is how many runs under random schedules there are with each valuation: those with others are of nearly the
// same program.
const randomRuns = 200

// least is how much time the check of a valuation has at least, within that of its function.
const least = 2 * time.Second

// Check checks a function with its valuations, the smallest first, until the budget is spent: that of the options is
// for all of them together. What a check of one could not do is said by its error in the summary. Several functions
// may be checked at the same time.
func (f *Functions) Check(ctx context.Context, fn *Function, opts ...Option) (*FunctionSummary, error) {
	if f == nil || f.plan == nil || fn == nil {
		return nil, &artifact.ArgumentError{Name: "function", Reason: "nil"}
	}
	s, err := f.check(ctx, fn, opts)
	if err != nil {
		return nil, err
	}
	for _, other := range f.plan.Unattributed(s) {
		of, err := f.check(ctx, other, opts)
		if err != nil {
			return nil, err
		}
		f.plan.Attribute(of)
	}
	f.plan.Attribute(s)
	return s, nil
}

func (f *Functions) check(ctx context.Context, fn *Function, opts []Option) (*FunctionSummary, error) {
	o := options(opts)
	o.Builds, o.Runs = f.set.builds, randomRuns
	end := time.Now().Add(o.Budget)
	var checked []driver.Checked
	for i, v := range fn.Valuations {
		each := o
		if o.Budget > 0 {
			rest := time.Until(end)
			if rest <= 0 {
				break
			}
			each.Budget = min(rest, max(least, 2*rest/time.Duration(len(fn.Valuations)-i)))
		}
		b, err := passes.CheckEntry(ctx, f.set.set, EntryPoint{Package: fn.Package, Func: v.Test}, each)
		if ctx.Err() != nil && b == nil {
			break
		}
		c := driver.Checked{Valuation: v, Bundle: b, Err: err}
		if b != nil {
			conclusion := passes.Conclude(b)
			c.Decided, c.Limits = !conclusion.Inconclusive(), conclusion.Limits
		}
		checked = append(checked, c)
	}
	return f.plan.Summarise(fn, checked), nil
}

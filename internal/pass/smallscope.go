package pass

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/smallscope"
)

// A program whose loops have thousands of iterations has too many schedules for both engines. With two or
// three iterations, and as many goroutines, most such programs can be proved in a second. That says something, though
// not of the program itself: so it is said as what it is, beside the result. Where the smaller program fails that is
// said, too, and no error of the program is made of it: its numbers may have been chosen for each other.

// scopeShare is the part of the time that is left which one scope may take, where others may follow.
const scopeShare = 0.5

// scopeStates bounds the searches of the model of a scope, where there is no budget: a small one has fewer.
const scopeStates = 1_000_000

// checkWithScopes checks a program, and if nothing certain comes of that, checks it with smaller numbers.
func (p *program) checkWithScopes(ctx context.Context, opts Options, rep reporter, check func(Options) (*artifact.Bundle, error)) (*artifact.Bundle, error) {
	if opts.inScope {
		return check(opts)
	}
	if !smallscope.Counts(p.source) {
		return check(opts)
	}
	begun := time.Now()
	now := opts
	if opts.Budget > 0 {
		now.Budget, now.allotted = opts.share(1-scopesShare), true
	}
	b, err := check(now)
	if err != nil || decided(b) || isClosed(opts.Interrupt) {
		return b, err
	}
	families, err := smallscope.Families(p.source)
	if err != nil || len(families) == 0 { // what cannot be read is said by the check itself
		return b, nil
	}
	done := rep.stage("small scopes")
	scopes, err := p.smallScopes(ctx, families, opts, begun)
	done()
	if err != nil || len(scopes) == 0 {
		return b, err
	}
	return withSmallScopes(b, scopes)
}

// decided reports whether a result needs no other one beside it: it is certain, or what keeps it from that is something else than
// how many schedules there are, so that smaller numbers change nothing.
func decided(b *artifact.Bundle) bool {
	c, r := Conclude(b), b.Runs()
	return c.Real+c.TimingDependent > 0 || !c.Inconclusive() || r == nil || r.Failing != "" ||
		r.Exhaustive != nil && r.Exhaustive.Complete && slices.ContainsFunc(r.Exhaustive.Limits, func(limit string) bool { return limit != orchestrate.CutOff })
}

// withSmallScopes is a bundle that also has what is known of small scopes.
func withSmallScopes(b *artifact.Bundle, scopes []artifact.SmallScope) (*artifact.Bundle, error) {
	return withRuns(b, func(r *artifact.Runs) { r.SmallScopes = scopes })
}

// withRuns is a bundle in which something else is known of runs.
func withRuns(b *artifact.Bundle, change func(*artifact.Runs)) (*artifact.Bundle, error) {
	out := artifact.Amend(b)
	runs := *b.Runs()
	change(&runs)
	out.SetRuns(&runs)
	return out.Bundle()
}

// smallScopes checks scopes until one is proved, and then the next larger one of its family. A family is given up
// when its smallest scope is not proved, but that the first one goes on if its numbers do not fit each other. What is no
// smaller than a scope that was too large is not tried; behind that comes the smallest that there is, since each takes time.
func (p *program) smallScopes(ctx context.Context, families []smallscope.Family, opts Options, begun time.Time) (out []artifact.SmallScope, err error) {
	var large []smallscope.Scope
	tooLarge := func(s smallscope.Scope) bool {
		return slices.ContainsFunc(large, func(l smallscope.Scope) bool { return !s.Smaller(l) })
	}
	families = slices.Clone(families)
	for first := true; len(families) > 0; first = false {
		next := 0
		if len(large) > 0 {
			for i, f := range families {
				if f[0].Smaller(families[next][0]) {
					next = i
				}
			}
		}
		f := families[next]
		families = slices.Delete(families, next, next+1)
		proved := false
		for _, s := range f {
			now := opts
			if tooLarge(s) {
				break
			}
			if opts.Budget > 0 {
				left := opts.Budget - time.Since(begun)
				if left < time.Second {
					return out, nil
				}
				now.allotted = true
				if now.Budget = left; slices.ContainsFunc(families, func(f smallscope.Family) bool { return f[0].Smaller(s) }) {
					now.Budget = time.Duration(scopeShare * float64(left))
				}
			}
			if isClosed(opts.Interrupt) {
				return out, nil
			}
			r, err := p.checkScope(ctx, s, now)
			if err == nil && r.Outcome == artifact.ScopeUnfit {
				r, err = p.fitScope(ctx, s, r, now)
			}
			if err != nil {
				return nil, err
			}
			out = append(out, r.SmallScope)
			if r.Outcome == artifact.ScopeOpen {
				large = append(large, s)
			}
			if r.Outcome == artifact.ScopeUnfit && !proved && first {
				continue // a remainder of what is counted, say, takes more than two; in one way, since each takes time
			}
			if r.Outcome != artifact.ScopeProved {
				break
			}
			proved = true
		}
		if proved {
			break
		}
		families = slices.DeleteFunc(families, func(f smallscope.Family) bool { return tooLarge(f[0]) })
	}
	return out, nil
}

// checkedScope is what a check with smaller numbers has shown.
type checkedScope struct {
	artifact.SmallScope
	// file and line are where the program fails, and text is how, if it does.
	file, text string
	line       int
}

// maxFits bounds the checks of a program that are fitted to smaller numbers, one after the other.
const maxFits = 3

// fitScope checks a program again whose checks do not fit its smaller numbers, with the values that a run has given. Where that
// proves nothing it stays what it was: other runs may give other values by right.
func (p *program) fitScope(ctx context.Context, s smallscope.Scope, unfit checkedScope, opts Options) (checkedScope, error) {
	begun, budget := time.Now(), opts.Budget
	last := unfit
	// check reports whether there was time for it.
	check := func(s smallscope.Scope) (ok bool, err error) {
		if budget > 0 {
			if opts.Budget = budget - time.Since(begun); opts.Budget < time.Second {
				return false, nil
			}
		}
		if isClosed(opts.Interrupt) {
			return false, nil
		}
		last, err = p.checkScope(ctx, s, opts)
		return err == nil, err
	}
	for range maxFits {
		file, line := last.file, last.line
		m, ok, err := s.Measured(file, line)
		if err != nil || !ok {
			return unfit, err
		}
		if ok, err = check(m); err != nil || !ok {
			return unfit, err
		}
		if s, ok, err = s.Fitted(file, line, last.text); err != nil || !ok {
			return unfit, err
		}
		ok, err = check(s)
		switch {
		case err != nil || !ok:
			return unfit, err
		case last.Outcome == artifact.ScopeProved:
			return last, nil
		case last.Outcome != artifact.ScopeUnfit:
			return unfit, nil
		}
	}
	return unfit, nil
}

// checkScope checks a program with smaller numbers.
func (p *program) checkScope(ctx context.Context, s smallscope.Scope, opts Options) (checkedScope, error) {
	out := checkedScope{SmallScope: artifact.SmallScope{Outcome: artifact.ScopeOpen}}
	for _, n := range s.Numbers {
		number := artifact.SmallNumber{From: n.From, To: n.To}
		for _, at := range n.At {
			number.At = append(number.At, fmt.Sprintf("%s:%d:%d", p.source.Rel(at.Filename), at.Line, at.Column))
		}
		out.Numbers = append(out.Numbers, number)
	}
	spec := p.source.Spec
	spec.Overlay, spec.Pattern, spec.ImportPath = s.Files, p.entry().Package, true
	spec.Flags, spec.Deps = nil, nil // the options have them
	opts.Results, opts.Cache, opts.Partial, opts.Progress, opts.Root = nil, nil, nil, nil, ""
	opts.Builds, opts.shared, opts.VendorDeps, opts.inScope = nil, nil, false, true
	ends := endsUnknown
	opts.ends = &ends
	if opts.timing == nil {
		opts.timing = &scopeTiming
	}
	if opts.Budget <= 0 && opts.Search.MaxStates == 0 {
		opts.Search.MaxStates = scopeStates
	}
	b, err := checkWith(ctx, load, spec, opts)
	switch {
	case ctx.Err() != nil:
		return out, ctx.Err()
	case isClosed(opts.Interrupt) && errors.Is(err, context.Canceled):
		out.Why = []string{errInterrupted.Error()}
		return out, nil
	case err != nil: // it does not compile any more, say
		out.Why = []string{err.Error()}
		return out, nil
	}
	c := Conclude(b)
	switch {
	case c.Real > 0:
		switch ends {
		case endsSomehow:
			out.Outcome = artifact.ScopeFails
		case endsNever:
			out.Outcome = artifact.ScopeUnfit
		default: // it is open whether the smaller program has an error, or makes no sense
		}
		for _, f := range b.Findings() {
			if f.Verdict == artifact.Real {
				out.Why = append(out.Why, fmt.Sprintf("%s at %s:%d", f.Kind, f.File, f.Line))
				if out.file == "" && (f.Kind == artifact.KindPanic || f.Kind == artifact.KindTestFailure) {
					out.file, out.line, out.text = f.File, f.Line, f.Message
				}
			}
		}
		if out.Outcome == artifact.ScopeFails && out.file != "" && s.Doubtful(out.file, out.line) {
			out.Outcome = artifact.ScopeOpen
			out.Why = append(out.Why, "the program is asked there for a number that nobody knows of the smaller one")
		}
	case b.Runs() != nil && b.Runs().Failing != "":
		out.Outcome, out.Why = artifact.ScopeUnfit, []string{b.Runs().Failing}
		out.file, out.line, out.text = placed(b.Runs().Failing)
	case !c.Inconclusive() && c.TimingDependent == 0 && b.Runs() != nil:
		out.Outcome = artifact.ScopeProved
		if c.Proved {
			out.Why = []string{b.Runs().Exhaustive.Coverage()}
		} else {
			out.Why = []string{"there is no error in its model"}
		}
	default:
		out.Why = append(out.Why, c.Limits...)
		if open := c.Possible + c.Unconfirmed; open > 0 {
			out.Why = append(out.Why, fmt.Sprintf("%d possible errors of its model that no run has confirmed", open))
		}
		if c.TimingDependent > 0 {
			out.Why = append(out.Why, fmt.Sprintf("%d errors that depend on timing", c.TimingDependent))
		}
	}
	return out, nil
}

// placed takes apart "FILE:LINE: TEXT"; what has another form is a text without a place.
func placed(text string) (file string, line int, rest string) {
	m := failurePlace.FindStringSubmatch(text)
	if m == nil {
		return "", 0, text
	}
	line, _ = strconv.Atoi(m[2])
	return m[1], line, m[3]
}

var failurePlace = regexp.MustCompile(`^([^:]+):(\d+): ((?s).*)$`)

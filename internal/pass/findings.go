package pass

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/check"
)

// findings makes one finding of the queries that ask for the same error at the
// same place and are not satisfied, in order of place.
func findings(queries []artifact.Query, verdicts []artifact.Verdict, side *artifact.Sidecar) []artifact.Finding {
	byNumber := map[int]artifact.Query{}
	for _, q := range queries {
		byNumber[q.Number] = q
	}
	type place struct {
		kind string
		site int
	}
	at := map[place]int{}
	var all []artifact.Finding
	for _, v := range verdicts {
		q := byNumber[v.Query]
		if v.Result != check.False.String() || q.Kind == artifact.KindBound || q.Kind == artifact.KindImprecise {
			continue
		}
		key := place{q.Kind, q.Site}
		if _, ok := at[key]; ok && q.Site != 0 {
			continue
		}
		at[key] = len(all)
		f := finding(q, side)
		if len(v.Traces) > 0 {
			f.Trace = v.Traces[0]
		}
		all = append(all, f)
	}
	sortFindings(all)
	return all
}

// openResult reports whether a query was not decided.
func openResult(v artifact.Verdict) bool {
	return v.Result == check.Maybe.String() || v.Result == check.Error.String()
}

// finding is the possible error that a query asks for.
func finding(q artifact.Query, side *artifact.Sidecar) artifact.Finding {
	f := artifact.Finding{
		Verdict: artifact.Possible, Kind: q.Kind, Category: q.Category, Query: q.Number,
		File: q.File, Line: q.Line, Col: q.Col, Message: q.Description,
	}
	if q.Site > 0 && q.Site < len(side.Sites) {
		f.Function = side.Sites[q.Site].Func
	}
	return f
}

// precedence orders verdicts by what a reader has to know first.
var precedence = map[string]int{artifact.TimingDependent: 1, artifact.Possible: 2, artifact.Unconfirmed: 3, artifact.Note: 4, artifact.False: 5}

// sortFindings sorts findings, what is real first and each verdict by place, and numbers them.
func sortFindings(all []artifact.Finding) {
	slices.SortStableFunc(all, func(a, b artifact.Finding) int {
		return cmp.Or(cmp.Compare(precedence[a.Verdict], precedence[b.Verdict]), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Query, b.Query))
	})
	for i := range all {
		all[i].Number = i + 1
	}
}

// Conclude sums up a bundle, without findings of some numbers, if others are to count alone.
func Conclude(b *artifact.Bundle, without ...int) Conclusion {
	var c Conclusion
	if b == nil {
		c.Limits = []string{"there is no bundle"}
		return c
	}
	found := b.Findings()
	for _, f := range found {
		if slices.Contains(without, f.Number) {
			continue
		}
		switch f.Verdict {
		case artifact.Real:
			c.Real++
		case artifact.Possible:
			c.Possible++
		case artifact.Unconfirmed:
			c.Unconfirmed++
		case artifact.False:
			c.False++
		case artifact.TimingDependent:
			c.TimingDependent++
		case artifact.Note:
			c.Notes++
		}
	}
	r, side := b.Runs(), b.Sidecar()
	// A plain run that has failed contradicts a proof, so it comes before what Proved says.
	c.Limits = plainFailures(r)
	c.Proved = r != nil && r.Exhaustive.Proved() && len(c.Limits) == 0
	// What is not known yet can only be more that depends on timing, where all schedules without a stall were run.
	settled := c.Proved || c.TimingDependent > 0 && r != nil && r.Exhaustive.AllWithoutStalls() && len(c.Limits) == 0
	if !settled { // by the program itself, whatever the model leaves open
		c.Limits = slices.Concat(c.Limits, limits(b.Queries(), b.Verdicts(), withoutShown(side, found), r != nil && r.Exhaustive.AllWithoutStalls()), gapsOf(r))
	}
	if r != nil && !settled && r.Runs > 0 && r.Limited == r.Runs {
		c.Limits = append(c.Limits, fmt.Sprintf("no run of the program came to its end within %d steps", runSteps))
	}
	if r != nil && !settled && r.Cut != "" {
		c.Limits = append(c.Limits, fmt.Sprintf("the check was ended after %d runs of the program: %s", r.Runs, r.Cut))
	}
	if r != nil && !settled && r.Uncontrolled > 0 {
		limit := fmt.Sprintf("%d of %d runs of the program have no verdict, and what they might have shown is not known", r.Uncontrolled, r.Runs)
		if len(r.Undecided) > 0 { // bundles of earlier versions do not say why
			limit += ": " + strings.Join(r.Undecided, "; ")
		}
		c.Limits = append(c.Limits, limit)
	}
	if r != nil {
		c.Limits = append(c.Limits, r.Races...)
	}
	if r != nil && r.Unproved > 0 {
		c.Limits = append(c.Limits, fmt.Sprintf("%d ways in which runs ended were not looked at: there was no time left", r.Unproved))
	}
	if r != nil && r.Failing != "" {
		c.Limits = append(c.Limits, "it fails in every run, so that nothing behind that was looked at: "+r.Failing)
	}
	if c.TimingDependent > 0 && (r == nil || !r.Exhaustive.AllWithoutStalls()) {
		c.Limits = append(c.Limits, "whether it fails also while nobody is slow is not known: not all schedules in which time passes only when nothing else can happen were run")
	}
	if r := b.Races(); r != nil && r.Stopped != "" {
		c.Limits = append(c.Limits, fmt.Sprintf("data races were looked for in %d runs only: %s", r.Runs, r.Stopped))
	}
	if r := b.Races(); r != nil {
		c.Limits = append(c.Limits, r.Limits...)
	}
	c.Precision = precision(side)
	return c
}

// plainFailures are what plain runs of a program say against a result.
func plainFailures(r *artifact.Runs) (out []string) {
	if r == nil {
		return nil
	}
	if r.FailsPlain != "" {
		out = append(out, "the program as it is, not under control, has failed, which nothing here explains: "+r.FailsPlain)
	}
	if r.FailsTogether != "" {
		out = append(out, "in a run of all tests of its package, as go test runs them, it has failed; a check does not look at what other tests leave behind: "+r.FailsTogether)
	}
	return out
}

// withoutShown is what is known of a model without the places of which it leaves open whether a test fails there, where a
// finding has shown that it does.
func withoutShown(side *artifact.Sidecar, found []artifact.Finding) *artifact.Sidecar {
	if side == nil {
		return nil
	}
	out := *side
	out.Approximations = slices.DeleteFunc(slices.Clone(side.Approximations), func(a artifact.Approximation) bool {
		return (a.Kind == approximation.Failure || a.Kind == approximation.Assertion) && slices.ContainsFunc(found, func(f artifact.Finding) bool {
			return f.Verdict == artifact.Real && f.File == a.File && f.Line == a.Line && (f.Col == 0 || f.Col == a.Col)
		})
	})
	return &out
}

// undecidedSingly is the number of queries that are undecided for the same reason
// up to which each is listed.
const undecidedSingly = 3

// categories lists the categories of queries, each once.
func categories(queries []artifact.Query) string {
	var out []string
	for _, q := range queries {
		if c := q.Category; !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return strings.Join(out, ", ")
}

// boundOf is the approximation that a query asks for: the bound of a place. It is
// nil if it asks for another one.
func boundOf(q artifact.Query, side *artifact.Sidecar) *artifact.Approximation {
	if side == nil {
		return nil
	}
	for i := range side.Approximations {
		if a := &side.Approximations[i]; a.Kind == approximation.Bound && a.Query == q.Number {
			return a
		}
	}
	return nil
}

// limits lists what keeps the verdicts from covering all of the program. If all schedules
// without a stall were run, whether the test fails is known: a failure that needs a stall is
// no error, but a timing-dependent test.
func limits(queries []artifact.Query, verdicts []artifact.Verdict, side *artifact.Sidecar, allWithoutStalls bool) []string {
	byNumber := map[int]artifact.Query{}
	for _, q := range queries {
		byNumber[q.Number] = q
	}
	var out []string
	add := func(format string, args ...any) {
		if s := fmt.Sprintf(format, args...); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	undecided := map[string][]artifact.Query{} // by the reason
	for _, v := range verdicts {
		if openResult(v) {
			undecided[v.Reason] = append(undecided[v.Reason], byNumber[v.Query])
		}
	}
	for _, v := range verdicts {
		q := byNumber[v.Query]
		switch {
		case openResult(v):
			if same := undecided[v.Reason]; len(same) > undecidedSingly {
				add("of %d possible errors that were looked for in a model of the program, %d were neither found nor ruled out: %s (%s)", len(queries), len(same), v.Reason, categories(same))
			} else {
				place := ""
				if q.File != "" {
					place = fmt.Sprintf(" at %s:%d", q.File, q.Line)
				}
				add("neither found nor ruled out: %s%s: %s", q.Description, place, v.Reason)
			}
		case v.Result == check.False.String() && q.Kind == artifact.KindBound:
			switch a := boundOf(q, side); {
			case a != nil:
				add("%s:%d:%d: a bound of the model is reached: %s", a.File, a.Line, a.Col, a.Reason)
			case q.File != "":
				add("%s:%d: a bound of the model is reached: %s", q.File, q.Line, strings.TrimPrefix(q.Description, approximation.Never))
			default:
				add("a bound of the model is reached: %s", strings.TrimPrefix(q.Description, approximation.Never))
			}
		}
	}
	if side != nil {
		for _, a := range side.Approximations {
			switch {
			case a.Unreached:
			case a.Direction == artifact.DirectionUnder:
				add("%s:%d:%d: not in the model: %s", a.File, a.Line, a.Col, a.Reason)
			case a.Kind == approximation.Number, !allWithoutStalls && (a.Kind == approximation.Failure || a.Kind == approximation.Assertion):
				add("%s:%d:%d: %s", a.File, a.Line, a.Col, a.Reason)
			}
		}
	}
	return out
}

package pass

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
)

// keep puts the test and the logs of the last replay of a suspect into the
// bundle.
func (d *deep) keep(s *suspect) error {
	n, k := s.query.Number, s.number
	name := fmt.Sprintf("q%d-%d", n, k)
	meta := orchestrate.MetaOf(s.query, k, "vtrace replay BUNDLE "+name)
	src, err := orchestrate.Test(d.target, d.side, s.replay.Plan, meta)
	if err != nil {
		return fmt.Errorf("query %d: %w", n, err)
	}
	s.test = d.out.AddTest(n, k, src)
	if p := s.replay.Plan; s.trace != nil && s.trace.Plan == nil && (p.Seed != 0 || len(p.Choices) > 0) {
		// The steps of the trace do not say what the environment has decided.
		s.trace.Plan = &p
		d.out.AddTrace(n, k, s.trace)
	}
	d.out.AddLog(name+".log", []byte(s.replay.Log))
	for ext, text := range map[string]string{".stdout": s.replay.Stdout, ".stderr": s.replay.Stderr} {
		if text != "" {
			d.out.AddLog(name+ext, []byte(text))
		}
	}
	return nil
}

// finish writes the verdicts, refutations and findings.
func (d *deep) finish(second *artifact.Bundle) (*artifact.Bundle, error) {
	if len(d.asked) > 0 {
		d.out.SetQueries(append(second.Queries(), d.asked...))
	}
	verdicts := second.Verdicts()
	for i := range verdicts {
		for _, s := range d.cases {
			if s.query.Number == verdicts[i].Query {
				verdicts[i].Traces = s.verdict.Traces
			}
		}
	}
	d.out.SetVerdicts(verdicts)
	d.out.SetRefutations(d.refutations)
	d.out.SetFacts(d.factsKnown())

	all := second.Findings()
	for _, o := range d.observed {
		if !slices.ContainsFunc(all, func(f artifact.Finding) bool { return about(&f, o.query) }) {
			all = append(all, finding(o.query, d.side))
		}
	}
	for i := range all {
		d.decide(&all[i])
	}
	all = slices.DeleteFunc(slices.Clone(all), func(f artifact.Finding) bool { return otherwise(&f, all) })
	all = onePerCascade(all)
	sortFindings(all)
	together(all)
	d.out.SetFindings(all)
	return d.out.Bundle()
}

// otherwise reports whether a crash that could not be confirmed, or that the program shows by
// none of the traces of the model, is one that is real under another name: a value that was
// recovered and thrown again, say, or one that a run has shown, of which only the line is known.
func otherwise(f *artifact.Finding, all []artifact.Finding) bool {
	return (f.Verdict == artifact.Unconfirmed || f.Verdict == artifact.False) && crash(f.Kind) && slices.ContainsFunc(all, func(o artifact.Finding) bool {
		return (o.Verdict == artifact.Real || o.Verdict == artifact.TimingDependent) && crash(o.Kind) && o.File == f.File && o.Line == f.Line
	})
}

// about reports whether a finding is the error that a query asks for.
func about(f *artifact.Finding, q artifact.Query) bool {
	if q.Site == 0 {
		return f.Query == q.Number
	}
	return f.Kind == q.Kind && f.File == q.File && f.Line == q.Line && f.Col == q.Col
}

// decide gives a finding its verdict: real if one of its queries is, false if
// all of them are.
func (d *deep) decide(f *artifact.Finding) {
	rank := map[string]int{artifact.Real: 3, artifact.Unconfirmed: 2, artifact.False: 1}
	var best *suspect
	for _, s := range slices.Concat(d.cases, d.observed) {
		if !about(f, s.query) {
			continue
		}
		f.Attempts += s.attempts
		for _, r := range d.refutations {
			if r.Query == s.query.Number && !r.Weak {
				f.Refuted++
			}
		}
		if best == nil || rank[s.outcome] > rank[best.outcome] || rank[s.outcome] == rank[best.outcome] && best.replay == nil {
			best = s
		}
	}
	if best == nil {
		f.Verdict, f.Reason = artifact.Unconfirmed, "its query was not replayed"
		return
	}
	if !best.decided {
		f.Query = best.query.Number
		return
	}
	if best.outcome == artifact.Real {
		f.Runs = f.Attempts - 1 + max(best.run, 1)
	}
	f.Verdict, f.Reason, f.Test, f.Query = best.outcome, best.reason, best.test, best.query.Number
	if best.untried && f.Attempts == 0 && f.Verdict == artifact.Unconfirmed {
		f.Verdict, f.Reason = artifact.Possible, "not replayed: "+best.reason
	}
	if path := best.path(); path != "" {
		f.Trace = path
	}
	if f.Minimised = best.minimised; f.Minimised != nil && f.Minimised.Complete {
		for _, c := range best.replay.Plan.Choices {
			if orchestrate.IsDelay(c.Site) {
				continue // the stalls have it
			}
			s, _ := d.siteOf(c.Site)
			f.Values = append(f.Values, artifact.FindingValue{G: c.G, Site: c.Site, File: s.File, Line: s.Line, Text: s.Text, N: c.N, Value: c.Value})
		}
	}
	if best.replay != nil {
		if at, other := orchestrate.Began(best.replay.Plan.Seed); other && parse.ReadsClock(d.program.source) {
			f.Begins = at.Format(time.RFC3339Nano)
		}
	}
	if f.Test != "" {
		f.Reproduce = fmt.Sprintf("vtrace replay BUNDLE q%d-%d", best.query.Number, best.number)
	}
	if best.replay != nil {
		d.describe(f, best.replay)
		d.addCreations(f, best.replay)
		d.stalled(f, best.replay)
		d.gradeLeak(f, best.replay)
	}
	if best.raced != nil {
		d.describeRace(f, best.raced)
	}
	if best.outcome == artifact.Real { // else the run has not come to the end that it speaks of
		f.Cause = explain.Cause(*f)
		if best.raced != nil && f.Cause != "" {
			f.Cause += best.raced.others()
		}
	}
	if f.Cause == explain.Alone && d.target.IsTest() {
		f.Cause += fmt.Sprintf("; compare go test -run '^%s$', which leaves out what other tests prepare", d.target.Entry.Func)
	}
	if f.Kind == artifact.KindExit && f.Verdict == artifact.Real && !d.endsWell {
		f.Verdict, f.Reason = artifact.Note, "no run of the program ends otherwise"
	}
}

// path is that of the trace of a suspect, "" if there is none. What was observed in the
// replay of another one's has only its own.
func (s *suspect) path() string {
	switch all := s.verdict.Traces; {
	case len(all) == 0:
		return ""
	case s.number <= len(all):
		return all[s.number-1]
	default:
		return all[len(all)-1]
	}
}

// source is a file of the program.
func (d *deep) source(file string) ([]byte, bool) {
	return d.second.Read(artifact.SourceDir + "/" + file)
}

// describe says what the program did: how it ended, and the interleaving.
func (d *deep) describe(f *artifact.Finding, v *orchestrate.Verdict) {
	if v.Status == orchestrate.Reproduced && !explain.Stuck(f.Kind) && v.Message != "" && !strings.HasPrefix(f.Message, artifact.KindTestFailure+": ") {
		f.Message = v.Message
		if text := d.saidAtEnd(f, v); text != "" {
			f.Message = text
		}
	}
	at := orchestrate.SitesByKey(d.side)
	f.Goroutines = nil
	for _, g := range v.Goroutines {
		f.Goroutines = append(f.Goroutines, g.Finding(at))
	}
	orchestrate.AddStarts(d.side, v.Trace, f.Goroutines)
	shown := v.Plan
	if v.Status == orchestrate.Reproduced {
		// What a plan does not name, since it comes by itself, belongs to how an error comes about, too.
		shown.Steps = orchestrate.Passed(d.side, shown.Steps, v.Trace)
	}
	f.Interleaving = orchestrate.Interleaving(d.side, shown, orchestrate.StuckAt(f.Goroutines))
	orchestrate.AddResults(f.Interleaving, v)
	orchestrate.AddOwed(d.side, f.Interleaving, f.Goroutines)
	orchestrate.AddOutcomes(d.side, f.Interleaving, v.Trace, d.source)
}

// saidAtEnd is what a program has said of the error that has ended it, or a test at the place where it has failed, "" if it
// has said nothing.
func (d *deep) saidAtEnd(f *artifact.Finding, v *orchestrate.Verdict) string {
	switch f.Kind {
	case artifact.KindTestFailure:
		return d.failureAt(v.Stdout, f.File, f.Line)
	case artifact.KindExit:
		lines := strings.Split(strings.TrimRight(v.Stderr, "\n"), "\n")
		if text := strings.TrimSpace(logTime.ReplaceAllString(lines[len(lines)-1], "")); text != "" {
			return v.Message + ": " + text
		}
	}
	return ""
}

// logTime is what package log begins a line with, as a rule.
var logTime = regexp.MustCompile(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(\.\d+)? `)

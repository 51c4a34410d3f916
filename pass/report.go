package pass

import (
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/sites"
)

// keep puts the test and the logs of the last replay of a suspect into the
// bundle.
func (d *deep) keep(s *suspect) error {
	n, k := s.query.Number, s.attempts
	name := fmt.Sprintf("q%d-%d", n, k)
	meta := orchestrate.MetaOf(s.query, k, "vtrace replay BUNDLE "+name)
	src, err := orchestrate.Test(d.target, d.side, s.replay.Plan, meta)
	if err != nil {
		return fmt.Errorf("query %d: %w", n, err)
	}
	s.test = d.out.AddTest(n, k, src)
	d.out.AddLog(name+".log", []byte(s.replay.Log))
	for ext, text := range map[string]string{".stdout": s.replay.Stdout, ".stderr": s.replay.Stderr} {
		if text != "" {
			d.out.AddLog(name+ext, []byte(text))
		}
	}
	return nil
}

// finish writes the verdicts, refutations and findings.
func (d *deep) finish(second *artifact.Bundle) {
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

	all := second.Findings()
	for i := range all {
		d.decide(&all[i])
	}
	d.out.SetFindings(all)
}

// decide gives a finding its verdict: real if one of its queries is, false if
// all of them are.
func (d *deep) decide(f *artifact.Finding) {
	rank := map[string]int{artifact.Real: 3, artifact.Unconfirmed: 2, artifact.False: 1}
	var best *suspect
	for _, s := range d.cases {
		same := s.query.Number == f.Query || s.query.Kind == f.Kind && s.query.Site != 0 && d.place(s.query) == d.placeOf(f)
		if !same {
			continue
		}
		f.Attempts += s.attempts
		if best == nil || rank[s.outcome] > rank[best.outcome] || rank[s.outcome] == rank[best.outcome] && best.replay == nil {
			best = s
		}
	}
	if best == nil {
		f.Verdict, f.Reason = artifact.Unconfirmed, "its query was not replayed"
		return
	}
	f.Verdict, f.Reason, f.Test = best.outcome, best.reason, best.test
	f.Query = best.query.Number
	if n := len(best.verdict.Traces); n > 0 {
		f.Trace = best.verdict.Traces[n-1]
	}
	if f.Test != "" {
		f.Reproduce = "vtrace replay BUNDLE " + fmt.Sprintf("q%d-%d", best.query.Number, best.attempts)
	}
	if best.replay != nil {
		d.describe(f, best.replay)
	}
}

type filePos struct {
	file      string
	line, col int
}

func (d *deep) place(q artifact.Query) filePos      { return filePos{q.File, q.Line, q.Col} }
func (d *deep) placeOf(f *artifact.Finding) filePos { return filePos{f.File, f.Line, f.Col} }

// stuck reports whether an error of the kind is that goroutines cannot go on:
// then Goroutines tell it all.
func stuck(kind string) bool {
	return kind == artifact.KindDeadlock || kind == artifact.KindPartialDeadlock || kind == artifact.KindLeak
}

// describe says what the program did: how it ended, and the interleaving.
func (d *deep) describe(f *artifact.Finding, v *orchestrate.Verdict) {
	if v.Status == orchestrate.Reproduced && !stuck(f.Kind) {
		f.Message = v.Message
	}
	at := map[string]artifact.Site{}
	for _, s := range d.side.Sites {
		at[s.Key] = s
	}
	f.Goroutines = nil
	for _, g := range v.Goroutines {
		s := at[g.Site]
		f.Goroutines = append(f.Goroutines, artifact.FindingGoroutine{
			G: g.G, Site: g.Site, Operation: g.Op, Func: s.Func, File: s.File, Line: s.Line, Text: s.Text,
			Object: g.Object, State: g.State,
		})
	}
	f.Interleaving = nil
	for i, step := range v.Plan.Steps {
		s := at[step.Site]
		op := s.Kind
		switch {
		case step.G == "T":
			op = "time passes"
		case op == sites.Stmt.String():
			op = "access"
		}
		f.Interleaving = append(f.Interleaving, artifact.FindingStep{
			Step: i + 1, G: step.G, Site: step.Site, Operation: op, Case: step.Case, File: s.File, Line: s.Line, Text: s.Text,
		})
	}
}

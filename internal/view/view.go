package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// page collects what a page shows.
type page struct {
	bundle  *artifact.Bundle
	side    *artifact.Sidecar
	net     *uppaal.Network
	follow  *orchestrate.Follower // nil if the model cannot be followed
	table   *objectTable
	noModel string // why there is no follower
	notes   int    // bytes of notes for which there is room
	work    int    // steps for which states may still be computed, see maxAllSteps

	data  Data
	index map[Site]int // of the sites
	byKey map[string]artifact.Site
}

// Of is what the page of a bundle shows. An error is that the bundle is nil, or has nothing that a
// page could show.
func Of(b *artifact.Bundle) (*Data, error) {
	if b == nil {
		return nil, &artifact.ArgumentError{Name: "bundle", Reason: "nil"}
	}
	p := &page{bundle: b, side: b.Sidecar(), work: maxAllSteps, notes: maxNoteBytes, index: map[Site]int{}, byKey: map[string]artifact.Site{}}
	m := b.Manifest()
	p.data = Data{
		Version: Version,
		Program: Program{
			Package: short(m.Entry.Package), Entry: short(m.Entry.Func), Pass: short(m.Pass), Tool: short(m.Tool), Go: short(m.Go), Digest: b.Digest(),
		},
		Notes: []string{}, Sites: []Site{}, Files: []File{}, Findings: []Finding{}, Traces: []Trace{}, Automata: []Automaton{},
	}
	if p.side == nil {
		p.side = &artifact.Sidecar{}
	}
	for _, s := range p.side.Sites {
		p.byKey[s.Key] = s
	}
	if err := p.model(); err != nil {
		p.noModel = fmt.Sprintf("there is no model that could be followed: %v", err)
	}
	p.findings()
	p.automata()
	p.files()
	return &p.data, nil
}

// note notes what the page does not have, as far as there is room for that.
func (p *page) note(format string, args ...any) {
	text := short(fmt.Sprintf(format, args...))
	switch {
	case fits(text, &p.notes):
		p.data.Notes = append(p.data.Notes, text)
	case p.notes > 0:
		p.notes = 0
		p.data.Notes = append(p.data.Notes, "more is left out than what is said here")
	}
}

// model reads the model, so that it can be followed.
func (p *page) model() error {
	text := p.bundle.Model()
	switch {
	case p.side.Outside() != nil:
		return errors.New("the program is outside of what can be modelled: " + p.side.Outside().Reason)
	case text == nil:
		return errors.New("the bundle has none")
	case len(text) > maxModel:
		return fmt.Errorf("it has more than %d bytes", maxModel)
	}
	net, err := uppaal.ReadXML(bytes.NewReader(text))
	if err != nil {
		return err
	}
	follow, err := orchestrate.NewFollower(context.Background(), p.side, net)
	if err != nil {
		return err
	}
	follow.Bound(maxWork)
	p.net, p.follow = net, follow
	p.table = objectsOf(p.side, net)
	return nil
}

// findings takes the findings of the bundle with their traces, which have the room that all
// findings leave.
func (p *page) findings() {
	all := p.bundle.Findings()
	queries := p.bundle.Queries()
	room := maxFindingBytes
	for i, f := range all {
		out := p.finding(f)
		if i == maxFindings || !fits(out, &room) {
			p.note("%d findings are not on this page, which has the first %d", len(all)-i, i)
			break
		}
		p.data.Findings = append(p.data.Findings, out)
	}
	room += maxTraceBytes - maxFindingBytes
	for i, f := range all[:len(p.data.Findings)] {
		if len(f.Goroutines) > maxEnd {
			p.note("the end of finding %d has %d goroutines, of which %d are on this page", f.Number, len(f.Goroutines), maxEnd)
			f.Goroutines = f.Goroutines[:maxEnd]
		}
		for k := range f.Goroutines {
			g := &f.Goroutines[k]
			g.Holds = g.Holds[:min(len(g.Holds), maxHolds)]
		}
		if steps, err := p.steps(f, queries); err != nil {
			p.note("finding %d has no steps on this page: %v", f.Number, err)
		} else if tr, ok := p.fit(f, steps, &room); ok {
			tr.Finding = i
			p.data.Findings[i].Trace = len(p.data.Traces)
			p.data.Traces = append(p.data.Traces, tr)
		}
	}
}

// finding is what a page says of a finding beside its steps.
func (p *page) finding(f artifact.Finding) Finding {
	at := explain.Place(f)
	out := Finding{
		Number: f.Number, Verdict: short(f.Verdict), Kind: short(f.Kind), Category: short(f.Category), File: short(at.File), Line: at.Line, Func: short(at.Func), Goroutine: short(explain.Goroutine(f, at.G)),
		Message: short(f.Message), Cause: short(f.Cause), Reason: short(f.Reason), Reproduce: short(f.Reproduce), Trace: -1,
	}
	if f.Runs > 0 {
		out.Facts = append(out.Facts, fmt.Sprintf("it has shown in run %d of the program", f.Runs))
	}
	if m := f.Minimised; m != nil {
		out.Facts = append(out.Facts, fmt.Sprintf("%d switches in %d steps, %d switches in %d steps before it was minimised", m.After.Switches, m.After.Steps, m.Before.Switches, m.Before.Steps))
	}
	for _, s := range f.Stalls {
		out.Facts = append(out.Facts, short(fmt.Sprintf("goroutine %s is held for %s at %s:%d", explain.Goroutine(f, s.G), s.For, s.File, s.Line)))
	}
	for _, v := range f.Values {
		out.Facts = append(out.Facts, short(fmt.Sprintf("goroutine %s chooses %d of 0 to %d at %s:%d", explain.Goroutine(f, v.G), v.Value, v.N-1, v.File, v.Line)))
	}
	if len(out.Facts) > maxFacts {
		out.Facts = append(out.Facts[:maxFacts], fmt.Sprintf("and %d more", len(out.Facts)-maxFacts))
	}
	for i, o := range explain.Objects(f) {
		if i == maxFacts {
			break
		}
		out.Objects = append(out.Objects, Made{short(o.Name), short(o.File), o.Line, short(o.Text)})
	}
	return out
}

// short bounds a text.
func short(s string) string {
	if len(s) <= maxText {
		return s
	}
	return strings.ToValidUTF8(s[:maxText], "") + "…"
}

// steps are those in which a finding comes about: what a run has done, or else what the trace of
// the model asks for.
func (p *page) steps(f artifact.Finding, queries []artifact.Query) ([]artifact.FindingStep, error) {
	steps := slices.DeleteFunc(slices.Clone(f.Interleaving), func(s artifact.FindingStep) bool { return s.Step == 0 })
	if len(steps) > 0 {
		return steps, nil
	}
	tr := p.bundle.TraceAt(f.Trace)
	if tr == nil {
		return nil, errors.New("the bundle has none")
	}
	plan := tr.Plan
	if plan == nil {
		i := slices.IndexFunc(queries, func(q artifact.Query) bool { return q.Number == f.Query })
		if i < 0 {
			return nil, fmt.Errorf("the bundle has no query %d", f.Query)
		}
		made, err := orchestrate.PlanOf(p.side, tr, queries[i])
		if err != nil {
			return nil, err
		}
		plan = &made
	}
	return orchestrate.Interleaving(p.side, *plan, orchestrate.Stuck(*plan)), nil
}

// fit makes a trace that fits into the room that is left.
func (p *page) fit(f artifact.Finding, steps []artifact.FindingStep, room *int) (Trace, bool) {
	var notes []string
	if n := boundedSteps(steps); n < len(steps) {
		notes = append(notes, fmt.Sprintf("only the first %d of %d steps are on this page", n, len(steps)))
		steps = steps[:n]
	}
	if *room < minTraceBytes || p.work < len(steps) {
		p.note("the steps of finding %d are not on this page, which would be too large", f.Number)
		return Trace{}, false
	}
	p.work -= len(steps)
	from := FromModel
	if slices.Contains([]string{artifact.Real, artifact.TimingDependent, artifact.Note}, f.Verdict) {
		from = FromRun
	}
	stages, why := p.stages(f, steps, from)
	if why != "" {
		notes = append(notes, why)
	}
	before := len(p.data.Sites)
	tr := p.trace(f, steps, stages, from)
	tr.Notes = append(notes, tr.Notes...)
	if tr.Notes == nil {
		tr.Notes = []string{}
	}
	if !cut(&tr, room, p.sizeWithSites(before)) {
		p.dropSites(before)
		p.note("the steps of finding %d are not on this page, which would be too large", f.Number)
		return Trace{}, false
	}
	p.keepSites(before, &tr)
	return tr, true
}

// sizeWithSites measures traces with those of their sites that have a number from some one on,
// which the page has for them alone.
func (p *page) sizeWithSites(from int) func(Trace) int {
	sizes := make([]int, len(p.data.Sites)-from)
	for i, s := range p.data.Sites[from:] {
		sizes[i] = len(encoded(s)) + 1 // a comma
	}
	return func(tr Trace) int {
		size, seen := len(encoded(tr)), make([]bool, len(sizes))
		tr.eachSite(func(i int) int {
			if i >= from && !seen[i-from] {
				seen[i-from] = true
				size += sizes[i-from]
			}
			return i
		})
		return size
	}
}

// keepSites drops the sites from some number on that a trace does not have, as those of steps that
// were left out, and gives the others new numbers.
func (p *page) keepSites(from int, tr *Trace) {
	used := map[int]bool{}
	tr.eachSite(func(i int) int {
		used[i] = true
		return i
	})
	sites, number := slices.Clone(p.data.Sites[from:]), map[int]int{}
	p.dropSites(from)
	for i, s := range sites {
		if used[from+i] {
			number[from+i] = p.site(s)
		}
	}
	tr.eachSite(func(i int) int {
		if i < from {
			return i
		}
		return number[i]
	})
}

// dropSites takes back the sites from some number on.
func (p *page) dropSites(from int) {
	for _, s := range p.data.Sites[from:] {
		delete(p.index, s)
	}
	p.data.Sites = p.data.Sites[:from]
}

// stages follows steps in the model. The text says what is not known since that cannot be done.
func (p *page) stages(f artifact.Finding, steps []artifact.FindingStep, from string) (*orchestrate.Stages, string) {
	const unknown = ": locations, queues, counters, variables and alternatives are not known"
	if p.follow == nil {
		return nil, p.noModel + unknown
	}
	if p.follow.Cells()*(len(steps)+1) > maxCells {
		return nil, "the model is too large to be followed for so many steps" + unknown
	}
	plan := artifact.Plan{Steps: make([]artifact.PlanStep, len(steps))}
	for i, s := range steps {
		plan.Steps[i] = artifact.PlanStep{G: s.G, Site: s.Site, Case: s.Case}
	}
	v := &orchestrate.Verdict{}
	if from == FromRun {
		v.Kind = f.Kind
		for _, g := range f.Goroutines {
			v.Goroutines = append(v.Goroutines, orchestrate.Goroutine{G: g.G, State: g.State, Site: g.Site})
		}
	}
	stages, err := p.follow.Stages(plan, v)
	switch {
	case err != nil:
		return nil, fmt.Sprintf("the model cannot be followed: %v", err) + unknown
	case stages.Fits:
		return stages, ""
	case len(stages.Stages) <= len(steps):
		return stages, fmt.Sprintf("%s; behind step %d%s", stages.Reason, len(stages.Stages)-1, unknown[1:])
	}
	return stages, stages.Reason + ": the last state is what was observed, as far as it was"
}

// site is the number of a point of the program.
func (p *page) site(s Site) int {
	s.Text, s.Func, s.File, s.Kind = short(s.Text), short(s.Func), short(s.File), short(s.Kind)
	if i, ok := p.index[s]; ok {
		return i
	}
	i := len(p.data.Sites)
	p.index[s] = i
	p.data.Sites = append(p.data.Sites, s)
	return i
}

// siteOf is the number of a site of the sidecar, -1 if there is none.
func (p *page) siteOf(id int) int {
	s, ok := p.side.Site(id)
	if !ok {
		return -1
	}
	return p.site(Site{s.Kind, s.Func, s.File, s.Line, s.Text})
}

// step is the number of the site of a step.
func (p *page) step(s artifact.FindingStep) int {
	if s.G == artifact.TimeStep {
		return -1
	}
	if k, ok := p.byKey[s.Site]; ok && s.Site != "" {
		return p.siteOf(k.ID)
	}
	return p.site(Site{Kind: s.Operation, File: s.File, Line: s.Line, Text: explain.OneLine(s.Text)})
}

// goroutineSite is the number of the site at which a goroutine is at the end.
func (p *page) goroutineSite(g artifact.FindingGoroutine) int {
	if k, ok := p.byKey[g.Site]; ok && g.Site != "" {
		return p.siteOf(k.ID)
	}
	return p.site(Site{Kind: g.Operation, Func: g.Func, File: g.File, Line: g.Line, Text: explain.OneLine(g.Text)})
}

// automata takes the automata that goroutines of the traces are processes of.
func (p *page) automata() {
	index := map[int]int{}
	room, left := maxAutomataBytes, 0
	for i := range p.data.Traces {
		for k := range p.data.Traces[i].Goroutines {
			g := &p.data.Traces[i].Goroutines[k]
			if g.Automaton < 0 {
				continue
			}
			at, ok := index[g.Automaton]
			if !ok {
				at = -1
				before := len(p.data.Sites)
				a := p.automaton(g.Automaton)
				if fits([]any{a, p.data.Sites[before:]}, &room) {
					at = len(p.data.Automata)
					p.data.Automata = append(p.data.Automata, a)
				} else {
					p.dropSites(before)
					left++
				}
				index[g.Automaton] = at
			}
			g.Automaton = at
		}
	}
	if left > 0 {
		p.note("%d automata are not on this page, which would be too large", left)
	}
}

// automaton is one of the model.
func (p *page) automaton(template int) Automaton {
	t, info := p.net.Templates[template], p.side.Templates[template]
	out := Automaton{Name: t.Name, Func: info.Func, Initial: slices.Index(t.Locations, t.Init), Locations: []Location{}, Edges: []Edge{}}
	index := map[*uppaal.Location]int{}
	for i, l := range t.Locations {
		index[l] = i
		out.Locations = append(out.Locations, Location{l.QueryName(), p.siteOf(info.Locations[i].Site), info.Locations[i].End, l.X, l.Y})
	}
	for i, e := range t.Edges {
		edge := Edge{From: index[e.From], To: index[e.To], Site: p.siteOf(info.Edges[i].Site)}
		if e.Guard != nil {
			edge.Guard = short(uppaal.ExprString(e.Guard))
		}
		if e.Sync != nil {
			edge.Sync = short(uppaal.SyncString(e.Sync))
		}
		edge.Update = short(uppaal.UpdateString(e.Update))
		out.Edges = append(out.Edges, edge)
	}
	return out
}

// files takes the source files in which sites are.
func (p *page) files() {
	var paths []string
	for _, s := range p.data.Sites {
		if s.File != "" && !slices.Contains(paths, s.File) {
			paths = append(paths, s.File)
		}
	}
	for _, f := range p.data.Findings {
		if f.File != "" && !slices.Contains(paths, f.File) {
			paths = append(paths, f.File)
		}
	}
	slices.Sort(paths)
	room, left := maxFileBytes, 0
	for _, path := range paths {
		text, ok := p.bundle.Read(artifact.SourceDir + "/" + path)
		if !ok {
			continue
		}
		f := File{Path: path, From: 1, Lines: strings.Split(strings.ToValidUTF8(string(text), "�"), "\n")}
		if !fits(f, &room) {
			left++
			continue
		}
		p.data.Files = append(p.data.Files, f)
	}
	if left > 0 {
		p.note("of %d source files only the lines of steps are on this page, which would be too large", left)
	}
}

// encoded is a value as JSON that can stand in an HTML page: "<" is escaped in it.
func encoded(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic("view: " + err.Error()) // there are only strings, numbers, lists and maps of them
	}
	return data
}

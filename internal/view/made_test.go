package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// pipeline is a bundle of a program with a producer and workers, which take messages from a channel
// and lock something, with a finding that comes about in so many steps. Nobody has run it.
type pipeline struct {
	workers, steps int
	text           func(string) string // edits the lines and names
	finding        func(f *artifact.Finding)
	model          func(string) string // edits the model
	more           []artifact.Site     // behind its own sites
}

// kinds of the sites: the producer's, then a worker's.
var pipelineSites = []struct{ kind, text string }{
	{"lock", "mu.Lock()"}, {"unlock", "mu.Unlock()"}, {"send", "jobs <- next()"},
	{"receive", "job := <-jobs"}, {"lock", "mu.Lock()"}, {"unlock", "mu.Unlock()"},
}

func (p pipeline) sites() []artifact.Site {
	edit := func(s string) string {
		if p.text == nil {
			return s
		}
		return p.text(s)
	}
	out := []artifact.Site{{}}
	add := func(kind, key, text string) {
		out = append(out, artifact.Site{ID: len(out), Kind: kind, Key: key, Func: edit("main.main"), File: edit("main.go"), Line: len(out), Col: 1, Text: edit(text)})
	}
	for i, s := range pipelineSites {
		add(s.kind, fmt.Sprintf("main#%d", i+1), s.text)
	}
	for i := range p.workers {
		add("go", fmt.Sprintf("go#%d", i), "go work(jobs)")
		add("start", fmt.Sprintf("go#%d.start", i), "go work(jobs)")
	}
	for _, s := range p.more {
		s.ID = len(out)
		out = append(out, s)
	}
	return out
}

// goSite is the number of the go statement of a worker.
func (pipeline) goSite(worker int) int { return len(pipelineSites) + 1 + 2*worker }

// template is a template of the model with its description, whose edges go from one location to
// another, as of the list.
func template(name string, locations []artifact.LocationInfo, edges []pipelineEdge) (string, artifact.TemplateInfo) {
	info := artifact.TemplateInfo{Name: name, Role: "goroutine", Locations: locations}
	var out strings.Builder
	fmt.Fprintf(&out, "<template><name>%s</name>", name)
	for i, l := range locations {
		fmt.Fprintf(&out, `<location id="%s%d" x="0" y="%d"><name>%s</name></location>`, name, i, 160*i, l.Name)
	}
	fmt.Fprintf(&out, `<init ref="%s0"/>`, name)
	for _, e := range edges {
		info.Edges = append(info.Edges, artifact.EdgeInfo{Site: e.site, Role: e.role})
		fmt.Fprintf(&out, `<transition><source ref="%s%d"/><target ref="%s%d"/>`, name, e.from, name, e.to)
		for _, l := range []struct{ kind, text string }{{"guard", e.guard}, {"synchronisation", e.sync}, {"assignment", e.update}} {
			if l.text != "" {
				fmt.Fprintf(&out, `<label kind="%s">%s</label>`, l.kind, strings.ReplaceAll(l.text, "<", "&lt;"))
			}
		}
		out.WriteString("</transition>")
	}
	return out.String() + "</template>", info
}

type pipelineEdge struct {
	from, to, site      int
	role                string
	guard, sync, update string
}

const (
	lock    = "mu_locked == 0"
	unlock  = "mu_locked = 0"
	buffer  = 4
	counter = 1000
)

// network is the model of the program, and what the sidecar says of it.
func (p pipeline) network() (string, []artifact.TemplateInfo) {
	decls := fmt.Sprintf("int[0,1] mu_locked; int[0,%d] ch_jobs_1_len; int[0,%d] total;", buffer, counter-1)
	locations := []artifact.LocationInfo{{Name: "L_lock", Site: 1, Blocking: true}, {Name: "L_unlock", Site: 2}, {Name: "L_send", Site: 3, Blocking: true}}
	edges := []pipelineEdge{
		{0, 1, 1, artifact.RoleOp, lock, "", fmt.Sprintf("mu_locked = 1, total = (total + 1) %% %d", counter)},
		{1, 2, 2, artifact.RoleOp, "", "", unlock},
		{2, 0, 3, artifact.RoleOp, fmt.Sprintf("ch_jobs_1_len < %d", buffer), "", "ch_jobs_1_len = ch_jobs_1_len + 1"},
	}
	// The workers are started first.
	var starts []artifact.LocationInfo
	for i := range p.workers {
		starts = append(starts, artifact.LocationInfo{Name: fmt.Sprintf("L_go_%d", i), Site: p.goSite(i)})
	}
	for i := range edges {
		edges[i].from, edges[i].to = edges[i].from+p.workers, edges[i].to+p.workers
	}
	for i := range p.workers {
		edges = append(edges, pipelineEdge{i, i + 1, p.goSite(i), artifact.RoleOp, "", fmt.Sprintf("go_%d!", i), ""})
	}
	var text strings.Builder
	var infos []artifact.TemplateInfo
	add := func(name string, l []artifact.LocationInfo, e []pipelineEdge) {
		xml, info := template(name, l, e)
		text.WriteString(xml)
		infos = append(infos, info)
	}
	add("T_main", append(starts, locations...), edges)
	system := "system T_main"
	for i := range p.workers {
		decls += fmt.Sprintf("chan go_%d;", i)
		name := fmt.Sprintf("T_work_%d", i)
		add(name, []artifact.LocationInfo{{Name: "L_idle"}, {Name: "L_start", Site: p.goSite(i) + 1}, {Name: "L_receive", Site: 4, Blocking: true}, {Name: "L_lock", Site: 5, Blocking: true}, {Name: "L_unlock", Site: 6}}, []pipelineEdge{
			{0, 1, 0, artifact.RoleBirth, "", fmt.Sprintf("go_%d?", i), ""},
			{1, 2, p.goSite(i) + 1, artifact.RoleStart, "", "", ""},
			{2, 3, 4, artifact.RoleOp, "0 < ch_jobs_1_len", "", "ch_jobs_1_len = ch_jobs_1_len - 1"},
			{3, 4, 5, artifact.RoleOp, lock, "", "mu_locked = 1"},
			{4, 2, 6, artifact.RoleOp, "", "", unlock},
		})
		system += ", " + name
	}
	return "<nta><declaration>" + strings.ReplaceAll(decls, "<", "&lt;") + "</declaration>" + text.String() + "<system>" + system + ";</system></nta>", infos
}

// interleaving is what the goroutines do: the producer and the workers in turn.
func (p pipeline) interleaving() []artifact.FindingStep {
	sites := p.sites()
	var out []artifact.FindingStep
	do := func(g string, site int) {
		s := sites[site]
		if len(out) < p.steps {
			out = append(out, artifact.FindingStep{Step: len(out) + 1, G: g, Site: s.Key, Operation: s.Kind, File: s.File, Line: s.Line, Text: s.Text})
		}
	}
	for i := range p.workers {
		do("0", p.goSite(i))
	}
	for i := range p.workers {
		do(fmt.Sprintf("0.%d", i+1), p.goSite(i)+1)
	}
	for i := 0; len(out) < p.steps; i++ {
		for site := 1; site <= 3; site++ {
			do("0", site)
		}
		for site := 4; site <= 6; site++ {
			do(fmt.Sprintf("0.%d", i%p.workers+1), site)
		}
	}
	return out
}

func (p pipeline) bundle(t *testing.T) *artifact.Bundle {
	t.Helper()
	model, infos := p.network()
	if p.model != nil {
		model = p.model(model)
	}
	entry := artifact.Entry{Package: "example.com/pipeline", Func: "main"}
	b := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Tool: "devel", Go: "go1.26.0", Entry: entry})
	b.SetModel([]byte(model))
	b.SetSidecar(&artifact.Sidecar{Entry: entry, Sites: p.sites(), Templates: infos})
	b.SetQueries([]artifact.Query{})
	f := artifact.Finding{Number: 1, Verdict: artifact.Real, Kind: artifact.KindTestFailure, File: "main.go", Line: 1, Message: "it fails", Interleaving: p.interleaving()}
	if p.finding != nil {
		p.finding(&f)
	}
	b.SetFindings([]artifact.Finding{f})
	b.AddSource("main.go", []byte(strings.Repeat("// a line\n", 20)))
	out, err := b.Bundle()
	require.NoError(t, err)
	return out
}

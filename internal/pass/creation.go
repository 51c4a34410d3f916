package pass

import (
	"cmp"
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/creation"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/sites"
)

// maker says of findings where the objects were made that they are about.
type maker struct {
	program *program
	places  *creation.Program
	byKey   map[string]artifact.Site
	source  func(file string) ([]byte, bool)
}

// addCreations notes where the objects were made that the goroutines of a finding, which are those of a run, wait
// for, or have panicked on.
func (d *deep) addCreations(f *artifact.Finding, v *orchestrate.Verdict) {
	if !asksForCreations(f) {
		return
	}
	functions, err := d.functions(cmp.Or(d.opts.soft, context.Background()))
	if err != nil {
		return // the time is over, and an explanation takes none of what comes behind
	}
	if d.creations == nil {
		d.creations = creation.New(functions, d.program.sites)
	}
	(&maker{d.program, d.creations, orchestrate.SitesByKey(d.side), d.source}).add(f, v)
}

// maker prepares a program that is only run.
func (p *program) maker(ctx context.Context, opts Options, side *artifact.Sidecar) (*maker, error) {
	prepared, err := p.prepare(ctx, opts)
	if err != nil {
		return nil, err
	}
	files, err := p.source.Files()
	if err != nil {
		return nil, err
	}
	text := map[string][]byte{}
	for _, f := range files {
		text[f.Path] = f.Data
	}
	source := func(file string) ([]byte, bool) { data, ok := text[file]; return data, ok }
	return &maker{p, creation.New(frames.New(p.source, prepared.SSA()), p.sites), orchestrate.SitesByKey(side), source}, nil
}

// asksForCreations reports whether a finding has goroutines that wait for something, or have panicked on it, or steps
// that work on channels.
func asksForCreations(f *artifact.Finding) bool {
	return slices.ContainsFunc(f.Goroutines, func(g artifact.FindingGoroutine) bool { return g.State == artifact.StateBlocked || g.Closed != nil }) ||
		slices.ContainsFunc(f.Interleaving, worksOnChannel)
}

// worksOnChannel reports whether a step works on a single channel.
func worksOnChannel(s artifact.FindingStep) bool {
	return strings.HasPrefix(s.Object, channelPrefix) && !strings.Contains(s.Object, ", ")
}

// channelPrefix is how the names of channels begin in findings.
const channelPrefix = "chan#"

// maxMade is of how many channels, besides those that goroutines wait for, it is said where they were made.
const maxMade = 6

// addChannels notes where the channels were made that only steps of the interleaving work on.
func (m *maker) addChannels(f *artifact.Finding) {
	known := func(object string) bool {
		return slices.ContainsFunc(explain.Made(*f), func(o artifact.FindingObject) bool { return o.Object == object })
	}
	places := map[string][]token.Pos{} // by site: a loop comes there again and again
	for _, s := range f.Interleaving {
		if len(f.Made) == maxMade {
			return
		}
		site, ok := m.byKey[s.Site]
		if !ok || !worksOnChannel(s) || known(s.Object) {
			continue
		}
		at, ok := places[s.Site]
		if !ok {
			at = m.places.At(sites.ID(site.ID))
			places[s.Site] = at
		}
		if len(at) == 1 && at[0].IsValid() {
			o := m.object(s.Object, at[0])
			o.Expression = explain.Operand(sites.Named(s.Operation), s.Text)
			f.Made = append(f.Made, o)
		}
	}
}

// object is one that was made at a position.
func (m *maker) object(name string, pos token.Pos) artifact.FindingObject {
	p := m.program.source.Fset.PositionFor(pos, false)
	o := artifact.FindingObject{Object: name, File: m.program.source.Rel(p.Filename), Line: p.Line, Variable: m.variable(pos)}
	if text, ok := m.source(o.File); ok {
		if lines := strings.Split(string(text), "\n"); p.Line <= len(lines) {
			o.Text = strings.TrimSpace(lines[p.Line-1])
		}
	}
	return o
}

// add notes where the objects of a finding were made. What others owe to a goroutine is known by the names of
// objects: that which was made elsewhere is another one with that name.
func (m *maker) add(f *artifact.Finding, v *orchestrate.Verdict) {
	for i, g := range v.Goroutines {
		at := &f.Goroutines[i]
		if at.State != artifact.StateBlocked && at.Closed == nil {
			continue
		}
		key := g.Site
		if key == "" && g.G == v.G {
			key = v.Site
		}
		site, ok := m.byKey[key]
		if !ok || key == "" {
			continue
		}
		objects := strings.Split(at.Object, ", ") // of a select, those of its cases
		if at.Closed != nil {
			objects = []string{at.Closed.Object}
		}
		places := m.places.Of(sites.ID(site.ID), g.Stack, creators(g, v))
		if len(places) != len(objects) {
			continue
		}
		for k, pos := range places {
			if !pos.IsValid() {
				continue
			}
			o := m.object(objects[k], pos)
			switch {
			case len(at.Cases) == len(places):
				o.Expression = explain.Channel(at.Cases[k])
			case at.Closed != nil:
				o.Expression = explain.Operand(sites.Close, at.Closed.Text)
			default:
				o.Expression = explain.Operand(sites.Named(site.Kind), site.Text)
			}
			at.Made = append(at.Made, o)
		}
		if len(places) == 1 && places[0].IsValid() {
			at.Owed = slices.DeleteFunc(at.Owed, func(a artifact.FindingAct) bool {
				other := m.places.At(sites.ID(m.byKey[a.Site].ID))
				return len(other) == 1 && other[0].IsValid() && other[0] != places[0]
			})
		}
	}
	m.addChannels(f)
}

// variable is that which is made at a position, or to which what is made there is assigned; "" if there is none.
func (m *maker) variable(pos token.Pos) string {
	for _, p := range m.program.source.Packages {
		for _, file := range p.Syntax {
			if file.FileStart <= pos && pos < file.FileEnd {
				return variableAt(file, pos)
			}
		}
	}
	return ""
}

// variableAt is the variable that a position in a file is in the declaration of, or in a value of.
func variableAt(file *ast.File, pos token.Pos) (name string) {
	within := func(n ast.Node) bool { return n.Pos() <= pos && pos < n.End() }
	value := func(names, values []ast.Expr) {
		for i, v := range values {
			if within(v) && len(names) == len(values) {
				name = types.ExprString(names[i])
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || !within(n) {
			return false
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			value(n.Lhs, n.Rhs)
		case *ast.ValueSpec:
			var names []ast.Expr
			for _, id := range n.Names {
				names = append(names, id)
			}
			value(names, n.Values)
		case *ast.FuncLit, *ast.ReturnStmt:
			name = ""
		case *ast.CallExpr:
			if n.Lparen == pos {
				return false // which makes it
			}
			name = ""
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				switch kv, ok := e.(*ast.KeyValueExpr); {
				case !within(e):
				case !ok:
					name = ""
				case name != "":
					name += "." + types.ExprString(kv.Key)
				default:
					name = types.ExprString(kv.Key)
				}
			}
		case *ast.Ident:
			name = n.Name
		}
		return true
	})
	return name
}

// FindingOf is what a run has shown that has ended with an error of a kind at a site, with these goroutines. The places
// are those of the sites with these keys.
func FindingOf(byKey map[string]artifact.Site, kind, site string, goroutines []orchestrate.Goroutine) artifact.Finding {
	at := byKey[site]
	f := artifact.Finding{Kind: kind, File: at.File, Line: at.Line}
	for _, g := range goroutines {
		f.Goroutines = append(f.Goroutines, g.Finding(byKey))
	}
	return f
}

// endFindings are what the ends of runs have shown, as findings with a cause. Where objects were made is left out if the
// time is over, or the source cannot be read.
func (p *program) endFindings(ctx context.Context, opts Options, side *artifact.Sidecar, ends []orchestrate.End) []artifact.Finding {
	byKey := orchestrate.SitesByKey(side)
	var makes *maker
	var err error
	out := make([]artifact.Finding, len(ends))
	for i, e := range ends {
		f := FindingOf(byKey, e.Kind, e.Site, e.Goroutines)
		f.Message = e.Message
		if e.Replay != nil {
			orchestrate.AddStarts(side, e.Replay.Trace, f.Goroutines)
			plan := e.Plan
			plan.Steps = orchestrate.Passed(side, plan.Steps, e.Replay.Trace)
			f.Interleaving = orchestrate.Interleaving(side, plan, orchestrate.StuckAt(f.Goroutines))
			orchestrate.AddResults(f.Interleaving, e.Replay)
			orchestrate.AddOwed(side, f.Interleaving, f.Goroutines)
		}
		if e.Status == orchestrate.Completed {
			if makes == nil && err == nil && asksForCreations(&f) {
				makes, err = p.maker(ctx, opts, side)
			}
			if makes != nil {
				makes.add(&f, &orchestrate.Verdict{Goroutines: e.Goroutines, G: e.G, Site: e.Site})
			}
			f.Cause = explain.Cause(f)
		}
		out[i] = f
	}
	return out
}

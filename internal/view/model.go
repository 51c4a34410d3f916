package view

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Model is a network of automata with a trace of it, which may come from another tool.
type Model struct {
	Name    string // of the file that the network was read from
	Text    string // of that file, if it is in the textual format
	Network *uppaal.Network
	Trace   *check.Trace
	From    string // what the trace comes from, in words
	Tool    string // version of vtrace
}

// WriteModel writes the page of a trace of a model: lanes are processes. The errors are
// those of [OfModel] and of the writer.
func WriteModel(w io.Writer, m Model) error {
	d, err := OfModel(m)
	if err != nil {
		return err
	}
	_, err = w.Write(d.page())
	return err
}

// OfModel is what the page of a trace of a model shows. The error is that the network is
// wrong, or that not even one step of the trace fits on a page.
func OfModel(m Model) (*Data, error) {
	info, err := uppaal.Check(m.Network)
	if err != nil {
		return nil, err
	}
	x := &modelPage{info: info, trace: m.Trace, places: map[any]int{}, values: map[string]int{}, name: short(filepath.Base(m.Name))}
	x.data = Data{
		Version: Version, Model: true,
		Program: Program{Package: x.name, Pass: "model", Tool: short(m.Tool)},
		Notes:   []string{}, Sites: []Site{}, Files: []File{}, Findings: []Finding{}, Traces: []Trace{}, Automata: []Automaton{},
	}
	x.data.Program.Digest = x.lines(m)
	x.data.Findings = append(x.data.Findings, Finding{
		Number: 1, Verdict: "trace", Kind: "of a model", Message: short(fmt.Sprintf("%s: %d steps of %d processes", m.From, len(m.Trace.Steps), len(info.Processes))),
	})
	tr, err := x.steps()
	if err != nil {
		return nil, err
	}
	x.automata(&tr)
	room := maxTraceBytes - len(encoded(x.data.Sites))
	if !cut(&tr, &room, func(tr Trace) int { return len(encoded(tr)) }) {
		return nil, errors.New("the trace does not fit on a page: the model has too many processes or variables")
	}
	x.data.Traces = append(x.data.Traces, tr)
	return &x.data, nil
}

// modelPage collects what the page of a model shows.
type modelPage struct {
	info   *uppaal.Info
	trace  *check.Trace
	name   string
	data   Data
	out    Trace
	places map[any]int // sites, by location or edge
	values map[string]int
	at     map[any]int // the lines of locations and edges
	text   int         // bytes of sites
}

// lines finds out where locations and edges are: in the file, if it is text, or in the text that
// the network is printed as. It gives a digest of that text.
func (x *modelPage) lines(m Model) string {
	net, text := m.Network, m.Text
	x.at = map[any]int{}
	here := net
	if text == "" {
		var b bytes.Buffer
		if err := uppaal.WriteXTA(&b, net); err != nil {
			return ""
		}
		printed, err := uppaal.ReadXTA(bytes.NewReader(b.Bytes()), "")
		if err != nil {
			return ""
		}
		here, text = printed, b.String()
		x.name = strings.TrimSuffix(x.name, path.Ext(x.name)) + ".xta"
	}
	for _, p := range x.info.Processes { // whose templates may be copies
		i := slices.Index(net.Templates, p.Original)
		for k, l := range p.Template.Locations {
			x.at[l] = here.Templates[i].Locations[k].Pos.Line
		}
		for k, e := range p.Template.Edges {
			x.at[e] = here.Templates[i].Edges[k].Pos.Line
		}
	}
	room := maxFileBytes
	f := File{Path: x.name, From: 1, Lines: strings.Split(strings.ToValidUTF8(text, "�"), "\n")}
	if fits(f, &room) {
		x.data.Files = append(x.data.Files, f)
	}
	sum := sha256.Sum256([]byte(text))
	return fmt.Sprintf("%x", sum)
}

// maxSiteBytes bounds the sites of a page of a model.
const maxSiteBytes = 300_000

// site is the number of a location or an edge.
func (x *modelPage) site(of any, kind, text string) int {
	if i, ok := x.places[of]; ok {
		return i
	}
	s := Site{Kind: kind, Text: short(text)}
	line := x.at[of]
	if c, ok := of.(chosen); ok {
		line = x.at[c.edge]
	}
	if line > 0 {
		s.File, s.Line = x.name, line
	}
	n := len(encoded(s))
	if x.text+n > maxSiteBytes {
		x.places[of] = -1
		return -1
	}
	x.text += n
	i := len(x.data.Sites)
	x.data.Sites = append(x.data.Sites, s)
	x.places[of] = i
	return i
}

// chosen is an edge with selected values, in words.
type chosen struct {
	edge   *uppaal.Edge
	values string
}

func (x *modelPage) location(l *uppaal.Location) int {
	text := l.QueryName()
	if l.Comment != "" {
		text += "  // " + strings.TrimSpace(l.Comment)
	}
	return x.site(l, "location", text)
}

// edge is the number of what a part of a step does: an edge with selected values.
func (x *modelPage) edge(p check.Part) int {
	e := x.info.Processes[p.Process].Template.Edges[p.Edge]
	text := e.From.QueryName() + " > " + e.To.QueryName()
	if e.Sync != nil {
		text += "  " + uppaal.SyncString(e.Sync)
	}
	if e.Guard != nil {
		text += "  [" + uppaal.ExprString(e.Guard) + "]"
	}
	if len(e.Update) > 0 {
		text += "  " + uppaal.UpdateString(e.Update)
	}
	selected := ""
	for i, v := range p.Select {
		selected += fmt.Sprintf("  %s = %d", e.Select[i].Name, v)
	}
	return x.site(chosen{e, selected}, "edge", text+selected)
}

// value is the number of a value.
func (x *modelPage) value(v any) int { return numberOf(v, x.values, &x.out.Values) }

// steps makes the trace of the page.
func (x *modelPage) steps() (Trace, error) {
	t, lanes := x.trace, len(x.info.Processes)
	if lanes == 0 || len(t.States) != len(t.Steps)+1 {
		return Trace{}, errors.New("the trace has no states")
	}
	n := min(len(t.Steps), maxSteps, maxLanes/lanes, maxCells/(lanes+len(t.States[0].Vars))-1)
	if n < 1 && len(t.Steps) > 0 {
		return Trace{}, errors.New("the trace does not fit on a page: the model has too many processes or variables")
	}
	x.out = Trace{
		From: FromModel, Notes: []string{}, Goroutines: []Goroutine{}, Objects: []Object{}, Variables: []Variable{}, Steps: []Step{}, Arrows: []Arrow{},
		Values: []any{}, Alternatives: []Alternative{}, AlternativeSets: [][]int{}, Shown: n,
	}
	if n < len(t.Steps) {
		x.out.Notes = append(x.out.Notes, fmt.Sprintf("only the first %d of %d steps are on this page", n, len(t.Steps)))
	}
	process := map[string]int{}
	for i, p := range x.info.Processes {
		process[p.Name] = i
		x.out.Goroutines = append(x.out.Goroutines, Goroutine{Name: short(p.Name), By: -1, Site: -1, Automaton: -1})
	}
	for _, v := range t.States[0].Vars {
		out := Variable{Name: short(v.Name)}
		if owner, name, ok := strings.Cut(v.Name, "."); ok {
			if i, ok := process[owner]; ok {
				out = Variable{Name: short(name), Process: short(owner), Goroutines: []int{i}}
			}
		}
		x.out.Variables = append(x.out.Variables, out)
	}
	x.out.Start = x.changes(nil, &t.States[0])
	for k, s := range t.Steps[:n] {
		first := s.Parts[0]
		e := x.info.Processes[first.Process].Template.Edges[first.Edge]
		step := Step{Goroutine: first.Process, Site: x.edge(first), Set: x.changes(&t.States[k], &t.States[k+1])}
		for _, p := range s.Parts[1:] {
			x.out.Arrows = append(x.out.Arrows, Arrow{
				Kind: ArrowMessage, From: first.Process, FromStep: k + 1, To: p.Process, ToStep: k + 1, Object: -1, Text: short(uppaal.ExprString(e.Sync.Chan)),
			})
		}
		x.out.Steps = append(x.out.Steps, step)
	}
	x.alternatives(n)
	return x.out, nil
}

// changes is what is different in a state; before is nil for the first one.
func (x *modelPage) changes(before, now *check.State) State {
	set := State{}
	for i, l := range now.Locations {
		if before != nil && before.Locations[i] == l {
			continue
		}
		at := slices.Index(x.info.Processes[i].Template.Locations, l) + 1
		set[goroutineKey(i)] = x.value(GoroutineState{At: x.location(l), Is: Ready, Location: at})
	}
	for i, v := range now.Vars {
		if before == nil || before.Vars[i].Value != v.Value {
			set[variableKey(i)] = x.value(int(v.Value))
		}
	}
	return set
}

// alternatives follows the trace in the network and notes what else could have been done in each
// step, as far as that does not take too much work.
func (x *modelPage) alternatives(n int) {
	unknown := func(k int, err error) {
		x.out.Notes = append(x.out.Notes, short(fmt.Sprintf("what else could have been done behind step %d is not known: %v", k, err)))
		x.out.AlternativeSets = append(x.out.AlternativeSets, []int{-1})
		for ; k < n; k++ {
			x.out.Steps[k].Alternatives = len(x.out.AlternativeSets)
		}
	}
	w, err := check.NewWalk(context.Background(), x.info.Network)
	if err != nil {
		unknown(0, err)
		return
	}
	w.Bound(maxWork)
	at := w.Initial()
	index, sets := map[Alternative]int{}, map[string]int{}
	for k, s := range x.trace.Steps[:n] {
		moves, err := w.Moves(at)
		if err != nil {
			unknown(k, err)
			return
		}
		taken := slices.IndexFunc(moves, func(m check.Move) bool { return sameStep(m.Step, s) })
		if taken < 0 {
			unknown(k, errors.New("the network does not have the step"))
			return
		}
		var list []int
		for i, m := range moves {
			first := m.Step.Parts[0]
			a := Alternative{Goroutine: first.Process, With: -1, Site: x.edge(first)}
			if len(m.Step.Parts) > 1 {
				a.With = m.Step.Parts[1].Process
			}
			number, ok := index[a]
			if !ok {
				number = len(x.out.Alternatives)
				index[a] = number
				x.out.Alternatives = append(x.out.Alternatives, a)
			}
			if i == taken || slices.Contains(list, number) {
				continue
			}
			if len(list) == maxOthers {
				list = append(list, -1)
				break
			}
			list = append(list, number)
		}
		if len(list) > 0 {
			key := fmt.Sprint(list)
			if sets[key] == 0 {
				x.out.AlternativeSets = append(x.out.AlternativeSets, list)
				sets[key] = len(x.out.AlternativeSets)
			}
			x.out.Steps[k].Alternatives = sets[key]
		}
		at = moves[taken].To
	}
}

func sameStep(a, b check.Step) bool {
	return slices.EqualFunc(a.Parts, b.Parts, func(p, q check.Part) bool {
		return p.Process == q.Process && p.Edge == q.Edge && slices.Equal(p.Select, q.Select)
	})
}

// automata takes the automata of the processes, laid out as in XML.
func (x *modelPage) automata(tr *Trace) {
	laid := x.info.Network
	var b bytes.Buffer
	if err := uppaal.WriteXML(&b, x.info.Network); err == nil {
		if again, err := uppaal.ReadXML(&b); again != nil && err == nil {
			laid = again
		}
	}
	room, left := maxAutomataBytes, 0
	number := map[*uppaal.Template]int{}
	for i, p := range x.info.Processes {
		k, ok := number[p.Template]
		if !ok {
			k = len(x.data.Automata)
			a := automatonOf(p.Template, laid.Templates[slices.Index(x.info.Network.Templates, p.Original)])
			if fits(a, &room) {
				x.data.Automata = append(x.data.Automata, a)
			} else {
				k = -1
				left++
			}
			number[p.Template] = k
		}
		tr.Goroutines[i].Automaton = k
	}
	if left > 0 {
		x.data.Notes = append(x.data.Notes, fmt.Sprintf("%d automata are not on this page, which would be too large", left))
	}
}

// automatonOf is an automaton with the coordinates of another copy of it.
func automatonOf(t, laid *uppaal.Template) Automaton {
	out := Automaton{Name: short(t.Name), Initial: slices.Index(t.Locations, t.Init), Locations: []Location{}, Edges: []Edge{}}
	index := map[*uppaal.Location]int{}
	for i, l := range t.Locations {
		index[l] = i
		out.Locations = append(out.Locations, Location{Name: short(l.QueryName()), Site: -1, X: laid.Locations[i].X, Y: laid.Locations[i].Y})
	}
	for _, e := range t.Edges {
		edge := Edge{From: index[e.From], To: index[e.To], Site: -1, Update: short(uppaal.UpdateString(e.Update))}
		if e.Guard != nil {
			edge.Guard = short(uppaal.ExprString(e.Guard))
		}
		if e.Sync != nil {
			edge.Sync = short(uppaal.SyncString(e.Sync))
		}
		out.Edges = append(out.Edges, edge)
	}
	return out
}

package dump

import (
	"cmp"
	"fmt"
	"go/token"
	"io"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A printer writes lines. Errors of its writer are those of the writer to keep: it is a buffer.
type printer struct {
	w    io.Writer
	prog *program.Program
	idx  *sites.Index
}

// line writes one, behind two blanks for each level.
func (p *printer) line(level int, format string, args ...any) {
	text := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	fmt.Fprintf(p.w, "%s%s\n", strings.Repeat("  ", level), text)
}

// at is a position with its file relative to the module root, "-" for none.
func (p *printer) at(pos token.Pos) string {
	if !pos.IsValid() {
		return "-"
	}
	return p.prog.Position(pos).String()
}

// name is that of a function, without its package if that is the program's own.
func (p *printer) name(f *ssa.Function) string {
	if in := p.prog.Entry.Pkg; in != nil {
		return f.RelString(in.Pkg)
	}
	return f.String()
}

// site is the position of a guard, "" for none.
func (p *printer) site(id sites.ID) string {
	if id == 0 {
		return ""
	}
	s := p.idx.Site(id)
	return fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Col)
}

// Slice prints the functions of which something is kept, with their instructions that are: those that
// are executed for their effect have an exclamation mark.
func Slice(w io.Writer, prog *program.Program, sl *relevance.Slice) {
	p := &printer{w: w, prog: prog}
	for _, f := range prog.Funcs {
		if !sl.Funcs[f] {
			continue
		}
		p.line(0, "func %s %s", p.name(f), p.at(f.Pos()))
		given := func(v ssa.Value) {
			if sl.Values[v] {
				p.line(1, "  %s %s", v.Name(), v.Type())
			}
		}
		for _, v := range f.Params {
			given(v)
		}
		for _, v := range f.FreeVars {
			given(v)
		}
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				v, _ := instr.(ssa.Value)
				switch {
				case sl.Instrs[instr]:
					p.line(1, "! %s %s", p.at(prog.Function(f).Positions[instr]), instruction(instr))
				case v != nil && sl.Values[v]:
					p.line(1, "  %s %s", p.at(prog.Function(f).Positions[instr]), instruction(instr))
				}
			}
		}
	}
	p.line(0, "memory")
	var classes []string
	for c := range sl.Classes {
		classes = append(classes, c.String())
	}
	slices.Sort(classes)
	for _, c := range classes {
		p.line(1, "%s", c)
	}
}

// instruction is the text of one, with the name of its value.
func instruction(instr ssa.Instruction) string {
	if v, ok := instr.(ssa.Value); ok && v.Name() != "" {
		return v.Name() + " = " + instr.String()
	}
	return instr.String()
}

// Assumptions prints what one attempt takes for true of the whole program.
func Assumptions(w io.Writer, prog *program.Program, idx *sites.Index, taken *exploration.Assumptions) {
	p := &printer{w: w, prog: prog, idx: idx}
	for _, a := range taken.List() {
		where := p.at(a.Pos)
		if a.Site != 0 {
			where = p.site(a.Site)
		}
		if where == "-" {
			where = ""
		}
		p.line(1, "%s %s", a.What, where)
	}
}

// Solution prints the templates with their locations, and memory.
func Solution(w io.Writer, x *exploration.Explorer) {
	p := &printer{w: w, prog: x.Program, idx: x.Sites}
	for _, t := range x.Templates {
		p.template(x.Memory, t)
	}
	p.line(0, "memory")
	for _, o := range x.Memory.Objects() {
		p.object(x.Memory, o)
	}
}

func (p *printer) template(m *state.Memory, t *state.Template) {
	about := []string{fmt.Sprintf("%d at a time", t.Slots)}
	for _, is := range []struct {
		so   bool
		what string
	}{{t.Once, "once in a run"}, {t.Daemon, "of the initialisation"}, {t.Serial, "serial"}} {
		if is.so {
			about = append(about, is.what)
		}
	}
	started := ""
	if t.Parent != nil {
		started = fmt.Sprintf(", started by template %d at %s", t.Parent.Index, p.at(t.Origin.Pos()))
	}
	p.line(0, "template %d %s (%s)%s", t.Index, t.Name, strings.Join(about, ", "), started)
	for i, k := range t.Handed {
		p.line(1, "handed over %s", p.holds(m, t.Variable(k, func() string { return "argument" }).Name, t.Args[i], t.Refs[i]))
	}
	for _, l := range t.Locations {
		if l.Seen || l.Kind == state.AtSink {
			p.location(m, l)
		}
	}
}

func (p *printer) location(m *state.Memory, l *state.Location) {
	where := p.site(l.Site)
	if l.Sink != nil && where == "" && l.Sink.Pos.IsValid() {
		where = p.at(l.Sink.Pos)
	}
	about := ""
	if l.Alone {
		about += " alone"
	}
	if l.Serial {
		about += " serial"
	}
	if l.Variant != "" {
		about += " numbers " + l.Variant
	}
	op := l.Op
	if l.Sink != nil {
		op = "end: " + strings.Join(strings.Fields(string(l.Sink.End)+" "+l.Sink.Kind+" "+l.Sink.Detail), " ")
	}
	p.line(1, "%d %s %s%s", l.Index, op, where, about)
	if from := p.from(l); from != "" {
		p.line(2, "from %s", from)
	}
	for _, f := range l.Frames {
		if f.Call.Fn != nil {
			p.line(2, "in %s%s", p.name(f.Call.Fn), p.state(f))
		} else if f.Op != nil {
			p.line(2, "in %s%s", f.Op.Name, p.state(f))
		}
	}
	for _, h := range l.Held {
		how := "for reading"
		if h.Write {
			how = "for writing"
		}
		p.line(2, "holds %s %s", m.Cells[h.Addr].Name, how)
	}
	for i, lv := range l.Live {
		note := ""
		if l.Saturates[i] {
			note = ", its greatest value for those beyond the limits"
		}
		p.line(2, "%s%s", p.holds(m, lv.Variable.Name, l.In[i], lv.Variable.Refs), note)
	}
	l.Contents.Differing(nil, func(addr int32, a, _ *sym.Set) {
		if c := m.Cells[addr]; a != nil && l.Knows(c) && !c.Loose && !a.Equal(c.Abs) {
			p.line(2, "memory %s", p.holds(m, c.Name, *a, c.Ref))
		}
	})
}

// from lists the locations from which paths come to one, of its own template by their numbers.
func (p *printer) from(l *state.Location) string {
	var from []*state.Location
	for k := range l.Visits {
		if k != nil {
			from = append(from, k)
		}
	}
	slices.SortFunc(from, func(a, b *state.Location) int { return cmp.Compare(a.Index, b.Index) })
	var out []string
	for _, k := range from {
		out = append(out, fmt.Sprint(k.Index))
	}
	return strings.Join(out, ", ")
}

// state is what is special about an activation.
func (p *printer) state(f *state.Frame) string {
	out := ""
	if n := len(f.Defers); n > 0 {
		out += fmt.Sprintf(", %d deferred", n)
	}
	if f.Running {
		out += ", returning"
	}
	if u := f.Unwind; u != nil && u.Goexit {
		out += ", ends its goroutine"
	} else if u != nil {
		out += ", panics"
	}
	return out
}

// object prints one, with those of its cells that something is known of.
func (p *printer) object(m *state.Memory, o *state.Object) {
	about := objectKinds[o.Kind]
	if o.Kind == state.ChannelObject {
		about = fmt.Sprintf("channel of capacity %d", o.Cap)
	}
	if o.Pool != nil {
		about += fmt.Sprintf(", one of %d of its allocation", len(o.Pool.Objects))
	}
	p.line(1, "%d %s (%s) %s", o.Base, o.Name, about, p.at(o.Pos))
	if o.WriteOnly {
		return // one cell stands for all, of which nothing is known
	}
	for _, c := range m.Cells[o.Base : o.Base+o.Size] {
		var notes []string
		for _, is := range []struct {
			so   bool
			what string
		}{{c.Fix, "fixed range"}, {c.Confined, "its greatest value for those beyond the limits"}, {c.Outside != "", c.Outside}} {
			if is.so {
				notes = append(notes, is.what)
			}
		}
		if c.Outside == "" && !c.Open {
			notes = append(notes, fmt.Sprintf("%d at first", c.Init))
		}
		p.line(2, "%s (%s)", p.holds(m, c.Name, c.Abs, c.Ref), strings.Join(notes, ", "))
	}
}

// objectKinds are the kinds of objects in words.
var objectKinds = map[state.ObjectKind]string{
	state.DataObject: "data", state.ChannelObject: "channel", state.FunctionObject: "function", state.ClosureObject: "closure", state.OpaqueObject: "opaque",
}

// holds says what a variable or cell can hold: numbers, or the cells that it refers to.
func (p *printer) holds(m *state.Memory, name string, a sym.Set, refs bool) string {
	if !refs || a.Top || a.Interval {
		return name + " " + a.String()
	}
	var to []string
	for _, k := range a.Elems {
		switch {
		case k == 0:
			to = append(to, "nil")
		case m.Object(k) != nil && m.Object(k).Base == k:
			to = append(to, "&"+m.Object(k).Name)
		case m.Object(k) != nil:
			to = append(to, "&"+m.Cells[k].Name)
		default:
			to = append(to, fmt.Sprint(k))
		}
	}
	return name + " {" + strings.Join(to, ", ") + "}"
}

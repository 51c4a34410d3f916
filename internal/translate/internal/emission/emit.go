package emission

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/disallow"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Input is the finished state of a translation, and what is known of the model besides.
type Input struct {
	Program   *program.Program
	Sites     *sites.Index
	Annotated []*program.Annotation
	Templates []*state.Template // the first is that of the entry
	Memory    *state.Memory
	// Time is a template with one location, for what happens by itself as time passes.
	Time *state.Template
	// Accesses are the statements that are guards since they touch shared memory, sorted.
	Accesses []int
	Bounds   []*state.Bound // of the sites whose bounds are smaller than asked for, in order
	// Limited are the cells of which somebody asks whether they are saturated.
	Limited map[*state.Cell]bool
	// Approximations are those known so far. Conditional are the numbers of those that the
	// model has only where something is saturated.
	Approximations []artifact.Approximation
	Conditional    []int

	// Proto, Hash, Portable and Categories are as in the options of the translation.
	Proto, Hash, Portable bool
	Categories            []string // nil for all
}

// Model is a network, the queries about it, and what leads from it back to the program.
type Model struct {
	Network  *uppaal.Network
	Queries  []artifact.Query
	Formulas []*uppaal.Query // of these
	Sidecar  artifact.Sidecar
	Written  int // expressions of the network
}

// Emit makes the model of a finished state.
func Emit(in *Input) (*Model, error) {
	e := &emitter{in: in, approx: in.Approximations, n: &namer{templates: in.Templates, taken: map[string]bool{}, vars: map[*state.Variable]string{},
		cells: map[*state.Cell]string{}, pools: map[*state.Pool]string{}, chans: map[string]bool{}}}
	return e.model()
}

// emitter makes a model.
type emitter struct {
	in     *Input
	n      *namer
	net    *uppaal.Network
	approx []artifact.Approximation
	// processes of each template, by slot.
	processes map[*state.Template][]string
	// kept locations of each template: index in the model, by location.
	kept map[*state.Location]int
	// The monitors, nil where no query needs them.
	over, returned, rest *monitor
	spins                []spin
	endless              bool // a stuck entry may leave others running for ever
	returns              bool // the entry can end
	// clock is the process Time, nil if there is none.
	clock *uppaal.InstanceDecl
}

func (e *emitter) model() (*Model, error) {
	n := e.n
	e.net = &uppaal.Network{}
	e.processes = map[*state.Template][]string{}
	e.kept = map[*state.Location]int{}
	for _, t := range e.in.Templates {
		t.ModelName = strings.TrimPrefix(n.unique("T_"+state.Identifier(t.Name)), "T_")
		for s := range t.Slots {
			p := state.Identifier(t.Name)
			if t.Slots > 1 {
				p = fmt.Sprintf("%s_%d", t.ModelName, s)
			}
			p = n.unique(p)
			e.processes[t] = append(e.processes[t], p)
		}
	}
	for _, o := range e.in.Memory.Objects() {
		if o.Kind == state.ChannelObject {
			o.ModelName = n.unique(o.Name)
		}
	}
	e.ranges()
	e.monitors()
	model := &Model{Network: e.net}
	model.Sidecar.Entry = artifact.Entry{Package: e.in.Program.Source.Entry.PkgPath, Func: e.in.Program.Source.Func.Name()}
	for _, t := range e.in.Templates {
		tmpl, info := e.template(t)
		e.net.Templates = append(e.net.Templates, tmpl)
		model.Sidecar.Templates = append(model.Sidecar.Templates, info)
	}
	e.watchers(&model.Sidecar)
	e.time(&model.Sidecar)
	decls, err := e.declarations()
	if err != nil {
		return nil, err
	}
	e.net.Decls = decls
	if e.in.Proto && e.in.Hash {
		e.net.Decls = append(e.net.Decls, disallow.Decls()...)
	}
	e.system()
	model.Sidecar.Sites = e.sidecarSites()
	model.Sidecar.Accesses = e.in.Accesses
	model.Queries, model.Formulas = e.queries()
	model.Sidecar.Approximations = e.approx
	model.Sidecar.Completions = e.in.Program.Added
	model.Written = n.written
	return model, nil
}

// ranges computes what each variable holds where it is stored, and which of
// them the allocators must see.
func (e *emitter) ranges() {
	for _, t := range e.in.Templates {
		for _, l := range t.Locations {
			for i, lv := range l.Live {
				if e.in.Memory.Holds(lv, l.In[i]) {
					lv.Variable.Abs = lv.Variable.Abs.Join(l.In[i], sym.MaxRefSet)
				}
			}
		}
		for _, v := range t.List {
			v.Ref = v.Refs && e.in.Memory.Pooled(v.Abs)
		}
	}
}

// declarations makes the global declarations.
func (e *emitter) declarations() ([]uppaal.Decl, error) {
	n := e.n
	var out []uppaal.Decl
	out = append(out, &uppaal.VarDecl{Name: "ended", Type: &uppaal.TypeExpr{Kind: uppaal.BoolType}})
	text := ""
	for _, t := range e.in.Templates {
		if t.Parent == nil || t.Slots == 1 && t.Once {
			continue
		}
		if t.Slots == 1 {
			text += fmt.Sprintf("bool busy_%s;\n", t.ModelName)
			continue
		}
		text += fmt.Sprintf("bool busy_%[1]s[%[2]d];\nint[0,%[2]d] idle_%[1]s() {\n  for (i : int[0,%[3]d]) { if (!busy_%[1]s[i]) return i; }\n  return %[2]d;\n}\n", t.ModelName, t.Slots, t.Slots-1)
	}
	for _, name := range n.order {
		dim := ""
		for _, t := range e.in.Templates {
			if name == "go_"+t.ModelName && t.Slots > 1 {
				dim = fmt.Sprintf("[%d]", t.Slots)
			}
		}
		text += fmt.Sprintf("chan %s%s;\n", name, dim)
	}
	for _, m := range []*monitor{e.over, e.returned} {
		if m != nil {
			text += fmt.Sprintf("chan %s;\n", m.channel)
		}
	}
	for i := range n.msgs {
		text += fmt.Sprintf("meta int[-2147483648,2147483647] msg_%d;\n", i)
	}
	for i := range n.args {
		text += fmt.Sprintf("meta int[-2147483648,2147483647] arg_%d;\n", i)
	}
	for i := range n.temps {
		text += fmt.Sprintf("meta int[-2147483648,2147483647] tmp_%d;\n", i)
	}
	for i := range n.newVars {
		text += fmt.Sprintf("meta int[-2147483648,2147483647] new_%d;\n", i)
	}
	decls, err := uppaal.ParseDecls(text)
	if err != nil {
		return nil, fmt.Errorf("internal: declarations: %w", err)
	}
	out = append(out, decls...)
	allocators, err := e.allocators()
	if err != nil {
		return nil, err
	}
	for _, c := range e.in.Memory.Cells {
		if c == nil || n.cells[c] == "" {
			continue
		}
		out = append(out, e.declare(n.cells[c], c.Abs, c.Start()))
	}
	for _, t := range e.in.Templates {
		for _, v := range t.List {
			name := n.vars[v]
			if name == "" || !v.Ref {
				continue
			}
			d := e.declare(name, v.Abs, t.Inits[v])
			if t.Slots > 1 {
				d.Dims = []*uppaal.Dim{{Size: literal(int32(t.Slots))}}
			}
			out = append(out, d)
		}
	}
	return append(out, allocators...), nil
}

// allocators makes for every pool the function that tells whether an object of
// it is free: nothing that can be reached refers to it.
func (e *emitter) allocators() ([]uppaal.Decl, error) {
	n := e.n
	if len(n.pools) == 0 {
		return nil, nil
	}
	var all []*state.Object
	number := map[*state.Object]int{}
	for _, o := range e.in.Memory.Objects() {
		if o.Pool != nil {
			number[o] = len(all)
			all = append(all, o)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "bool used_object(int[0,%d] which) {\n  bool used[%d];\n  bool more = true;\n", len(all)-1, len(all))
	mark := func(name string, a sym.Set, indent string) {
		for _, o := range all {
			lo, hi := o.Base, o.Base+o.Size-1
			if !slices.ContainsFunc(a.Elems, func(k int32) bool { return lo <= k && k <= hi }) {
				continue
			}
			fmt.Fprintf(&b, "%sif (%d <= %s && %s <= %d && !used[%d]) { used[%d] = true; more = true; }\n", indent, lo, name, name, hi, number[o], number[o])
		}
	}
	for _, t := range e.in.Templates {
		for _, v := range t.List {
			name := n.vars[v]
			if name == "" || !v.Ref {
				continue
			}
			for s := range t.Slots {
				at := name
				if t.Slots > 1 {
					at = fmt.Sprintf("%s[%d]", name, s)
				}
				mark(at, v.Abs, "  ")
			}
		}
	}
	for _, c := range e.in.Memory.Cells {
		if c != nil && n.cells[c] != "" && c.Ref && c.Group.Pool == nil && e.in.Memory.Pooled(c.Abs) {
			mark(n.cells[c], c.Abs, "  ")
		}
	}
	b.WriteString("  while (more) {\n    more = false;\n")
	for _, c := range e.in.Memory.Cells {
		if c != nil && n.cells[c] != "" && c.Ref && c.Group.Pool != nil && e.in.Memory.Pooled(c.Abs) {
			fmt.Fprintf(&b, "    if (used[%d]) {\n", number[c.Group])
			mark(n.cells[c], c.Abs, "      ")
			b.WriteString("    }\n")
		}
	}
	b.WriteString("  }\n  return used[which];\n}\n")
	for _, p := range e.in.Memory.Order {
		if name := n.pools[p]; name != "" {
			fmt.Fprintf(&b, "int[0,%d] %s(int n) {\n  int left = n;\n", p.Objects[len(p.Objects)-1].Base, name)
			for _, o := range p.Objects {
				fmt.Fprintf(&b, "  if (!used_object(%d)) { if (left == 0) return %d; left--; }\n", number[o], o.Base)
			}
			b.WriteString("  return 0;\n}\n")
		}
	}
	decls, err := uppaal.ParseDecls(b.String())
	if err != nil {
		return nil, fmt.Errorf("internal: allocators: %w", err)
	}
	return decls, nil
}

// system makes the instances and the system line.
func (e *emitter) system() {
	for _, t := range e.in.Templates {
		for s, p := range e.processes[t] {
			d := &uppaal.InstanceDecl{Name: p, Template: &uppaal.Ident{Name: "T_" + t.ModelName}}
			if t.Slots > 1 {
				d.Args = []uppaal.Expr{literal(int32(s))}
			}
			e.net.Instances = append(e.net.Instances, d)
			e.net.System.Names = append(e.net.System.Names, &uppaal.Ident{Name: p})
		}
	}
	if e.clock != nil {
		e.net.Instances = append(e.net.Instances, e.clock)
		e.net.System.Names = append(e.net.System.Names, &uppaal.Ident{Name: e.clock.Name})
	}
	e.net.System.Below = make([]bool, max(0, len(e.net.System.Names)-1))
	for _, m := range []*monitor{e.over, e.returned, e.rest} {
		if m == nil {
			continue
		}
		e.net.Instances = append(e.net.Instances, &uppaal.InstanceDecl{Name: m.process, Template: &uppaal.Ident{Name: m.template}})
		// Rest is below all others.
		names, below := &e.net.System.Names, &e.net.System.Below
		if m == e.rest {
			*names = append([]*uppaal.Ident{{Name: m.process}}, *names...)
			*below = append([]bool{true}, *below...)
		} else {
			*names = append(*names, &uppaal.Ident{Name: m.process})
			*below = append(*below, false)
		}
	}
}

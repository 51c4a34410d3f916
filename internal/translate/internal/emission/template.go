package emission

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/disallow"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// template makes the template of the model for one kind of goroutine, and what is told of it
// besides the model.
func (e *emitter) template(t *state.Template) (*uppaal.Template, artifact.TemplateInfo) {
	e.n.current = t
	m := e.newTemplateModel(t)
	reached := t.Reached()
	for _, l := range t.Locations {
		if reached[l] {
			m.addLocation(l)
		}
	}
	m.tmpl.Init = m.locs[t.Idle]
	if t.Parent == nil {
		m.tmpl.Init = m.locs[t.First]
	}
	for _, ed := range t.Edges {
		if m.locs[ed.From] != nil {
			m.addEdge(ed)
		}
	}
	m.declareVariables()
	return m.tmpl, m.info
}

// templateModel is a template of the model while it is made. The lists of info run parallel
// to those of the locations and edges of the model.
type templateModel struct {
	e     *emitter
	t     *state.Template
	tmpl  *uppaal.Template
	info  artifact.TemplateInfo
	names map[string]bool // of its locations
	locs  map[*state.Location]*uppaal.Location
}

// newTemplateModel makes a template without locations; its parameter tells processes apart
// where there are several.
func (e *emitter) newTemplateModel(t *state.Template) *templateModel {
	m := &templateModel{e: e, t: t, tmpl: &uppaal.Template{Name: "T_" + t.ModelName},
		info:  artifact.TemplateInfo{Name: "T_" + t.ModelName, Role: string(sidecar.RoleGoroutine)},
		names: map[string]bool{}, locs: map[*state.Location]*uppaal.Location{}}
	if t.Slots > 1 {
		m.tmpl.Params = []*uppaal.Param{{Name: "slot", Type: &uppaal.TypeExpr{Const: true, Kind: uppaal.RangeType,
			Lo: &uppaal.IntLit{}, Hi: &uppaal.IntLit{Value: int32(t.Slots - 1)}}}}
	}
	if t.Fn != nil {
		m.info.Func = e.funcKey(t.Fn)
	}
	return m
}

// unique makes a name for a location that no other of the template has, nor anything global.
func (m *templateModel) unique(s string) string {
	if reserved(s) {
		s += "_"
	}
	name := s
	for i := 2; m.names[name] || m.e.n.taken[name]; i++ {
		name = s + "_" + strconv.Itoa(i)
	}
	m.names[name] = true
	return name
}

// addLocation makes a location of the model.
func (m *templateModel) addLocation(l *state.Location) {
	m.e.kept[l] = len(m.tmpl.Locations)
	l.Name = m.unique("L_" + m.e.locationName(l))
	ul := &uppaal.Location{Name: l.Name}
	if l.Kind == state.AtSink || l.Kind == state.AtLocal || l.Kind == state.AtBegin {
		ul.Urgency = uppaal.Committed
	}
	m.tmpl.Locations = append(m.tmpl.Locations, ul)
	m.locs[l] = ul
	if l.Site != 0 && l.Kind != state.AtSink {
		s := m.e.in.Sites.Site(l.Site)
		ul.Comment = fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Col)
	}
	m.info.Locations = append(m.info.Locations, m.locationInfo(l))
}

// locationName says what happens at a location and in which line, for readers of the model.
func (e *emitter) locationName(l *state.Location) string {
	name := l.Op
	if s := e.in.Sites.Site(l.Site); l.Site != 0 {
		name += "_" + strconv.Itoa(s.Line)
	}
	if l.Sink != nil {
		name = string(l.Sink.End)
		if l.Sink.End == sidecar.EndPanic {
			name = "crash"
		}
		if l.Sink.Site != 0 {
			name += "_" + strconv.Itoa(e.in.Sites.Site(l.Sink.Site).Line)
		} else if l.Sink.Pos.IsValid() {
			name += "_" + strconv.Itoa(e.in.Program.Position(l.Sink.Pos).Line)
		}
	}
	return name
}

// locationInfo is what must be known of a location to tell an interleaving in terms of the
// program: its site, how the goroutine ends there, and the calls that it is in.
func (m *templateModel) locationInfo(l *state.Location) artifact.LocationInfo {
	li := artifact.LocationInfo{Name: l.Name, Site: int(l.Site), Blocking: l.Block}
	switch l.Kind {
	case state.AtSink:
		li.End, li.Detail = string(l.Sink.End), l.Sink.Detail
	case state.AtDone:
		switch {
		case m.t.Parent != nil:
		case m.e.in.Program.Test():
			li.End = string(sidecar.EndDone)
		default:
			li.End = string(sidecar.EndGoexit)
		}
	}
	for _, f := range l.Frames {
		if f.Call.Site == nil {
			continue
		}
		if s, ok := m.e.in.Sites.Stmt(f.Call.Site.Pos()); ok && f.Call.Site.Pos().IsValid() {
			li.Stack = append(li.Stack, s.Key)
		}
	}
	return li
}

// addEdge makes an edge of the model, or two where a monitor must be told of it.
func (m *templateModel) addEdge(ed *state.Edge) {
	ue := &uppaal.Edge{From: m.locs[ed.From], To: m.locs[ed.To]}
	ue.Guard = m.e.guard(ed)
	ue.Sync = m.e.sync(ed)
	ue.Update = m.e.update(ed)
	if m.e.in.Proto && m.e.in.Hash && passes(int(ed.Site), ed.Role) {
		ue.Update = append(ue.Update, disallow.Call(int32(ed.Site)))
	}
	info := artifact.EdgeInfo{Site: int(ed.Site), Role: ed.Role, Case: ed.Sel, Approx: ed.Approx}
	mon := m.e.told(ed)
	switch {
	case mon == nil:
		m.add(ue, info)
		return
	case ue.Sync == nil:
		ue.Sync = mon.tell()
		m.add(ue, info)
		return
	}
	// It has a partner already: the monitor is told in a second step.
	between := &uppaal.Location{Name: m.unique("L_ends"), Urgency: uppaal.Committed}
	m.tmpl.Locations = append(m.tmpl.Locations, between)
	m.info.Locations = append(m.info.Locations, artifact.LocationInfo{Name: between.Name})
	to := ue.To
	ue.To = between
	m.add(ue, info)
	m.add(&uppaal.Edge{From: between, To: to, Sync: mon.tell()}, artifact.EdgeInfo{Role: artifact.RoleLocal, Approx: ed.Approx})
}

// add adds an edge together with what is told of it.
func (m *templateModel) add(ue *uppaal.Edge, info artifact.EdgeInfo) {
	m.tmpl.Edges = append(m.tmpl.Edges, ue)
	m.info.Edges = append(m.info.Edges, info)
}

// tell is the synchronisation that tells a monitor.
func (m *monitor) tell() *uppaal.Sync {
	return &uppaal.Sync{Chan: &uppaal.Ident{Name: m.channel}, Dir: uppaal.Send}
}

// guard is the conjunction of the conditions of an edge, nil if there are none. An edge that
// starts a goroutine waits for an idle process where there may be none.
func (e *emitter) guard(ed *state.Edge) uppaal.Expr {
	var guard uppaal.Expr
	conj := func(g uppaal.Expr) {
		if guard == nil {
			guard = g
		} else {
			guard = &uppaal.Binary{Op: uppaal.OpAnd, X: guard, Y: g}
		}
	}
	e.n.guard = true
	for _, c := range ed.Guard {
		conj(e.n.spell(c))
	}
	e.n.guard = false
	if f := ed.Full; f != nil {
		conj(e.idle(f, false))
	}
	if s := ed.Sync; s != nil && s.Template != nil && !s.Birth && (s.Template.Slots > 1 || !s.Template.Once) {
		conj(e.idle(s.Template, true))
	}
	return guard
}

// sync is the synchronisation of an edge with that of another process, nil if there is none.
func (e *emitter) sync(ed *state.Edge) *uppaal.Sync {
	s := ed.Sync
	if s == nil {
		return nil
	}
	sync := &uppaal.Sync{Chan: e.n.channel(s)}
	if s.Birth || s.Object != nil && !s.Send {
		sync.Dir = uppaal.Receive
	}
	return sync
}

// declareVariables declares the variables of the template that edges name. Those that the
// allocators must see are declared for the whole model.
func (m *templateModel) declareVariables() {
	for _, v := range m.t.List {
		if name := m.e.n.vars[v]; name != "" && !(v.Ref && m.t.Slots > 1) && !v.Ref {
			m.tmpl.Decls = append(m.tmpl.Decls, m.e.declare(name, v.Abs, m.t.Inits[v]))
		}
	}
}

// idle is the condition that a process of a template is idle, or none is.
func (e *emitter) idle(t *state.Template, some bool) uppaal.Expr {
	op := uppaal.OpLt
	if !some {
		op = uppaal.OpGe
	}
	if t.Slots > 1 {
		return &uppaal.Binary{Op: op, X: &uppaal.Call{Fun: &uppaal.Ident{Name: "idle_" + t.ModelName}}, Y: &uppaal.IntLit{Value: int32(t.Slots)}}
	}
	busy := &uppaal.Ident{Name: "busy_" + t.ModelName}
	if some {
		return &uppaal.Unary{Op: uppaal.OpNot, X: busy}
	}
	return busy
}

// update spells the assignments of an edge: they are simultaneous, those of the
// model language one after the other.
func (e *emitter) update(ed *state.Edge) []uppaal.Expr {
	n := e.n
	n.news = nil
	var out []uppaal.Expr
	set := func(l, r uppaal.Expr) { out = append(out, &uppaal.Assign{Op: "=", L: l, R: r}) }
	for i, v := range ed.Send {
		if v == nil {
			continue
		}
		name := n.message(int32(i))
		if ed.Sync.Template != nil {
			name = n.argument(int32(i))
		}
		if v.UnknownIn() != nil {
			continue
		}
		set(&uppaal.Ident{Name: name}, n.spell(v))
	}
	pending := slices.Clone(ed.Assign)
	targets := map[*sym.Expr]int{}
	for i, a := range pending {
		targets[a.To] = i
	}
	// readers counts the others that read a target, and reads are the targets that
	// one reads.
	readers, reads := make([]int, len(pending)), make([][]int, len(pending))
	for i, a := range pending {
		a.Value.Visit(func(e *sym.Expr) {
			if k, ok := targets[e]; ok && k != i && !slices.Contains(reads[i], k) {
				reads[i] = append(reads[i], k)
				readers[k]++
			}
		})
	}
	order := make([]int, len(pending)) // what is left
	for i := range order {
		order[i] = i
	}
	for len(order) > 0 {
		if at := slices.IndexFunc(order, func(i int) bool { return readers[i] == 0 }); at >= 0 {
			i := order[at]
			set(n.spell(pending[i].To), n.spell(pending[i].Value))
			for _, k := range reads[i] {
				readers[k]--
			}
			order = slices.Delete(order, at, at+1)
			continue
		}
		// A cycle: keep the old value of the first target.
		a := pending[order[0]]
		readers[order[0]] = 0
		v := &state.Variable{Template: ed.From.Template, ID: 1<<63 + uint64(n.temps), Name: fmt.Sprintf("tmp_%d", n.temps)}
		tmp := sym.Read(sym.OpVar, v, 0)
		n.vars[v] = fmt.Sprintf("tmp_%d", n.temps)
		n.temps++
		set(n.spell(tmp), n.spell(a.To))
		for _, j := range order {
			pending[j].Value = pending[j].Value.Replace(a.To, tmp)
			reads[j] = slices.DeleteFunc(reads[j], func(k int) bool { return k == order[0] })
		}
	}
	for i := len(n.news) - 1; i >= 0; i-- {
		a := n.news[i]
		out = slices.Insert(out, 0, uppaal.Expr(&uppaal.Assign{Op: "=", L: &uppaal.Ident{Name: fmt.Sprintf("new_%d", i)}, R: n.allocate(a.Pool, a.K)}))
	}
	t := ed.From.Template
	busy := func(v bool) {
		var l uppaal.Expr = &uppaal.Ident{Name: "busy_" + t.ModelName}
		if t.Slots > 1 {
			l = &uppaal.Index{X: l, I: &uppaal.Ident{Name: "slot"}}
		}
		set(l, &uppaal.BoolLit{Value: v})
	}
	if t.Parent != nil && (t.Slots > 1 || !t.Once) {
		if ed.From.Kind == state.AtIdle {
			busy(true)
		}
		if ed.To.Kind == state.AtIdle {
			busy(false)
		}
	}
	if ed.To.Kind == state.AtSink {
		set(&uppaal.Ident{Name: "ended"}, &uppaal.BoolLit{Value: true})
	}
	return out
}

// declare makes the declaration of a variable.
func (e *emitter) declare(name string, a sym.Set, init int32) *uppaal.VarDecl {
	lo, hi := a.Bounds()
	lo, hi = min(lo, 0, init), max(hi, 0, init)
	d := &uppaal.VarDecl{Name: name, Type: &uppaal.TypeExpr{Kind: uppaal.RangeType, Lo: literal(lo), Hi: literal(hi)}}
	if init != 0 {
		d.Init = literal(init)
	}
	return d
}

func literal(k int32) uppaal.Expr { return &uppaal.IntLit{Value: k} }

// sidecarSites copies the sites, by number.
func (e *emitter) sidecarSites() []artifact.Site {
	out := []artifact.Site{{}}
	for _, s := range e.in.Sites.Sites() {
		out = append(out, artifact.Site{ID: int(s.ID), Kind: s.Kind.String(), Key: s.Key, Func: s.Func, File: s.File, Line: s.Line, Col: s.Col, Text: s.Text, Cases: s.Cases})
	}
	return out
}

// funcKey names a function as package sites does: "pkg/path.Func",
// "pkg/path.(*T).Method", "pkg/path.Func$1" for its first literal.
func (e *emitter) funcKey(f *ssa.Function) string {
	if p := f.Parent(); p != nil {
		key := e.funcKey(p)
		for i, g := range p.AnonFuncs {
			if g == f {
				key += fmt.Sprintf("$%d", i+1)
			}
		}
		return key
	}
	if o := f.Origin(); o != nil {
		f = o
	}
	pkg := ""
	if f.Pkg != nil {
		pkg = f.Pkg.Pkg.Path() + "."
	}
	if recv := f.Signature.Recv(); recv != nil {
		star := ""
		t := types.Unalias(recv.Type())
		if ptr, ok := t.(*types.Pointer); ok {
			star, t = "*", types.Unalias(ptr.Elem())
		}
		if n, ok := t.(*types.Named); ok {
			return fmt.Sprintf("%s(%s%s).%s", pkg, star, n.Obj().Name(), f.Name())
		}
	}
	return pkg + f.Name()
}

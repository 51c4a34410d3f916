package translate

import (
	"fmt"
	"go/token"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/disallow"
	"github.com/vtrace/vtrace/translate/internal/omissions"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
	"github.com/vtrace/vtrace/uppaal"
)

// holds reports that what is live at a location needs a place in the state: also
// the only object that it can refer to there, if that is one of a pool, since it is
// free where nothing refers to it.
func (x *translator) holds(lv state.LiveValue, a sym.Set) bool {
	return state.Stored(a) || lv.Variable.Refs && x.pooled(a)
}

// addEdge makes the edge of a path that ends at a location.
func (x *translator) addEdge(p *path, l *state.Location) {
	e := &state.Edge{From: p.from, To: l, Guard: p.cond, Full: p.full, Sync: p.sync, Role: p.role, Site: p.site, Sel: p.sel, Approx: p.approx}
	if e.Role == artifact.RoleLocal {
		e.Site = 0
	}
	if p.sync != nil && p.sync.Send {
		for i, v := range p.send {
			keep := false
			if o := p.sync.Object; o != nil {
				keep = i < int(o.Width) && state.Stored(x.mem.Cells[o.Base+state.ChanPayload+int32(i)].Abs)
			} else {
				keep = state.Stored(p.sync.Template.Args[i])
			}
			if !keep {
				v = nil
			}
			e.Send = append(e.Send, v)
		}
	}
	kept := map[*state.Variable]bool{}
	for i, lv := range l.Live {
		if !x.holds(lv, l.In[i]) {
			continue
		}
		v := p.liveExpr(lv)
		kept[lv.Variable] = true
		if l.Lost[i] {
			lo, hi := l.In[i].Bounds()
			switch a := p.abs(v); {
			case v.Op == sym.OpUnknown || a.Top:
				v = sym.Num(hi)
			case !a.Within(l.In[i]) || a.Has(hi):
				v = sym.Ite(sym.And(sym.Arith(sym.OpLe, sym.Num(lo), v), sym.Arith(sym.OpLt, v, sym.Num(hi))), v, sym.Num(hi))
			}
		}
		if v.Op == sym.OpVar && state.VariableOf(v) == lv.Variable {
			continue
		}
		e.Assign = append(e.Assign, state.Assignment{To: lv.Variable.Expr, Value: v})
	}
	if p.from.Kind != state.AtIdle && l.Kind != state.AtSink {
		for i, lv := range p.from.Live {
			if x.holds(lv, p.from.In[i]) && !kept[lv.Variable] {
				e.Assign = append(e.Assign, state.Assignment{To: lv.Variable.Expr, Value: sym.Num(0)})
			}
		}
	}
	if l.Kind != state.AtSink {
		for _, addr := range sortedKeys(p.heap.m) {
			c, v := x.mem.Cells[addr], p.heap.m[addr]
			if c.Payload || !state.Stored(c.Abs) || v.Op == sym.OpCell && state.CellOf(v) == c {
				continue
			}
			if v.UnknownIn() != nil {
				continue
			}
			e.Assign = append(e.Assign, state.Assignment{To: c.Expr, Value: v})
		}
	}
	for _, o := range l.Template.Edges {
		if o.Equal(e) {
			return
		}
	}
	l.Template.Edges = append(l.Template.Edges, e)
	if x.parts += e.Parts(); x.parts > maxParts && !x.tooLarge {
		x.giveUp(p.here(), "program", fmt.Sprintf("too large: the conditions and assignments of the model have more than %d parts", maxParts))
	}
}

// maxParts bounds the parts of all expressions of a model. Values that were merged share
// theirs, so that an expression that is written out may be larger than memory.
const maxParts = 2_000_000

// namer gives the things of the translator their names in the model.
type namer struct {
	x       *translator
	taken   map[string]bool
	vars    map[*state.Variable]string
	cells   map[*state.Cell]string
	msgs    int32 // how many hand-over variables are used
	args    int32
	temps   int
	pools   map[*state.Pool]string
	chans   map[string]bool
	order   []string // channels in order of first use
	current *state.Template
	guard   bool              // a guard is being spelled
	news    []state.NewObject // of the update being spelled
	newVars int
}

// ownNames are those that every model may have besides the names of the program.
var ownNames = map[string]bool{
	"ended": true, "slot": true, "msg": true, "arg": true, "tmp": true,
	"val_t": true, "hash_t": true, "hash32": true, "hash_path": true, // of package disallow
}

// reserved reports whether nothing of the program may have this name in the model.
func reserved(name string) bool { return ownNames[name] || uppaal.IsReserved(name) }

// unique makes a name that nothing else has.
func (n *namer) unique(s string) string {
	if s == "" || s[0] >= '0' && s[0] <= '9' || s[0] == '_' {
		s = "v" + s
	}
	if len(s) > 80 {
		s = s[:80]
	}
	name := s
	if reserved(name) {
		name = s + "_"
	}
	for i := 2; n.taken[name]; i++ {
		name = s + "_" + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

func (n *namer) variable(v *state.Variable) uppaal.Expr {
	name := n.vars[v]
	if name == "" {
		name = n.unique(v.Name)
		n.vars[v] = name
	}
	id := &uppaal.Ident{Name: name}
	if v.Ref && v.Template.Slots > 1 {
		return &uppaal.Index{X: id, I: &uppaal.Ident{Name: "slot"}}
	}
	return id
}

func (n *namer) cell(c *state.Cell) uppaal.Expr {
	name := n.cells[c]
	if name == "" {
		name = n.unique(c.Name)
		n.cells[c] = name
	}
	return &uppaal.Ident{Name: name}
}

// self is the number of the process of the template that is being spelled.
func (n *namer) self() uppaal.Expr {
	base := int32(1)
	for _, t := range n.x.templates {
		if t == n.current {
			break
		}
		base += int32(t.Slots)
	}
	if n.current.Slots > 1 {
		return &uppaal.Binary{Op: uppaal.OpAdd, X: literal(base), Y: &uppaal.Ident{Name: "slot"}}
	}
	return literal(base)
}

func (n *namer) message(k int32) string {
	n.msgs = max(n.msgs, k+1)
	return fmt.Sprintf("msg_%d", k)
}

func (n *namer) argument(k int32) string {
	n.args = max(n.args, k+1)
	return fmt.Sprintf("arg_%d", k)
}

// allocate spells the address of the k-th free object of a pool, 0 if there is
// none.
func (n *namer) allocate(p *state.Pool, k int32) uppaal.Expr {
	name := n.pools[p]
	if name == "" {
		name = n.unique(p.Name + "_alloc")
		n.pools[p] = name
	}
	return &uppaal.Call{Fun: &uppaal.Ident{Name: name}, Args: []uppaal.Expr{&uppaal.IntLit{Value: k}}}
}

// allocated spells the same in an update, where the address is found before
// anything else is changed.
func (n *namer) allocated(p *state.Pool, k int32) uppaal.Expr {
	if n.guard {
		return n.allocate(p, k)
	}
	for i, a := range n.news {
		if a.Pool == p && a.K == k {
			return &uppaal.Ident{Name: fmt.Sprintf("new_%d", i)}
		}
	}
	n.news = append(n.news, state.NewObject{Pool: p, K: k})
	n.newVars = max(n.newVars, len(n.news))
	return &uppaal.Ident{Name: fmt.Sprintf("new_%d", len(n.news)-1)}
}

func (n *namer) channel(s *state.Sync) uppaal.Expr {
	var name string
	if s.Template != nil {
		name = "go_" + s.Template.Uname
	} else {
		name = s.Name + "_" + s.Object.Uname
	}
	if !n.chans[name] {
		n.chans[name] = true
		n.order = append(n.order, name)
	}
	id := &uppaal.Ident{Name: name}
	if s.Template != nil && s.Template.Slots > 1 {
		i := uppaal.Expr(&uppaal.Ident{Name: "slot"})
		if !s.Birth {
			i = &uppaal.Call{Fun: &uppaal.Ident{Name: "idle_" + s.Template.Uname}}
		}
		return &uppaal.Index{X: id, I: i}
	}
	return id
}

// emit makes the network.
func (x *translator) emit() (*Model, error) {
	x.emitting = true
	x.work, x.parts = 0, 0
	x.approx, x.approxAt = nil, map[string]int{}
	if x.start != nil {
		for _, r := range x.start.early {
			x.plainly[x.approximation(r.pos, r.kind, r.direction, r.reason)] = true
		}
	}
	if x.opts.Continue && x.errs != nil {
		x.leaveOut()
	}
	for i := 0; i < len(x.templates); i++ {
		t := x.templates[i]
		for j := 0; j < len(t.Locations); j++ {
			if t.Locations[j].Seen {
				x.leave(t.Locations[j])
			}
			if err := x.ctx.Err(); err != nil {
				return nil, err
			}
			if x.tooLarge {
				return nil, x.errs.ErrorOrNil()
			}
		}
	}
	left := omissions.New(x.prog, x.sl, x.endings(), func(pos token.Pos, kind, direction, reason string) {
		x.approximation(pos, kind, direction, reason)
	})
	left.Calls()
	x.noteCompletions()
	left.TestMain()
	x.missingPanics()
	left.Loops()
	x.queueOrder()
	if err := x.errs.ErrorOrNil(); err != nil && (!x.opts.Continue || x.tooLarge) {
		return nil, err
	}
	e := &emitter{x: x, n: &namer{x: x, taken: map[string]bool{}, vars: map[*state.Variable]string{}, cells: map[*state.Cell]string{},
		pools: map[*state.Pool]string{}, chans: map[string]bool{}}}
	m, err := e.model()
	if err == nil && x.opts.Strict && !x.opts.Continue {
		err = x.errs.ErrorOrNil() // of what is known only now
	}
	return m, err
}

type emitter struct {
	x   *translator
	n   *namer
	net *uppaal.Network
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
	x, n := e.x, e.n
	e.net = &uppaal.Network{}
	e.processes = map[*state.Template][]string{}
	e.kept = map[*state.Location]int{}
	for _, t := range x.templates {
		t.Tname = n.unique("T_" + state.Identifier(t.Name))
		t.Uname = strings.TrimPrefix(t.Tname, "T_")
		for s := range t.Slots {
			p := state.Identifier(t.Name)
			if t.Slots > 1 {
				p = fmt.Sprintf("%s_%d", t.Uname, s)
			}
			p = n.unique(p)
			e.processes[t] = append(e.processes[t], p)
		}
	}
	for _, o := range x.objects() {
		if o.Kind == state.ChannelObject {
			o.Uname = n.unique(o.Name)
		}
	}
	e.ranges()
	if t := x.templates[0]; x.start != nil {
		for i, lv := range t.First.Live {
			if !x.holds(lv, t.First.In[i]) {
				continue
			}
			if v := x.start.liveExpr(lv); v.IsConst() {
				t.Inits[lv.Variable] = v.K
			} else if t.First.Lost[i] {
				t.Inits[lv.Variable] = t.First.In[i].Hi
			}
		}
	}
	e.monitors()
	model := &Model{Network: e.net}
	model.Sidecar.Entry = artifact.Entry{Package: x.prog.Source.Entry.PkgPath, Func: x.prog.Source.Func.Name()}
	for _, t := range x.templates {
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
	if x.opts.Proto && x.opts.Hash {
		e.net.Decls = append(e.net.Decls, disallow.Decls()...)
	}
	e.system()
	model.Sidecar.Sites = x.sidecarSites()
	for s := range x.access {
		model.Sidecar.Accesses = append(model.Sidecar.Accesses, int(s))
	}
	sort.Ints(model.Sidecar.Accesses)
	model.Queries = e.queries()
	e.noteBounds(model)
	if err := x.errs.ErrorOrNil(); err != nil && !x.opts.Continue {
		return nil, err
	}
	model.Sidecar.Approximations = x.approx
	model.Sidecar.Completions = x.prog.Added
	if x.opts.Proto {
		model.Reveal()
	}
	return model, nil
}

// objects lists all objects in order of address.
func (x *translator) objects() []*state.Object {
	var out []*state.Object
	for _, o := range x.mem.Owner {
		if o != nil && (len(out) == 0 || out[len(out)-1] != o) {
			out = append(out, o)
		}
	}
	return out
}

// ranges computes what each variable holds where it is stored, and which of
// them the allocators must see.
func (e *emitter) ranges() {
	for _, t := range e.x.templates {
		for _, l := range t.Locations {
			for i, lv := range l.Live {
				if e.x.holds(lv, l.In[i]) {
					lv.Variable.Abs = lv.Variable.Abs.Join(l.In[i], sym.MaxRefSet)
				}
			}
		}
		for _, v := range t.List {
			v.Ref = v.Refs && e.x.pooled(v.Abs)
		}
	}
}

// pooled reports that a value can refer to an object of a pool.
func (x *translator) pooled(a sym.Set) bool {
	if a.Interval || a.Top {
		return false
	}
	for _, k := range a.Elems {
		if o := x.mem.Object(k); o != nil && o.Pool != nil {
			return true
		}
	}
	return false
}

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
	m := &templateModel{e: e, t: t, tmpl: &uppaal.Template{Name: t.Tname},
		info:  artifact.TemplateInfo{Name: t.Tname, Role: "goroutine"},
		names: map[string]bool{}, locs: map[*state.Location]*uppaal.Location{}}
	if t.Slots > 1 {
		m.tmpl.Params = []*uppaal.Param{{Name: "slot", Type: &uppaal.TypeExpr{Const: true, Kind: uppaal.RangeType,
			Lo: &uppaal.IntLit{}, Hi: &uppaal.IntLit{Value: int32(t.Slots - 1)}}}}
	}
	if t.Fn != nil {
		m.info.Func = e.x.funcKey(t.Fn)
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
	l.Name = m.unique("L_" + m.e.x.locationName(l))
	ul := &uppaal.Location{Name: l.Name}
	if l.Kind == state.AtSink || l.Kind == state.AtLocal || l.Kind == state.AtBegin {
		ul.Urgency = uppaal.Committed
	}
	m.tmpl.Locations = append(m.tmpl.Locations, ul)
	m.locs[l] = ul
	if l.Site != 0 && l.Kind != state.AtSink {
		s := m.e.x.idx.Site(l.Site)
		ul.Comment = fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Col)
	}
	m.info.Locations = append(m.info.Locations, m.locationInfo(l))
}

// locationName says what happens at a location and in which line, for readers of the model.
func (x *translator) locationName(l *state.Location) string {
	name := l.Op
	if s := x.idx.Site(l.Site); l.Site != 0 {
		name += "_" + strconv.Itoa(s.Line)
	}
	if l.Sink != nil {
		name = l.Sink.End
		if name == "panic" {
			name = "crash"
		}
		if l.Sink.Site != 0 {
			name += "_" + strconv.Itoa(x.idx.Site(l.Sink.Site).Line)
		} else if l.Sink.Pos.IsValid() {
			name += "_" + strconv.Itoa(x.position(l.Sink.Pos).Line)
		}
	}
	return name
}

// locationInfo is what must be known of a location to tell an interleaving in terms of the
// program: its site, how the goroutine ends there, and the calls that it is in.
func (m *templateModel) locationInfo(l *state.Location) artifact.LocationInfo {
	x := m.e.x
	li := artifact.LocationInfo{Name: l.Name, Site: int(l.Site), Blocking: l.Block}
	switch l.Kind {
	case state.AtSink:
		li.End, li.Detail = l.Sink.End, l.Sink.Detail
	case state.AtDone:
		switch {
		case m.t.Parent != nil:
		case x.prog.Test():
			li.End = "done"
		default:
			li.End = "goexit"
		}
	}
	for _, f := range l.Frames {
		if f.Call.Site == nil {
			continue
		}
		if s, ok := x.idx.Stmt(f.Call.Site.Pos()); ok && f.Call.Site.Pos().IsValid() {
			li.Stack = append(li.Stack, s.Key)
		}
	}
	return li
}

// addEdge makes an edge of the model, or two where a monitor must be told of it.
func (m *templateModel) addEdge(ed *state.Edge) {
	x := m.e.x
	ue := &uppaal.Edge{From: m.locs[ed.From], To: m.locs[ed.To]}
	ue.Guard = m.e.guard(ed)
	ue.Sync = m.e.sync(ed)
	ue.Update = m.e.update(ed)
	if x.opts.Proto && x.opts.Hash && passes(int(ed.Site), ed.Role) {
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
		return &uppaal.Binary{Op: op, X: &uppaal.Call{Fun: &uppaal.Ident{Name: "idle_" + t.Uname}}, Y: &uppaal.IntLit{Value: int32(t.Slots)}}
	}
	busy := &uppaal.Ident{Name: "busy_" + t.Uname}
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
		var l uppaal.Expr = &uppaal.Ident{Name: "busy_" + t.Uname}
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

// declarations makes the global declarations.
func (e *emitter) declarations() ([]uppaal.Decl, error) {
	x, n := e.x, e.n
	var out []uppaal.Decl
	out = append(out, &uppaal.VarDecl{Name: "ended", Type: &uppaal.TypeExpr{Kind: uppaal.BoolType}})
	text := ""
	for _, t := range x.templates {
		if t.Parent == nil || t.Slots == 1 && t.Once {
			continue
		}
		if t.Slots == 1 {
			text += fmt.Sprintf("bool busy_%s;\n", t.Uname)
			continue
		}
		text += fmt.Sprintf("bool busy_%[1]s[%[2]d];\nint[0,%[2]d] idle_%[1]s() {\n  for (i : int[0,%[3]d]) { if (!busy_%[1]s[i]) return i; }\n  return %[2]d;\n}\n", t.Uname, t.Slots, t.Slots-1)
	}
	for _, name := range n.order {
		dim := ""
		for _, t := range x.templates {
			if name == "go_"+t.Uname && t.Slots > 1 {
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
	for _, c := range x.mem.Cells {
		if c == nil || n.cells[c] == "" {
			continue
		}
		out = append(out, e.declare(n.cells[c], c.Abs, c.Start()))
	}
	for _, t := range x.templates {
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
	x, n := e.x, e.n
	if len(n.pools) == 0 {
		return nil, nil
	}
	var all []*state.Object
	number := map[*state.Object]int{}
	for _, o := range x.objects() {
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
	for _, t := range x.templates {
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
	for _, c := range x.mem.Cells {
		if c != nil && n.cells[c] != "" && c.Ref && c.Group.Pool == nil && e.x.pooled(c.Abs) {
			mark(n.cells[c], c.Abs, "  ")
		}
	}
	b.WriteString("  while (more) {\n    more = false;\n")
	for _, c := range x.mem.Cells {
		if c != nil && n.cells[c] != "" && c.Ref && c.Group.Pool != nil && e.x.pooled(c.Abs) {
			fmt.Fprintf(&b, "    if (used[%d]) {\n", number[c.Group])
			mark(n.cells[c], c.Abs, "      ")
			b.WriteString("    }\n")
		}
	}
	b.WriteString("  }\n  return used[which];\n}\n")
	for _, p := range x.mem.Order {
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
	for _, t := range e.x.templates {
		for s, p := range e.processes[t] {
			d := &uppaal.InstanceDecl{Name: p, Template: &uppaal.Ident{Name: t.Tname}}
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

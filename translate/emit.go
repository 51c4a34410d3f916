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
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/omissions"
	"github.com/vtrace/vtrace/translate/internal/sym"
	"github.com/vtrace/vtrace/uppaal"
)

// edge is one segment of the model.
type edge struct {
	from, to *location
	guard    []*sym.Expr
	full     *template // no process of it is idle
	sync     *syncLabel
	send     []*sym.Expr // handed over, nil entries are not
	assign   []assignment
	role     string
	site     sites.ID
	sel      int
	approx   []int
}

// assignment sets a variable or cell.
type assignment struct {
	to *sym.Expr // OpVar or OpCell
	e  *sym.Expr
}

// stored reports that a value needs a place in the state.
func stored(a sym.Set) bool {
	if a.Top || a.Empty() {
		return false
	}
	_, single := a.Single()
	return !single
}

// holds reports that what is live at a location needs a place in the state: also
// the only object that it can refer to there, if that is one of a pool, since it is
// free where nothing refers to it.
func (x *translator) holds(lv liveValue, a sym.Set) bool {
	return stored(a) || lv.v.refs && x.pooled(a)
}

// addEdge makes the edge of a path that ends at a location.
func (x *translator) addEdge(p *path, l *location) {
	e := &edge{from: p.from, to: l, guard: p.cond, full: p.full, sync: p.sync, role: p.role, site: p.site, sel: p.sel, approx: p.approx}
	if e.role == artifact.RoleLocal {
		e.site = 0
	}
	if p.sync != nil && p.sync.send {
		for i, v := range p.send {
			keep := false
			if o := p.sync.obj; o != nil {
				keep = i < int(o.width) && stored(x.mem.cells[o.base+chanPayload+int32(i)].abs)
			} else {
				keep = stored(p.sync.tmpl.args[i])
			}
			if !keep {
				v = nil
			}
			e.send = append(e.send, v)
		}
	}
	kept := map[*variable]bool{}
	for i, lv := range l.live {
		if !x.holds(lv, l.in[i]) {
			continue
		}
		v := p.liveExpr(lv)
		kept[lv.v] = true
		if l.lost[i] {
			lo, hi := l.in[i].Bounds()
			switch a := p.abs(v); {
			case v.Op == sym.OpUnknown || a.Top:
				v = sym.Num(hi)
			case !a.Within(l.in[i]) || a.Has(hi):
				v = sym.Ite(sym.And(sym.Arith(sym.OpLe, sym.Num(lo), v), sym.Arith(sym.OpLt, v, sym.Num(hi))), v, sym.Num(hi))
			}
		}
		if v.Op == sym.OpVar && variableOf(v) == lv.v {
			continue
		}
		e.assign = append(e.assign, assignment{lv.v.x, v})
	}
	if p.from.kind != atIdle && l.kind != atSink {
		for i, lv := range p.from.live {
			if x.holds(lv, p.from.in[i]) && !kept[lv.v] {
				e.assign = append(e.assign, assignment{lv.v.x, sym.Num(0)})
			}
		}
	}
	if l.kind != atSink {
		for _, addr := range sortedKeys(p.heap.m) {
			c, v := x.mem.cells[addr], p.heap.m[addr]
			if c.payload || !stored(c.abs) || v.Op == sym.OpCell && cellOf(v) == c {
				continue
			}
			if v.UnknownIn() != nil {
				continue
			}
			e.assign = append(e.assign, assignment{c.x, v})
		}
	}
	for _, o := range l.tmpl.edges {
		if o.equal(e) {
			return
		}
	}
	l.tmpl.edges = append(l.tmpl.edges, e)
	if x.parts += e.parts(); x.parts > maxParts && !x.tooLarge {
		x.giveUp(p.here(), "program", fmt.Sprintf("too large: the conditions and assignments of the model have more than %d parts", maxParts))
	}
}

// maxParts bounds the parts of all expressions of a model. Values that were merged share
// theirs, so that an expression that is written out may be larger than memory.
const maxParts = 2_000_000

// parts is how many parts the expressions of an edge have when they are written out.
func (e *edge) parts() (n int) {
	add := func(x *sym.Expr) {
		if x != nil {
			n += int(x.Nodes())
		}
	}
	for _, g := range e.guard {
		add(g)
	}
	for _, v := range e.send {
		add(v)
	}
	for _, a := range e.assign {
		add(a.e)
	}
	return n
}

func (e *edge) equal(f *edge) bool {
	if e.from != f.from || e.to != f.to || e.full != f.full || e.role != f.role || e.site != f.site || e.sel != f.sel ||
		!slices.Equal(e.approx, f.approx) || len(e.guard) != len(f.guard) || len(e.assign) != len(f.assign) || len(e.send) != len(f.send) {
		return false
	}
	if (e.sync == nil) != (f.sync == nil) || e.sync != nil && *e.sync != *f.sync {
		return false
	}
	for i := range e.guard {
		if !e.guard[i].Same(f.guard[i]) {
			return false
		}
	}
	for i := range e.send {
		if (e.send[i] == nil) != (f.send[i] == nil) || e.send[i] != nil && !e.send[i].Same(f.send[i]) {
			return false
		}
	}
	for i := range e.assign {
		if e.assign[i].to != f.assign[i].to || !e.assign[i].e.Same(f.assign[i].e) {
			return false
		}
	}
	return true
}

// namer gives the things of the translator their names in the model.
type namer struct {
	x       *translator
	taken   map[string]bool
	vars    map[*variable]string
	cells   map[*cell]string
	msgs    int32 // how many hand-over variables are used
	args    int32
	temps   int
	pools   map[*pool]string
	chans   map[string]bool
	order   []string // channels in order of first use
	current *template
	guard   bool        // a guard is being spelled
	news    []newObject // of the update being spelled
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

func (n *namer) variable(v *variable) uppaal.Expr {
	name := n.vars[v]
	if name == "" {
		name = n.unique(v.name)
		n.vars[v] = name
	}
	id := &uppaal.Ident{Name: name}
	if v.ref && v.tmpl.slots > 1 {
		return &uppaal.Index{X: id, I: &uppaal.Ident{Name: "slot"}}
	}
	return id
}

func (n *namer) cell(c *cell) uppaal.Expr {
	name := n.cells[c]
	if name == "" {
		name = n.unique(c.name)
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
		base += int32(t.slots)
	}
	if n.current.slots > 1 {
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
func (n *namer) allocate(p *pool, k int32) uppaal.Expr {
	name := n.pools[p]
	if name == "" {
		name = n.unique(p.name + "_alloc")
		n.pools[p] = name
	}
	return &uppaal.Call{Fun: &uppaal.Ident{Name: name}, Args: []uppaal.Expr{&uppaal.IntLit{Value: k}}}
}

// allocated spells the same in an update, where the address is found before
// anything else is changed.
func (n *namer) allocated(p *pool, k int32) uppaal.Expr {
	if n.guard {
		return n.allocate(p, k)
	}
	for i, a := range n.news {
		if a.pool == p && a.k == k {
			return &uppaal.Ident{Name: fmt.Sprintf("new_%d", i)}
		}
	}
	n.news = append(n.news, newObject{p, k})
	n.newVars = max(n.newVars, len(n.news))
	return &uppaal.Ident{Name: fmt.Sprintf("new_%d", len(n.news)-1)}
}

// newObject is an object that the update being spelled allocates.
type newObject struct {
	pool *pool
	k    int32
}

func (n *namer) channel(s *syncLabel) uppaal.Expr {
	var name string
	if s.tmpl != nil {
		name = "go_" + s.tmpl.uname
	} else {
		name = s.name + "_" + s.obj.uname
	}
	if !n.chans[name] {
		n.chans[name] = true
		n.order = append(n.order, name)
	}
	id := &uppaal.Ident{Name: name}
	if s.tmpl != nil && s.tmpl.slots > 1 {
		i := uppaal.Expr(&uppaal.Ident{Name: "slot"})
		if !s.birth {
			i = &uppaal.Call{Fun: &uppaal.Ident{Name: "idle_" + s.tmpl.uname}}
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
		for j := 0; j < len(t.locs); j++ {
			if t.locs[j].seen {
				x.leave(t.locs[j])
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
	e := &emitter{x: x, n: &namer{x: x, taken: map[string]bool{}, vars: map[*variable]string{}, cells: map[*cell]string{},
		pools: map[*pool]string{}, chans: map[string]bool{}}}
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
	processes map[*template][]string
	// kept locations of each template: index in the model, by location.
	kept map[*location]int
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
	e.processes = map[*template][]string{}
	e.kept = map[*location]int{}
	for _, t := range x.templates {
		t.tname = n.unique("T_" + mangle(t.name))
		t.uname = strings.TrimPrefix(t.tname, "T_")
		for s := range t.slots {
			p := mangle(t.name)
			if t.slots > 1 {
				p = fmt.Sprintf("%s_%d", t.uname, s)
			}
			p = n.unique(p)
			e.processes[t] = append(e.processes[t], p)
		}
	}
	for _, o := range x.objects() {
		if o.kind == objChan {
			o.uname = n.unique(o.name)
		}
	}
	e.ranges()
	if t := x.templates[0]; x.start != nil {
		for i, lv := range t.first.live {
			if !x.holds(lv, t.first.in[i]) {
				continue
			}
			if v := x.start.liveExpr(lv); v.IsConst() {
				t.inits[lv.v] = v.K
			} else if t.first.lost[i] {
				t.inits[lv.v] = t.first.in[i].Hi
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
func (x *translator) objects() []*object {
	var out []*object
	for _, o := range x.mem.owner {
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
		for _, l := range t.locs {
			for i, lv := range l.live {
				if e.x.holds(lv, l.in[i]) {
					lv.v.abs = lv.v.abs.Join(l.in[i], sym.MaxRefSet)
				}
			}
		}
		for _, v := range t.varList {
			v.ref = v.refs && e.x.pooled(v.abs)
		}
	}
}

// pooled reports that a value can refer to an object of a pool.
func (x *translator) pooled(a sym.Set) bool {
	if a.Interval || a.Top {
		return false
	}
	for _, k := range a.Elems {
		if o := x.mem.object(k); o != nil && o.pool != nil {
			return true
		}
	}
	return false
}

// template makes the template of the model for one kind of goroutine, and what is told of it
// besides the model.
func (e *emitter) template(t *template) (*uppaal.Template, artifact.TemplateInfo) {
	e.n.current = t
	m := e.newTemplateModel(t)
	reached := t.reached()
	for _, l := range t.locs {
		if reached[l] {
			m.addLocation(l)
		}
	}
	m.tmpl.Init = m.locs[t.idle]
	if t.parent == nil {
		m.tmpl.Init = m.locs[t.first]
	}
	for _, ed := range t.edges {
		if m.locs[ed.from] != nil {
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
	t     *template
	tmpl  *uppaal.Template
	info  artifact.TemplateInfo
	names map[string]bool // of its locations
	locs  map[*location]*uppaal.Location
}

// newTemplateModel makes a template without locations; its parameter tells processes apart
// where there are several.
func (e *emitter) newTemplateModel(t *template) *templateModel {
	m := &templateModel{e: e, t: t, tmpl: &uppaal.Template{Name: t.tname},
		info:  artifact.TemplateInfo{Name: t.tname, Role: "goroutine"},
		names: map[string]bool{}, locs: map[*location]*uppaal.Location{}}
	if t.slots > 1 {
		m.tmpl.Params = []*uppaal.Param{{Name: "slot", Type: &uppaal.TypeExpr{Const: true, Kind: uppaal.RangeType,
			Lo: &uppaal.IntLit{}, Hi: &uppaal.IntLit{Value: int32(t.slots - 1)}}}}
	}
	if t.fn != nil {
		m.info.Func = e.x.funcKey(t.fn)
	}
	return m
}

// reached are the locations that processes start at or that edges lead to: only these are
// part of the model.
func (t *template) reached() map[*location]bool {
	reached := map[*location]bool{t.idle: true}
	if t.first != nil {
		reached[t.first] = true
	}
	for _, ed := range t.edges {
		reached[ed.to] = true
	}
	return reached
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
func (m *templateModel) addLocation(l *location) {
	m.e.kept[l] = len(m.tmpl.Locations)
	l.name = m.unique("L_" + m.e.x.locationName(l))
	ul := &uppaal.Location{Name: l.name}
	if l.kind == atSink || l.kind == atLocal || l.kind == atBegin {
		ul.Urgency = uppaal.Committed
	}
	m.tmpl.Locations = append(m.tmpl.Locations, ul)
	m.locs[l] = ul
	if l.site != 0 && l.kind != atSink {
		s := m.e.x.idx.Site(l.site)
		ul.Comment = fmt.Sprintf("%s:%d:%d", s.File, s.Line, s.Col)
	}
	m.info.Locations = append(m.info.Locations, m.locationInfo(l))
}

// locationName says what happens at a location and in which line, for readers of the model.
func (x *translator) locationName(l *location) string {
	name := l.op
	if s := x.idx.Site(l.site); l.site != 0 {
		name += "_" + strconv.Itoa(s.Line)
	}
	if l.sink != nil {
		name = l.sink.end
		if name == "panic" {
			name = "crash"
		}
		if l.sink.site != 0 {
			name += "_" + strconv.Itoa(x.idx.Site(l.sink.site).Line)
		} else if l.sink.pos.IsValid() {
			name += "_" + strconv.Itoa(x.position(l.sink.pos).Line)
		}
	}
	return name
}

// locationInfo is what must be known of a location to tell an interleaving in terms of the
// program: its site, how the goroutine ends there, and the calls that it is in.
func (m *templateModel) locationInfo(l *location) artifact.LocationInfo {
	x := m.e.x
	li := artifact.LocationInfo{Name: l.name, Site: int(l.site), Blocking: l.block}
	switch l.kind {
	case atSink:
		li.End, li.Detail = l.sink.end, l.sink.detail
	case atDone:
		switch {
		case m.t.parent != nil:
		case x.prog.Test():
			li.End = "done"
		default:
			li.End = "goexit"
		}
	}
	for _, f := range l.frames {
		if f.ctx.site == nil {
			continue
		}
		if s, ok := x.idx.Stmt(f.ctx.site.Pos()); ok && f.ctx.site.Pos().IsValid() {
			li.Stack = append(li.Stack, s.Key)
		}
	}
	return li
}

// addEdge makes an edge of the model, or two where a monitor must be told of it.
func (m *templateModel) addEdge(ed *edge) {
	x := m.e.x
	ue := &uppaal.Edge{From: m.locs[ed.from], To: m.locs[ed.to]}
	ue.Guard = m.e.guard(ed)
	ue.Sync = m.e.sync(ed)
	ue.Update = m.e.update(ed)
	if x.opts.Proto && x.opts.Hash && passes(int(ed.site), ed.role) {
		ue.Update = append(ue.Update, disallow.Call(int32(ed.site)))
	}
	info := artifact.EdgeInfo{Site: int(ed.site), Role: ed.role, Case: ed.sel, Approx: ed.approx}
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
	m.add(&uppaal.Edge{From: between, To: to, Sync: mon.tell()}, artifact.EdgeInfo{Role: artifact.RoleLocal, Approx: ed.approx})
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
func (e *emitter) guard(ed *edge) uppaal.Expr {
	var guard uppaal.Expr
	conj := func(g uppaal.Expr) {
		if guard == nil {
			guard = g
		} else {
			guard = &uppaal.Binary{Op: uppaal.OpAnd, X: guard, Y: g}
		}
	}
	e.n.guard = true
	for _, c := range ed.guard {
		conj(e.n.spell(c))
	}
	e.n.guard = false
	if f := ed.full; f != nil {
		conj(e.idle(f, false))
	}
	if s := ed.sync; s != nil && s.tmpl != nil && !s.birth && (s.tmpl.slots > 1 || !s.tmpl.once) {
		conj(e.idle(s.tmpl, true))
	}
	return guard
}

// sync is the synchronisation of an edge with that of another process, nil if there is none.
func (e *emitter) sync(ed *edge) *uppaal.Sync {
	s := ed.sync
	if s == nil {
		return nil
	}
	sync := &uppaal.Sync{Chan: e.n.channel(s)}
	if s.birth || s.obj != nil && !s.send {
		sync.Dir = uppaal.Receive
	}
	return sync
}

// declareVariables declares the variables of the template that edges name. Those that the
// allocators must see are declared for the whole model.
func (m *templateModel) declareVariables() {
	for _, v := range m.t.varList {
		if name := m.e.n.vars[v]; name != "" && !(v.ref && m.t.slots > 1) && !v.ref {
			m.tmpl.Decls = append(m.tmpl.Decls, m.e.declare(name, v.abs, m.t.inits[v]))
		}
	}
}

// idle is the condition that a process of a template is idle, or none is.
func (e *emitter) idle(t *template, some bool) uppaal.Expr {
	op := uppaal.OpLt
	if !some {
		op = uppaal.OpGe
	}
	if t.slots > 1 {
		return &uppaal.Binary{Op: op, X: &uppaal.Call{Fun: &uppaal.Ident{Name: "idle_" + t.uname}}, Y: &uppaal.IntLit{Value: int32(t.slots)}}
	}
	busy := &uppaal.Ident{Name: "busy_" + t.uname}
	if some {
		return &uppaal.Unary{Op: uppaal.OpNot, X: busy}
	}
	return busy
}

// update spells the assignments of an edge: they are simultaneous, those of the
// model language one after the other.
func (e *emitter) update(ed *edge) []uppaal.Expr {
	n := e.n
	n.news = nil
	var out []uppaal.Expr
	set := func(l, r uppaal.Expr) { out = append(out, &uppaal.Assign{Op: "=", L: l, R: r}) }
	for i, v := range ed.send {
		if v == nil {
			continue
		}
		name := n.message(int32(i))
		if ed.sync.tmpl != nil {
			name = n.argument(int32(i))
		}
		if v.UnknownIn() != nil {
			continue
		}
		set(&uppaal.Ident{Name: name}, n.spell(v))
	}
	pending := slices.Clone(ed.assign)
	targets := map[*sym.Expr]int{}
	for i, a := range pending {
		targets[a.to] = i
	}
	// readers counts the others that read a target, and reads are the targets that
	// one reads.
	readers, reads := make([]int, len(pending)), make([][]int, len(pending))
	for i, a := range pending {
		a.e.Visit(func(e *sym.Expr) {
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
			set(n.spell(pending[i].to), n.spell(pending[i].e))
			for _, k := range reads[i] {
				readers[k]--
			}
			order = slices.Delete(order, at, at+1)
			continue
		}
		// A cycle: keep the old value of the first target.
		a := pending[order[0]]
		readers[order[0]] = 0
		v := &variable{tmpl: ed.from.tmpl, id: 1<<63 + uint64(n.temps), name: fmt.Sprintf("tmp_%d", n.temps)}
		tmp := sym.Read(sym.OpVar, v, 0)
		n.vars[v] = fmt.Sprintf("tmp_%d", n.temps)
		n.temps++
		set(n.spell(tmp), n.spell(a.to))
		for _, j := range order {
			pending[j].e = pending[j].e.Replace(a.to, tmp)
			reads[j] = slices.DeleteFunc(reads[j], func(k int) bool { return k == order[0] })
		}
	}
	for i := len(n.news) - 1; i >= 0; i-- {
		a := n.news[i]
		out = slices.Insert(out, 0, uppaal.Expr(&uppaal.Assign{Op: "=", L: &uppaal.Ident{Name: fmt.Sprintf("new_%d", i)}, R: n.allocate(a.pool, a.k)}))
	}
	t := ed.from.tmpl
	busy := func(v bool) {
		var l uppaal.Expr = &uppaal.Ident{Name: "busy_" + t.uname}
		if t.slots > 1 {
			l = &uppaal.Index{X: l, I: &uppaal.Ident{Name: "slot"}}
		}
		set(l, &uppaal.BoolLit{Value: v})
	}
	if t.parent != nil && (t.slots > 1 || !t.once) {
		if ed.from.kind == atIdle {
			busy(true)
		}
		if ed.to.kind == atIdle {
			busy(false)
		}
	}
	if ed.to.kind == atSink {
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
		if t.parent == nil || t.slots == 1 && t.once {
			continue
		}
		if t.slots == 1 {
			text += fmt.Sprintf("bool busy_%s;\n", t.uname)
			continue
		}
		text += fmt.Sprintf("bool busy_%[1]s[%[2]d];\nint[0,%[2]d] idle_%[1]s() {\n  for (i : int[0,%[3]d]) { if (!busy_%[1]s[i]) return i; }\n  return %[2]d;\n}\n", t.uname, t.slots, t.slots-1)
	}
	for _, name := range n.order {
		dim := ""
		for _, t := range x.templates {
			if name == "go_"+t.uname && t.slots > 1 {
				dim = fmt.Sprintf("[%d]", t.slots)
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
	for _, c := range x.mem.cells {
		if c == nil || n.cells[c] == "" {
			continue
		}
		out = append(out, e.declare(n.cells[c], c.abs, c.start()))
	}
	for _, t := range x.templates {
		for _, v := range t.varList {
			name := n.vars[v]
			if name == "" || !v.ref {
				continue
			}
			d := e.declare(name, v.abs, t.inits[v])
			if t.slots > 1 {
				d.Dims = []*uppaal.Dim{{Size: literal(int32(t.slots))}}
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
	var all []*object
	number := map[*object]int{}
	for _, o := range x.objects() {
		if o.pool != nil {
			number[o] = len(all)
			all = append(all, o)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "bool used_object(int[0,%d] which) {\n  bool used[%d];\n  bool more = true;\n", len(all)-1, len(all))
	mark := func(name string, a sym.Set, indent string) {
		for _, o := range all {
			lo, hi := o.base, o.base+o.size-1
			if !slices.ContainsFunc(a.Elems, func(k int32) bool { return lo <= k && k <= hi }) {
				continue
			}
			fmt.Fprintf(&b, "%sif (%d <= %s && %s <= %d && !used[%d]) { used[%d] = true; more = true; }\n", indent, lo, name, name, hi, number[o], number[o])
		}
	}
	for _, t := range x.templates {
		for _, v := range t.varList {
			name := n.vars[v]
			if name == "" || !v.ref {
				continue
			}
			for s := range t.slots {
				at := name
				if t.slots > 1 {
					at = fmt.Sprintf("%s[%d]", name, s)
				}
				mark(at, v.abs, "  ")
			}
		}
	}
	for _, c := range x.mem.cells {
		if c != nil && n.cells[c] != "" && c.ref && c.group.pool == nil && e.x.pooled(c.abs) {
			mark(n.cells[c], c.abs, "  ")
		}
	}
	b.WriteString("  while (more) {\n    more = false;\n")
	for _, c := range x.mem.cells {
		if c != nil && n.cells[c] != "" && c.ref && c.group.pool != nil && e.x.pooled(c.abs) {
			fmt.Fprintf(&b, "    if (used[%d]) {\n", number[c.group])
			mark(n.cells[c], c.abs, "      ")
			b.WriteString("    }\n")
		}
	}
	b.WriteString("  }\n  return used[which];\n}\n")
	for _, p := range x.mem.order {
		if name := n.pools[p]; name != "" {
			fmt.Fprintf(&b, "int[0,%d] %s(int n) {\n  int left = n;\n", p.objs[len(p.objs)-1].base, name)
			for _, o := range p.objs {
				fmt.Fprintf(&b, "  if (!used_object(%d)) { if (left == 0) return %d; left--; }\n", number[o], o.base)
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
			d := &uppaal.InstanceDecl{Name: p, Template: &uppaal.Ident{Name: t.tname}}
			if t.slots > 1 {
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

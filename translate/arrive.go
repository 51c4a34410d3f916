package translate

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/sym"
	"github.com/vtrace/vtrace/translate/internal/termination"
)

func (x *translator) newPath(t *template, from *location) *path {
	p := &path{x: x, t: t, from: from, knowledge: knowledge{epoch: x.nextEpoch()}, edgeLabel: edgeLabel{role: artifact.RoleOp}}
	if from != nil {
		p.split, p.dense = x.splitAt[pointOf(from)], x.dense[pointOf(from)]
		p.alone, p.serial = from.alone, from.serial
	}
	return p
}

func (x *translator) addLocation(l *location) {
	l.index = len(l.tmpl.locs)
	l.tmpl.locs = append(l.tmpl.locs, l)
	l.tmpl.byKey[l.key] = l
}

// locationFor returns the location of a control state.
func (x *translator) locationFor(p *path, kind locKind, site sites.ID) *location {
	key := fmt.Sprintf("%d:%d%s%s", kind, site, controlKey(p.frames), p.variant)
	key += x.unroll(p, key)
	if l := p.t.byKey[key]; l != nil {
		return l
	}
	p.own = nil
	l := &location{tmpl: p.t, key: key, kind: kind, site: site, frames: slices.Clone(p.frames), variant: p.variant, rolled: p.rolled}
	for _, k := range x.liveOf(p.frames) {
		v := p.t.variable(k, func() string { return x.varName(k) })
		v.refs = x.isRef(k)
		l.live = append(l.live, liveValue{k, v})
	}
	l.in = make([]sym.Set, len(l.live))
	l.lost = make([]bool, len(l.live))
	switch kind {
	case atOp:
		s := x.idx.Site(site)
		l.op = s.Kind.String()
		top := p.peek()
		if top.op != nil {
			l.block = top.op.Blocks
		} else {
			switch i := top.block.Instrs[top.idx].(type) {
			case *ssa.Send:
				l.block = true
			case *ssa.UnOp:
				l.block = true
			case *ssa.Select:
				l.block = i.Blocking
			}
		}
	case atQueue:
		l.op, l.block = x.idx.Site(site).Kind.String()+"_queued", true
	case atStmt:
		l.op = "line"
		if x.idx.Site(site).Kind == sites.Store {
			l.op = "write"
		}
	case atStart:
		l.op = "start"
	case atEnd:
		l.op = "end"
	case atLocal:
		l.op = "local"
	case atIdle:
		l.op = "idle"
	case atDone:
		l.op = "done"
	case atSpin:
		l.op = "spin"
	}
	x.addLocation(l)
	return l
}

// isRef reports that a scalar is a reference to an object.
func (x *translator) isRef(k varKey) bool {
	switch v := k.v.(type) {
	case panicKey:
		return k.comp == 1
	case argKey, deferKey:
		return true
	case *ssa.Range:
		return k.comp == 0
	case ssa.Value:
		if m, ok := v.(*ssa.MakeClosure); ok && direct(m) {
			return true
		}
		r := x.valueRefs(v)
		return k.comp < len(r) && r[k.comp]
	}
	return false
}

// valueRefs says for each scalar of a value whether it is a reference.
func (x *translator) valueRefs(v ssa.Value) []bool {
	if x.sl.Plain[v] {
		return x.scalarRefs(program.Pointee(v.Type()))
	}
	return x.scalarRefs(v.Type())
}

// scalarRefs says for each scalar of a type whether it is a reference.
func (x *translator) scalarRefs(t types.Type) []bool {
	n := x.width(t)
	out := make([]bool, 0, n)
	if program.IsCond(t) {
		out = append(out, false, true)
	}
	if cs := x.layout(t); cs != nil {
		for _, c := range cs {
			out = append(out, c.ref)
		}
		return out
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Signature, *types.Map:
		return []bool{true}
	case *types.Interface:
		return []bool{true, true}
	case *types.Slice:
		return []bool{true, false, false}
	case *types.Struct:
		if program.IsCond(t) {
			break
		}
		if x.foreign(t) || program.SyncCells(t) != nil {
			return make([]bool, n)
		}
		for i := range u.NumFields() {
			out = append(out, x.scalarRefs(u.Field(i).Type())...)
		}
	case *types.Array:
		if w := x.width(u.Elem()); int64(n) == int64(w)*u.Len() {
			r := x.scalarRefs(u.Elem())
			for range u.Len() {
				out = append(out, r...)
			}
		}
	case *types.Tuple:
		for i := range u.Len() {
			out = append(out, x.scalarRefs(u.At(i).Type())...)
		}
	}
	for len(out) < n {
		out = append(out, false)
	}
	return out
}

// splits is the kind of value that is decided before it is stored, if it is not
// tracked: two tests of it must agree.
func (x *translator) splits(k varKey) bool {
	switch v := k.v.(type) {
	case ssa.Value:
		t := v.Type()
		if x.sl.Plain[v] {
			t = program.Pointee(t)
		}
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return u.Info()&types.IsBoolean != 0
		case *types.Interface:
			return k.comp == 0 && program.IsError(t)
		}
	}
	return false
}

// arrive ends the path at a location.
func (x *translator) arrive(p *path, kind locKind, site sites.ID) {
	if site != 0 && kind != atStmt {
		x.passes(p)
	}
	l := x.locationFor(p, kind, site)
	// A condition that is not tracked but lives on is chosen now.
	for _, lv := range l.live {
		e := p.env.m[envKey{lv.key.ctx, lv.key.v}]
		if lv.key.comp >= len(e) || e[lv.key.comp].Op != sym.OpUnknown || !x.splits(lv.key) {
			continue
		}
		yes := int32(1)
		if !program.IsBool(lv.key.v.(ssa.Value).Type()) && !program.IsBool(program.Pointee(lv.key.v.(ssa.Value).Type())) {
			yes = x.mem.tag(opaqueError)
		}
		key := envKey{lv.key.ctx, lv.key.v}
		for _, k := range []int32{0, yes} {
			q := p.clone()
			q.note("free-choice", "over", "a value that is not tracked: "+e[lv.key.comp].Why.Reason)
			v := slices.Clone(e)
			v[lv.key.comp] = sym.Num(k)
			if k == 0 && lv.key.comp+1 < len(v) {
				v[lv.key.comp+1] = sym.Num(0)
			}
			q.env.set(key, v)
			x.arrive(q, kind, site)
		}
		return
	}
	x.arriveAt(p, l)
}

func (x *translator) arriveAt(p *path, l *location) {
	if l.kind != atSink {
		p.settle()
		if p.from != nil {
			p.confine()
		}
	}
	switch {
	case x.inPrefix:
		x.prefix = append(x.prefix, arrival{p, l})
		return
	case x.emitting:
		x.addEdge(p, l)
		return
	}
	x.join(p, l)
}

// liveExpr is the value on the path of what is live at a location.
func (p *path) liveExpr(lv liveValue) *sym.Expr {
	e := p.env.m[envKey{lv.key.ctx, lv.key.v}]
	if lv.key.comp < len(e) {
		return p.simplify(e[lv.key.comp])
	}
	return sym.Unknown("not tracked")
}

// join adds the state at the end of a path to what the location, the cells and
// the partners know.
func (x *translator) join(p *path, l *location) {
	grown := !l.seen
	if held := common(l.held, p.held); !l.seen {
		l.held = p.held
	} else if len(held) < len(l.held) {
		l.held = held
		grown = true
	}
	for i, lv := range l.live {
		e := p.liveExpr(lv)
		b := p.abs(e)
		if l.lost[i] {
			continue // any value has its place
		}
		a := l.in[i].Widen(b, x.limit(lv.v.refs), x.prog.Thresholds)
		if a.Top && !l.in[i].Top && !lv.v.refs && (!b.Top || pastLimits(e) || !l.in[i].Empty()) {
			// A counter without visible bound, or a number that is not tracked on
			// this way: it is kept within limits, and beyond them is not tracked.
			a = x.limits()
			l.lost[i] = true
		}
		if !a.Equal(l.in[i]) {
			l.in[i] = a
			grown = true
		}
	}
	if x.freshAt(p, l) {
		grown = true
	}
	if l.kind != atSink { // behind which nobody reads
		clear(x.left)
		for _, addr := range sortedKeys(p.heap.m) {
			c, e := x.mem.cells[addr], p.heap.m[addr]
			if p.from == nil || e == c.x {
				continue
			}
			a := p.abs(e)
			x.grow(c, a)
			x.wrote(c, p.t)
			x.left[addr] = a
		}
		grown = x.place(p, l, x.left) || grown
	}
	if grown {
		x.enqueue(l)
	}
}

// sinkTo ends the program, or the path.
func (x *translator) sinkTo(p *path, s *sinkInfo) {
	key := fmt.Sprintf("sink %s|%s|%d|%d|%s", s.end, s.kind, s.site, s.pos, s.detail)
	if s.at != nil {
		key += "|" + s.at.String()
	}
	l := p.t.byKey[key]
	if l == nil {
		l = &location{tmpl: p.t, key: key, kind: atSink, site: s.site, op: s.end, sink: s}
		x.addLocation(l)
	}
	x.arriveAt(p, l)
}

// leave executes the segments that begin at a location.
func (x *translator) leave(l *location) {
	t := l.tmpl
	p := x.newPath(t, l)
	p.site = l.site
	switch l.kind {
	case atSink, atDone:
		return
	case atIdle:
		p.role = artifact.RoleBirth
		p.site = 0
		if t.site.Kind == sites.Callback {
			p.site = t.site.ID // names the goroutine
		}
		p.sync = &syncLabel{name: "go", tmpl: t, birth: true}
		p.serial = t.serial
		p.hand = t.args
		for i, k := range t.handed {
			key := envKey{k.ctx, k.v}
			e := sym.Read(sym.OpArg, nil, int32(i))
			switch v, ok := t.args[i].Single(); {
			case ok:
				e = sym.Num(v)
			case t.args[i].Top:
				e = sym.Unknown("an argument that is not tracked")
			}
			p.env.set(key, append(p.env.m[key], e))
		}
		for _, f := range t.start {
			p.push(f)
		}
		x.arrive(p, atStart, t.startSite)
		return
	case atBegin:
		q := x.begin()
		q.from, q.split, q.dense = l, p.split, p.dense
		x.takeUp(q)
		x.drive()
		return
	}
	p.held, p.variant, p.rolled = l.held, l.variant, l.rolled
	x.ripen(p, l)
	var lost []lostValue
	for i, lv := range l.live {
		key := envKey{lv.key.ctx, lv.key.v}
		var e *sym.Expr
		switch k, ok := l.in[i].Single(); {
		case l.lost[i]:
			e = lv.v.x
			p.learn(e, l.in[i])
			lost = append(lost, lostValue{key, lv.key.comp, e, l.in[i].Hi})
		case ok:
			e = sym.Num(k)
		case l.in[i].Top:
			e = sym.Unknown(x.prog.NotKept(lv.key.v))
		case l.in[i].Empty():
			e = sym.Num(0)
		default:
			e = lv.v.x
			p.learn(e, l.in[i])
		}
		for len(p.env.m[key]) < lv.key.comp {
			p.env.set(key, append(p.env.m[key], sym.Unknown("not kept")))
		}
		p.env.set(key, append(p.env.m[key], e))
	}
	p.frames = slices.Clone(l.frames)
	// Values beyond their limits are not tracked.
	paths := []*path{p}
	for _, v := range lost {
		for _, q := range slices.Clone(paths) {
			r := q.clone()
			if !r.assume(sym.Arith(sym.OpEq, v.e, sym.Num(v.k))) || !q.assume(sym.Arith(sym.OpLt, v.e, sym.Num(v.k))) {
				continue
			}
			r.beyond = true
			e := slices.Clone(r.env.m[v.key])
			e[v.comp] = sym.Unknown(beyond)
			r.env.set(v.key, e)
			paths = append(paths, r)
		}
	}
	for _, q := range paths {
		x.leaveWith(l, q)
	}
}

// lostValue is a live value that may be beyond the limits.
type lostValue struct {
	key  envKey
	comp int
	e    *sym.Expr
	k    int32 // the value that says so
}

// leaveWith executes the segments of a location for a path that has its values.
func (x *translator) leaveWith(l *location, p *path) {
	switch l.kind {
	case atOp:
		p.top().phase = 1
	case atQueue:
		p.role = artifact.RoleWake
	case atStmt:
		p.top().passed = l.site
	case atStart:
		p.role = artifact.RoleStart
	case atLocal, atSpin:
		p.role = artifact.RoleLocal
		p.site = 0
		if l.kind == atSpin {
			x.arriveAt(p, l)
			return
		}
		// What led here has been decided; the instruction is executed now.
		p.marks = table[*ssa.BasicBlock, int]{}
		if f := p.peek(); f.block != nil {
			p.marks.set(f.block, 0)
			if f.guess {
				p.top().guess = false
				p.picks = 1
			}
		}
	case atEnd:
		if x.prog.Test() {
			x.arrive(p, atDone, 0)
			return
		}
		x.sinkTo(p, &sinkInfo{end: "return", site: l.site})
		return
	}
	x.continueWith(p)
	x.drive()
}

// templateFor returns the template of the goroutines that the go statement at
// the top of the path starts with a target.
func (x *translator) templateFor(p *path, site ssa.Instruction, tgt target) *template {
	f := p.peek()
	name := tgt.name()
	if t := x.ownKind(p, site, name); t != nil {
		return t
	}
	key := fmt.Sprintf("%d|%d|%d.%d|%s", p.t.index, f.ctx.id, site.Block().Index, site.Pos(), name)
	turns, single := "", false
	if tgt.op == subtestBody && p.serial && !p.rolled {
		if turns, single = x.turnsOf(p.frames[:len(p.frames)-1]); single {
			key += turns
		}
	}
	serial := tgt.op == subtestBody && p.serial
	if t := x.byKey[key]; t != nil {
		if t.serial && !serial {
			t.serial = false
			x.enqueue(t.idle)
		}
		return t
	}
	t := &template{index: len(x.templates), key: key, parent: p.t, origin: site, target: name, fn: tgt.fn,
		automaton: automaton{byKey: map[string]*location{}}, variables: newVariables(), ctxs: map[callKey]*callPath{}}
	t.scope = p.scopeOf()
	t.daemon = p.t.daemon || x.initialising(f.ctx)
	t.serial = serial
	x.countGoroutines(p, t, single)
	x.setSites(p, t, tgt.op)
	switch {
	case tgt.op != nil:
		x.startAtOp(t, tgt)
	case tgt.fn != nil && tgt.fn.Blocks != nil:
		x.startAtFunction(t, tgt)
	default: // code that is not part of the program: it ends at once
		t.name = "library"
		if tgt.fn != nil {
			t.name = tgt.fn.Name()
		}
	}
	t.args = make([]sym.Set, len(t.handed))
	x.templates = append(x.templates, t)
	x.byKey[key] = t
	t.idle = &location{tmpl: t, key: "idle", kind: atIdle, op: "idle"}
	t.idle.key = fmt.Sprintf("%d:%d", atIdle, 0)
	x.addLocation(t.idle)
	return t
}

// name names what a goroutine calls, to tell apart the goroutines that one statement
// starts.
func (tgt target) name() string {
	switch {
	case tgt.fn != nil:
		return tgt.fn.String() + fmt.Sprint(tgt.fn.Pos())
	case tgt.op != nil:
		return tgt.op.Name
	}
	return "op"
}

// ownKind finds, among the template of a path and those that have started it, the one
// that the same go statement has started with the same target; nil if there is none.
func (x *translator) ownKind(p *path, site ssa.Instruction, name string) *template {
	// A goroutine that starts goroutines like itself uses its own template.
	for t := p.t; t != nil; t = t.parent {
		if t.origin == site && t.target == name {
			if t.once {
				x.recursive[started{site, name}] = true
				x.again = true
			}
			return t
		}
	}
	return nil
}

// countGoroutines sets how many goroutines of a template there can be at a time, and
// whether there is only one in a whole run. single says that the path comes by the go
// statement only once.
func (x *translator) countGoroutines(p *path, t *template, single bool) {
	f := p.peek()
	inLoop := f.ctx.inLoop || f.op == nil && x.prog.Function(f.ctx.fn).InCycle[f.block.Index]
	recursive := x.recursive[started{t.origin, t.target}]
	t.once = p.t.once && (!inLoop || single) && !recursive
	t.slots = 1
	switch {
	case t.once:
	case recursive:
		t.slots = x.opts.Slots
	case !inLoop:
		t.slots = p.t.slots
	default:
		t.slots = x.opts.Slots
		if n := x.trips(p.t, f.ctx, t.origin.Block()); n > 0 && n <= termination.MaxTrips {
			t.slots = n
		}
	}
}

// setSites sets the sites of the statement that starts the goroutines of a template,
// and of the guard at their start. op is the operation that they execute, nil for a
// function.
func (x *translator) setSites(p *path, t *template, op *program.Operation) {
	kind := sites.Go
	switch op {
	case wgBody:
		kind = sites.WaitGroupGo
	case callbackBody, contextBody:
		kind = sites.Callback
	case subtestBody:
		kind = sites.Subtest
	}
	goSite, _ := x.idx.At(kind, t.origin.Pos())
	if goSite.ID == 0 {
		goSite = x.idx.Site(p.from.site)
	}
	t.site = goSite
	t.startSite = x.idx.Start(goSite.ID).ID
	if t.startSite == 0 {
		x.unsupported(p.here(), "go statement", "it has no guard")
	}
}

// startAtOp has the goroutines of a template begin with an operation of the library,
// which has its arguments from the spawner.
func (x *translator) startAtOp(t *template, tgt target) {
	t.root = x.context(t, nil, nil, 0, tgt.fn, tgt.op.Name)
	root := &frame{ctx: t.root, op: tgt.op, tgt: target{fn: tgt.fn, op: tgt.op, pos: tgt.pos}}
	for k, a := range tgt.args {
		if !tgt.op.Needs(k) {
			a = nil
		}
		root.tgt.args = append(root.tgt.args, make([]*sym.Expr, len(a)))
		for c := range a {
			t.handed = append(t.handed, varKey{t.root, argKey(k), c})
			t.refs = append(t.refs, true)
		}
	}
	t.start = []*frame{root}
	t.name = tgt.op.Name
}

// startAtFunction has the goroutines of a template begin with a function of the
// program, which has its parameters and captured variables from the spawner.
func (x *translator) startAtFunction(t *template, tgt target) {
	t.root = x.context(t, nil, nil, 0, tgt.fn, "")
	t.start = []*frame{{ctx: t.root, block: tgt.fn.Blocks[0], tgt: target{pos: tgt.pos}}}
	hand := func(v ssa.Value) {
		if x.sl.Values[v] {
			r := x.valueRefs(v)
			for c := range x.valueWidth(v) {
				t.handed = append(t.handed, varKey{t.root, v, c})
				t.refs = append(t.refs, r[c])
			}
		}
	}
	for _, v := range tgt.fn.FreeVars {
		hand(v)
	}
	for _, v := range tgt.fn.Params {
		hand(v)
	}
	t.name = tgt.fn.Name()
}

// initialising reports that a call path begins in the initialisation of packages.
func (x *translator) initialising(c *callPath) bool {
	for ; c != nil; c = c.parent {
		if c.fn != nil && c.fn == x.prog.Init {
			return true
		}
	}
	return false
}

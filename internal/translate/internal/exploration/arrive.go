package exploration

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
	"github.com/vtrace/vtrace/internal/translate/internal/termination"
)

// NewPath is a path of a goroutine from a location on, or from the start of the program.
func (x *Explorer) NewPath(t *state.Template, from *state.Location) *Path {
	p := &Path{Explorer: x, Template: t, From: from, Knowledge: Knowledge{epoch: x.nextEpoch()}, EdgeLabel: EdgeLabel{Role: artifact.RoleOp}}
	if from != nil {
		p.split, p.dense = x.splitAt[pointOf(from)], x.dense[pointOf(from)]
		p.Alone, p.Serial = from.Alone, from.Serial
	}
	return p
}

func (x *Explorer) addLocation(l *state.Location) {
	l.Index = len(l.Template.Locations)
	l.Template.Locations = append(l.Template.Locations, l)
	l.Template.ByKey[l.Key] = l
}

// locationFor returns the location of a control state.
//
// Its key is all that tells control states apart: what is done there, the stack, numbers that were chosen at the
// beginning, and iterations while these are kept apart. Paths with one key join, whatever they know. So the number
// of locations, and with it the search, is bounded only if everything in the key is.
func (x *Explorer) locationFor(p *Path, kind state.LocationKind, site sites.ID) *state.Location {
	key := fmt.Sprintf("%d:%d%s%s", kind, site, state.ControlKey(p.Frames), p.variant)
	key += x.unroll(p, key)
	if l := p.Template.ByKey[key]; l != nil {
		return l
	}
	// The location has the frames from now on: they are not changed any more.
	p.own = nil
	l := &state.Location{Template: p.Template, Key: key, Kind: kind, Site: site, Frames: slices.Clone(p.Frames), Variant: p.variant, Rolled: p.rolled}
	for _, k := range x.Live(p.Frames) {
		v := p.Template.Variable(k, func() string { return x.VarName(k) })
		v.Refs = x.IsRef(k)
		l.Live = append(l.Live, state.LiveValue{Key: k, Variable: v})
	}
	l.In = make([]sym.Set, len(l.Live))
	l.Saturates = make([]bool, len(l.Live))
	switch kind {
	case state.AtOp:
		s := x.Sites.Site(site)
		l.Op = s.Kind.String()
		top := p.Peek()
		if top.Op != nil {
			l.Block = top.Op.Blocks()
		} else if i, ok := top.Block.Instrs[top.Idx].(*ssa.Select); ok {
			l.Block = i.Blocking
		} else {
			l.Block = s.Kind.Waits() == sites.AtGuard
		}
	case state.AtQueue:
		l.Op, l.Block = x.Sites.Site(site).Kind.String()+"_queued", true
	case state.AtStmt:
		l.Op = "line"
		if x.Sites.Site(site).Kind == sites.Store {
			l.Op = "write"
		}
	case state.AtStart:
		l.Op = "start"
	case state.AtEnd:
		l.Op = "end"
	case state.AtLocal:
		l.Op = "local"
	case state.AtIdle:
		l.Op = "idle"
	case state.AtDone:
		l.Op = "done"
	case state.AtSpin:
		l.Op = "spin"
	}
	x.addLocation(l)
	return l
}

// splits is the kind of value that is decided before it is stored, if it is not
// tracked: two tests of it must agree.
//
// If the second test in
//
//	err := f() // not tracked
//	c <- 1     // a guard: err lives on
//	if err != nil { mu.Lock() }
//	if err != nil { mu.Unlock() }
//
// were a choice of its own the model would unlock what is not locked. Numbers and pointers have too many values for
// that.
func (x *Explorer) splits(k state.VarKey) bool {
	switch v := k.V.(type) {
	case ssa.Value:
		t := v.Type()
		if x.Slice.Plain[v] {
			t = program.Pointee(t)
		}
		switch u := t.Underlying().(type) {
		case *types.Basic:
			return u.Info()&types.IsBoolean != 0
		case *types.Interface:
			return k.Comp == 0 && program.IsError(t)
		}
	}
	return false
}

// Arrive ends the path at a location.
func (x *Explorer) Arrive(p *Path, kind state.LocationKind, site sites.ID) {
	if site != 0 && kind != state.AtStmt {
		x.passes(p)
	}
	l := x.locationFor(p, kind, site)
	// A condition that is not tracked but lives on is chosen now.
	for _, lv := range l.Live {
		e := p.env.m[envKey{lv.Key.Call, lv.Key.V}]
		if lv.Key.Comp >= len(e) || e[lv.Key.Comp].Op != sym.OpUnknown || !x.splits(lv.Key) {
			continue
		}
		yes := int32(1)
		if !program.IsBool(lv.Key.V.(ssa.Value).Type()) && !program.IsBool(program.Pointee(lv.Key.V.(ssa.Value).Type())) {
			yes = x.Memory.Tag(layout.OpaqueError)
		}
		key := envKey{lv.Key.Call, lv.Key.V}
		for _, k := range []int32{0, yes} {
			q := p.Clone()
			q.Note("free-choice", artifact.DirectionOver, "a value that is not tracked: "+e[lv.Key.Comp].Why.Reason)
			v := slices.Clone(e)
			v[lv.Key.Comp] = sym.Num(k)
			if k == 0 && lv.Key.Comp+1 < len(v) {
				v[lv.Key.Comp+1] = sym.Num(0)
			}
			// Each copy has one value less to choose, so that this ends.
			q.env.set(key, v)
			x.Arrive(q, kind, site)
		}
		return
	}
	x.arriveAt(p, l)
}

func (x *Explorer) arriveAt(p *Path, l *state.Location) {
	if l.Kind != state.AtSink {
		// Between segments new objects lie in memory like all others, and cells with limits hold what is within.
		// Behind a sink nobody reads.
		p.Settle()
		if p.From != nil {
			p.confine()
		}
	}
	switch {
	case x.InPrefix:
		x.prefix = append(x.prefix, arrival{p, l})
		return
	case x.Emitting:
		x.addEdge(p, l)
		return
	}
	x.join(p, l)
}

// liveExpr is the value on the path of what is live at a location.
func (p *Path) liveExpr(lv state.LiveValue) *sym.Expr {
	e := p.env.m[envKey{lv.Key.Call, lv.Key.V}]
	if lv.Key.Comp < len(e) {
		return p.Simplify(e[lv.Key.Comp])
	}
	return sym.Unknown("not tracked")
}

// join adds the state at the end of a path to what the location, the cells and
// the partners know.
//
// Variables widen at every location, to the next constant of the program (Thresholds). Cells widen in Grow. The
// path is gone then: all that later segments know of it is in these sets.
func (x *Explorer) join(p *Path, l *state.Location) {
	grown := !l.Seen
	if held := state.Common(l.Held, p.Held); !l.Seen {
		l.Held = p.Held
	} else if len(held) < len(l.Held) {
		l.Held = held
		// With fewer locks held, what is done from here on may race with more: cells note the locks (Cell.Used).
		grown = true
	}
	for i, lv := range l.Live {
		e := p.liveExpr(lv)
		b := p.Abs(e)
		if l.Saturates[i] {
			continue // it covers any value
		}
		a := l.In[i].Widen(b, x.Limit(lv.Variable.Refs), x.Program.Thresholds)
		// Limits keep what is known of it on other paths: not tracked, it would be a free choice for all. What
		// comes untracked when nothing else has come is left so. Which of the two has come first decides; both
		// cover the program.
		if a.Top && !l.In[i].Top && !lv.Variable.Refs && (!b.Top || DependsOnSaturated(e) || !l.In[i].Empty()) {
			// A counter without visible bound, or a number that is not tracked on
			// this path: it is kept within limits, where it saturates.
			a = x.limits()
			l.Saturates[i] = true
		}
		if !a.Equal(l.In[i]) {
			l.In[i] = a
			grown = true
		}
	}
	if x.freshAt(p, l) {
		grown = true
	}
	if l.Kind != state.AtSink { // behind which nobody reads
		clear(x.left)
		for _, addr := range p.Written() {
			c, e := x.Memory.Cells[addr], p.written(addr)
			// What the first segment has written is what cells hold at first (Solve). Who puts back what was there
			// writes nothing.
			if p.From == nil || e == c.Expr {
				continue
			}
			a := p.Abs(e)
			x.Grow(c, a)
			x.wrote(c, p.Template)
			x.left[addr] = a
		}
		grown = x.joinContents(p, l, x.left) || grown
	}
	if grown {
		x.Enqueue(l)
	}
}

// SinkTo ends the program, or the path.
func (x *Explorer) SinkTo(p *Path, s *state.Sink) {
	key := fmt.Sprintf("sink %s|%s|%d|%d|%s", s.End, s.Kind, s.Site, s.Pos, s.Detail)
	if s.At != nil {
		key += "|" + s.At.String()
	}
	l := p.Template.ByKey[key]
	if l == nil {
		l = &state.Location{Template: p.Template, Key: key, Kind: state.AtSink, Site: s.Site, Op: string(s.End), Sink: s}
		x.addLocation(l)
	}
	x.arriveAt(p, l)
}

// leave executes the segments that begin at a location.
//
// A variable that has one value here is a constant in the segments, and needs no place in the state, but for a
// reference to an object of a pool, which keeps that from being free. All others are read from the state, and what
// they can be here is known of the expression that reads them.
func (x *Explorer) leave(l *state.Location) {
	t := l.Template
	p := x.NewPath(t, l)
	p.Site = l.Site
	switch l.Kind {
	case state.AtSink, state.AtDone:
		return
	case state.AtIdle:
		p.Role = artifact.RoleBirth
		p.Site = 0
		if t.Site.Kind == sites.Callback {
			p.Site = t.Site.ID // names the goroutine
		}
		p.Sync = &state.Sync{Name: "go", Template: t, Birth: true}
		p.Serial = t.Serial
		p.Hand = t.Args
		for i, k := range t.Handed {
			key := envKey{k.Call, k.V}
			e := sym.Read(sym.OpArg, nil, int32(i))
			switch v, ok := t.Args[i].Single(); {
			case ok:
				e = sym.Num(v)
			case t.Args[i].Top:
				e = sym.Unknown("an argument that is not tracked")
			}
			p.env.set(key, append(p.env.m[key], e))
		}
		for _, f := range t.Start {
			p.Push(f)
		}
		if x.cut[l] {
			x.endAtCut(p)
			return
		}
		x.Arrive(p, state.AtStart, t.StartSite)
		return
	case state.AtBegin:
		q := x.begin()
		q.From, q.split, q.dense = l, p.split, p.dense
		x.takeUp(q)
		x.drive()
		return
	}
	p.Held, p.variant, p.rolled = l.Held, l.Variant, l.Rolled
	x.ripen(p, l)
	var saturated []saturatedValue
	for i, lv := range l.Live {
		key := envKey{lv.Key.Call, lv.Key.V}
		var e *sym.Expr
		switch k, ok := l.In[i].Single(); {
		case l.Saturates[i]:
			e = lv.Variable.Expr
			p.Learn(e, l.In[i])
			saturated = append(saturated, saturatedValue{key, lv.Key.Comp, e, l.In[i].Hi})
		case ok:
			e = sym.Num(k)
		case l.In[i].Top:
			e = sym.Unknown(x.Program.NotKept(lv.Key.V))
		case l.In[i].Empty():
			e = sym.Num(0)
		default:
			e = lv.Variable.Expr
			p.Learn(e, l.In[i])
		}
		for len(p.env.m[key]) < lv.Key.Comp {
			p.env.set(key, append(p.env.m[key], sym.Unknown("not kept")))
		}
		p.env.set(key, append(p.env.m[key], e))
	}
	p.Frames = slices.Clone(l.Frames)
	// Saturated values are not tracked.
	paths := []*Path{p}
	for _, v := range saturated {
		for _, q := range slices.Clone(paths) {
			r := q.Clone()
			if !r.Assume(sym.Arith(sym.OpEq, v.e, sym.Num(v.k))) || !q.Assume(sym.Arith(sym.OpLt, v.e, sym.Num(v.k))) {
				continue
			}
			r.Saturated = true
			e := slices.Clone(r.env.m[v.key])
			e[v.comp] = sym.Unknown(SaturatedReason)
			r.env.set(v.key, e)
			paths = append(paths, r)
		}
	}
	for _, q := range paths {
		x.leaveWith(l, q)
	}
}

// saturatedValue is a live value that may be saturated.
// Segments are executed for it twice, with the value unknown and with all others, so that one that is still small
// loses nothing: there are as many paths as combinations.
type saturatedValue struct {
	key  envKey
	comp int
	e    *sym.Expr
	k    int32 // the value that says so
}

// leaveWith executes the segments of a location for a path that has its values.
func (x *Explorer) leaveWith(l *state.Location, p *Path) {
	switch l.Kind {
	case state.AtQueue:
		p.Role = artifact.RoleWake
	case state.AtStart:
		p.Role = artifact.RoleStart
	case state.AtLocal, state.AtSpin:
		p.Role, p.Site = artifact.RoleLocal, 0
	}
	if x.cut[l] {
		x.endAtCut(p)
		return
	}
	switch l.Kind {
	case state.AtOp:
		p.Top().Phase = 1
	case state.AtStmt:
		p.Top().Passed = l.Site
	case state.AtLocal, state.AtSpin:
		// It comes back to where it is, for ever.
		if l.Kind == state.AtSpin {
			x.arriveAt(p, l)
			return
		}
		// What led here has been decided; the instruction is executed now.
		p.marks = table[*ssa.BasicBlock, int]{}
		if f := p.Peek(); f.Block != nil {
			p.marks.set(f.Block, 0)
			// What was chosen before the split still counts as chosen: see split.
			if f.Guess {
				p.Top().Guess = false
				p.Picks = 1
			}
		}
	case state.AtEnd:
		if x.Program.Test() {
			x.Arrive(p, state.AtDone, 0)
			return
		}
		x.SinkTo(p, &state.Sink{End: sidecar.EndReturn, Site: l.Site})
		return
	}
	x.ContinueWith(p)
	x.drive()
}

// TemplateFor returns the template of the goroutines that the go statement at
// the top of the path starts with a target.
//
// A template is made for each calling context, which keeps apart what goroutines of one function work on. That
// their number is finite is by ownKind and the bound of recursion.
func (x *Explorer) TemplateFor(p *Path, site ssa.Instruction, tgt state.Target) *state.Template {
	f := p.Peek()
	name := tgt.Name()
	if t := x.ownKind(p, site, name); t != nil {
		return t
	}
	key := fmt.Sprintf("%d|%d|%d.%d|%s", p.Template.Index, f.Call.ID, site.Block().Index, site.Pos(), name)
	iterations, single := "", false
	// A test with a table has a template for each of its subtests, as far as iterations are kept apart: see
	// unroll.go.
	if tgt.Op.StartedBy(sites.Subtest) && p.Serial && !p.rolled {
		if iterations, single = x.iterationsOf(p.Frames[:len(p.Frames)-1]); single {
			key += iterations
		}
	}
	serial := tgt.Op.StartedBy(sites.Subtest) && p.Serial
	if t := x.byKey[key]; t != nil {
		// Its segments have been executed as if there were none but subtests.
		if t.Serial && !serial {
			t.Serial = false
			x.Enqueue(t.Idle)
		}
		return t
	}
	t := state.NewTemplate(state.Template{Index: len(x.Templates), Key: key, Parent: p.Template, Origin: site, Target: name, Fn: tgt.Fn})
	t.Scope = p.ScopeOf()
	t.Daemon = p.Template.Daemon || x.initialising(f.Call)
	t.Serial = serial
	x.countGoroutines(p, t, single)
	x.setSites(p, t, tgt.Op)
	switch {
	case tgt.Op != nil:
		x.startAtOp(t, tgt)
	case tgt.Fn != nil && tgt.Fn.Blocks != nil:
		x.startAtFunction(t, tgt)
	default: // code that is not part of the program: it ends at once
		t.Name = "library"
		if tgt.Fn != nil {
			t.Name = tgt.Fn.Name()
		}
	}
	t.Args = make([]sym.Set, len(t.Handed))
	x.Templates = append(x.Templates, t)
	x.byKey[key] = t
	t.Idle = &state.Location{Template: t, Key: "idle", Kind: state.AtIdle, Op: "idle"}
	t.Idle.Key = fmt.Sprintf("%d:%d", state.AtIdle, 0)
	x.addLocation(t.Idle)
	return t
}

// ownKind finds, among the template of a path and those that have started it, the one
// that the same go statement has started with the same target; nil if there is none.
func (x *Explorer) ownKind(p *Path, site ssa.Instruction, name string) *state.Template {
	// A goroutine that starts goroutines like itself uses its own template.
	for t := p.Template; t != nil; t = t.Parent {
		if t.Origin == site && t.Target == name {
			// What was made for one goroutine, its objects and templates, is wrong: the attempt is over.
			if t.Once {
				x.recursive[started{site, name}] = true
				x.Again = true
			}
			return t
		}
	}
	return nil
}

// countGoroutines sets how many goroutines of a template there can be at a time, and
// whether there is only one in a whole run. single says that the path comes by the go
// statement only once.
// Of one that is there once each allocation outside of loops is one object, and cells that it alone writes are kept
// by location. Too few slots end the model at a bound, which is said; a Once that is wrong would be false calm.
func (x *Explorer) countGoroutines(p *Path, t *state.Template, single bool) {
	f := p.Peek()
	inLoop := f.Call.InLoop || f.Op == nil && x.Program.Function(f.Call.Fn).InCycle[f.Block.Index]
	recursive := x.recursive[started{t.Origin, t.Target}]
	t.Once = p.Template.Once && (!inLoop || single) && !recursive
	t.Slots = 1
	switch {
	case t.Once:
	case recursive:
		t.Slots = x.Options.Slots
	case !inLoop:
		t.Slots = p.Template.Slots
	default:
		t.Slots = x.Options.Slots
		if n := x.trips(p.Template, f.Call, t.Origin.Block()); n > 0 && n <= termination.MaxTrips {
			t.Slots = n
		}
	}
}

// setSites sets the sites of the statement that starts the goroutines of a template,
// and of the guard at their start. op is the operation that they execute, nil for a
// function.
func (x *Explorer) setSites(p *Path, t *state.Template, op *program.Operation) {
	kind := sites.Go
	if op != nil && op.Starts != sites.Invalid {
		kind = op.Starts
	}
	goSite, _ := x.Sites.At(kind, t.Origin.Pos())
	if goSite.ID == 0 {
		goSite = x.Sites.Site(p.From.Site)
	}
	t.Site = goSite
	t.StartSite = x.Sites.Start(goSite.ID).ID
	if t.StartSite == 0 {
		x.Unsupported(p.Here(), "go statement", "it has no guard")
	}
}

// startAtOp has the goroutines of a template begin with an operation of the library,
// which has its arguments from the spawner.
func (x *Explorer) startAtOp(t *state.Template, tgt state.Target) {
	t.Root = x.Context(t, nil, nil, 0, tgt.Fn, tgt.Op.Name)
	root := &state.Frame{Call: t.Root, Op: tgt.Op, Target: state.Target{Fn: tgt.Fn, Op: tgt.Op, Pos: tgt.Pos}}
	for k, a := range tgt.Args {
		if !tgt.Op.Needs(k) {
			a = nil
		}
		root.Target.Args = append(root.Target.Args, make([]*sym.Expr, len(a)))
		for c := range a {
			t.Handed = append(t.Handed, state.VarKey{Call: t.Root, V: state.ArgKey(k), Comp: c})
			t.Refs = append(t.Refs, true)
		}
	}
	t.Start = []*state.Frame{root}
	t.Name = tgt.Op.Name
}

// startAtFunction has the goroutines of a template begin with a function of the
// program, which has its parameters and captured variables from the spawner.
func (x *Explorer) startAtFunction(t *state.Template, tgt state.Target) {
	t.Root = x.Context(t, nil, nil, 0, tgt.Fn, "")
	t.Start = []*state.Frame{{Call: t.Root, Block: tgt.Fn.Blocks[0], Target: state.Target{Pos: tgt.Pos}}}
	hand := func(v ssa.Value) {
		if x.Slice.Values[v] {
			r := x.ValueRefs(v)
			for c := range x.ValueWidth(v) {
				t.Handed = append(t.Handed, state.VarKey{Call: t.Root, V: v, Comp: c})
				t.Refs = append(t.Refs, r[c])
			}
		}
	}
	for _, v := range tgt.Fn.FreeVars {
		hand(v)
	}
	for _, v := range tgt.Fn.Params {
		hand(v)
	}
	t.Name = tgt.Fn.Name()
}

// initialising reports that a call path begins in the initialisation of packages.
func (x *Explorer) initialising(c *state.CallPath) bool {
	for ; c != nil; c = c.Parent {
		if c.Fn != nil && c.Fn == x.Program.Init {
			return true
		}
	}
	return false
}

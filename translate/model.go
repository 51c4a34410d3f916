package translate

import (
	"fmt"
	"go/token"
	"sort"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/emission"
	"github.com/vtrace/vtrace/translate/internal/omissions"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

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
		if !x.mem.Holds(lv, l.In[i]) {
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
			if x.mem.Holds(lv, p.from.In[i]) && !kept[lv.Variable] {
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
	for _, t := range x.templates {
		t.Subtest = len(t.Start) > 0 && t.Start[0].Op.StartedBy(sites.Subtest)
	}
	x.initialise()
	in := x.emissionInput()
	if err := x.errs.ErrorOrNil(); err != nil && !x.opts.Continue {
		return nil, err // of what is known only now
	}
	out, err := emission.Emit(in)
	if err != nil {
		return nil, err
	}
	x.written = out.Written
	x.approx = out.Sidecar.Approximations
	m := &Model{Network: out.Network, Queries: out.Queries, Sidecar: out.Sidecar}
	x.noteBounds(m)
	if err := x.errs.ErrorOrNil(); err != nil && !x.opts.Continue {
		return nil, err
	}
	m.Sidecar.Approximations = x.approx
	if x.opts.Proto {
		m.Reveal()
	}
	return m, nil
}

// initialise sets what the variables of the entry hold where it begins, if the first segment was
// executed beforehand.
func (x *translator) initialise() {
	if x.start == nil {
		return
	}
	t := x.templates[0]
	for i, lv := range t.First.Live {
		if !x.mem.Holds(lv, t.First.In[i]) {
			continue
		}
		if v := x.start.liveExpr(lv); v.IsConst() {
			t.Inits[lv.Variable] = v.K
		} else if t.First.Lost[i] {
			t.Inits[lv.Variable] = t.First.In[i].Hi
		}
	}
}

// emissionInput is the finished state, with what is to be said of the model.
func (x *translator) emissionInput() *emission.Input {
	in := &emission.Input{
		Program: x.prog, Sites: x.idx, Annotated: x.sl.Annotated,
		Templates: x.templates, Memory: x.mem, Time: x.timeSteps(),
		Bounds: x.inOrder(), Limited: x.limited,
		Proto: x.opts.Proto, Hash: x.opts.Hash, Portable: x.opts.Portable, Categories: x.opts.Categories,
	}
	for s := range x.access {
		in.Accesses = append(in.Accesses, int(s))
	}
	sort.Ints(in.Accesses)
	in.Approximations = x.approx
	for i := range x.approx {
		if x.beyond[i] && !x.plainly[i] {
			in.Conditional = append(in.Conditional, i)
		}
	}
	return in
}

// Reveal makes the guards of a Source model visible, as Options.Proto does: the
// two models differ in nothing else, but for the hash of Options.Hash.
func (m *Model) Reveal() { emission.Reveal(m.Network, &m.Sidecar) }

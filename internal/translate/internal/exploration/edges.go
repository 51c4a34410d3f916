package exploration

import (
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// maxParts bounds the parts of all expressions of a model. Values that were merged share
// theirs, so that an expression that is written out may be larger than memory.
const maxParts = 2_000_000

// addEdge makes the edge of a path that ends at a location.
func (x *Explorer) addEdge(p *Path, l *state.Location) {
	e := &state.Edge{From: p.From, To: l, Guard: p.Cond, Full: p.Full, Sync: p.Sync, Role: p.Role, Site: p.Site, Sel: p.Sel, Approx: p.approx}
	if e.Role == artifact.RoleLocal {
		e.Site = 0
	}
	if p.Sync != nil && p.Sync.Send {
		for i, v := range p.Send {
			keep := false
			if o := p.Sync.Object; o != nil {
				keep = i < int(o.Width) && state.Stored(x.Memory.Cells[o.Base+state.ChanPayload+int32(i)].Abs)
			} else {
				keep = state.Stored(p.Sync.Template.Args[i])
			}
			if !keep {
				v = nil
			}
			e.Send = append(e.Send, v)
		}
	}
	kept := map[*state.Variable]bool{}
	for i, lv := range l.Live {
		if !x.Memory.Holds(lv, l.In[i]) {
			continue
		}
		v := p.liveExpr(lv)
		kept[lv.Variable] = true
		if l.Saturates[i] {
			lo, hi := l.In[i].Bounds()
			switch a := p.Abs(v); {
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
	// Variables that are live no more are set to zero, so that states which differ in them alone are one.
	if p.From.Kind != state.AtIdle && l.Kind != state.AtSink {
		for i, lv := range p.From.Live {
			if x.Memory.Holds(lv, p.From.In[i]) && !kept[lv.Variable] {
				e.Assign = append(e.Assign, state.Assignment{To: lv.Variable.Expr, Value: sym.Num(0)})
			}
		}
	}
	if l.Kind != state.AtSink {
		for _, addr := range p.Written() {
			c, v := x.Memory.Cells[addr], p.written(addr)
			// The cell of a payload stands for messages, which the edge hands over. A cell with one value is a
			// constant, and one that is not tracked has no place.
			if c.Payload || !state.Stored(c.Abs) || v.Op == sym.OpCell && state.CellOf(v) == c {
				continue
			}
			if v.UnknownIn() != nil {
				continue
			}
			e.Assign = append(e.Assign, state.Assignment{To: c.Expr, Value: v})
		}
	}
	// Several free choices may lead to the same.
	for _, o := range l.Template.Edges {
		if o.Equal(e) {
			return
		}
	}
	l.Template.Edges = append(l.Template.Edges, e)
	if x.parts += e.Parts(); x.parts > maxParts && !x.TooLarge {
		x.giveUp(p.Here(), "program", fmt.Sprintf("too large: the conditions and assignments of the model have more than %d parts", maxParts))
	}
}

// AddEdges executes all segments again, for their edges. If the model is too large it stops.
//
// The sets are final, so that the guards and values that they make are those of the model; see docs/rationale.md
// for why this is not done on the way. Approximations are noted anew: those of paths that were given up are gone.
func (x *Explorer) AddEdges() error {
	x.Emitting = true
	x.Work, x.parts = 0, 0
	x.Approx, x.approxAt = nil, map[string]int{}
	if x.start != nil {
		for _, r := range x.start.early {
			x.plainly[x.Approximation(r.pos, r.kind, r.direction, r.reason)] = true
		}
	}
	if x.Options.Continue {
		x.leaveOut()
	}
	for i := 0; i < len(x.Templates); i++ {
		t := x.Templates[i]
		for j := 0; j < len(t.Locations); j++ {
			if t.Locations[j].Seen {
				x.leave(t.Locations[j])
			}
			if err := x.ctx.Err(); err != nil {
				return err
			}
			if x.TooLarge {
				return nil
			}
		}
	}
	return nil
}

// Initialise sets what the variables of the entry hold where it begins, if the first segment was
// executed beforehand.
func (x *Explorer) Initialise() {
	if x.start == nil {
		return
	}
	t := x.Templates[0]
	for i, lv := range t.First.Live {
		if !x.Memory.Holds(lv, t.First.In[i]) {
			continue
		}
		if v := x.start.liveExpr(lv); v.IsConst() {
			t.Inits[lv.Variable] = v.K
		} else if t.First.Saturates[i] {
			t.Inits[lv.Variable] = t.First.In[i].Hi
		}
	}
}

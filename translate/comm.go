package translate

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/layout"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// atGuard stops at the guard of an instruction, or executes the instruction if
// the guard has been passed.
func (x *executor) atGuard(p *path, instr ssa.Instruction) bool {
	f := p.peek()
	if f.Phase == 0 {
		if g, ok := instr.(*ssa.Go); ok && !x.boundMethod(p, g) {
			return false
		}
		s := x.siteOf(instr)
		if s == 0 {
			x.unsupported(instr.Pos(), "operation", "it has no guard")
			return false
		}
		x.arrive(p, state.AtOp, s)
		return false
	}
	switch i := instr.(type) {
	case *ssa.Go:
		return x.execGo(p, i)
	case *ssa.Panic:
		p.top().Phase = 0
		x.raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: x.siteOf(i), Pos: i.Pos(), Detail: "panic"}, p.value(f.Call, i.X))
		return true
	case *ssa.Send:
		c := comm{send: true, ch: p.value(f.Call, i.Chan)[0], val: p.value(f.Call, i.X), elem: i.Chan.Type().Underlying().(*types.Chan).Elem()}
		return x.communicate(p, []comm{c}, false, func(q *path, _ int, _ []*sym.Expr, _ bool) { opDone(q) })
	case *ssa.UnOp:
		elem := i.X.Type().Underlying().(*types.Chan).Elem()
		c := comm{ch: p.value(f.Call, i.X)[0], elem: elem}
		return x.communicate(p, []comm{c}, false, func(q *path, _ int, val []*sym.Expr, ok bool) {
			if i.CommaOk {
				val = append(slices.Clone(val), sym.Bool(ok))
			}
			q.set(f.Call, i, slices.Clone(val))
			opDone(q)
		})
	case *ssa.Select:
		return x.execSelect(p, i)
	}
	return false
}

// opDone goes on behind an operation.
func opDone(p *path) {
	f := p.top()
	f.Phase = 0
	f.Idx++
}

// siteOf finds the site of an operation that is an instruction.
func (x *executor) siteOf(instr ssa.Instruction) sites.ID {
	var kinds []sites.Kind
	switch i := instr.(type) {
	case *ssa.Go:
		kinds = []sites.Kind{sites.Go}
	case *ssa.Panic:
		kinds = []sites.Kind{sites.Panic}
	case *ssa.Send:
		kinds = []sites.Kind{sites.Send}
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			kinds = []sites.Kind{sites.Recv, sites.Range}
		}
	case *ssa.Select:
		kinds = []sites.Kind{sites.Select}
	}
	for _, k := range kinds {
		if s, ok := x.idx.At(k, instr.Pos()); ok {
			return s.ID
		}
	}
	return 0
}

// comm is one communication: a send or a receive.
type comm struct {
	send bool
	ch   *sym.Expr
	val  []*sym.Expr
	elem types.Type
}

func (x *executor) execSelect(p *path, i *ssa.Select) bool {
	ctx := p.peek().Call
	var comms []comm
	for _, st := range i.States {
		c := comm{send: st.Dir == types.SendOnly, ch: p.value(ctx, st.Chan)[0], elem: st.Chan.Type().Underlying().(*types.Chan).Elem()}
		if c.send {
			c.val = p.value(ctx, st.Send)
		}
		comms = append(comms, c)
	}
	return x.communicate(p, comms, !i.Blocking, func(q *path, k int, val []*sym.Expr, ok bool) {
		q.sel = k
		out := []*sym.Expr{sym.Num(int32(k)), sym.Bool(ok)}
		for j, c := range comms {
			if c.send {
				continue
			}
			if j == k {
				out = append(out, val...)
			} else {
				out = append(out, layout.Zeros(x.Width(c.elem))...)
			}
		}
		q.set(ctx, i, out)
		opDone(q)
	})
}

// communicate executes a send, a receive or a select. done completes a path
// with the chosen case, what was received, and whether it was a message.
//
// A goroutine at an unbuffered operation need not be queued: a rendezvous takes
// two goroutines at theirs. Only where somebody polls can the difference be
// seen; there the operation first queues (a location of its own), and then
// meets one that is not queued.
func (x *executor) communicate(p *path, comms []comm, hasDefault bool, done func(q *path, i int, val []*sym.Expr, ok bool)) bool {
	queued := p.peek().Phase == 2
	objs := make([]*state.Object, len(comms))
	for i, c := range comms {
		k, ok, tracked := x.concrete(p, c.ch)
		if !tracked {
			x.unsupported(p.here(), "channel operation", "the channel is not tracked: "+why(c.ch))
			return false
		}
		if !ok {
			return false
		}
		if o := x.mem.Object(k); o != nil && o.Kind == state.ChannelObject {
			if o.Elem != nil && !types.Identical(o.Elem, c.elem) {
				return false // an interface whose type and value do not belong together
			}
			objs[i] = o
		}
	}
	anyPolled := hasDefault
	for _, o := range objs {
		anyPolled = anyPolled || o != nil && o.Meets() && o.Polled
		if o != nil && o.Context {
			x.accessed(p, o.Behind(state.ContextErr), 1, 0, false)
		}
	}
	for _, o := range objs {
		if anyPolled && o != nil && o.Meets() && !x.polled[o.Pos] {
			x.polled[o.Pos] = true
			x.again = true
		}
	}
	cell := func(q *path, o *state.Object, k int32) *sym.Expr { return q.cellAt(o.Base + k) }
	count := func(q *path, d int32) {
		for i, o := range objs {
			if o == nil || !o.Meets() || !o.Polled {
				continue
			}
			k := o.Base + state.ChanReceivers
			if comms[i].send {
				k = o.Base + state.ChanSenders
			}
			q.put(k, sym.Arith(sym.OpAdd, q.cellAt(k), sym.Num(d)))
		}
	}
	leave := func(q *path) {
		if queued {
			count(q, -1)
		}
	}
	idle := sym.Num(1) // no case is ready
	for i, o := range objs {
		if o == nil {
			continue
		}
		closed := cell(p, o, state.ChanClosed)
		idle = sym.And(idle, eq(closed, 0))
		switch {
		case o.Cap > 0 && comms[i].send:
			idle = sym.And(idle, sym.Arith(sym.OpLe, sym.Num(o.Cap), cell(p, o, state.ChanLen)))
		case o.Cap > 0:
			idle = sym.And(idle, eq(cell(p, o, state.ChanLen), 0))
		case comms[i].send:
			idle = sym.And(idle, eq(cell(p, o, state.ChanReceivers), 0))
		default:
			idle = sym.And(idle, eq(cell(p, o, state.ChanSenders), 0))
		}
	}
	for i, o := range objs {
		if o == nil {
			continue
		}
		if comms[i].send {
			x.send(p, o, comms[i].val, queued, func(q *path) { leave(q); done(q, i, nil, false); x.continueWith(q) }, leave)
		} else {
			x.receive(p, o, queued, func(q *path, val []*sym.Expr, ok bool) { leave(q); done(q, i, val, ok); x.continueWith(q) })
		}
	}
	switch {
	case hasDefault:
		if q := p.fork(idle); q != nil {
			done(q, -1, nil, false)
			x.continueWith(q)
		}
	case anyPolled && !queued:
		if q := p.fork(idle); q != nil {
			count(q, 1)
			q.top().Phase = 2
			q.role = artifact.RoleCommit
			x.arrive(q, state.AtQueue, q.from.Site)
		}
	}
	return false
}

func (x *executor) send(p *path, o *state.Object, val []*sym.Expr, queued bool, done, leave func(q *path)) {
	closed := p.cellAt(o.Base + state.ChanClosed)
	if q := p.fork(eq(closed, 1)); q != nil {
		leave(q)
		q.top().Phase = 0
		x.raise(q, &state.Unwind{Kind: artifact.KindSendOnClosed, Site: q.from.Site, Pos: q.here(), Detail: artifact.KindSendOnClosed}, x.SomeError())
		x.continueWith(q)
	}
	q := p.fork(eq(closed, 0))
	if q == nil {
		return
	}
	for i := range int(o.Width) {
		e := sym.Unknown("not tracked")
		if i < len(val) && o.Tracked {
			e = val[i]
		}
		x.grow(x.mem.Cells[o.Base+state.ChanPayload+int32(i)], q.abs(e))
	}
	if o.Cap > 0 {
		n := q.cellAt(o.Base + state.ChanLen)
		if !q.assume(sym.Arith(sym.OpLt, n, sym.Num(o.Cap))) {
			return
		}
		for k := range o.Kept {
			for i := range o.Width {
				at := o.Base + state.ChanPayload + o.Width + k*o.Width + i
				q.put(at, sym.Ite(eq(n, k), q.simplify(val[i]), q.rawCell(at)))
			}
		}
		q.put(o.Base+state.ChanLen, sym.Arith(sym.OpAdd, n, sym.Num(1)))
		done(q)
		return
	}
	q.send = val
	meetPartner(q, o, queued, true)
	done(q)
}

// meetPartner labels the path with the synchronisation of a rendezvous.
func meetPartner(p *path, o *state.Object, queued, send bool) {
	name := "rv"
	switch {
	case o.Polled && queued == send:
		name = "qs" // the sender is queued, or the receiver is not
	case o.Polled:
		name = "sq"
	}
	p.sync = &state.Sync{Name: name, Object: o, Send: send}
}

func (x *executor) receive(p *path, o *state.Object, queued bool, done func(q *path, val []*sym.Expr, ok bool)) {
	closed := p.cellAt(o.Base + state.ChanClosed)
	if o.Cap > 0 {
		n := p.cellAt(o.Base + state.ChanLen)
		if q := p.fork(sym.And(eq(closed, 1), eq(n, 0))); q != nil {
			done(q, layout.Zeros(int(o.Width)), false)
		}
		q := p.fork(sym.Arith(sym.OpLt, sym.Num(0), n))
		if q == nil {
			return
		}
		val, lost := layout.Unknowns(int(o.Width), "contents of a buffer that is not tracked"), make([]*sym.Expr, o.Width)
		if o.Kept > 0 {
			for k := range o.Kept {
				for i := range o.Width {
					at := o.Base + state.ChanPayload + o.Width + k*o.Width + i
					if k == 0 {
						val[i] = q.rawCell(at)
						if lost[i] = q.lost(val[i]); lost[i] == nil {
							val[i] = q.cellAt(at)
						}
					}
					if k+1 < o.Kept {
						q.put(at, p.copied(at+o.Width))
					} else {
						q.put(at, sym.Num(0))
					}
				}
			}
		}
		q.put(o.Base+state.ChanLen, sym.Arith(sym.OpSub, n, sym.Num(1)))
		x.decide(q, val, lost, func(q *path, val []*sym.Expr) { done(q, val, true) })
		return
	}
	if q := p.fork(eq(closed, 1)); q != nil {
		done(q, layout.Zeros(int(o.Width)), false)
	}
	if o.Context {
		return // nobody sends
	}
	q := p.clone()
	val := make([]*sym.Expr, o.Width)
	q.hand = nil
	for i := range o.Width {
		c := x.mem.Cells[o.Base+state.ChanPayload+i]
		c.Readers[q.from] = true
		if c.Abs.Empty() {
			return // nobody sends, as far as is known
		}
		q.hand = append(q.hand, c.Abs)
		if k, ok := c.Abs.Single(); ok {
			val[i] = sym.Num(k)
		} else if c.Abs.Top {
			val[i] = sym.Unknown("a message that is not tracked")
		} else {
			val[i] = sym.Read(sym.OpMsg, nil, i)
		}
	}
	meetPartner(q, o, queued, false)
	done(q, val, true)
}

// execGo starts a goroutine.
func (x *executor) execGo(p *path, i *ssa.Go) bool {
	ctx := p.peek().Call
	tgt, ok := x.resolve(p, i, func(v ssa.Value) []*sym.Expr { return p.value(ctx, v) })
	if !ok {
		return false
	}
	return x.spawnTarget(p, i, tgt, func(q *path) { opDone(q) })
}

// spawnTarget starts a goroutine that calls tgt: the go site has been passed.
func (x *executor) spawnTarget(p *path, site ssa.Instruction, tgt state.Target, after func(q *path)) bool {
	x.unforeseen(p, tgt)
	if tgt.Op == nil && tgt.Fn == nil {
		p.note("unknown-call", artifact.DirectionUnder, "the function that the goroutine runs is not known: it ends at once in the model")
	}
	t := x.templateFor(p, site, tgt)
	p.alone, p.serial = false, p.serial && tgt.Op.StartedBy(sites.Subtest)
	var handed []*sym.Expr
	for _, k := range t.Handed {
		e := sym.Unknown("not tracked")
		switch v := k.V.(type) {
		case state.ArgKey:
			if int(v) < len(tgt.Args) && k.Comp < len(tgt.Args[v]) {
				e = tgt.Args[v][k.Comp]
			}
		case *ssa.Parameter:
			for j, prm := range tgt.Fn.Params {
				if prm == v && j < len(tgt.Args) && k.Comp < len(tgt.Args[j]) {
					e = tgt.Args[j][k.Comp]
				}
			}
		case *ssa.FreeVar:
			for j, fv := range tgt.Fn.FreeVars {
				if fv == v && j < len(tgt.Bindings) && k.Comp < len(tgt.Bindings[j]) {
					e = tgt.Bindings[j][k.Comp]
				}
			}
		}
		handed = append(handed, p.simplify(e))
	}
	grown := false
	for i, e := range handed {
		a := t.Args[i].Widen(p.abs(e), x.limit(t.Refs[i]), x.prog.Thresholds)
		if !a.Equal(t.Args[i]) {
			t.Args[i] = a
			grown = true
		}
	}
	if grown || !t.Idle.Seen {
		x.enqueue(t.Idle)
	}
	p.sync = &state.Sync{Name: "go", Template: t, Send: true}
	p.send = handed
	p.spawn = t
	if t.Slots > 1 || !t.Once {
		q := p.clone()
		q.sync, q.send, q.spawn = nil, nil, nil
		q.full = t
		q.bound("more goroutines started here are alive than the model has")
	}
	after(p)
	return true
}

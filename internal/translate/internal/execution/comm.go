package execution

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// atGuard stops at the guard of an instruction, or executes the instruction if the guard has been passed:
// in phase 0 of the frame it has not, from 1 on it has (exploration sets that when a segment begins there),
// and 2 is that of a communication that has queued. Who has executed the instruction sets the phase back
// (opDone).
//
// A go statement evaluates the function in front of its guard, where the method of a nil interface panics.
func (x *Executor) atGuard(p *exploration.Path, instr ssa.Instruction) bool {
	f := p.Peek()
	if f.Phase == 0 {
		if g, ok := instr.(*ssa.Go); ok && !x.boundMethod(p, g) {
			return false
		}
		s := x.siteOf(instr)
		if s == 0 {
			p.Unfollowed("operation", "it has no guard")
			return false
		}
		x.Arrive(p, state.AtOp, s)
		return false
	}
	switch i := instr.(type) {
	case *ssa.Go:
		return x.execGo(p, i)
	case *ssa.Panic:
		p.Top().Phase = 0
		x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: x.siteOf(i), Pos: i.Pos(), Detail: "panic"}, p.Value(f.Call, i.X))
		return true
	case *ssa.Send:
		c := comm{send: true, ch: p.Value(f.Call, i.Chan)[0], val: p.Value(f.Call, i.X), elem: i.Chan.Type().Underlying().(*types.Chan).Elem()}
		return x.communicate(p, []comm{c}, false, func(q *exploration.Path, _ int, _ []*sym.Expr, _ bool) { opDone(q) })
	case *ssa.UnOp:
		elem := i.X.Type().Underlying().(*types.Chan).Elem()
		c := comm{ch: p.Value(f.Call, i.X)[0], elem: elem}
		return x.communicate(p, []comm{c}, false, func(q *exploration.Path, _ int, val []*sym.Expr, ok bool) {
			if i.CommaOk {
				val = append(slices.Clone(val), sym.Bool(ok))
			}
			q.Set(f.Call, i, slices.Clone(val))
			opDone(q)
		})
	case *ssa.Select:
		return x.execSelect(p, i)
	}
	return false
}

// opDone goes on behind an operation.
func opDone(p *exploration.Path) {
	f := p.Top()
	f.Phase = 0
	f.Idx++
}

// siteOf finds the site of an operation that is an instruction, by its position: 0 if it has none. A
// receive may be that of a loop, for v := range c.
func (x *Executor) siteOf(instr ssa.Instruction) sites.ID {
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
		if s, ok := x.Sites.At(k, instr.Pos()); ok {
			return s.ID
		}
	}
	return 0
}

// comm is one communication: a send or a receive. val are the scalars that are sent, elem is the type of
// the elements of the channel as the instruction has it.
type comm struct {
	send bool
	ch   *sym.Expr
	val  []*sym.Expr
	elem types.Type
}

// execSelect executes a select. Its value is a tuple of the number of the case, -1 for the default, whether
// a value was received, and the values of all receives, of which those that were not chosen are zero
// (ssa.Select).
func (x *Executor) execSelect(p *exploration.Path, i *ssa.Select) bool {
	ctx := p.Peek().Call
	var comms []comm
	for _, st := range i.States {
		c := comm{send: st.Dir == types.SendOnly, ch: p.Value(ctx, st.Chan)[0], elem: st.Chan.Type().Underlying().(*types.Chan).Elem()}
		if c.send {
			c.val = p.Value(ctx, st.Send)
		}
		comms = append(comms, c)
	}
	return x.communicate(p, comms, !i.Blocking, func(q *exploration.Path, k int, val []*sym.Expr, ok bool) {
		q.Sel = k
		// The case is noted on the edge as well: a plan names it.
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
		q.Set(ctx, i, out)
		opDone(q)
	})
}

// communicate executes a send, a receive or a select, of which comms are the cases. done completes a path
// with the chosen case, -1 for the default, what was received, and whether it was a message. There is a
// path for each case that can go on, and for each way in which it can; p itself ends: false is returned
// always.
//
// A nil channel has no object in objs, and its case never goes on. Neither does one without a partner:
// there is no path for a goroutine that waits, it stays at its location.
//
// A goroutine at an unbuffered operation need not be queued: a rendezvous takes two goroutines at theirs.
// Only where somebody polls, that is, has a select with a default, can the difference be seen: the default
// is taken if nobody is queued, also if somebody stands in front of the guard of the operation. There the
// operation first queues (a location of its own, AtQueue, in phase 2), and its partner is one that is not
// queued, so that of two one is always first. How many are queued on which side two cells of the channel
// count. Which channels are polled is an assumption: where a select with a default is found on another one
// the attempt begins again. All channels that stand in a select with a polled one are taken for polled,
// too, since who is queued is so at all of them.
func (x *Executor) communicate(p *exploration.Path, comms []comm, hasDefault bool, done func(q *exploration.Path, i int, val []*sym.Expr, ok bool)) bool {
	queued := p.Peek().Phase == 2
	objs := make([]*state.Object, len(comms))
	for i, c := range comms {
		k, ok, tracked := x.Concrete(p, c.ch)
		if !tracked {
			p.Unfollowed("channel operation", "the channel is not tracked: "+exploration.Why(c.ch))
			return false
		}
		if !ok {
			return false
		}
		if o := x.Memory.Object(k); o != nil && o.Kind == state.ChannelObject {
			if o.Elem != nil && !types.Identical(o.Elem, c.elem) {
				return false // an interface whose type and value do not belong together
			}
			objs[i] = o
		}
	}
	anyPolled := hasDefault
	for _, o := range objs {
		anyPolled = anyPolled || o != nil && o.Rendezvous() && o.Polled
		// Who ends the context gets a guard, as for memory that others read.
		if o != nil && o.Context {
			x.Accessed(p, o.Behind(state.ContextErr), 1, 0, false)
		}
		x.lengthUsed(p, o, 0)
	}
	for _, o := range objs {
		if anyPolled && o != nil && o.Rendezvous() && !x.Polled[o.Pos] {
			x.Polled[o.Pos] = true
			x.Again = true
		}
	}
	cell := func(q *exploration.Path, o *state.Object, k int32) *sym.Expr { return q.CellAt(o.Base + k) }
	count := func(q *exploration.Path, d int32) {
		for i, o := range objs {
			if o == nil || !o.Rendezvous() || !o.Polled {
				continue
			}
			k := o.Base + state.ChanReceivers
			if comms[i].send {
				k = o.Base + state.ChanSenders
			}
			q.Put(k, sym.Arith(sym.OpAdd, q.CellAt(k), sym.Num(d)))
		}
	}
	leave := func(q *exploration.Path) {
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
		idle = sym.And(idle, exploration.Eq(closed, 0))
		switch {
		case o.Cap > 0 && comms[i].send:
			idle = sym.And(idle, sym.Arith(sym.OpLe, sym.Num(o.Cap), cell(p, o, state.ChanLen)))
		case o.Cap > 0:
			idle = sym.And(idle, exploration.Eq(cell(p, o, state.ChanLen), 0))
		case comms[i].send:
			idle = sym.And(idle, exploration.Eq(cell(p, o, state.ChanReceivers), 0))
		default:
			idle = sym.And(idle, exploration.Eq(cell(p, o, state.ChanSenders), 0))
		}
	}
	for i, o := range objs {
		if o == nil {
			continue
		}
		if comms[i].send {
			x.send(p, o, comms[i].val, queued, func(q *exploration.Path) { leave(q); done(q, i, nil, false); x.ContinueWith(q) }, leave)
		} else {
			x.receive(p, o, queued, func(q *exploration.Path, val []*sym.Expr, ok bool) { leave(q); done(q, i, val, ok); x.ContinueWith(q) })
		}
	}
	switch {
	case hasDefault:
		if q := p.Fork(idle); q != nil {
			done(q, -1, nil, false)
			x.ContinueWith(q)
		}
	// It is granted and cannot go on: it queues, in the state in which nothing is ready.
	case anyPolled && !queued:
		if q := p.Fork(idle); q != nil {
			count(q, 1)
			q.Top().Phase = 2
			q.Role = artifact.RoleCommit
			x.Arrive(q, state.AtQueue, q.From.Site)
		}
	}
	return false
}

// send executes a send on a channel that is not nil: it panics if that is closed, and else puts the value
// into the buffer, if there is room, or meets a receiver. What is sent is added to what messages of the
// channel can be, in cells that are no state: a receiver that meets a sender knows no more of the value.
// leave counts the goroutine out of the queue in which it has been.
//
// The model may keep less of a buffer than the program has: then the path ends where there is more in it.
func (x *Executor) send(p *exploration.Path, o *state.Object, val []*sym.Expr, queued bool, done, leave func(q *exploration.Path)) {
	closed := p.CellAt(o.Base + state.ChanClosed)
	if q := p.Fork(exploration.Eq(closed, 1)); q != nil {
		leave(q)
		q.Top().Phase = 0
		// It is the operation that panics, also if it was queued when the channel was closed.
		x.Raise(q, &state.Unwind{Kind: artifact.KindSendOnClosed, Site: q.From.Site, Pos: q.Here(), Detail: artifact.KindSendOnClosed}, x.SomeError())
		x.ContinueWith(q)
	}
	q := p.Fork(exploration.Eq(closed, 0))
	if q == nil {
		return
	}
	// Values that do not matter are not computed, so that there is nothing to hand over.
	for i := range int(o.Width) {
		e := sym.Unknown("not tracked")
		if i < len(val) && o.Tracked {
			e = val[i]
		}
		x.Grow(x.Memory.Cells[o.Base+state.ChanPayload+int32(i)], q.Abs(e))
	}
	if o.Cap > 0 {
		n := q.CellAt(o.Base + state.ChanLen)
		if !q.Assume(sym.Arith(sym.OpLt, n, sym.Num(o.Cap))) {
			return
		}
		if o.Bounded() {
			if r := q.Fork(sym.Arith(sym.OpLe, sym.Num(o.Kept), n)); r != nil {
				r.BoundAt(o.AtKept, r.Here(), fmt.Sprintf("more than %d values in the buffer of a channel", o.Kept))
			}
			if !q.Assume(sym.Arith(sym.OpLt, n, sym.Num(o.Kept))) {
				return
			}
		}
		// The value goes to the place behind the last one, whichever that is.
		for k := range o.Kept {
			for i := range o.Width {
				at := o.Base + state.ChanPayload + o.Width + k*o.Width + i
				q.Put(at, sym.Ite(exploration.Eq(n, k), q.Simplify(val[i]), q.RawCell(at)))
			}
		}
		q.Put(o.Base+state.ChanLen, sym.Arith(sym.OpAdd, n, sym.Num(1)))
		done(q)
		return
	}
	q.Send = val
	rendezvous(q, o, queued, true)
	done(q)
}

// rendezvous labels the path with the synchronisation of a rendezvous: two edges are taken together, one
// that sends and one that receives, on the same channel. On a polled one, one of the two is queued, and the
// names say which: in "qs" the sender is, in "sq" the receiver.
func rendezvous(p *exploration.Path, o *state.Object, queued, send bool) {
	name := "rv"
	switch {
	case o.Polled && queued == send:
		name = "qs" // the sender is queued, or the receiver is not
	case o.Polled:
		name = "sq"
	}
	p.Sync = &state.Sync{Name: name, Object: o, Send: send}
}

// receive executes a receive from a channel that is not nil: of the first value in the buffer, behind which
// the others move up, or from a sender; or of zeros, if the channel is closed and the buffer empty. ok says
// whether it was a message.
//
// Of a rendezvous the value is what the sender hands over (sym.OpMsg), of which all is known that was ever
// sent. If nothing was, there is no path yet: when somebody sends, this segment is executed again.
func (x *Executor) receive(p *exploration.Path, o *state.Object, queued bool, done func(q *exploration.Path, val []*sym.Expr, ok bool)) {
	closed := p.CellAt(o.Base + state.ChanClosed)
	if o.Cap > 0 {
		n := p.CellAt(o.Base + state.ChanLen)
		if q := p.Fork(sym.And(exploration.Eq(closed, 1), exploration.Eq(n, 0))); q != nil {
			done(q, layout.Zeros(int(o.Width)), false)
		}
		q := p.Fork(sym.Arith(sym.OpLt, sym.Num(0), n))
		if q == nil {
			return
		}
		val, saturated := layout.Unknowns(int(o.Width), "contents of a buffer that is not tracked"), make([]*sym.Expr, o.Width)
		// Only the first value is read, and may be saturated: the others are copied as they are.
		if o.Kept > 0 {
			for k := range o.Kept {
				for i := range o.Width {
					at := o.Base + state.ChanPayload + o.Width + k*o.Width + i
					if k == 0 {
						val[i] = q.RawCell(at)
						if saturated[i] = q.SaturatedIf(val[i]); saturated[i] == nil {
							val[i] = q.CellAt(at)
						}
					}
					if k+1 < o.Kept {
						q.Put(at, p.Copied(at+o.Width))
					} else {
						q.Put(at, sym.Num(0))
					}
				}
			}
		}
		q.Put(o.Base+state.ChanLen, sym.Arith(sym.OpSub, n, sym.Num(1)))
		x.Decide(q, val, saturated, func(q *exploration.Path, val []*sym.Expr) { done(q, val, true) })
		return
	}
	if q := p.Fork(exploration.Eq(closed, 1)); q != nil {
		done(q, layout.Zeros(int(o.Width)), false)
	}
	if o.Context {
		return // nobody sends
	}
	// From a sender. That the channel is not closed need not be said: on a closed one no edge sends.
	q := p.Clone()
	val := make([]*sym.Expr, o.Width)
	q.Hand = nil
	for i := range o.Width {
		c := x.Memory.Cells[o.Base+state.ChanPayload+i]
		c.Readers[q.From] = true
		if c.Abs.Empty() {
			return // nobody sends, as far as is known
		}
		q.Hand = append(q.Hand, c.Abs)
		if k, ok := c.Abs.Single(); ok {
			val[i] = sym.Num(k)
		} else if c.Abs.Top {
			val[i] = sym.Unknown("a message that is not tracked")
		} else {
			val[i] = sym.Read(sym.OpMsg, nil, i)
		}
	}
	rendezvous(q, o, queued, false)
	done(q, val, true)
}

// execGo starts a goroutine, behind the guard of the go statement.
func (x *Executor) execGo(p *exploration.Path, i *ssa.Go) bool {
	ctx := p.Peek().Call
	tgt, ok := x.resolve(p, i, func(v ssa.Value) []*sym.Expr { return p.Value(ctx, v) })
	if !ok {
		return false
	}
	return x.SpawnTarget(p, i, tgt, func(q *exploration.Path) { opDone(q) })
}

// SpawnTarget starts a goroutine that calls tgt: the go site has been passed. after completes the path of
// the goroutine that goes on here.
//
// The goroutine is one of a template, which is found or made by the statement, the call path and the
// target. The edge is taken together with that of an idle process of the template, to which it hands the
// operands over: what the goroutine needs of its arguments and captured variables, in the order of
// t.Handed. What these can be is joined over all go statements that start it. Where no process is idle the
// path ends at a bound, unless there is only ever one.
func (x *Executor) SpawnTarget(p *exploration.Path, site ssa.Instruction, tgt state.Target, after func(q *exploration.Path)) bool {
	x.Unforeseen(p, tgt)
	if tgt.Op == nil && tgt.Fn == nil {
		p.Note("unknown-call", artifact.DirectionUnder, "the function that the goroutine runs is not known: it ends at once in the model")
	}
	t := x.TemplateFor(p, site, tgt)
	// From here on others may come between. Of subtests it is known when they do: they are waited for.
	p.Alone, p.Serial = false, p.Serial && tgt.Op.StartedBy(sites.Subtest)
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
		handed = append(handed, p.Simplify(e))
	}
	// What the goroutines are given is joined with what they were by others. If that is new, what they do
	// with it is executed again, from where they are born.
	grown := false
	for i, e := range handed {
		a := t.Args[i].Widen(p.Abs(e), x.Limit(t.Refs[i]), x.Program.Thresholds)
		if !a.Equal(t.Args[i]) {
			t.Args[i] = a
			grown = true
		}
	}
	if grown || !t.Idle.Seen {
		x.Enqueue(t.Idle)
	}
	p.Sync = &state.Sync{Name: "go", Template: t, Send: true}
	p.Send = handed
	p.Spawn = t
	// The other edge of the statement: all processes of the template are in use.
	if t.Slots > 1 || !t.Once {
		q := p.Clone()
		q.Sync, q.Send, q.Spawn = nil, nil, nil
		q.Full = t
		q.Bound("more goroutines started here are alive than the model has")
	}
	after(p)
	return true
}

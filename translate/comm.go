package translate

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// atGuard stops at the guard of an instruction, or executes the instruction if
// the guard has been passed.
func (x *translator) atGuard(p *path, instr ssa.Instruction) bool {
	f := p.peek()
	if f.phase == 0 {
		if g, ok := instr.(*ssa.Go); ok && !x.boundMethod(p, g) {
			return false
		}
		s := x.siteOf(instr)
		if s == 0 {
			x.unsupported(instr.Pos(), "operation", "it has no guard")
			return false
		}
		x.arrive(p, atOp, s)
		return false
	}
	switch i := instr.(type) {
	case *ssa.Go:
		return x.execGo(p, i)
	case *ssa.Panic:
		p.top().phase = 0
		x.raise(p, &unwind{kind: artifact.KindPanic, site: x.siteOf(i), pos: i.Pos(), detail: "panic"}, p.value(f.ctx, i.X))
		return true
	case *ssa.Send:
		c := comm{send: true, ch: p.value(f.ctx, i.Chan)[0], val: p.value(f.ctx, i.X), elem: i.Chan.Type().Underlying().(*types.Chan).Elem()}
		return x.communicate(p, []comm{c}, false, func(q *path, _ int, _ []*sym.Expr, _ bool) { q.opDone() })
	case *ssa.UnOp:
		elem := i.X.Type().Underlying().(*types.Chan).Elem()
		c := comm{ch: p.value(f.ctx, i.X)[0], elem: elem}
		return x.communicate(p, []comm{c}, false, func(q *path, _ int, val []*sym.Expr, ok bool) {
			if i.CommaOk {
				val = append(slices.Clone(val), sym.Bool(ok))
			}
			q.set(f.ctx, i, slices.Clone(val))
			q.opDone()
		})
	case *ssa.Select:
		return x.execSelect(p, i)
	}
	return false
}

// opDone goes on behind an operation.
func (p *path) opDone() {
	f := p.top()
	f.phase = 0
	f.idx++
}

// siteOf finds the site of an operation that is an instruction.
func (x *translator) siteOf(instr ssa.Instruction) sites.ID {
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

// meets reports that communications on a channel are rendezvous.
func (o *object) meets() bool { return o.cap == 0 && !o.ctx }

// comm is one communication: a send or a receive.
type comm struct {
	send bool
	ch   *sym.Expr
	val  []*sym.Expr
	elem types.Type
}

func (x *translator) execSelect(p *path, i *ssa.Select) bool {
	ctx := p.peek().ctx
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
				out = append(out, zeros(x.width(c.elem))...)
			}
		}
		q.set(ctx, i, out)
		q.opDone()
	})
}

// communicate executes a send, a receive or a select. done completes a path
// with the chosen case, what was received, and whether it was a message.
//
// A goroutine at an unbuffered operation need not be queued: a rendezvous takes
// two goroutines at theirs. Only where somebody polls can the difference be
// seen; there the operation first queues (a location of its own), and then
// meets one that is not queued.
func (x *translator) communicate(p *path, comms []comm, hasDefault bool, done func(q *path, i int, val []*sym.Expr, ok bool)) bool {
	queued := p.peek().phase == 2
	objs := make([]*object, len(comms))
	for i, c := range comms {
		k, ok, tracked := x.concrete(p, c.ch)
		if !tracked {
			x.unsupported(p.here(), "channel operation", "the channel is not tracked: "+why(c.ch))
			return false
		}
		if !ok {
			return false
		}
		if o := x.mem.object(k); o != nil && o.kind == objChan {
			if o.elem != nil && !types.Identical(o.elem, c.elem) {
				return false // an interface whose type and value do not belong together
			}
			objs[i] = o
		}
	}
	anyPolled := hasDefault
	for _, o := range objs {
		anyPolled = anyPolled || o != nil && o.meets() && o.polled
		if o != nil && o.ctx {
			x.accessed(p, o.behind(ctxErr), 1, 0, false)
		}
	}
	for _, o := range objs {
		if anyPolled && o != nil && o.meets() && !x.polled[o.pos] {
			x.polled[o.pos] = true
			x.again = true
		}
	}
	cell := func(q *path, o *object, k int32) *sym.Expr { return q.cellAt(o.base + k) }
	count := func(q *path, d int32) {
		for i, o := range objs {
			if o == nil || !o.meets() || !o.polled {
				continue
			}
			k := o.base + chanReceivers
			if comms[i].send {
				k = o.base + chanSenders
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
		closed := cell(p, o, chanClosed)
		idle = sym.And(idle, eq(closed, 0))
		switch {
		case o.cap > 0 && comms[i].send:
			idle = sym.And(idle, sym.Arith(sym.OpLe, sym.Num(o.cap), cell(p, o, chanLen)))
		case o.cap > 0:
			idle = sym.And(idle, eq(cell(p, o, chanLen), 0))
		case comms[i].send:
			idle = sym.And(idle, eq(cell(p, o, chanReceivers), 0))
		default:
			idle = sym.And(idle, eq(cell(p, o, chanSenders), 0))
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
			q.top().phase = 2
			q.role = artifact.RoleCommit
			x.arrive(q, atQueue, q.from.site)
		}
	}
	return false
}

func (x *translator) send(p *path, o *object, val []*sym.Expr, queued bool, done, leave func(q *path)) {
	closed := p.cellAt(o.base + chanClosed)
	if q := p.fork(eq(closed, 1)); q != nil {
		leave(q)
		q.top().phase = 0
		x.raise(q, &unwind{kind: artifact.KindSendOnClosed, site: q.from.site, pos: q.here(), detail: artifact.KindSendOnClosed}, x.someError())
		x.continueWith(q)
	}
	q := p.fork(eq(closed, 0))
	if q == nil {
		return
	}
	for i := range int(o.width) {
		e := sym.Unknown("not tracked")
		if i < len(val) && o.tracked {
			e = val[i]
		}
		x.grow(x.mem.cells[o.base+chanPayload+int32(i)], q.abs(e))
	}
	if o.cap > 0 {
		n := q.cellAt(o.base + chanLen)
		if !q.assume(sym.Arith(sym.OpLt, n, sym.Num(o.cap))) {
			return
		}
		for k := range o.kept {
			for i := range o.width {
				at := o.base + chanPayload + o.width + k*o.width + i
				q.put(at, sym.Ite(eq(n, k), q.simplify(val[i]), q.rawCell(at)))
			}
		}
		q.put(o.base+chanLen, sym.Arith(sym.OpAdd, n, sym.Num(1)))
		done(q)
		return
	}
	q.send = val
	q.meet(o, queued, true)
	done(q)
}

// meet labels the path with the synchronisation of a rendezvous.
func (p *path) meet(o *object, queued, send bool) {
	name := "rv"
	switch {
	case o.polled && queued == send:
		name = "qs" // the sender is queued, or the receiver is not
	case o.polled:
		name = "sq"
	}
	p.sync = &syncLabel{name: name, obj: o, send: send}
}

func (x *translator) receive(p *path, o *object, queued bool, done func(q *path, val []*sym.Expr, ok bool)) {
	closed := p.cellAt(o.base + chanClosed)
	if o.cap > 0 {
		n := p.cellAt(o.base + chanLen)
		if q := p.fork(sym.And(eq(closed, 1), eq(n, 0))); q != nil {
			done(q, zeros(int(o.width)), false)
		}
		q := p.fork(sym.Arith(sym.OpLt, sym.Num(0), n))
		if q == nil {
			return
		}
		val, lost := x.unknowns(int(o.width), "contents of a buffer that is not tracked"), make([]*sym.Expr, o.width)
		if o.kept > 0 {
			for k := range o.kept {
				for i := range o.width {
					at := o.base + chanPayload + o.width + k*o.width + i
					if k == 0 {
						val[i] = q.rawCell(at)
						if lost[i] = q.lost(val[i]); lost[i] == nil {
							val[i] = q.cellAt(at)
						}
					}
					if k+1 < o.kept {
						q.put(at, p.copied(at+o.width))
					} else {
						q.put(at, sym.Num(0))
					}
				}
			}
		}
		q.put(o.base+chanLen, sym.Arith(sym.OpSub, n, sym.Num(1)))
		x.decide(q, val, lost, func(q *path, val []*sym.Expr) { done(q, val, true) })
		return
	}
	if q := p.fork(eq(closed, 1)); q != nil {
		done(q, zeros(int(o.width)), false)
	}
	if o.ctx {
		return // nobody sends
	}
	q := p.clone()
	val := make([]*sym.Expr, o.width)
	q.hand = nil
	for i := range o.width {
		c := x.mem.cells[o.base+chanPayload+i]
		c.readers[q.from] = true
		if c.abs.Empty() {
			return // nobody sends, as far as is known
		}
		q.hand = append(q.hand, c.abs)
		if k, ok := c.abs.Single(); ok {
			val[i] = sym.Num(k)
		} else if c.abs.Top {
			val[i] = sym.Unknown("a message that is not tracked")
		} else {
			val[i] = sym.Read(sym.OpMsg, nil, i)
		}
	}
	q.meet(o, queued, false)
	done(q, val, true)
}

// execGo starts a goroutine.
func (x *translator) execGo(p *path, i *ssa.Go) bool {
	ctx := p.peek().ctx
	tgt, ok := x.resolve(p, i, func(v ssa.Value) []*sym.Expr { return p.value(ctx, v) })
	if !ok {
		return false
	}
	return x.spawnTarget(p, i, tgt, func(q *path) { q.opDone() })
}

// wgGo starts a goroutine that a wait group counts.
func wgGo(x *translator, p *path) bool {
	a, ok := x.receiver(p)
	if !ok {
		return false
	}
	n := p.cellAt(a)
	lim := sym.Num(int32(x.opts.Counter))
	if q := p.fork(sym.Arith(sym.OpLe, lim, n)); q != nil {
		q.bound("a wait group counter greater than the model counts")
	}
	if !p.assume(sym.Arith(sym.OpLt, n, lim)) {
		return false
	}
	p.put(a, sym.Arith(sym.OpAdd, n, sym.Num(1)))
	f := p.peek()
	tgt := target{op: wgBody, args: p.args()[:2]}
	return x.spawnTarget(p, f.ctx.site, tgt, func(q *path) { x.opReturn(q, nil) })
}

// wgBody is the goroutine that WaitGroup.Go starts.
var wgBody *program.Operation

func init() {
	wgBody = unwinding(program.Operation{Name: "wgbody", Seed: true, Args: []int{0, 1}}, nil, func(x *translator, p *path) bool {
		if !p.peek().unwind.goexit {
			return true // the panic ends the program
		}
		addr := p.arg(0)[0]
		n, ok := x.wgCounter(p, sym.Arith(sym.OpSub, p.getAt(addr, 0), sym.Num(1)))
		if ok {
			p.putAt(addr, 0, n)
		}
		return ok
	})
	runs[wgBody] = func(x *translator, p *path) bool {
		if p.peek().phase == 2 {
			return wgAdd(x, p, sym.Num(-1))
		}
		if _, ok := x.receiver(p); !ok {
			return false
		}
		return x.callArg(p, 1, func(q *path) { q.top().phase = 2 })
	}
}

// spawnTarget starts a goroutine that calls tgt: the go site has been passed.
func (x *translator) spawnTarget(p *path, site ssa.Instruction, tgt target, after func(q *path)) bool {
	x.unforeseen(p, tgt)
	if tgt.op == nil && tgt.fn == nil {
		p.note("unknown-call", artifact.DirectionUnder, "the function that the goroutine runs is not known: it ends at once in the model")
	}
	t := x.templateFor(p, site, tgt)
	p.alone, p.serial = false, p.serial && tgt.op == subtestBody
	var handed []*sym.Expr
	for _, k := range t.handed {
		e := sym.Unknown("not tracked")
		switch v := k.v.(type) {
		case argKey:
			if int(v) < len(tgt.args) && k.comp < len(tgt.args[v]) {
				e = tgt.args[v][k.comp]
			}
		case *ssa.Parameter:
			for j, prm := range tgt.fn.Params {
				if prm == v && j < len(tgt.args) && k.comp < len(tgt.args[j]) {
					e = tgt.args[j][k.comp]
				}
			}
		case *ssa.FreeVar:
			for j, fv := range tgt.fn.FreeVars {
				if fv == v && j < len(tgt.bindings) && k.comp < len(tgt.bindings[j]) {
					e = tgt.bindings[j][k.comp]
				}
			}
		}
		handed = append(handed, p.simplify(e))
	}
	grown := false
	for i, e := range handed {
		a := t.args[i].Widen(p.abs(e), x.limit(t.refs[i]), x.prog.Thresholds)
		if !a.Equal(t.args[i]) {
			t.args[i] = a
			grown = true
		}
	}
	if grown || !t.idle.seen {
		x.enqueue(t.idle)
	}
	p.sync = &syncLabel{name: "go", tmpl: t, send: true}
	p.send = handed
	p.spawn = t
	if t.slots > 1 || !t.once {
		q := p.clone()
		q.sync, q.send, q.spawn = nil, nil, nil
		q.full = t
		q.bound("more goroutines started here are alive than the model has")
	}
	after(p)
	return true
}

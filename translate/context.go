package translate

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
)

// A context is its Done channel with more cells. Its address is that of the
// channel, its cancel function the address of one of the cells; context.
// Background and whatever can never be cancelled is at address 0, as the nil
// channel that its Done returns.
const (
	ctxErr      = iota // behind the payload: one of the following
	ctxParent          // the context that it is derived from
	ctxDeadline        // it has one
	ctxCancel
	ctxCells
)

// What ended a context.
const (
	ctxCanceled = 1
	ctxExceeded = 2
)

// maxAncestry bounds the search for the descendants of a context.
const maxAncestry = 256

// libraryContext stands for the dynamic types of contexts.
var libraryContext types.Type = types.NewNamed(types.NewTypeName(token.NoPos, nil, "libraryContext", nil), types.NewStruct(nil, nil), nil)

var (
	// contextMethods are the methods of contexts.
	contextMethods map[string]*intrinsic
	cancelContext  *intrinsic
)

func contextIntrinsics(table map[string]*intrinsic) {
	root := &intrinsic{name: "background", args: []int{}, run: func(x *translator, p *path) bool {
		return x.opReturn(p, []*expr{num(x.mem.tag(libraryContext)), num(0)})
	}}
	for _, f := range []string{"Background", "TODO", "WithoutCancel"} {
		table["context."+f] = root
	}
	table["context.WithValue"] = &intrinsic{name: "withvalue", run: func(x *translator, p *path) bool {
		return x.opReturn(p, slices.Clone(p.arg(0)))
	}}
	cancel := &intrinsic{name: "withcancel", run: func(x *translator, p *path) bool { return newContext(x, p, false) }}
	timeout := &intrinsic{name: "withtimeout", run: func(x *translator, p *path) bool { return newContext(x, p, true) }}
	for _, f := range []string{"", "Cause"} {
		table["context.WithCancel"+f] = cancel
		table["context.WithTimeout"+f] = timeout
		table["context.WithDeadline"+f] = timeout
	}
	cancelContext = &intrinsic{name: "cancel", run: func(x *translator, p *path) bool {
		k, ok, tracked := x.settled(p)
		switch {
		case !tracked:
			p.note("unknown-call", artifact.DirectionUnder, "the context that is cancelled is not tracked")
		case !ok:
			return false
		default:
			x.cancel(p, k, ctxCanceled, x.stmtOfOp(p))
		}
		return x.opReturn(p, nil)
	}}
	contextMethods = map[string]*intrinsic{
		"Done": {name: "done", run: func(x *translator, p *path) bool {
			return x.opReturn(p, p.arg(0)[:1])
		}},
		"Err":   {name: "err", run: contextErr},
		"Value": {name: "value", run: func(x *translator, p *path) bool { return x.opReturn(p, x.unknowns(2, "a value of a context")) }},
		"Deadline": {name: "deadline", run: func(x *translator, p *path) bool {
			return x.opReturn(p, x.unknowns(2, "the deadline of a context"))
		}},
	}
}

// newContext derives a context that can be cancelled.
func newContext(x *translator, p *path, deadline bool) bool {
	f := p.peek()
	if f.ctx.parent == nil {
		return x.opReturn(p, nil)
	}
	if deadline && x.opts.Strict {
		x.timePasses(p.here())
	}
	in := p.arg(0)
	if tag := p.simplify(in[0]); !tag.is(x.mem.tag(libraryContext)) {
		p.note("context", artifact.DirectionUnder, "the context that this one is derived from is not one of package context or not tracked: it never ends in the model")
		in = zeros(2)
	}
	parent := p.simplify(in[1])
	if _, _, isNew := newObjectAt(parent); isNew {
		p.settle()
	}
	err, ok := x.contextCell(p, parent, ctxErr)
	if !ok {
		p.note("context", artifact.DirectionUnder, "the context that this one is derived from is not tracked: it never ends in the model")
		parent, err = num(0), num(0)
	}
	pos := f.ctx.site.Pos()
	done := types.NewStruct(nil, nil)
	r, ok := x.allocateAt(p, f.ctx.parent, f.ctx.site, func() *object {
		return &object{kind: objChan, name: fmt.Sprintf("ctx_%d", x.prog.src.Fset.Position(pos).Line),
			size: chanPayload + ctxCells, elem: done, pos: pos, ctx: true}
	}, x.describeContext)
	if !ok {
		return false
	}
	r.clear(p, nil)
	r.put(p, chanPayload+ctxErr, err)
	r.put(p, chanClosed, not(eq(err, 0)))
	r.put(p, chanPayload+ctxParent, parent)
	r.put(p, chanPayload+ctxDeadline, boolean(deadline))
	return x.opReturn(p, []*expr{num(x.mem.tag(libraryContext)), r.e, arith(xAdd, r.e, num(chanPayload+ctxCancel))})
}

func (x *translator) describeContext(o *object) {
	x.describeChan(o)
	c := func(k int32) *cell { return x.mem.cells[o.behind(k)] }
	closed, err := x.mem.cells[o.base+chanClosed], c(ctxErr)
	closed.abs, closed.fix = absBool(), true
	err.name, err.abs, err.fix, err.sync = o.name+"_err", absRange(0, ctxExceeded), true, false
	c(ctxParent).name, c(ctxParent).ref = o.name+"_parent", true
	c(ctxDeadline).name = o.name + "_deadline"
	// What cancels a context cancels those that are derived from it.
	x.contexts = append(x.contexts, o)
	for _, l := range x.cancels {
		x.enqueue(l)
	}
}

// contextCell reads a cell of the context at an address, 0 for those that never
// end; ok is false if the context is not tracked.
func (x *translator) contextCell(p *path, addr *expr, k int32) (*expr, bool) {
	a := p.abs(addr)
	if addr.op == xUnknown || a.top || a.iv || addr.handedOver() {
		return nil, false
	}
	out := num(0)
	for i := len(a.set) - 1; i >= 0; i-- {
		if o := x.mem.object(a.set[i]); o != nil && o.ctx && o.base == a.set[i] {
			out = ite(eq(addr, o.base), p.cellAt(o.behind(k)), out)
		}
	}
	return out, true
}

// cancel ends the context of the object at an address and all that are derived
// from it. at is the statement that does it.
func (x *translator) cancel(p *path, k int32, why int32, at sites.ID) {
	if !x.emitting && p.from != nil && !slices.Contains(x.cancels, p.from) {
		x.cancels = append(x.cancels, p.from)
	}
	p.settle()
	root := x.mem.object(k)
	if root == nil || !root.ctx {
		return
	}
	budget := maxAncestry
	type end struct {
		o    *object
		cond *expr
	}
	var ends []end
	for _, o := range x.contexts {
		if c := p.simplify(and(eq(p.cellAt(o.behind(ctxErr)), 0), x.derived(p, o, root, &budget))); !c.is(0) {
			ends = append(ends, end{o, c})
		}
	}
	if budget <= 0 {
		p.note("context", artifact.DirectionUnder, "too many contexts may be derived from the one that is cancelled: not all are ended")
	}
	for _, e := range ends {
		x.accessed(p, e.o.behind(ctxErr), 1, at, true)
		p.put(e.o.behind(ctxErr), ite(e.cond, num(why), p.cellAt(e.o.behind(ctxErr))))
		p.put(e.o.base+chanClosed, ite(e.cond, num(1), p.cellAt(e.o.base+chanClosed)))
	}
}

// derived is the condition that a context is another or derived from it.
func (x *translator) derived(p *path, o, from *object, budget *int) *expr {
	if o == from {
		return num(1)
	}
	parent := p.cellAt(o.behind(ctxParent))
	a := p.abs(parent)
	if *budget--; *budget <= 0 || a.top || a.iv {
		return num(0)
	}
	out := num(0)
	for _, k := range a.set {
		if q := x.mem.object(k); q != nil && q.ctx && q != o {
			out = or(out, and(eq(parent, k), x.derived(p, q, from, budget)))
		}
	}
	return out
}

// contextErr is the method Err.
func contextErr(x *translator, p *path) bool {
	k, ok, tracked := x.settled(p)
	if !tracked {
		return x.opReturn(p, x.unknowns(2, "the error of a context that is not tracked"))
	}
	if !ok {
		return false
	}
	o := x.mem.object(k)
	if o == nil || !o.ctx {
		return x.opReturn(p, zeros(2))
	}
	x.accessed(p, o.behind(ctxErr), 1, x.stmtOfOp(p), false)
	err := p.cellAt(o.behind(ctxErr))
	canceled := x.errorValue("error context.Canceled", "Canceled")
	exceeded := x.errorValue("error context.DeadlineExceeded", "DeadlineExceeded")
	none := eq(err, 0)
	return x.opReturn(p, []*expr{
		ite(none, num(0), canceled[0]),
		ite(none, num(0), ite(eq(err, ctxCanceled), canceled[1], exceeded[1])),
	})
}

// contextCall completes a target by a method of a context.
func contextCall(tgt target, name string, addr *expr) target {
	tgt.op = contextMethods[name]
	tgt.args = [][]*expr{{addr}}
	return tgt
}

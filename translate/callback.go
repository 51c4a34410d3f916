package translate

import (
	"fmt"
	"go/types"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// What time.AfterFunc returns is a timer whose message nobody receives: it lets
// the goroutine of its function pass the Start guard. That goroutine is born
// where AfterFunc is called, as the callback is named there. While the timer is
// stopped it may as well go.

// timerWaits is a cell of such a timer: its goroutine has not passed the Start
// guard and not gone.
const timerWaits = state.TimerCells

// callbackBody is the goroutine that time.AfterFunc starts. Its arguments are
// the timer and the function.
var callbackBody = &program.Operation{Name: "callback", Starts: sites.Callback, Seed: true, Args: []int{0, 1}}

func callbackOperations(l *Library) {
	l.Known["time.AfterFunc"] = l.operation(program.Operation{Name: "afterfunc", Seed: true, Args: []int{1}}, afterFunc)
	l.does(callbackBody, runCallback)
}

// afterFunc makes the timer, then starts the goroutine in a step of its own.
func afterFunc(x *executor, p *path) bool {
	if !callbackHere(x, p.peek()) {
		p.note("unknown-call", artifact.DirectionUnder, "time.AfterFunc called through a function value, or as a goroutine: its function is not executed in the model")
		return x.opReturn(p, []*sym.Expr{sym.Unknown("a timer whose function is not in the model")})
	}
	return startCallback(x, p, callbackBody, state.TimerC, func(f *state.Frame) (ref, bool) {
		r, ok := x.allocateAt(p, f.Call.Parent, f.Call.Site, func() *state.Object {
			return &state.Object{Kind: state.ChannelObject, Name: fmt.Sprintf("afterfunc_%d", x.prog.Source.Fset.Position(f.Call.Site.Pos()).Line),
				Size: state.ChanPayload + state.TimerCells + 1, Elem: types.NewStruct(nil, nil), Cap: 1, Pos: f.Call.Site.Pos(), Timer: true, Callback: true}
		}, func(o *state.Object) { describeCallback(x, o) })
		if !ok {
			return ref{}, false
		}
		r.clear(p, nil)
		r.put(p, state.ChanPayload+state.TimerArmed, sym.Num(1))
		r.put(p, state.ChanPayload+timerWaits, sym.Num(1))
		d, known := x.durationOf(p, 0)
		x.arm(p, x.eventOf(r.objs[0]), d, known)
		return r, true
	})
}

// startCallback makes what the goroutine of a callback waits for, starts it in a
// step of its own, with that and the function, and returns a part of what was
// made.
func startCallback(x *executor, p *path, body *program.Operation, part int32, make func(f *state.Frame) (ref, bool)) bool {
	switch f := p.peek(); f.Phase {
	case 1:
		r, ok := make(f)
		if !ok {
			return false
		}
		g := p.top()
		g.Target.Args = [][]*sym.Expr{{r.e}, g.Target.Args[1]}
		p.set(g.Call, state.ArgKey(0), []*sym.Expr{r.e})
		g.Phase = 2
		x.arrive(p, state.AtLocal, 0)
	case 2:
		x.spawnTarget(p, f.Call.Site, state.Target{Op: body, Args: p.args()[:2]}, func(q *path) {
			q.top().Phase = 3
			x.arrive(q, state.AtLocal, 0)
		})
	default:
		return x.opReturn(p, []*sym.Expr{sym.Arith(sym.OpAdd, p.arg(0)[0], sym.Num(state.ChanPayload+part))})
	}
	return false
}

func describeCallback(x *executor, o *state.Object) {
	x.describeChan(o)
	a, c, w := x.mem.Cells[o.Behind(state.TimerArmed)], x.mem.Cells[o.Behind(state.TimerC)], x.mem.Cells[o.Behind(timerWaits)]
	a.Name, a.Abs, a.Fix = o.Name+"_armed", sym.Either(), true
	c.Name, c.Ref = o.Name+"_C", true
	w.Name, w.Abs, w.Fix = o.Name+"_waits", sym.Either(), true
}

// callbackHere reports that a call hands over a callback at a site.
func callbackHere(x *executor, f *state.Frame) bool {
	if f.Call.Parent == nil || !f.Call.Site.Pos().IsValid() {
		return false
	}
	_, ok := x.idx.At(sites.Callback, f.Call.Site.Pos())
	return ok
}

// runCallback waits for the timer at the Start guard, and calls the function.
func runCallback(x *executor, p *path) bool {
	if p.peek().Phase == 2 {
		return x.opReturn(p, nil)
	}
	o := awaited(x, p)
	if o == nil || !o.Callback {
		return false
	}
	n, waits := o.Base+state.ChanLen, o.Behind(timerWaits)
	if q := p.fork(sym.And(eq(p.cellAt(n), 0), eq(p.cellAt(o.Behind(state.TimerArmed)), 0))); q != nil {
		q.put(waits, sym.Num(0))
		q.role, q.site = artifact.RoleLocal, 0
		x.finish(q, nil)
	}
	if !p.assume(eq(p.cellAt(n), 1)) {
		return false
	}
	p.put(n, sym.Num(0))
	p.put(waits, sym.Num(0))
	return x.callArg(p, 1, func(q *path) { q.top().Phase = 2 })
}

// awaited is what the goroutine of a callback waits for, nil if that is not known
// on this path.
func awaited(x *executor, p *path) *state.Object {
	k, ok := x.receiver(p)
	if !ok {
		return nil
	}
	return x.mem.Object(k)
}

// setCallback stops the timer of a function, or arms it again.
func setCallback(x *executor, p *path, o *state.Object, armed int32, result []*sym.Expr) bool {
	a := o.Behind(state.TimerArmed)
	was := p.cellAt(a)
	if armed == 1 {
		again := sym.Or(eq(p.cellAt(o.Behind(timerWaits)), 0), eq(p.cellAt(o.Base+state.ChanLen), 1))
		if q := p.fork(again); q != nil {
			q.bound("a timer of AfterFunc is set again whose function has been called, or that has been stopped")
		}
		if !p.assume(sym.Not(again)) {
			return false
		}
	}
	p.put(a, sym.Num(armed))
	setEvent(x, p, o, armed)
	if len(result) > 0 {
		result[0] = was
	}
	return x.opReturn(p, result)
}

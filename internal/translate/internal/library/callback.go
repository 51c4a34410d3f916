package library

import (
	"fmt"
	"go/types"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
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

func callbackOperations(l *execution.Library) {
	l.Known["time.AfterFunc"] = l.Add(program.Operation{Name: "afterfunc", Seed: true, Args: []int{1}}, afterFunc)
	l.Does(callbackBody, runCallback)
}

// afterFunc makes the timer, then starts the goroutine in a step of its own. The goroutine is named by the
// call, so that there has to be one in the source of the program.
func afterFunc(x *execution.Executor, p *exploration.Path) bool {
	if !callbackHere(x, p.Peek()) {
		p.Note("unknown-call", artifact.DirectionUnder, "time.AfterFunc called through a function value, or as a goroutine: its function is not executed in the model")
		return x.OpReturn(p, []*sym.Expr{sym.Unknown("a timer whose function is not in the model")})
	}
	return startCallback(x, p, callbackBody, state.TimerC, func(f *state.Frame) (exploration.Ref, bool) {
		r, ok := x.AllocateAt(p, f.Call.Parent, f.Call.Site, func() *state.Object {
			return &state.Object{Kind: state.ChannelObject, Name: fmt.Sprintf("afterfunc_%d", x.Program.Source.Fset.Position(f.Call.Site.Pos()).Line),
				Size: state.ChanPayload + state.TimerCells + 1, Elem: types.NewStruct(nil, nil), Cap: 1, Pos: f.Call.Site.Pos(), Timer: true, Callback: true}
		}, func(o *state.Object) { describeCallback(x, o) })
		if !ok {
			return exploration.Ref{}, false
		}
		r.Clear(p, nil)
		r.Put(p, state.ChanPayload+state.TimerArmed, sym.Num(1))
		r.Put(p, state.ChanPayload+timerWaits, sym.Num(1))
		d, known := x.DurationOf(p, 0)
		x.Arm(p, x.EventOf(r.Objects[0]), d, known)
		return r, true
	})
}

// startCallback makes what the goroutine of a callback waits for, starts it in a step of its own, with that
// and the function, and returns a part of what was made. These are the three phases: an edge has one
// partner, and the one that made the call may have one already, so that the start has a location before and
// behind it.
func startCallback(x *execution.Executor, p *exploration.Path, body *program.Operation, part int32, make func(f *state.Frame) (exploration.Ref, bool)) bool {
	switch f := p.Peek(); f.Phase {
	case 1:
		r, ok := make(f)
		if !ok {
			return false
		}
		g := p.Top()
		g.Target.Args = [][]*sym.Expr{{r.Address}, g.Target.Args[1]}
		p.Set(g.Call, state.ArgKey(0), []*sym.Expr{r.Address})
		g.Phase = 2
		x.Arrive(p, state.AtLocal, 0)
	case 2:
		x.SpawnTarget(p, f.Call.Site, state.Target{Op: body, Args: p.Args()[:2]}, func(q *exploration.Path) {
			q.Top().Phase = 3
			x.Arrive(q, state.AtLocal, 0)
		})
	default:
		return x.OpReturn(p, []*sym.Expr{sym.Arith(sym.OpAdd, p.Arg(0)[0], sym.Num(state.ChanPayload+part))})
	}
	return false
}

// describeCallback says what the cells of a timer with a function are: those of a timer, and whether its
// goroutine still waits.
func describeCallback(x *execution.Executor, o *state.Object) {
	x.DescribeChan(o)
	a, c, w := x.Memory.Cells[o.Behind(state.TimerArmed)], x.Memory.Cells[o.Behind(state.TimerC)], x.Memory.Cells[o.Behind(timerWaits)]
	a.Name, a.Abs, a.Fix = o.Name+"_armed", sym.Either(), true
	c.Name, c.Ref = o.Name+"_C", true
	w.Name, w.Abs, w.Fix = o.Name+"_waits", sym.Either(), true
}

// callbackHere reports that a call hands over a callback at a site: that is what the goroutine of the
// callback is named by.
func callbackHere(x *execution.Executor, f *state.Frame) bool {
	if f.Call.Parent == nil || !f.Call.Site.Pos().IsValid() {
		return false
	}
	_, ok := x.Sites.At(sites.Callback, f.Call.Site.Pos())
	return ok
}

// runCallback waits for the timer at the Start guard, and calls the function. Where the timer was stopped
// the goroutine ends without having begun, in a step that nobody sees.
func runCallback(x *execution.Executor, p *exploration.Path) bool {
	if p.Peek().Phase == 2 {
		return x.OpReturn(p, nil)
	}
	o := awaited(x, p)
	if o == nil || !o.Callback {
		return false
	}
	n, waits := o.Base+state.ChanLen, o.Behind(timerWaits)
	if q := p.Fork(sym.And(exploration.Eq(p.CellAt(n), 0), exploration.Eq(p.CellAt(o.Behind(state.TimerArmed)), 0))); q != nil {
		q.Put(waits, sym.Num(0))
		q.Role, q.Site = artifact.RoleLocal, 0
		x.Finish(q, nil)
	}
	if !p.Assume(exploration.Eq(p.CellAt(n), 1)) {
		return false
	}
	p.Put(n, sym.Num(0))
	p.Put(waits, sym.Num(0))
	return x.CallArg(p, 1, func(q *exploration.Path) { q.Top().Phase = 2 })
}

// awaited is what the goroutine of a callback waits for, nil if that is not known
// on this path.
func awaited(x *execution.Executor, p *exploration.Path) *state.Object {
	k, ok := x.Receiver(p)
	if !ok {
		return nil
	}
	return x.Memory.Object(k)
}

// setCallback stops the timer of a function, or arms it again. To arm it again would need a goroutine that
// is not there any more, if it has passed its guard, has gone, or is about to: that is a bound. The result
// is whether the timer was armed.
func setCallback(x *execution.Executor, p *exploration.Path, o *state.Object, armed int32, result []*sym.Expr) bool {
	a := o.Behind(state.TimerArmed)
	was := p.CellAt(a)
	if armed == 1 {
		again := sym.Or(exploration.Eq(p.CellAt(o.Behind(timerWaits)), 0), exploration.Eq(p.CellAt(o.Base+state.ChanLen), 1))
		if q := p.Fork(again); q != nil {
			q.Bound("a timer of AfterFunc is set again whose function has been called, or that has been stopped")
		}
		if !p.Assume(sym.Not(again)) {
			return false
		}
	}
	p.Put(a, sym.Num(armed))
	setEvent(x, p, o, armed)
	if len(result) > 0 {
		result[0] = was
	}
	return x.OpReturn(p, result)
}

package library

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A timer is a channel with one place and two more cells: whether it is armed, and the field C, which holds
// the channel. A *time.Timer or *time.Ticker is the address of the latter. That an armed timer fires is a
// step of its own, of the process Time; in which order events come says deadline.go.
//
// A timer that has fired is not armed, and its value is in the channel until somebody receives it; a ticker
// stays armed. The time that is received is not known.

// timerOperations are the functions of package time that make timers, and the methods that stop them and
// set them again. All are parts of statements, without guards of their own.
func timerOperations(l *execution.Library) {
	arm := func(name string, ticker, pointer bool) *program.Operation {
		return l.Add(program.Operation{Name: name, Args: []int{}}, func(x *execution.Executor, p *exploration.Path) bool { return newTimer(x, p, ticker, pointer) })
	}
	l.Known["time.After"] = arm("after", false, false)
	l.Known["time.Tick"] = arm("tick", true, false)
	l.Known["time.NewTimer"] = arm("newtimer", false, true)
	l.Known["time.NewTicker"] = arm("newticker", true, true)
	for _, t := range []string{"Timer", "Ticker"} {
		l.Known["(*time."+t+").Stop"] = l.Add(program.Operation{Name: "stop", Seed: true}, func(x *execution.Executor, p *exploration.Path) bool { return setTimer(x, p, 0) })
		l.Known["(*time."+t+").Reset"] = l.Add(program.Operation{Name: "reset", Seed: true}, func(x *execution.Executor, p *exploration.Path) bool { return setTimer(x, p, 1) })
	}
}

// timePasses is the approximation that an event rests on, nothing if it has none. The
// event is nil for those of which there can be several.
func timePasses(x *execution.Executor, e *state.Event, pos token.Pos) []int {
	why := x.Timing(e)
	if why == "" {
		return nil
	}
	return []int{x.Approximation(pos, "time", artifact.DirectionOver, why)}
}

// newTimer makes an armed timer. time.After and time.Tick return its channel, the others a pointer to the
// timer, which is the address of its field C.
func newTimer(x *execution.Executor, p *exploration.Path, ticker, pointer bool) bool {
	f := p.Peek()
	if f.Call.Parent == nil {
		return x.OpReturn(p, nil)
	}
	pos := f.Call.Site.Pos()
	d, known := x.DurationOf(p, 0)
	if ticker && known && d <= 0 {
		if !pointer {
			return x.OpReturn(p, []*sym.Expr{sym.Num(0)}) // time.Tick
		}
		return badInterval(x, p, "NewTicker")
	}
	var elem types.Type
	switch t := f.Target.Fn.Signature.Results().At(0).Type().Underlying().(type) {
	case *types.Chan:
		elem = t.Elem()
	case *types.Pointer:
		elem = t.Elem().Underlying().(*types.Struct).Field(0).Type().Underlying().(*types.Chan).Elem()
	}
	width := int32(x.Width(elem))
	r, ok := x.AllocateAt(p, f.Call.Parent, f.Call.Site, func() *state.Object {
		return &state.Object{Kind: state.ChannelObject, Name: fmt.Sprintf("%s_%d", f.Op.Name, x.Program.Source.Fset.Position(pos).Line),
			Size: state.ChanPayload + width + state.TimerCells, Elem: elem, Cap: 1, Messages: state.Messages{Width: width}, Pos: pos, Timer: true, Ticker: ticker}
	}, func(o *state.Object) { describeTimer(x, o) })
	if !ok {
		return false
	}
	armed, c := state.ChanPayload+width+state.TimerArmed, state.ChanPayload+width+state.TimerC
	// The message is no state, and C is what it always is.
	r.Clear(p, func(off int32) bool { return off >= state.ChanPayload && off < armed || off == c })
	r.Put(p, armed, sym.Num(1))
	x.Arm(p, x.EventOf(r.Objects[0]), d, known)
	if !pointer {
		return x.OpReturn(p, []*sym.Expr{r.Address})
	}
	// As long as a new object is apart, a cell of it is 0 where nothing was written.
	if o, _, ok := exploration.NewObjectAt(r.Address); ok {
		p.SetNew(o, c, r.Address)
	}
	return x.OpReturn(p, []*sym.Expr{sym.Arith(sym.OpAdd, r.Address, sym.Num(c))})
}

// badInterval is the panic of a ticker whose interval is not positive. time.Tick returns nil instead.
func badInterval(x *execution.Executor, p *exploration.Path, of string) bool {
	x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: p.CallStatement(), Pos: p.Here(), Detail: "non-positive interval for " + of}, x.SomeError())
	return true
}

func describeTimer(x *execution.Executor, o *state.Object) {
	x.DescribeChan(o)
	a, c := x.Memory.Cells[o.Behind(state.TimerArmed)], x.Memory.Cells[o.Behind(state.TimerC)]
	a.Name, a.Abs, a.Fix = o.Name+"_armed", sym.Either(), true
	c.Name, c.Init, c.Abs, c.Fix, c.Ref = o.Name+"_C", o.Base, sym.Single(o.Base), true, true
}

// setTimer stops a timer or arms it again: armed says which. Since Go 1.23 nothing of before can be
// received afterwards, so that the channel is empty then, and the result says whether the timer was to fire
// or what it has sent had not been received. A callback is in setCallback.
func setTimer(x *execution.Executor, p *exploration.Path, armed int32) bool {
	var result []*sym.Expr
	if p.Peek().Target.Fn.Signature.Results().Len() > 0 {
		result = []*sym.Expr{sym.Unknown("whether a timer was running")}
	}
	k, ok, tracked := x.Settled(p)
	switch o := x.Memory.Object(k); {
	case !tracked:
		p.Note("unknown-call", artifact.DirectionUnder, "the timer is not tracked; what is done to it is not in the model")
	case !ok:
		return false
	case k == 0:
		x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: p.CallStatement(), Pos: p.Here(), Detail: "nil pointer dereference"}, x.SomeError())
		return true
	case o != nil && o.Callback:
		againstTime(x, o, p.CallStatement())
		return setCallback(x, p, o, armed, result)
	case o != nil && o.Timer:
		againstTime(x, o, p.CallStatement())
		if d, known := x.DurationOf(p, 1); o.Ticker && armed != 0 && known && d <= 0 {
			return badInterval(x, p, "Ticker.Reset")
		}
		// What has fired and not been received is taken out of the channel.
		a, n := o.Behind(state.TimerArmed), o.Base+state.ChanLen
		if len(result) > 0 {
			result[0] = sym.Or(exploration.Eq(p.CellAt(a), 1), sym.Arith(sym.OpLt, sym.Num(0), p.CellAt(n)))
		}
		p.Put(a, sym.Num(armed))
		p.Put(n, sym.Num(0))
		setEvent(x, p, o, armed)
	}
	return x.OpReturn(p, result)
}

// setEvent notes that a timer was stopped or armed again.
func setEvent(x *execution.Executor, p *exploration.Path, o *state.Object, armed int32) {
	if armed == 0 {
		x.Ended(p, x.EventsOf[o], sym.Num(1))
		return
	}
	d, known := x.DurationOf(p, 1)
	x.Arm(p, x.EventOf(o), d, known)
}

// againstTime notes that a statement looks at or sets what the process Time changes, as another
// goroutine would: a timer, or the error of a context.
func againstTime(x *execution.Executor, o *state.Object, s sites.ID) {
	if s != 0 && !slices.Contains(x.Untimely[s], o) {
		x.Untimely[s] = append(x.Untimely[s], o)
	}
}

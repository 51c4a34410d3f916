package library

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A context is its Done channel with more cells. Its address is that of the channel, its cancel function
// the address of one of the cells; context. Background and whatever can never be cancelled is at address 0,
// as the nil channel that its Done returns. What AfterFunc registers is a context as well: it is derived
// from the other, and its function is called when it ends. Where values of contexts matter, WithValue makes
// another object, see contextvalue.go.
//
// The interface value context.Context is the number of libraryContext and that address. To cancel a context
// ends those that are derived from it in the same step: each has the address of its parent in a cell, and
// of all that there are it is asked whether they are descendants (cancel). In Go they are ended one after
// the other: that somebody finds a context ended and one that is derived from it not yet is not in the
// model.

// What ended a context.
const (
	ctxCanceled = 1
	ctxExceeded = 2
)

// maxAncestry bounds the search for the descendants of a context.
const maxAncestry = 256

// libraryContext stands for the dynamic types of contexts.
var libraryContext types.Type = types.NewNamed(types.NewTypeName(token.NoPos, nil, "libraryContext", nil), types.NewStruct(nil, nil), nil)

// cancelContext is the function that ends a context, its first argument (made). That of a context with a
// cause is given the cause as well; others have one argument.
var cancelContext = &program.Operation{Name: "cancel", Args: []int{0, 1}}

// contextOperations are the functions of package context, and the methods of what they return. Nearly all
// are parts of statements, without guards: whoever reads the error of a context gets a guard where another
// goroutine may end it (ofContext), and Done is the channel.
func contextOperations(l *execution.Library) {
	root := l.Add(program.Operation{Name: "background", Args: []int{}}, func(x *execution.Executor, p *exploration.Path) bool {
		return x.OpReturn(p, []*sym.Expr{sym.Num(x.Memory.Tag(libraryContext)), sym.Num(0)})
	})
	for _, f := range []string{"Background", "TODO"} {
		l.Known["context."+f] = root
	}
	for _, cause := range []string{"", "Cause"} {
		l.Known["context.WithCancel"+cause] = l.Add(program.Operation{Name: "withcancel"}, func(x *execution.Executor, p *exploration.Path) bool { return newContext(x, p, false) })
		timeout := l.Add(program.Operation{Name: "withtimeout"}, func(x *execution.Executor, p *exploration.Path) bool { return newContext(x, p, true) })
		// The cause that it is given for when its deadline passes, which the slice asks for where causes
		// matter.
		if cause != "" {
			timeout.Also = []int{2}
		}
		l.Known["context.WithTimeout"+cause] = timeout
		l.Known["context.WithDeadline"+cause] = timeout
	}
	l.Known["context.Cause"] = l.Add(program.Operation{Name: "cause"}, contextCause)
	l.Does(cancelContext, func(x *execution.Executor, p *exploration.Path) bool {
		k, ok, tracked := x.Settled(p)
		switch {
		case !tracked:
			p.Note("unknown-call", artifact.DirectionUnder, "the context that is cancelled is not tracked")
		case !ok:
			return false
		default:
			cause := layout.Zeros(2)
			if len(p.Peek().Target.Args) > 1 {
				cause = p.Arg(1)
			}
			cancel(x, p, k, ctxCanceled, cause, p.CallStatement())
		}
		return x.OpReturn(p, nil)
	})
	l.Methods[libraryContext] = map[string]*program.Operation{
		"String": nil,
		"Done": l.Add(program.Operation{Name: "done"}, func(x *execution.Executor, p *exploration.Path) bool {
			return x.OpReturn(p, []*sym.Expr{ends(x, p, p.Arg(0)[0])})
		}),
		"Err":   l.Add(program.Operation{Name: "err"}, contextErr),
		"Value": l.Add(program.Operation{Name: "value", Args: []int{0, 1}}, contextValue),
		"Deadline": l.Add(program.Operation{Name: "deadline"}, func(x *execution.Executor, p *exploration.Path) bool {
			return x.OpReturn(p, layout.Unknowns(2, "the deadline of a context"))
		}),
	}
	contextAfterOperations(l)
	contextValueOperations(l)
}

// newContext derives a context that can be cancelled. With a deadline it is armed as a timer is:
// ContextDeadline says that the process Time may end it.
func newContext(x *execution.Executor, p *exploration.Path, deadline bool) bool {
	// go context.WithCancel(ctx): nobody has the result.
	if p.Peek().Call.Parent == nil {
		return x.OpReturn(p, nil)
	}
	r, ok, tracked := deriveContext(x, p)
	if !ok {
		return false
	}
	r.Put(p, state.ChanPayload+state.ContextDeadline, sym.Bool(deadline))
	if deadline {
		// That of a context that is not tracked may be earlier. A moment is no number.
		d, known := x.DurationOf(p, 1)
		x.Arm(p, x.EventOf(r.Objects[0]), d, known && tracked)
	}
	if deadline && len(p.Peek().Op.Also) > 0 && x.Slice.Classes[relevance.Causes] {
		for i, e := range p.Arg(2)[:2] {
			r.Put(p, state.ChanPayload+state.ContextLater+int32(i), e)
		}
	}
	return x.OpReturn(p, []*sym.Expr{sym.Num(x.Memory.Tag(libraryContext)), r.Address, sym.Arith(sym.OpAdd, r.Address, sym.Num(state.ChanPayload+state.ContextCancel))})
}

// parentOf is the context that is an argument: where its values are, and what ends it. One of another type,
// which the program has made itself, never ends what is derived from it: package context would start a
// goroutine that waits for its Done, which the model does not have.
func parentOf(x *execution.Executor, p *exploration.Path, in []*sym.Expr) (values, end *sym.Expr) {
	if tag := p.Simplify(in[0]); !tag.Is(x.Memory.Tag(libraryContext)) {
		p.Note("context", artifact.DirectionUnder, "the context that this one is derived from is not one of package context or not tracked: it never ends in the model")
		return sym.Num(0), sym.Num(0)
	}
	values = p.Simplify(in[1])
	// The parent may have been made in this segment: its cells are read by address.
	if _, _, isNew := exploration.NewObjectAt(values); isNew {
		p.Settle()
	}
	return values, ends(x, p, values)
}

// deriveContext makes a context for the call of the operation on top of the stack, derived from that of its
// first argument. tracked says whether that is known. If that has ended the new one has ended from the
// beginning, with its error and cause.
func deriveContext(x *execution.Executor, p *exploration.Path) (r exploration.Ref, ok, tracked bool) {
	f := p.Peek()
	values, parent := parentOf(x, p, p.Arg(0))
	err, tracked := contextCell(x, p, parent, state.ContextErr)
	tracked = tracked && p.Simplify(p.Arg(0)[0]).Is(x.Memory.Tag(libraryContext))
	if err == nil {
		p.Note("context", artifact.DirectionUnder, "the context that this one is derived from is not tracked: it never ends in the model")
		values, parent, err = sym.Num(0), sym.Num(0), sym.Num(0)
	}
	if r, ok = allocateContext(x, p, f.Call.Parent, f.Call.Site); !ok {
		return exploration.Ref{}, false, tracked
	}
	r.Put(p, state.ChanPayload+state.ContextErr, err)
	// The Done channel of one that has ended is closed.
	r.Put(p, state.ChanClosed, sym.Not(exploration.Eq(err, 0)))
	r.Put(p, state.ChanPayload+state.ContextParent, parent)
	if x.Slice.Classes[relevance.ContextValues] {
		r.Put(p, state.ChanPayload+state.ContextUp, values)
	}
	if x.Slice.Classes[relevance.Causes] {
		for i := range int32(2) {
			c, _ := contextCell(x, p, parent, state.ContextCause+i)
			r.Put(p, state.ChanPayload+state.ContextCause+i, c)
		}
	}
	return r, true, tracked
}

// allocateContext makes a context that is not derived from another.
func allocateContext(x *execution.Executor, p *exploration.Path, at *state.CallPath, site ssa.Instruction) (exploration.Ref, bool) {
	pos := site.Pos()
	done := types.NewStruct(nil, nil)
	r, ok := x.AllocateAt(p, at, site, func() *state.Object {
		return &state.Object{Kind: state.ChannelObject, Name: fmt.Sprintf("ctx_%d", x.Program.Source.Fset.Position(pos).Line),
			Size: state.ChanPayload + state.ContextCells, Elem: done, Pos: pos, Context: true}
	}, func(o *state.Object) { describeContext(x, o) })
	if ok {
		r.Clear(p, nil)
	}
	return r, ok
}

// describeContext says what the cells of a context are. Its error is memory that goroutines share, other
// than those of channels: statements that read it get guards.
func describeContext(x *execution.Executor, o *state.Object) {
	x.DescribeChan(o)
	c := func(k int32) *state.Cell { return x.Memory.Cells[o.Behind(k)] }
	// The process Time ends contexts, and is not executed in the search: what it can put there is there
	// from the beginning.
	closed, err := x.Memory.Cells[o.Base+state.ChanClosed], c(state.ContextErr)
	closed.Abs, closed.Fix = sym.Either(), true
	err.Name, err.Abs, err.Fix, err.Sync = o.Name+"_err", sym.Range(0, ctxExceeded), true, false
	c(state.ContextParent).Name, c(state.ContextParent).Ref = o.Name+"_parent", true
	c(state.ContextDeadline).Name = o.Name + "_deadline"
	c(state.ContextWaits).Name, c(state.ContextWaits).Abs, c(state.ContextWaits).Fix = o.Name+"_waits", sym.Either(), true
	c(state.ContextUp).Name, c(state.ContextUp).Ref = o.Name+"_values", true
	for i, n := range layout.InterfaceCells {
		c(state.ContextCause+int32(i)).Name, c(state.ContextCause+int32(i)).Ref = o.Name+"_cause"+n.Name, true
		c(state.ContextLater+int32(i)).Name, c(state.ContextLater+int32(i)).Ref = o.Name+"_later"+n.Name, true
	}
	// What cancels a context cancels those that are derived from it.
	x.Contexts = append(x.Contexts, o)
	for _, l := range x.Cancels {
		x.Enqueue(l)
	}
}

// lateCauses adds to what the causes of contexts can be what they are when deadlines pass, which the
// process Time lets happen: any of those that WithTimeoutCause was given, in any context, since the
// deadline of one ends those derived from it with its cause. Time has no segments that would be executed in
// the search. It reports whether there is something to do then.
func lateCauses(x *execution.Executor) bool {
	if !x.Slice.Classes[relevance.Causes] {
		return false
	}
	late := make([]sym.Set, len(layout.InterfaceCells))
	for i, e := range contextError(x, sym.Num(ctxExceeded)) {
		late[i] = sym.Single(e.K)
		for _, o := range x.Contexts {
			late[i] = late[i].Join(x.Memory.Cells[o.Behind(state.ContextLater+int32(i))].Abs, sym.MaxRefSet)
		}
	}
	for _, o := range x.Contexts {
		for i, a := range late {
			x.Grow(x.Memory.Cells[o.Behind(state.ContextCause+int32(i))], a)
		}
	}
	return len(x.Queue) > 0
}

// contextCell reads a cell of the context at an address, 0 for those that never
// end; ok is false if the context is not tracked.
func contextCell(x *execution.Executor, p *exploration.Path, addr *sym.Expr, k int32) (*sym.Expr, bool) {
	a := p.Abs(addr)
	if addr.Op == sym.OpUnknown || a.Top || a.Interval || addr.HandedOver() {
		return nil, false
	}
	// What is no context never ends.
	out := sym.Num(0)
	for i := len(a.Elems) - 1; i >= 0; i-- {
		if o := x.Memory.Object(a.Elems[i]); o != nil && o.Context && o.Base == a.Elems[i] {
			out = sym.Ite(exploration.Eq(addr, o.Base), p.CellAt(o.Behind(k)), out)
		}
	}
	return out, true
}

// cancel ends the context of the object at an address and all that are derived from it. cause is a nil
// error if there is no other than why; at is the statement that does it.
//
// Which contexts those are depends on the state: each one that there is ends under the condition that it
// has not yet and descends from this one. So this has to be executed again when there is another context
// (describeContext); a context that has ended keeps its error and cause.
func cancel(x *execution.Executor, p *exploration.Path, k int32, why int32, cause []*sym.Expr, at sites.ID) {
	if !x.Emitting && p.From != nil && !slices.Contains(x.Cancels, p.From) {
		x.Cancels = append(x.Cancels, p.From)
	}
	// The parents of new contexts are in their cells, which have to be in memory.
	p.Settle()
	root := x.Memory.Object(k)
	if root == nil || !root.Context {
		return
	}
	budget := maxAncestry
	type end struct {
		o    *state.Object
		cond *sym.Expr
	}
	var ends []end
	for _, o := range x.Contexts {
		if c := p.Simplify(sym.And(exploration.Eq(p.CellAt(o.Behind(state.ContextErr)), 0), derived(x, p, o, root, &budget))); !c.Is(0) {
			ends = append(ends, end{o, c})
		}
	}
	if budget <= 0 {
		p.Note("context", artifact.DirectionUnder, "too many contexts may be derived from the one that is cancelled: not all are ended")
	}
	// All conditions are of the state before: they are found before anything is written.
	for _, e := range ends {
		x.Accessed(p, e.o.Behind(state.ContextErr), 1, at, true)
		againstTime(x, e.o, at)
		p.Put(e.o.Behind(state.ContextErr), sym.Ite(e.cond, sym.Num(why), p.CellAt(e.o.Behind(state.ContextErr))))
		p.Put(e.o.Base+state.ChanClosed, sym.Ite(e.cond, sym.Num(1), p.CellAt(e.o.Base+state.ChanClosed)))
		x.Ended(p, x.EventsOf[e.o], e.cond)
		if !x.Slice.Classes[relevance.Causes] {
			continue
		}
		// Without a cause the cause is the error (context.Cause).
		none := exploration.Eq(cause[0], 0)
		for i, c := range contextError(x, sym.Num(why)) {
			a := e.o.Behind(state.ContextCause + int32(i))
			p.Put(a, sym.Ite(e.cond, sym.Ite(none, c, cause[i]), p.CellAt(a)))
		}
	}
}

// derived is the condition that a context is another or derived from it, by the parents that it can have.
// budget counts the contexts that are looked at over all: parents that can be many make a tree of
// conditions.
func derived(x *execution.Executor, p *exploration.Path, o, from *state.Object, budget *int) *sym.Expr {
	if o == from {
		return sym.Num(1)
	}
	parent := p.CellAt(o.Behind(state.ContextParent))
	a := p.Abs(parent)
	if *budget--; *budget <= 0 || a.Top || a.Interval {
		return sym.Num(0)
	}
	out := sym.Num(0)
	for _, k := range a.Elems {
		if q := x.Memory.Object(k); q != nil && q.Context && q != o {
			out = sym.Or(out, sym.And(exploration.Eq(parent, k), derived(x, p, q, from, budget)))
		}
	}
	return out
}

// contextError is the error of a context that has ended by err, nil if it has not: the variables
// context.Canceled and context.DeadlineExceeded, which are equal to themselves only.
func contextError(x *execution.Executor, err *sym.Expr) []*sym.Expr {
	canceled := x.ErrorValue("error context.Canceled", "Canceled")
	exceeded := x.ErrorValue("error context.DeadlineExceeded", "DeadlineExceeded")
	none := exploration.Eq(err, 0)
	return []*sym.Expr{
		sym.Ite(none, sym.Num(0), canceled[0]),
		sym.Ite(none, sym.Num(0), sym.Ite(exploration.Eq(err, ctxCanceled), canceled[1], exceeded[1])),
	}
}

// ofContext finds the context that the operation on top of the stack is about,
// nil for one that never ends, and executes f; a context that is not tracked
// has an unknown error.
func ofContext(x *execution.Executor, p *exploration.Path, addr *sym.Expr, f func(o *state.Object) []*sym.Expr) bool {
	k, ok, tracked := x.Concrete(p, ends(x, p, addr))
	if !tracked {
		return x.OpReturn(p, layout.Unknowns(2, "the error of a context that is not tracked"))
	}
	if !ok {
		return false
	}
	o := x.Memory.Object(k)
	if o == nil || !o.Context {
		return x.OpReturn(p, layout.Zeros(2))
	}
	x.Accessed(p, o.Behind(state.ContextErr), 1, p.CallStatement(), false)
	againstTime(x, o, p.CallStatement())
	return x.OpReturn(p, f(o))
}

// contextErr is the method Err: nil as long as the context has not ended.
func contextErr(x *execution.Executor, p *exploration.Path) bool {
	return ofContext(x, p, p.Arg(0)[0], func(o *state.Object) []*sym.Expr { return contextError(x, p.CellAt(o.Behind(state.ContextErr))) })
}

// contextCause is the function Cause.
func contextCause(x *execution.Executor, p *exploration.Path) bool {
	in := p.Arg(0)
	if tag := p.Simplify(in[0]); !tag.Is(x.Memory.Tag(libraryContext)) {
		return x.OpReturn(p, layout.Unknowns(2, "the cause of a context that is not one of package context or not tracked"))
	}
	return ofContext(x, p, in[1], func(o *state.Object) []*sym.Expr {
		return []*sym.Expr{p.CellAt(o.Behind(state.ContextCause)), p.CellAt(o.Behind(state.ContextCause + 1))}
	})
}

package execution

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// operands reads the operands of a call: those of the activation for a call that is made now, those that
// were kept for a deferred one.
type operands func(v ssa.Value) []*sym.Expr

// resolve finds the target of a call: an operation, or a function with what it has captured, and the
// arguments, the receiver first. With ok false it has taken over the path; a target without function and
// operation is unknown.
//
// What a call calls is found by what its value is on this path, and not by the call graph, which has more:
// in
//
//	for _, s := range []source{once{c}, twice{c}} { s.next() }
//
// each iteration calls one method. The call graph is asked where the value is not known (guess).
func (x *Executor) resolve(p *exploration.Path, site ssa.CallInstruction, val operands) (tgt state.Target, ok bool) {
	c := site.Common()
	for _, a := range c.Args {
		tgt.Args = append(tgt.Args, val(a))
	}
	if b, isBuiltin := c.Value.(*ssa.Builtin); isBuiltin {
		tgt.Op = x.library.Builtins[b.Name()]
		return tgt, true
	}
	// Runs have shown functions here that neither the value nor the call graph has. Each is tried on a path
	// of its own, beside what the value says, for which g is nil. Calls of the library that call back are
	// in Call.
	if fs := x.Program.Calls[site]; len(fs) > 0 && !x.Program.FromLibrary(site) {
		switch g, decided := p.Guessed(site); {
		case !decided:
			x.guessCompleted(p, site, fs)
			return tgt, false
		case g != nil:
			return x.guess(p, site, tgt)
		}
	}
	if c.IsInvoke() {
		return x.resolveInvoke(p, site, val)
	}
	// The closure is called where it is made, and is no object: the value is what it has captured, one
	// variable behind the other. Those that do not matter have no scalars there, and stand as nil, so that
	// bindings and free variables have the same numbers.
	if m, isClosure := c.Value.(*ssa.MakeClosure); isClosure && layout.Direct(m) {
		tgt.Fn = m.Fn.(*ssa.Function)
		tgt.Pos = m.Pos()
		e := val(m)
		for k, b := range m.Bindings {
			if !x.Slice.Values[tgt.Fn.FreeVars[k]] {
				tgt.Bindings = append(tgt.Bindings, nil)
				continue
			}
			n := x.ValueWidth(b)
			tgt.Bindings = append(tgt.Bindings, e[:n])
			e = e[n:]
		}
		return tgt, true
	}
	if f := c.StaticCallee(); f != nil {
		// What another closure has captured is in its object.
		if _, isClosure := c.Value.(*ssa.MakeClosure); !isClosure {
			tgt.Fn = f
			tgt.Op = x.Program.Operation(f)
			return tgt, true
		}
	}
	tgt, ok = x.resolveValue(p, site, tgt, p.Simplify(val(c.Value)[0]))
	if ok && tgt.Fn != nil && tgt.Op == nil && !types.Identical(tgt.Fn.Signature, c.Signature()) {
		// A function of another type: which value it is and what its type depends
		// on are not known together, and no run has the two.
		return tgt, false
	}
	return tgt, ok
}

// resolveValue completes the target of a call of a function value: one that was made in this segment, whose
// cells are at hand; or one of several closures of the same function, for which the path does not fork; or
// that at the address which the value is found to be.
func (x *Executor) resolveValue(p *exploration.Path, site ssa.CallInstruction, tgt state.Target, callee *sym.Expr) (state.Target, bool) {
	if o, off, cells := p.NewObject(callee); cells != nil {
		if tgt, ok := x.library.Made(tgt, o.Pool.Objects[0], off, callee); ok {
			return tgt, true
		}
		return x.closure(o.Pool.Objects[0], tgt, func(i int) *sym.Expr { return cells[i] }), true
	}
	if o, cell := x.oneFunction(p, callee); o != nil {
		return x.closure(o, tgt, cell), true
	}
	k, ok, tracked := x.Concrete(p, callee)
	if !tracked {
		return x.guess(p, site, tgt)
	}
	if !ok {
		return tgt, false
	}
	return x.functionAt(p, k, tgt, site)
}

// FunctionOf finds the function that an operation calls, by its value, as once.Do(f) does. With ok false it
// has taken over the path, where tracked is true; a value that is not tracked is none. The call graph is
// not asked for those: what the library calls has no call in the program.
func (x *Executor) FunctionOf(p *exploration.Path, value *sym.Expr, site ssa.Instruction) (tgt state.Target, ok, tracked bool) {
	value = p.Simplify(value)
	if o, _, cells := p.NewObject(value); cells != nil {
		return x.closure(o.Pool.Objects[0], tgt, func(i int) *sym.Expr { return cells[i] }), true, true
	}
	if o, cell := x.oneFunction(p, value); o != nil {
		return x.closure(o, tgt, cell), true, true
	}
	k, ok, tracked := x.Concrete(p, value)
	if !ok {
		return tgt, false, tracked
	}
	tgt, ok = x.functionAt(p, k, tgt, site)
	return tgt, ok, true
}

// oneFunction recognises a function value that can be several closures, all of one function: which one only
// decides what it has captured, which cell reads. So it is for
//
//	for i := range fs { fs[i] = func() { <-c[i] } }
//	fs[k]()
//
// where one path enters the function, with a choice for i. It returns one of them, nil if the value has to
// be known.
func (x *Executor) oneFunction(p *exploration.Path, value *sym.Expr) (o *state.Object, cell func(i int) *sym.Expr) {
	p.Expose(value)
	a := p.Abs(value)
	if value.Op == sym.OpUnknown || value.HandedOver() || a.Top || a.Interval || len(a.Elems) < 2 || len(a.Elems) > maxChain {
		return nil, nil
	}
	o = x.Memory.Object(a.Elems[0])
	if o == nil || o.Kind != state.ClosureObject || o.Closure == nil {
		return nil, nil
	}
	for _, k := range a.Elems {
		c := x.Memory.Object(k)
		if c == nil || c.Base != k || c.Closure != o.Closure || c.Fn != o.Fn || c.Size != o.Size {
			return nil, nil
		}
		// What the library has made, as the cancel function of a context, is an operation on the object at
		// that address.
		if _, library := x.library.Made(state.Target{}, c, 0, sym.Num(k)); library {
			return nil, nil
		}
	}
	// What is captured is read in place of each cell, by the address that the value is.
	captured := make([]*sym.Expr, o.Size)
	for i := range captured {
		for j := len(a.Elems) - 1; j >= 0; j-- {
			e := p.CellAt(a.Elems[j] + int32(i))
			if j == len(a.Elems)-1 {
				captured[i] = e
				continue
			}
			// A choice of which one side is unknown is unknown (sym.Ite).
			if (e.Op == sym.OpUnknown) != (captured[i].Op == sym.OpUnknown) {
				return nil, nil // known for some only
			}
			captured[i] = sym.Ite(exploration.Eq(value, a.Elems[j]), e, captured[i])
		}
	}
	return o, func(i int) *sym.Expr { return captured[i] }
}

// functionAt completes a target by the function value at an address. The call of a nil function panics (Go
// specification, Calls), where it is made: a deferred one at the end of the function. An address at which
// no function is makes an unknown target.
func (x *Executor) functionAt(p *exploration.Path, k int32, tgt state.Target, site ssa.Instruction) (state.Target, bool) {
	if k == 0 {
		u := &state.Unwind{Kind: artifact.KindNilCall, Site: p.Statement(site), Pos: p.Here(), Detail: "call of nil function"}
		if g, ok := site.(*ssa.Go); ok {
			return x.spawnsNil(p, g, u)
		}
		x.calledNil(p, u, site)
		return tgt, false
	}
	o := x.Memory.Object(k)
	if o != nil {
		if tgt, ok := x.library.Made(tgt, o, k-o.Base, sym.Num(k)); ok {
			return tgt, true
		}
	}
	if o == nil || o.Fn == nil {
		tgt.Fn = nil
		return tgt, true
	}
	return x.closure(o, tgt, func(i int) *sym.Expr { return p.CellAt(o.Base + int32(i)) }), true
}

// calledNil goes on with the panic of a call of nothing. One that was deferred has been made
// by then: it is still among those that are deferred, but where an operation of the library calls what it was given.
func (x *Executor) calledNil(p *exploration.Path, u *state.Unwind, site ssa.Instruction) {
	if _, deferred := site.(*ssa.Defer); deferred && p.Peek().Op == nil {
		p.PopDeferred()
	}
	x.Raise(p, u, x.SomeError())
	x.ContinueWith(p)
}

// spawnsNil is a go statement with a nil function. Go finds it there, and nobody can recover, where a
// function has neither parameters nor results (runtime.newproc, "go of nil func value"); others are called
// by the goroutine, in a function that the compiler puts around the call.
func (x *Executor) spawnsNil(p *exploration.Path, g *ssa.Go, u *state.Unwind) (state.Target, bool) {
	if sig := g.Call.Signature(); sig.Params().Len() == 0 && sig.Results().Len() == 0 {
		x.SinkTo(p, &state.Sink{End: sidecar.EndFatal, Kind: u.Kind, Site: x.siteOf(g), Pos: u.Pos, Detail: u.Detail})
		return state.Target{}, false
	}
	return state.Target{Op: nilBody}, true
}

// nilBody is the goroutine that calls a nil function.
var nilBody = &program.Operation{Name: "nilbody", Seed: true, Args: []int{}}

// callNil is what the goroutine of a nil function does.
func callNil(x *Executor, p *exploration.Path) bool {
	x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: x.SiteOfOp(p), Pos: p.Here(), Detail: "nil pointer dereference"}, x.SomeError())
	return true
}

// closure completes a target by a function object and its cells, which are the captured variables that
// matter, one behind the other. The position of the target is where the closure is made, or a function with
// an operation is named: an operation that is called through a value has its guard there.
func (x *Executor) closure(o *state.Object, tgt state.Target, cell func(i int) *sym.Expr) state.Target {
	tgt.Fn = o.Fn
	tgt.Op = x.Program.Operation(o.Fn)
	if o.Closure == nil {
		tgt.Pos = o.Pos
		return tgt
	}
	tgt.Pos = o.Closure.Pos()
	at := 0
	for i, b := range o.Closure.Bindings {
		if !x.Slice.Values[o.Fn.FreeVars[i]] {
			tgt.Bindings = append(tgt.Bindings, nil)
			continue
		}
		var e []*sym.Expr
		for range x.ValueWidth(b) {
			e = append(e, cell(at))
			at++
		}
		tgt.Bindings = append(tgt.Bindings, e)
	}
	return tgt
}

// guess continues with every callee that the call graph knows for a function value that is not tracked.
// Each path keeps what it has guessed to the end of the segment: it comes here again with it. It is kept by
// the instruction and the activation, so that a helper which is called twice may call two functions. (In a loop
// the segment ends before, see jump.) What a guessed closure has captured is unknown, and so is the receiver of a
// guessed method.
//
// If the call graph has none the target is unknown, which Call notes.
func (x *Executor) guess(p *exploration.Path, site ssa.CallInstruction, tgt state.Target) (state.Target, bool) {
	if fn := p.GuessedFunction(site); fn != nil {
		tgt.Fn = fn
		tgt.Op = x.Program.Operation(fn)
		for _, fv := range fn.FreeVars {
			tgt.Bindings = append(tgt.Bindings, layout.Unknowns(x.ValueWidth(fv), "captured by a function that is not tracked"))
		}
		if site.Common().IsInvoke() {
			recv := layout.Unknowns(x.Width(fn.Signature.Recv().Type()), "receiver that is not tracked")
			tgt.Args = append([][]*sym.Expr{recv}, tgt.Args...)
		}
		return tgt, true
	}
	callees := x.Program.Callees(site)
	if len(callees) == 0 {
		return tgt, true
	}
	var alts []func(*exploration.Path)
	for _, f := range callees {
		alts = append(alts, func(q *exploration.Path) { q.Guess(site, f) })
	}
	p.Choose("the function called is not tracked", alts...)
	return tgt, false
}

// A methodKey names a method of a dynamic type of interfaces, by its number.
type methodKey struct {
	tag int32
	fn  *types.Func // of the interface
}

// Method returns the method of a type that an interface calls; ok is false if there
// is none. It is nil if its code is not in the program.
func (x *Executor) Method(tag int32, t types.Type, of *types.Func) (fn *ssa.Function, ok bool) {
	k := methodKey{tag, of}
	if fn, ok = x.methods[k]; ok {
		return fn, true
	}
	if types.NewMethodSet(t).Lookup(of.Pkg(), of.Name()) == nil {
		return nil, false
	}
	fn = x.Program.SSA.LookupMethod(t, of.Pkg(), of.Name())
	x.methods[k] = fn
	return fn, true
}

// resolveInvoke finds the target of a call of a method of an interface, by the number of the dynamic type,
// on a path for each. A type of the library that the model knows by its operations, as a context, has these
// for methods, with the scalar behind the number as the receiver. Of an error of the library nothing is
// known.
func (x *Executor) resolveInvoke(p *exploration.Path, site ssa.CallInstruction, val operands) (state.Target, bool) {
	c := site.Common()
	var tgt state.Target
	for _, a := range c.Args {
		tgt.Args = append(tgt.Args, val(a))
	}
	e := val(c.Value)
	tag, ok, tracked := x.Concrete(p, e[0])
	if !tracked {
		return x.guess(p, site, tgt)
	}
	if !ok {
		return tgt, false
	}
	if tag == 0 {
		x.calledNil(p, &state.Unwind{Kind: artifact.KindPanic, Site: p.Statement(site), Pos: p.Here(), Detail: "nil pointer dereference"}, site)
		return tgt, false
	}
	t := x.Memory.TypeOf(tag)
	switch t {
	case nil: // a value that stands for those that are not tracked
		return x.guess(p, site, tgt)
	case layout.OpaqueError:
		return tgt, true
	}
	if methods := x.library.Methods[t]; methods != nil {
		tgt.Op = methods[c.Method.Name()]
		tgt.Args = append([][]*sym.Expr{{e[1]}}, tgt.Args...)
		return tgt, true
	}
	// A type without the method is one that another value has, whose number is in the same set.
	fn, ok := x.Method(tag, t, c.Method)
	if !ok {
		return x.guess(p, site, tgt) // neither is that of another type
	}
	if fn == nil {
		return tgt, true
	}
	// A receiver of several scalars is in a box.
	recv, ok := x.Unbox(p, e[1], t)
	if !ok {
		return tgt, false
	}
	tgt.Fn = fn
	tgt.Op = x.Program.Operation(fn)
	tgt.Args = append([][]*sym.Expr{recv}, tgt.Args...)
	return tgt, true
}

// execCall executes a call. Builtins that are no operations have no frame: they are done at once.
//
// Calls are inlined: a function is executed anew in each calling context, and a location is a whole stack
// of frames. What a frame has is kept on the path by its call path (state.CallPath). A function that a loop
// calls again has the same one as before, and its values are written over.
func (x *Executor) execCall(p *exploration.Path, i *ssa.Call) bool {
	ctx := p.Peek().Call
	if b, ok := i.Call.Value.(*ssa.Builtin); ok && x.library.Builtins[b.Name()] == nil {
		return x.execBuiltin(p, i, b)
	}
	tgt, ok := x.resolve(p, i, func(v ssa.Value) []*sym.Expr { return p.Value(ctx, v) })
	if !ok {
		return false
	}
	return x.Call(p, i, 0, tgt, false)
}

// Call enters the target, or goes on behind the call where nothing in it matters: its result is then
// unknown, or computed from the arguments (libraryResult). nth tells calls of the same instruction apart
// that are on the stack together, as those that one defer statement in a loop has deferred. A deferred call
// has no result, and is made on top of the function that has deferred it, which does not move on.
//
// What a call can be is asked in this order: an operation; one that fills what it is given a pointer to, as
// json.Unmarshal; unknown; a function without a body, of the library; one with a body, which is entered if
// something in it matters, or what it returns.
func (x *Executor) Call(p *exploration.Path, site ssa.CallInstruction, nth int, tgt state.Target, deferred bool) bool {
	ctx := p.Peek().Call
	// skipOn goes on behind a call that is not entered.
	skipOn := func(p *exploration.Path) bool {
		if deferred {
			return true
		}
		if call, ok := site.(*ssa.Call); ok {
			p.Set(ctx, call, x.libraryResult(p, site, tgt))
		}
		return p.Advance()
	}
	skip := func() bool { return skipOn(p) }
	if tgt.Op != nil {
		c := x.Context(p.Template, ctx, site, nth, tgt.Fn, tgt.Op.Name)
		x.PushOp(p, c, tgt, deferred)
		return true
	}
	if ptrs := x.Slice.Filled[site]; len(ptrs) > 0 && !deferred {
		return x.fill(p, site, ptrs, func(q *exploration.Path) { q.Set(ctx, site.(ssa.Value), x.libraryResult(q, site, tgt)) })
	}
	if tgt.Fn == nil {
		p.Note("unknown-call", artifact.DirectionUnder, "the function called is not known; its effects on channels and locks are not in the model")
		return skip()
	}
	if tgt.Fn.Blocks == nil {
		// Runs have shown that it calls functions of the program.
		if fs := x.Program.Calls[site]; len(fs) > 0 {
			tgt.Op = callsBack
			x.PushOp(p, x.Context(p.Template, ctx, site, nth, tgt.Fn, callsBack.Name), tgt, deferred)
			return true
		}
		// flag.Int and the like: their values are chosen where they are declared.
		if call, ok := site.(*ssa.Call); ok && !deferred && isFlag(tgt.Fn) && x.Slice.Numbers[call].Chosen() {
			return x.callFlag(p, call)
		}
		if a := x.Program.Assertion(site); a != nil && !deferred {
			return x.library.Assert(x, p, site.(*ssa.Call), a, skipOn)
		}
		// Behind the location what a partner has handed over is a variable.
		if call, ok := site.(*ssa.Call); ok && !deferred && x.computes(p, call) {
			x.Arrive(p, state.AtLocal, 0)
			return false
		}
		return skip()
	}
	if x.Unforeseen(p, tgt) {
		return skip()
	}
	// Nothing in it matters, nor in what it calls, but perhaps what it returns.
	if !x.Slice.Funcs[tgt.Fn] && (deferred || !x.resultNeeded(site)) {
		return skip()
	}
	return x.Enter(p, x.Context(p.Template, ctx, site, nth, tgt.Fn, ""), tgt, deferred)
}

// Unforeseen notes that a function is called which the call graph does not have: what it needs has not been
// found out. The slice was made by the call graph; to execute the function would read values of which
// nothing was kept.
func (x *Executor) Unforeseen(p *exploration.Path, tgt state.Target) bool {
	if tgt.Op != nil || tgt.Fn == nil || tgt.Fn.Blocks == nil || x.Program.Reached[tgt.Fn] {
		return false
	}
	p.Note("unknown-call", artifact.DirectionUnder, program.FullName(tgt.Fn)+" is called, which the call graph does not foresee; its effects on channels and locks are not in the model")
	return true
}

// resultNeeded reports that the model keeps what a call returns.
func (x *Executor) resultNeeded(site ssa.CallInstruction) bool {
	call, ok := site.(*ssa.Call)
	return ok && x.Slice.Values[call]
}

// Enter pushes the frame of a function with a body; false if the recursion is too deep for the model, for
// which the path ends at a bound.
//
// c is the call path of the activation: the values of the function are kept by it. Activations of a
// recursion have different ones, since each is called from another, so that their variables do not mix.
// What is counted are those of the function that are on the stack of this goroutine now.
func (x *Executor) Enter(p *exploration.Path, c *state.CallPath, tgt state.Target, deferred bool) bool {
	fn := tgt.Fn
	depth := 0
	for _, f := range p.Frames {
		if f.Op == nil && f.Call.Fn == fn {
			depth++
		}
	}
	if depth > 0 {
		if most, at := x.activations(p, fn); depth >= most {
			p.BoundAt(at, p.Here(), fmt.Sprintf("recursion of %s deeper than %d", fn.Name(), most))
			return false
		}
	}
	for k, fv := range fn.FreeVars {
		if x.Slice.Values[fv] && k < len(tgt.Bindings) {
			p.Set(c, fv, append([]*sym.Expr(nil), tgt.Bindings[k]...))
		}
	}
	for k, prm := range fn.Params {
		if x.Slice.Values[prm] && k < len(tgt.Args) {
			p.Set(c, prm, append([]*sym.Expr(nil), tgt.Args[k]...))
		}
	}
	p.Push(&state.Frame{Call: c, Block: fn.Blocks[0], Target: state.Target{Pos: tgt.Pos}, Deferred: deferred})
	return true
}

// activations bounds those of a function.
func (x *Executor) activations(p *exploration.Path, fn *ssa.Function) (n int, at *state.Bound) {
	pos := fn.Pos()
	if !pos.IsValid() || x.Program.OfLibrary(fn) {
		pos = p.Here()
	}
	n, at = x.BoundOf(approximation.BoundActivations, pos)
	if at != nil && at.Name == "" {
		at.Name = fn.Name()
	}
	return n, at
}

// libraryResult is what a call returns whose body is not part of the program.
//
// An error that a call of errors.New or fmt.Errorf makes is one object for the place of the call. It is not
// nil, and differs from those of other places; that it also differs from those that the same place makes at
// other times is not in the model.
func (x *Executor) libraryResult(p *exploration.Path, site ssa.CallInstruction, tgt state.Target) []*sym.Expr {
	sig := site.Common().Signature()
	if tgt.Fn != nil {
		switch name := program.FullName(tgt.Fn); name {
		case "errors.New", "fmt.Errorf":
			if call, ok := site.(*ssa.Call); ok {
				return x.newError(p, fmt.Sprintf("error %d", site.Pos()), call)
			}
		}
	}
	n := x.Width(sig.Results())
	if n > 0 && x.resultNeeded(site) {
		if out, ok := x.computed(p, site.(*ssa.Call)); ok {
			return out
		}
		x.noteInput(p, site, tgt)
	}
	return layout.Unknowns(n, "result of a call that is not in the model")
}

// execDefer puts a call on the list of deferred calls, with its operands, which are evaluated now (Go
// specification, Defer statements). In a loop one statement defers several calls: each has a number, up to
// a bound, by which its operands are kept.
func (x *Executor) execDefer(p *exploration.Path, i *ssa.Defer) bool {
	f := p.Top()
	// In the body of a loop over a function,
	//
	//	for v := range seq { defer f(v) }
	//
	// which is a closure, the call is deferred to the end of the function around. The SSA form names the
	// list that it goes to; nil is that of the function itself.
	if i.DeferStack != nil {
		if c, ok := i.DeferStack.(*ssa.Const); !ok || c.Value != nil {
			p.Unfollowed("defer in the body of a range over a function", "it belongs to the surrounding function")
			return false
		}
	}
	if !x.boundMethod(p, i) {
		return false
	}
	d := state.DeferKey{Instr: i}
	for _, e := range f.Defers {
		if e.Instr == i {
			d.Nth++
		}
	}
	if d.Nth >= x.Options.Defers {
		p.Bound(fmt.Sprintf("more than %d calls deferred here", x.Options.Defers))
		return false
	}
	var e []*sym.Expr
	for _, v := range x.DeferOperands(i) {
		e = append(e, p.Value(f.Call, v)...)
	}
	p.Set(f.Call, d, append([]*sym.Expr(nil), e...))
	f.Defers = append(f.Defers, d)
	f.Idx++
	return true
}

// boundMethod continues with the panic where the method that a defer or go statement takes is that of a nil
// interface; false if it has taken over the path. So it is for `defer l.Unlock()`: the statement itself
// panics, not the call at the end.
func (x *Executor) boundMethod(p *exploration.Path, i ssa.CallInstruction) bool {
	c := i.Common()
	return !c.IsInvoke() || x.notNil(p, p.Value(p.Peek().Call, c.Value)[0], i)
}

// runDeferred takes the last deferred call of the innermost frame and enters it. It stays on the list until
// its target is found: where the path forks for that, each fork comes here again. When it is entered it is
// off the list, so that its own panic goes on with the one before it.
func (x *Executor) runDeferred(p *exploration.Path) bool {
	f := p.Peek()
	d := f.Defers[len(f.Defers)-1]
	if d.Library() {
		return x.library.Deferred(x, p, d)
	}
	e := p.Kept(f.Call, d)
	kept := map[ssa.Value][]*sym.Expr{}
	for _, v := range x.DeferOperands(d.Instr) {
		n := x.ValueWidth(v)
		if len(e) >= n {
			kept[v] = e[:n]
			e = e[n:]
		}
	}
	// Operands that are not kept are constants of the program, or do not matter.
	operand := func(v ssa.Value) []*sym.Expr {
		if k := kept[v]; k != nil {
			return k
		}
		switch v.(type) {
		case *ssa.Const, *ssa.Global, *ssa.Function:
			return p.Value(f.Call, v)
		}
		return layout.Unknowns(x.ValueWidth(v), "not tracked")
	}
	if b, ok := d.Instr.Common().Value.(*ssa.Builtin); ok && x.library.Builtins[b.Name()] == nil {
		return x.runBuiltin(p, d.Instr, b, operand)
	}
	tgt, ok := x.resolve(p, d.Instr, operand)
	if !ok {
		return false
	}
	p.PopDeferred()
	return x.Call(p, d.Instr, d.Nth, tgt, true)
}

// runBuiltin executes a deferred builtin that is no operation: recover, which only the function around can
// make do something, delete and clear of maps, and others that matter for what they write.
func (x *Executor) runBuiltin(p *exploration.Path, site ssa.CallInstruction, b *ssa.Builtin, val operands) bool {
	f := p.Peek()
	done := func(q *exploration.Path) bool {
		q.PopDeferred()
		return true
	}
	switch {
	case b.Name() == "recover":
		done(p)
		// It is as if the function that defers it called it: alone, `defer recover()` stops nothing, and in
		//
		//	defer func() { defer recover() }()
		//
		// it stops the panic of the function around.
		if n := len(p.Frames); f.Deferred && n >= 2 && p.Frames[n-2].Op == nil {
			x.recovered(p, p.Frames[n-2])
		}
		return true
	case relevance.MapWrite(site) != nil:
		var args [][]*sym.Expr
		for _, a := range site.Common().Args {
			args = append(args, val(a))
		}
		return x.remove(p, args, nil, done)
	}
	if elem := x.Program.ElementsWritten(site); elem != nil {
		x.elementsLost(p, site, elem)
	}
	return done(p)
}

// Raise begins to unwind the goroutine: u is put on the innermost frame, whose deferred calls come next
// (stepUnwind). val is the interface that recover returns, two scalars; it is kept under a key of the
// activation, and goes from frame to frame. A panic in a deferred call replaces the one that has made it
// run.
func (x *Executor) Raise(p *exploration.Path, u *state.Unwind, val []*sym.Expr) {
	f := p.Peek()
	switch {
	case len(val) != 2:
		val = x.SomeError()
	case val[0].Is(0): // a *runtime.PanicNilError, and nil in modules of Go before 1.21
		val = []*sym.Expr{sym.Unknown("what panic(nil) panics with"), sym.Unknown("what panic(nil) panics with")}
	}
	if !u.Goexit {
		p.Set(f.Call, state.PanicKey{}, append([]*sym.Expr(nil), val...))
	}
	p.Top().Unwinds(u)
}

// stepUnwind goes on unwinding the innermost frame: its deferred calls are made, the last one first, and
// when there are none left it is popped, and the frame below unwinds. If the last frame is popped a panic
// ends the program, and a Goexit the goroutine.
//
// A panic that has been recovered from ends in the frame in which it was: that returns to its caller, by
// its Recover block if it has one, which reads the named results, and else with zeros (Go specification,
// Handling panics). If it was the panic of a call that Goexit had a deferred function make, that goes on
// instead (state.Unwind.Exits).
func (x *Executor) stepUnwind(p *exploration.Path) bool {
	f := p.Peek()
	if f.Op == nil && len(f.Defers) > 0 {
		return x.runDeferred(p)
	}
	u := f.Unwind
	if u.Recovered {
		g := p.Top()
		if u.Exits {
			g.Unwind = &state.Unwind{Goexit: true, Site: u.Site, Pos: u.Pos, Detail: "goexit"}
			return true
		}
		g.Unwind = nil
		if r := f.Call.Fn.Recover; r != nil {
			g.Block, g.Idx = r, 0
			return true
		}
		return x.ret(p, layout.Zeros(x.ResultWidth(f.Call.Fn)))
	}
	// The value of the panic is that of the frame below from now on.
	val := p.Kept(f.Call, state.PanicKey{})
	p.Pop()
	if len(p.Frames) == 0 {
		if u.Goexit {
			return x.Finish(p, u)
		}
		x.SinkTo(p, &state.Sink{End: sidecar.EndPanic, Kind: u.Kind, Site: u.Site, Pos: u.Pos, Detail: u.Detail})
		return false
	}
	g := p.Top()
	g.Unwinds(u)
	if !u.Goexit {
		p.Set(g.Call, state.PanicKey{}, val)
	}
	// The operation that has called the function may have to do something: a Once is over, a goroutine of
	// WaitGroup.Go has to count down.
	if unwound := x.library.unwinds[g.Op]; unwound != nil {
		return unwound(x, p)
	}
	return true
}

// recovered stops the panic of frame f and returns its value, nil if there is none: neither without a
// panic, nor in a Goexit, nor for one that has been stopped already. The frame is only marked. The deferred
// function that has called recover goes on, and so do the deferred calls that are left; then stepUnwind
// sees the mark.
func (x *Executor) recovered(p *exploration.Path, f *state.Frame) []*sym.Expr {
	for i := len(p.Frames) - 1; i >= 0; i-- {
		if p.Frames[i].Call != f.Call {
			continue
		}
		if u := f.Unwind; u != nil && !u.Goexit && !u.Recovered {
			// Frames are shared with other paths and with locations: one is copied before it is changed.
			g := *p.Frames[i]
			v := *u
			v.Recovered = true
			g.Unwind = &v
			p.Frames[i] = &g
			return p.Kept(f.Call, state.PanicKey{})
		}
		break
	}
	return layout.Zeros(2)
}

// execBuiltin executes the builtins that are not operations: close and panic have guards, these do not. len
// and cap of a channel are read in the midst of a segment, as any memory: a statement that asks for the length
// has a guard if others may change it.
//
// recover returns something only in a function that was deferred by the one that panics, which is the frame
// below. ssa:wrapnilchk is in the wrapper of a method with a value receiver: the wrapper follows the
// pointer next, and if it is nil panics there.
func (x *Executor) execBuiltin(p *exploration.Path, i *ssa.Call, b *ssa.Builtin) bool {
	f := p.Peek()
	set := func(e ...*sym.Expr) bool {
		p.Set(f.Call, i, e)
		return p.Advance()
	}
	arg := func(k int) []*sym.Expr { return p.Value(f.Call, i.Call.Args[k]) }
	switch b.Name() {
	case "recover":
		e := layout.Zeros(2)
		if n := len(p.Frames); f.Deferred && n >= 2 && p.Frames[n-2].Op == nil {
			e = x.recovered(p, p.Frames[n-2])
		}
		return set(append([]*sym.Expr(nil), e...)...)
	case "append":
		return x.appendTo(p, i)
	case "len", "cap":
		switch i.Call.Args[0].Type().Underlying().(type) { // that of an array is a constant
		case *types.Slice:
			if b.Name() == "len" {
				return set(arg(0)[1])
			}
			return set(arg(0)[2])
		case *types.Map:
			o, ok, tracked := x.mapAt(p, arg(0)[0], i, false)
			if tracked && !ok {
				return false
			}
			if tracked {
				return x.mapLen(p, o, func(q *exploration.Path, n *sym.Expr) bool {
					q.Set(q.Peek().Call, i, []*sym.Expr{n})
					return q.Advance()
				})
			}
		case *types.Basic:
			return set(x.textLen(p, arg(0)[0]))
		case *types.Chan:
			k, ok, tracked := x.Concrete(p, arg(0)[0])
			if !tracked {
				return set(sym.Unknown("a channel that is not tracked"))
			}
			if !ok {
				return false
			}
			o := x.Memory.Object(k)
			switch {
			case k == 0 || o == nil || o.Kind != state.ChannelObject:
				return set(sym.Num(0))
			case o.Timer || o.Ticker: // which has a buffer in modules of Go before 1.23
				return set(sym.Unknown("the buffer of a timer"))
			case b.Name() == "cap":
				return set(sym.Num(o.Cap))
			}
			x.lengthUsed(p, o, p.Statement(i))
			return set(p.CellAt(o.Base + state.ChanLen))
		}
		return set(sym.Unknown("length not tracked"))
	case "min", "max":
		e := arg(0)[0]
		if !program.IsInteger(i.Type()) {
			return set(sym.Unknown("not an integer"))
		}
		for k := 1; k < len(i.Call.Args); k++ {
			o := arg(k)[0]
			c := sym.Arith(sym.OpLt, e, o)
			if b.Name() == "max" {
				c = sym.Arith(sym.OpLt, o, e)
			}
			e = sym.Ite(c, e, o)
		}
		return set(e)
	case "delete", "clear":
		if relevance.MapWrite(i) != nil {
			args := make([][]*sym.Expr, len(i.Call.Args))
			for k := range args {
				args[k] = arg(k)
			}
			return x.remove(p, args, i, (*exploration.Path).Advance)
		}
		return x.execElements(p, i)
	case "copy":
		return x.execElements(p, i)
	case "ssa:wrapnilchk":
		return set(arg(0)...)
	case "ssa:deferstack":
		return set(sym.Num(0))
	}
	return set(layout.Unknowns(x.ValueWidth(i), "result of "+b.Name())...)
}

package driver

import (
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
)

// Class says whose error it is that a driver has shown.
type Class string

// The classes of errors.
const (
	Alarm      Class = "alarm"       // of the function
	Refused    Class = "refused"     // the function panics for these values, whatever the schedule
	ByContract Class = "by contract" // it waits for what another caller would do, or the driver has broken a rule
	Accepted   Class = "accepted"    // of the function, and somebody has decided to live with it
	Elsewhere  Class = "elsewhere"   // of another function, which the driver calls too
	Slow       Class = "slow"        // only if a goroutine is held while seconds pass
)

// Judgement is the class of a finding, and why, "" for an alarm.
type Judgement struct {
	Class  Class
	Reason string
}

// Judge says whose error a finding is that the driver of a valuation has shown. Positions of files that are
// not of the packages, and goroutines without a stack, speak for an alarm.
func (p *Plan) Judge(f *Function, v Valuation, finding artifact.Finding) Judgement {
	j := judge{finder: p.finder, function: f, in: v, finding: finding}
	if finding.Stall == artifact.StallLong {
		return Judgement{Slow, "only if a goroutine is held while seconds pass"}
	}
	if inDriver(finding.File) && finding.Verdict != artifact.Real {
		return Judgement{ByContract, "the driver may wait for ever, which no run has shown"}
	}
	switch finding.Kind {
	case artifact.KindPanic, artifact.KindNilCall, artifact.KindCloseOfNil:
		return j.panics()
	case artifact.KindSendOnClosed, artifact.KindCloseOfClosed:
		if slices.ContainsFunc(finding.Goroutines, func(g artifact.FindingGoroutine) bool { return g.Closed != nil && inDriver(g.Closed.File) }) {
			return Judgement{ByContract, "the driver has closed the channel, as one that nobody else sends on or closes"}
		}
		if finding.Kind == artifact.KindCloseOfClosed && j.in.twice() && j.closesAlways() {
			return Judgement{Refused, "it closes a channel whenever it is called: not twice"}
		}
	case artifact.KindDeadlock, artifact.KindPartialDeadlock, artifact.KindLeak:
		return j.stuck()
	case artifact.KindExit, artifact.KindTestFailure:
		return Judgement{ByContract, "the function ends the process"}
	}
	if inDriver(finding.File) {
		return Judgement{ByContract, "it is the driver that does this"}
	}
	return Judgement{Class: Alarm}
}

type judge struct {
	*finder
	function *Function
	in       Valuation // whose driver has shown it
	finding  artifact.Finding

	returned map[*ssa.Function]bool // see isReturned
}

func inDriver(file string) bool { return filepath.Base(file) == File }

// panics judges a panic: one in the goroutine that calls the function, before anything else can come between, is how
// the function says that it is not for these values.
func (j *judge) panics() Judgement {
	i := slices.IndexFunc(j.finding.Goroutines, func(g artifact.FindingGoroutine) bool { return g.State == artifact.StatePanicked })
	switch {
	case inDriver(j.finding.File):
		return Judgement{ByContract, "the driver could make no better value"}
	case i < 0 && j.finding.Verdict != artifact.Real:
		return Judgement{Refused, "the function may panic for these values, which no run has shown"}
	case i >= 0 && j.in.twice() && !strings.HasPrefix(j.finding.Message, "panic: runtime error"):
		return Judgement{Refused, "the function says that it must not be called twice at once"}
	case i < 0 || !calls(j.finding.Goroutines[i]):
		return Judgement{Class: Alarm}
	case strings.HasPrefix(j.finding.Message, "panic: runtime error"):
		return Judgement{Refused, "the function panics for these values"}
	}
	return Judgement{Refused, "the function panics for these values, and says so"}
}

// closesAlways reports whether the function itself has a close at the place of the finding that it comes to whenever it
// returns: who calls it twice has it closed twice.
func (j *judge) closesAlways() bool {
	f := j.prog.FuncValue(j.function.fn)
	if f == nil {
		return false
	}
	var closes, returns []*ssa.BasicBlock
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			at := j.fset.Position(instr.Pos())
			here := at.Line == j.finding.Line && strings.HasSuffix(filepath.ToSlash(at.Filename), "/"+filepath.ToSlash(j.finding.File))
			if here && slices.ContainsFunc(operations(instr), func(op operation) bool { return op.kind == closing }) {
				closes = append(closes, b)
			}
			if _, ok := instr.(*ssa.Return); ok {
				returns = append(returns, b)
			}
		}
	}
	return slices.ContainsFunc(closes, func(c *ssa.BasicBlock) bool {
		return !slices.ContainsFunc(returns, func(r *ssa.BasicBlock) bool { return !c.Dominates(r) })
	})
}

// calls reports whether a goroutine is one of the driver that calls the function.
func calls(g artifact.FindingGoroutine) bool {
	return g.G == "0" || len(g.Stack) > 0 && inDriver(frameFile(g.Stack[len(g.Stack)-1]))
}

// isEndOfContext reports whether a channel is the one that is closed when a context ends.
func isEndOfContext(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	return ok && c.Call.IsInvoke() && c.Call.Method.Name() == "Done" && types.TypeString(c.Call.Value.Type(), nil) == "context.Context"
}

// by is the function that the driver calls and in which the goroutine is that a finding is about, nil if that is not known:
// the outermost one of the packages. What only another method does that is called at the same time is that one's.
func (j *judge) by() *types.Func {
	if j.in.beside != nil {
		fns, _ := j.at(j.finding.File, j.finding.Line)
		in := func(reached map[*ssa.Function]bool) bool {
			return slices.ContainsFunc(fns, func(f *ssa.Function) bool { return reached[f] })
		}
		if in(j.reached(j.in.beside)) && !in(j.reached(j.function.fn)) {
			return j.in.beside
		}
	}
	for _, g := range j.finding.Goroutines {
		if g.G != "0" || g.File != j.finding.File || g.Line != j.finding.Line {
			continue
		}
		for i, frame := range g.Stack {
			if i == 0 || !inDriver(frameFile(frame)) {
				continue
			}
			fns, _ := j.at(frameAt(g.Stack[i-1]))
			for _, f := range fns {
				if fn, ok := f.Object().(*types.Func); ok {
					return fn
				}
			}
			return nil
		}
	}
	return nil
}

// stuck judges goroutines that can never go on. It is not the function's fault if another caller might let them go on:
// if they wait on something on which an exported function works that the driver has not called, or for a goroutine of
// which that is so.
func (j *judge) stuck() Judgement {
	type waiter struct {
		operations []operation
		functions  map[*ssa.Function]bool // that it is in
		open       string                 // who might let it go on
		here       bool                   // the finding is about it
	}
	var all []*waiter
	for _, g := range j.finding.Goroutines {
		if g.State != artifact.StateBlocked || len(g.Stack) == 0 {
			continue
		}
		if !slices.ContainsFunc(g.Stack, func(frame string) bool { return !inDriver(frameFile(frame)) }) {
			continue // of the driver
		}
		w := &waiter{functions: map[*ssa.Function]bool{}, here: g.File == j.finding.File && g.Line == j.finding.Line}
		fns, ops := j.at(g.File, g.Line)
		for _, frame := range g.Stack[1:] {
			more, _ := j.at(frameAt(frame))
			fns = append(fns, more...)
		}
		for _, f := range fns {
			w.functions[f] = true
		}
		w.operations = ops
		if inDriver(frameFile(g.Stack[0])) {
			w.open = "the function that it was given" // which waits for the end of its context
		}
		endOfContext := slices.ContainsFunc(w.operations, func(op operation) bool { return isEndOfContext(op.on) })
		isNil := func(object string) bool { return strings.HasPrefix(object, "nil ") }
		objects := strings.Split(g.Object, ", ")
		switch {
		case !slices.ContainsFunc(objects, func(o string) bool { return !isNil(o) }):
			w.operations = nil
			if j.in.zeroReceiver {
				w.open = "the maker of its receiver"
			}
		case (len(w.operations) == 1 || j.in.cancelled()) && len(slices.DeleteFunc(objects, isNil)) == 1 && endOfContext:
			// It waits for nothing else, but on nil channels: of a context that is cancelled the channel is not nil.
			w.open = "the owner of its context"
		case j.in.lateEnd() && endOfContext:
			w.open = "the owner of the context of an earlier call"
		}
		for _, op := range w.operations {
			if op.kind != locking && w.open == "" {
				w.open = j.anybody(op, isAgain(g))
			}
		}
		all = append(all, w)
	}
	if inDriver(j.finding.File) && len(all) == 0 {
		return Judgement{ByContract, "the driver waits for a function that goes on for ever"}
	}
	// Who waits for one of those. Who is done with a wait group is not known, but that somebody is who is left.
	locks := func(w *waiter) bool {
		return len(w.operations) > 0 && !slices.ContainsFunc(w.operations, func(op operation) bool { return op.kind != locking && op.kind != awaiting })
	}
	for changed := true; changed; {
		changed = false
		for _, w := range all {
			for _, other := range all {
				if w.open == "" && other.open != "" && j.lets(other.functions, w.operations) {
					w.open, changed = other.open, true
				}
			}
		}
	}
	stuck := func(w *waiter) bool { return w.open == "" && !locks(w) }
	for _, w := range all {
		if i := slices.IndexFunc(all, func(w *waiter) bool { return w.open != "" }); w.open == "" && locks(w) && i >= 0 && !slices.ContainsFunc(all, stuck) {
			w.open = all[i].open
		}
	}
	var open []string
	for _, w := range all {
		if w.here && w.open == "" {
			return Judgement{Class: Alarm}
		}
		if w.open != "" {
			open = append(open, w.open)
		}
	}
	if outside := slices.ContainsFunc(j.finding.Goroutines, func(g artifact.FindingGoroutine) bool { return g.State == artifact.StateOutside }); outside && len(all) == 0 {
		return Judgement{ByContract, "it is in a library, which is not looked into"}
	}
	if len(open) == 0 || !slices.ContainsFunc(all, func(w *waiter) bool { return w.here }) && slices.ContainsFunc(all, func(w *waiter) bool { return w.open == "" }) {
		return Judgement{Class: Alarm}
	}
	slices.Sort(open)
	return Judgement{ByContract, "it waits for what " + strings.Join(slices.Compact(open), " and ") + " may do"}
}

// frameFile and frameAt are where a frame, "function file:line", is.
func frameFile(frame string) string { file, _ := frameAt(frame); return file }

func frameAt(frame string) (file string, line int) {
	_, at, _ := strings.Cut(frame, " ")
	i := strings.LastIndexByte(at, ':')
	if i < 0 {
		return at, 0
	}
	line, _ = strconv.Atoi(at[i+1:])
	return at[:i], line
}

// at are the functions of the packages that have a line, and the operations there.
func (j *judge) at(file string, line int) (fns []*ssa.Function, ops []operation) {
	for _, f := range j.all {
		found := false
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				at := j.fset.Position(instr.Pos())
				if at.Line == line && (strings.HasSuffix(filepath.ToSlash(at.Filename), "/"+filepath.ToSlash(file))) {
					found = true
					ops = append(ops, operations(instr)...)
				}
			}
		}
		if found {
			fns = append(fns, f)
		}
	}
	return fns, ops
}

// lets reports whether functions have an operation that lets one of some others go on.
func (j *judge) lets(fns map[*ssa.Function]bool, waits []operation) bool {
	for _, op := range waits {
		things, _ := j.matters.identity(op.on, nil)
		for f := range fns {
			if j.operatesOn(f, op.kind, things) {
				return true
			}
		}
	}
	return false
}

// operationKind says what an operation does.
type operationKind int

const (
	sending operationKind = iota
	receiving
	closing
	waiting // for a Cond
	waking
	locking
	unlocking
	awaiting // a wait group
	finishing
)

// operation is what an instruction does with what goroutines wait for.
type operation struct {
	kind operationKind
	on   ssa.Value
}

// operations are those of an instruction that wait, or let others go on.
func operations(instr ssa.Instruction) (out []operation) {
	switch v := instr.(type) {
	case *ssa.Send:
		return []operation{{sending, v.Chan}}
	case *ssa.UnOp:
		if v.Op == token.ARROW {
			return []operation{{receiving, v.X}}
		}
	case *ssa.Select:
		for _, st := range v.States {
			if st.Dir == types.SendOnly {
				out = append(out, operation{sending, st.Chan})
			} else {
				out = append(out, operation{receiving, st.Chan})
			}
		}
		return out
	}
	c, ok := instr.(ssa.CallInstruction)
	if !ok {
		return nil
	}
	call := c.Common()
	if b, ok := call.Value.(*ssa.Builtin); ok {
		if b.Name() == "close" {
			return []operation{{closing, call.Args[0]}}
		}
		return nil
	}
	if kind, ok := methods[syncMethod(call)]; ok {
		return []operation{{kind, call.Args[0]}}
	}
	return nil
}

// methods are what the methods of package sync do that wait, or let others go on.
var methods = map[sites.Kind]operationKind{
	sites.Lock: locking, sites.RLock: locking, sites.OnceDo: locking, sites.Unlock: unlocking, sites.RUnlock: unlocking,
	sites.WaitGroupWait: awaiting, sites.WaitGroupDone: finishing, sites.WaitGroupGo: finishing,
	sites.CondWait: waiting, sites.CondSignal: waking, sites.CondBroadcast: waking,
}

// lets reports whether one operation can let another one go on, if they are on the same thing.
func (k operationKind) lets(other operationKind) bool {
	switch other {
	case sending:
		return k == receiving
	case receiving:
		return k == sending || k == closing
	case waiting:
		return k == waking
	case locking:
		return k == unlocking
	case awaiting:
		return k == finishing
	}
	return false
}

// isAgain reports whether a goroutine is in the second call of the function, behind one that has failed.
func isAgain(g artifact.FindingGoroutine) bool {
	return slices.ContainsFunc(g.Stack, func(frame string) bool {
		function, _, _ := strings.Cut(frame, " ")
		return inDriver(frameFile(frame)) && strings.HasSuffix(function, "."+again)
	})
}

// anybody says who might do what lets an operation go on, "" if nobody can that has not been called. In a call after one that
// has failed these are not other callers: the first one did not wait, and has left them nothing to give back.
func (j *judge) anybody(op operation, again bool) string {
	reached := j.reached(append(slices.Clone(j.in.called), j.function.fn)...)
	things, held := j.matters.identity(op.on, &callsIn{entry: j.isEntry, within: reached})
	if held {
		return "its caller"
	}
	if len(things) == 0 && op.kind != awaiting && !isEndOfContext(op.on) {
		return "who has what it waits on" // which comes from code that is not followed
	}
	shared := maps.Clone(things)
	j.leaveOutPrivate(shared)
	for _, f := range j.all {
		root := f
		for root.Parent() != nil {
			root = root.Parent()
		}
		if !j.operatesOn(f, op.kind, things) {
			continue
		}
		if j.isReturned(f) {
			return "its caller"
		}
		if again || reached[root] || !j.operatesOn(f, op.kind, shared) {
			continue
		}
		if who := j.exportedAbove(root, reached); who != "" {
			return who
		}
	}
	return ""
}

// isReturned reports whether who has called the function, or what else the driver calls, has got a function that is f or
// calls it.
func (j *judge) isReturned(f *ssa.Function) bool {
	if j.returned == nil {
		j.returned = map[*ssa.Function]bool{}
		for _, fn := range append(slices.Clone(j.in.called), j.function.fn) {
			for _, results := range j.matters.returned[j.prog.FuncValue(fn)] {
				for _, g := range j.all {
					if slices.ContainsFunc(results, func(r ssa.Value) bool { return j.matters.mayBe(r, g, map[ssa.Value]bool{}) }) {
						j.reach(g, j.returned)
					}
				}
			}
		}
	}
	return j.returned[f]
}

// mayBe reports whether a value may be a function.
func (s *slice) mayBe(v ssa.Value, f *ssa.Function, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return false
	}
	seen[v] = true
	any := func(list []ssa.Value) bool {
		return slices.ContainsFunc(list, func(x ssa.Value) bool { return s.mayBe(x, f, seen) })
	}
	switch v := v.(type) {
	case *ssa.MakeClosure:
		return v.Fn == f || isMethodValue(v.Fn.(*ssa.Function), f)
	case *ssa.Function:
		return v == f
	case *ssa.UnOp:
		return s.mayBe(v.X, f, seen)
	case *ssa.Alloc:
		return any(s.assigned[v])
	case *ssa.Phi:
		return any(v.Edges)
	case *ssa.ChangeType:
		return s.mayBe(v.X, f, seen)
	}
	return false
}

// leaveOutPrivate leaves out what the function makes itself and puts nowhere: what other calls make there is not
// the same.
func (j *judge) leaveOutPrivate(things map[any]bool) {
	own := j.reached(j.function.fn)
	for t := range things {
		made, ok := t.(ssa.Instruction)
		if !ok || !own[made.Parent()] || j.matters.kept(t) {
			continue
		}
		delete(things, t)
	}
}

// kept reports whether something is put into a field or a package-level variable.
func (s *slice) kept(thing any) bool {
	has := func(values []ssa.Value) bool {
		for _, v := range values {
			if of, _ := s.identity(v, nil); of[thing] {
				return true
			}
		}
		return false
	}
	for _, values := range s.stored {
		if has(values) {
			return true
		}
	}
	for to, values := range s.assigned {
		if _, ok := to.(*ssa.Global); ok && has(values) {
			return true
		}
	}
	return false
}

// isEntry: the parameters of a function are what a caller outside has.
func (j *judge) isEntry(f *ssa.Function) bool {
	fn, ok := f.Object().(*types.Func)
	return ok && (fn == j.function.fn || j.isExported(fn) && !slices.Contains(j.in.called, fn))
}

// operatesOn: a function has an operation that lets one of a kind on such things go on.
func (j *judge) operatesOn(f *ssa.Function, waits operationKind, things map[any]bool) bool {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			for _, op := range operations(instr) {
				if !op.kind.lets(waits) {
					continue
				}
				same, _ := j.matters.identity(op.on, nil)
				for t := range same {
					if things[t] {
						return true
					}
				}
			}
		}
	}
	return false
}

// reached are the functions that are called by some, themselves or through others.
func (p *program) reached(from ...*types.Func) map[*ssa.Function]bool {
	out := map[*ssa.Function]bool{}
	for _, fn := range from {
		p.reach(p.prog.FuncValue(fn), out)
	}
	return out
}

// reach adds a function, and those that it calls by name.
func (p *program) reach(f *ssa.Function, out map[*ssa.Function]bool) {
	if f == nil {
		return
	}
	if f.Origin() != nil {
		f = f.Origin()
	}
	if out[f] {
		return
	}
	out[f] = true
	for _, c := range callees(f) {
		p.reach(c, out)
	}
}

// exportedAbove is the name of an exported function that is not reached and calls f, or is f, "" if there is none.
func (j *judge) exportedAbove(f *ssa.Function, reached map[*ssa.Function]bool) string {
	seen, todo := map[*ssa.Function]bool{f: true}, []*ssa.Function{f}
	for len(todo) > 0 {
		f := todo[0]
		todo = todo[1:]
		if fn, ok := f.Object().(*types.Func); ok && !reached[f] && fn.Exported() && (j.has(fn) || j.usesHidden(f)) {
			return nameOf(fn)
		}
		for _, caller := range j.all {
			root := caller
			for root.Parent() != nil {
				root = root.Parent()
			}
			if !seen[root] && slices.Contains(callees(caller), f) {
				seen[root] = true
				todo = append(todo, root)
			}
		}
	}
	return ""
}

// callsIn says in which calls a value is looked at; nil is all of them.
type callsIn struct {
	entry  func(*ssa.Function) bool // whose parameters a caller outside has
	within map[*ssa.Function]bool   // the functions whose calls count
}

func (c *callsIn) isEntry(f *ssa.Function) bool { return c != nil && c.entry(f) }

func (c *callsIn) counts(call ssa.CallInstruction) bool { return c == nil || c.within[call.Parent()] }

// has reports whether a caller that has called what the driver calls can call a function on what it has got: it is one
// of a type that occurs there, or one that is given such a value.
func (j *judge) has(fn *types.Func) bool {
	known := map[*types.TypeName]bool{}
	note := func(list *types.Tuple) {
		for v := range list.Variables() {
			if n := namedOf(v.Type()); n != nil {
				known[n.Obj()] = true
			}
		}
	}
	unfinished := false // something is still being made
	for _, c := range j.in.called {
		if j.isInside(c) {
			unfinished = true
		} else {
			note(c.Signature().Results())
		}
	}
	own := j.function.fn.Signature()
	if !unfinished {
		note(own.Params())
		if recv := own.Recv(); recv != nil {
			note(types.NewTuple(recv))
		}
		if !j.isInside(j.function.fn) {
			note(own.Results())
		}
	}
	sig := fn.Signature()
	if sig.Recv() != nil {
		n := namedOf(sig.Recv().Type())
		return n != nil && known[n.Obj()]
	}
	for v := range sig.Params().Variables() {
		if n := namedOf(v.Type()); n != nil && known[n.Obj()] {
			return true
		}
	}
	return false
}

// usesHidden reports whether a function calls, itself or through others, one that the driver calls and that other packages
// cannot: what that makes is in its hands.
func (j *judge) usesHidden(f *ssa.Function) bool {
	reached := map[*ssa.Function]bool{}
	j.reach(f, reached)
	return slices.ContainsFunc(j.in.called, func(c *types.Func) bool { return !j.isExported(c) && reached[j.prog.FuncValue(c)] })
}

// isInside reports whether the goroutine that calls the functions is in a call of one of them.
func (j *judge) isInside(fn *types.Func) bool {
	for _, g := range j.finding.Goroutines {
		if g.G != "0" {
			continue
		}
		for _, frame := range g.Stack {
			fns, _ := j.at(frameAt(frame))
			for _, f := range fns {
				if f.Object() == fn {
					return true
				}
			}
		}
	}
	return false
}

// identity is what a value may be: the fields that it is read from, or the places where it is made; held: a caller has it,
// since it comes from a parameter of an entry, or is in an exported field.
func (s *slice) identity(v ssa.Value, in *callsIn) (things map[any]bool, held bool) {
	things = map[any]bool{}
	seen := map[ssa.Value]bool{}
	var visit func(v ssa.Value)
	each := func(list []ssa.Value) {
		for _, x := range list {
			visit(x)
		}
	}
	field := func(f *types.Var) {
		things[f] = true
		held = held || f.Exported()
	}
	visit = func(v ssa.Value) {
		if v == nil || seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.MakeChan:
			things[v] = true
		case *ssa.Alloc:
			things[v] = true
			each(s.assigned[v])
		case *ssa.Global:
			things[v] = true
			held = held || v.Object() != nil && v.Object().Exported()
		case *ssa.FieldAddr:
			field(fieldOf(v))
			each(s.stored[fieldOf(v)])
		case *ssa.Field:
			f := structOf(v.X.Type()).Field(v.Field).Origin()
			field(f)
			each(s.stored[f])
		case *ssa.UnOp:
			if v.Op == token.MUL {
				visit(v.X)
				each(s.assigned[v]) // of a slice or map that is read from a field
			}
		case *ssa.Parameter:
			held = held || in.isEntry(v.Parent())
			for _, a := range s.arguments[v] {
				if in.counts(a.call) {
					visit(a.value)
				}
			}
		case *ssa.FreeVar:
			each(s.captured[v])
			each(s.assigned[v])
		case *ssa.Phi:
			each(v.Edges)
		case *ssa.ChangeType:
			visit(v.X)
		case *ssa.IndexAddr:
			visit(v.X)
		case *ssa.Index:
			visit(v.X)
		case *ssa.Lookup:
			visit(v.X)
		case *ssa.Slice:
			visit(v.X)
		case *ssa.MakeSlice, *ssa.MakeMap:
			things[v] = true
			each(s.assigned[v])
		case *ssa.Extract:
			if c, ok := v.Tuple.(*ssa.Call); ok {
				if callee := s.callee(c); callee != nil {
					for _, results := range s.returned[callee] {
						if v.Index < len(results) {
							visit(results[v.Index])
						}
					}
					return
				}
			}
			visit(v.Tuple)
		case *ssa.Next:
			visit(v.Iter)
		case *ssa.Range:
			visit(v.X)
		case *ssa.Call:
			if b, ok := v.Call.Value.(*ssa.Builtin); ok && b.Name() == "append" {
				each(v.Call.Args)
			}
			if callee := s.callee(v); callee != nil {
				for _, results := range s.returned[callee] {
					each(results)
				}
			}
		}
	}
	visit(v)
	return maps.Clone(things), held
}

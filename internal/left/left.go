package left

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/internal/sites"
)

// Program answers questions about one program.
type Program struct {
	*frames.Program
	sites *sites.Index
}

// New prepares the program, whose functions are those of of.
func New(of *frames.Program, idx *sites.Index) *Program { return &Program{of, idx} }

// Goroutine is one that is left.
type Goroutine struct {
	Site  sites.ID // where it is blocked
	Nil   bool     // on a nil channel
	Stack []string // "function file:line", innermost first
	// Created are the stacks of who has started it, of who has started that one, and
	// so on.
	Created [][]string
}

// Worker says for whom a goroutine works that is left, "" if it is no worker. Whatever becomes of the variable that a
// nil channel was read from, nothing comes on that.
func (p *Program) Worker(g Goroutine) (of string) {
	if g.Nil {
		return ""
	}
	t, own := p.trace(g)
	if t == nil {
		return ""
	}
	kind, from, contexts := t.waitsOn(g.Site)
	if len(from) == 0 && len(contexts) == 0 || !t.loops(own, kind) && (!signals(from) || t.startedByTest && !t.askedToEnd(from)) {
		return ""
	}
	if len(from) == 0 && !t.startedByTest {
		from = contexts
	}
	for _, v := range from {
		if of := t.holder(v, 0, false); of != "" {
			return of
		}
	}
	return ""
}

// Waits says who holds the wait group that a goroutine waits for, "" if nobody does, or its
// service was stopped, and which field it is.
func (p *Program) Waits(g Goroutine) (of string, group *types.Var) {
	t, _ := p.trace(g)
	if t == nil {
		return "", nil
	}
	for _, c := range groupCalls(t.frames[0].Fn, "Wait") {
		if s, ok := t.sites.At(sites.WaitGroupWait, c.Pos()); ok && s.ID == g.Site {
			if group = groupOf(c); group != nil {
				return t.holder(c.Common().Args[0], 0, false), group
			}
		}
	}
	return "", nil
}

// IsOf: when a goroutine ends it is done with the wait group of a field.
func (p *Program) IsOf(g Goroutine, group *types.Var) bool {
	t, own := p.trace(g)
	if t == nil {
		return false
	}
	for _, f := range t.frames[:own] {
		for _, c := range groupCalls(f.Fn, "Done") {
			if groupOf(c) == group {
				return true
			}
		}
	}
	return false
}

// groupCalls are the calls, deferred ones too, of a method of wait groups in a function.
func groupCalls(f *ssa.Function, method string) (out []ssa.CallInstruction) {
	for c := range frames.CallsIn(f) {
		if callee := c.Common().StaticCallee(); callee != nil && callee.String() == "(*sync.WaitGroup)."+method {
			out = append(out, c)
		}
	}
	return out
}

// groupOf is the field that a wait group is, or that points to it; nil if it is none.
func groupOf(c ssa.CallInstruction) *types.Var {
	v := c.Common().Args[0]
	if a, ok := v.(*ssa.FieldAddr); ok {
		return frames.FieldAt(a.X.Type(), a.Field)
	}
	return fieldOf(v)
}

// trace begins to follow what a goroutine waits on, own of whose frames are its own. It
// is nil if that cannot be followed.
func (p *Program) trace(g Goroutine) (t *tracer, own int) {
	all, own := p.Chain(g.Stack, g.Created)
	if own == 0 || len(g.Created) == 0 {
		return nil, 0
	}
	created := p.Resolve(g.Created[0])
	return &tracer{Program: p, frames: all, startedByTest: len(created) > 0 && isTest(created[0].Fn)}, own
}

// signals: all of these are channels without values, which are there to be closed.
func signals(from []ssa.Value) bool {
	for _, v := range from {
		c, ok := v.Type().Underlying().(*types.Chan)
		if !ok {
			return false
		}
		s, ok := c.Elem().Underlying().(*types.Struct)
		if !ok || s.NumFields() > 0 {
			return false
		}
	}
	return true
}

// askedToEnd: these are channels of a service, and all that closes one of them is a method
// that its users call. What is closed by what the service does by itself is a result.
func (t *tracer) askedToEnd(from []ssa.Value) bool {
	if len(from) == 0 || isTest(t.frames[0].Fn) {
		return false
	}
	for _, v := range from {
		field := fieldOf(v)
		if field == nil {
			return false
		}
		closes := 0
		for f := range t.Functions() {
			if !t.closes(f, field) {
				continue
			}
			if f.Signature.Recv() == nil || !token.IsExported(f.Name()) {
				return false
			}
			closes++
		}
		if closes == 0 {
			return false
		}
	}
	return true
}

// closes: f itself closes a channel of a field.
func (p *Program) closes(f *ssa.Function, field *types.Var) bool {
	for c := range frames.CallsIn(f) {
		if b, ok := c.Common().Value.(*ssa.Builtin); ok && b.Name() == "close" && fieldOf(c.Common().Args[0]) == field {
			return true
		}
	}
	return false
}

// fieldOf is the field that a value is read from, nil if it is none.
func fieldOf(v ssa.Value) *types.Var {
	switch v := v.(type) {
	case *ssa.ChangeType:
		return fieldOf(v.X)
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL {
			return frames.FieldAt(a.X.Type(), a.Field)
		}
	case *ssa.Field:
		return frames.FieldAt(v.X.Type(), v.Field)
	}
	return nil
}

// loops: the goroutine, whose first frames are its own, waits in an endless loop. The
// loop around the condition of a Cond is another.
func (t *tracer) loops(own int, kind sites.Kind) bool {
	for i, f := range t.frames[:own] {
		if (i > 0 || kind != sites.CondWait) && t.endless(f) {
			return true
		}
	}
	return false
}

// waitsOn are the values that the operation at a site receives from: contexts apart, and
// only if nothing is sent. Timers do not count: they come by themselves, or never.
func (t *tracer) waitsOn(site sites.ID) (kind sites.Kind, from, contexts []ssa.Value) {
	kind = t.sites.Site(site).Kind
	sends := false
	receive := func(v ssa.Value) {
		switch {
		case isContext(v):
			contexts = append(contexts, v)
		case !isTimer(v, nil):
			from = append(from, v)
		}
	}
	at := func(k sites.Kind, pos token.Pos) bool {
		s, ok := t.sites.At(k, pos)
		return ok && s.ID == site
	}
	for _, b := range t.frames[0].Fn.Blocks {
		for _, instr := range b.Instrs {
			switch instr := instr.(type) {
			case *ssa.UnOp:
				if instr.Op == token.ARROW && (at(sites.Recv, instr.Pos()) || at(sites.Range, instr.Pos()) || kind == sites.Select && at(sites.Recv, instr.Pos())) {
					receive(instr.X)
				}
			case *ssa.Select:
				if !at(sites.Select, instr.Pos()) {
					break
				}
				for _, st := range instr.States {
					if st.Dir == types.RecvOnly {
						receive(st.Chan)
					} else {
						sends = true
					}
				}
			case *ssa.Call:
				if kind == sites.CondWait && at(sites.CondWait, instr.Pos()) && len(instr.Call.Args) > 0 {
					from = append(from, instr.Call.Args[0])
				}
			}
		}
	}
	if sends {
		contexts = nil
	}
	return kind, from, contexts
}

// isContext: v is the Done channel of a context.
func isContext(v ssa.Value) bool {
	c, ok := v.(*ssa.Call)
	if !ok || !c.Call.IsInvoke() || c.Call.Method.Name() != "Done" {
		return false
	}
	n, ok := c.Call.Value.Type().(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context"
}

// isTimer: v is the channel of a timer or a ticker of package time. What the values of
// loops are made of is looked at once.
func isTimer(v ssa.Value, seen map[ssa.Value]bool) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		if a, ok := v.X.(*ssa.FieldAddr); ok && v.Op == token.MUL {
			return ofPackage(a.X.Type(), "time")
		}
	case *ssa.Call:
		return calleePackage(v.Common()) == "time"
	case *ssa.Phi:
		if seen[v] {
			return false
		}
		if seen == nil {
			seen = map[ssa.Value]bool{}
		}
		seen[v] = true
		for _, e := range v.Edges {
			if isTimer(e, seen) {
				return true
			}
		}
	}
	return false
}

func ofPackage(t types.Type, path string) bool {
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == path
}

// calleePackage is the path of the package of the function called, "" if it is not known.
func calleePackage(c *ssa.CallCommon) string {
	if f := c.StaticCallee(); f != nil && f.Pkg != nil {
		return f.Pkg.Pkg.Path()
	}
	return ""
}

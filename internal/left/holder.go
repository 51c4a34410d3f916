package left

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/frames"
)

// tracer follows a value from where a goroutine waits on it to who holds it.
type tracer struct {
	*Program
	// frames are the calls that have led to where the goroutine is blocked, those that
	// have led to where it was started, and so on.
	frames        []frames.Frame
	startedByTest bool
	seen          map[seen]bool
}

type seen struct {
	v           ssa.Value
	frame       int
	part, owned bool
}

// visit reports that a question is asked for the first time.
func (t *tracer) visit(k seen) bool {
	if t.seen == nil {
		t.seen = map[seen]bool{}
	}
	if t.seen[k] {
		return false
	}
	t.seen[k] = true
	return true
}

// holder says who holds a value of the i-th frame, "" if nobody does. part: what the
// goroutine waits on is a part of it.
func (t *tracer) holder(v ssa.Value, i int, part bool) string {
	if v == nil || i >= len(t.frames) || !t.visit(seen{v, i, part, false}) {
		return ""
	}
	switch v := v.(type) {
	case *ssa.Global:
		if t.startedByTest && !part {
			return "" // a channel of the test's own
		}
		return "package-level variable " + v.Name()
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return ""
		}
		return t.holder(v.X, i, part)
	case *ssa.FieldAddr:
		return t.holder(v.X, i, true)
	case *ssa.Field:
		return t.holder(v.X, i, true)
	case *ssa.IndexAddr:
		return t.holder(v.X, i, part)
	case *ssa.Index:
		return t.holder(v.X, i, part)
	case *ssa.Lookup:
		return t.holder(v.X, i, part)
	case *ssa.Slice:
		return t.holder(v.X, i, part)
	case *ssa.ChangeType:
		return t.holder(v.X, i, part)
	case *ssa.ChangeInterface:
		return t.holder(v.X, i, part)
	case *ssa.MakeInterface:
		return t.holder(v.X, i, part)
	case *ssa.TypeAssert:
		return t.holder(v.X, i, part)
	case *ssa.Extract:
		return t.holder(v.Tuple, i, part)
	case *ssa.Next:
		return t.holder(v.Iter, i, part)
	case *ssa.Range:
		return t.holder(v.X, i, part)
	case *ssa.Phi:
		for _, e := range v.Edges {
			if of := t.holder(e, i, part); of != "" {
				return of
			}
		}
		return ""
	case *ssa.Alloc:
		// A variable: what it is set to.
		for _, r := range frames.Referrers(v) {
			if s, ok := r.(*ssa.Store); ok && s.Addr == v {
				if of := t.holder(s.Val, i, part); of != "" {
					return of
				}
			}
		}
		return t.owned(v, i, part)
	case *ssa.Call:
		return t.result(v, i, part)
	case *ssa.MakeChan, *ssa.MakeMap, *ssa.MakeSlice:
		return t.owned(v, i, part)
	case *ssa.Parameter:
		return t.argument(v, i, part)
	case *ssa.FreeVar:
		return t.captured(v, i, part)
	}
	return ""
}

// result says who holds what a call returns: who holds what its method is called on, or
// who has called it.
func (t *tracer) result(c *ssa.Call, i int, part bool) string {
	call := c.Common()
	if pkg := calleePackage(call); pkg == "time" {
		return ""
	}
	if b, ok := call.Value.(*ssa.Builtin); ok {
		if b.Name() != "append" {
			return ""
		}
		for _, a := range call.Args {
			if of := t.holder(a, i, part); of != "" {
				return of
			}
		}
		return ""
	}
	if isTest(t.frames[i].Fn) && t.stopped(aliases(c)) {
		return ""
	}
	if recv := receiver(call); recv != nil {
		if of := t.holder(recv, i, true); of != "" {
			return of
		}
	}
	return t.owned(c, i, part)
}

// receiver is what a method is called on, nil if the call is not of a method.
func receiver(c *ssa.CallCommon) ssa.Value {
	if c.IsInvoke() {
		return c.Value
	}
	if c.Signature().Recv() != nil && len(c.Args) > 0 {
		return c.Args[0]
	}
	return nil
}

// owned says who holds what the function of a frame has made, or got from a call.
func (t *tracer) owned(v ssa.Value, i int, part bool) string {
	if !t.visit(seen{v, i, part, true}) {
		return ""
	}
	names := aliases(v)
	if isTest(t.frames[i].Fn) {
		if !part || t.stopped(names) {
			return ""
		}
		return "the test"
	}
	for a := range names {
		for _, r := range frames.Referrers(a) {
			if of := t.kept(names, a, r, i, part); of != "" {
				return of
			}
		}
	}
	return ""
}

// kept says who holds v after an instruction that uses it, one of its names.
func (t *tracer) kept(names map[ssa.Value]bool, v ssa.Value, r ssa.Instruction, i int, part bool) string {
	switch r := r.(type) {
	case *ssa.Return:
		if i+1 >= len(t.frames) || r.Parent() != t.frames[i].Fn {
			return ""
		}
		for _, c := range t.Calls(t.frames[i], t.frames[i+1]) {
			value, ok := c.(*ssa.Call)
			if !ok {
				continue
			}
			if of := t.owned(value, i+1, true); of != "" {
				return of
			}
		}
	case *ssa.Store:
		if r.Val != v || names[r.Addr] {
			return ""
		}
		return t.holder(base(r.Addr), i, true)
	case *ssa.MapUpdate:
		if r.Value == v || r.Key == v {
			return t.holder(r.Map, i, true)
		}
	case *ssa.Call:
		if b, ok := r.Call.Value.(*ssa.Builtin); ok {
			if b.Name() == "append" {
				return t.owned(r, i, part)
			}
			return ""
		}
		// What is given to a method may be kept by what the method is of.
		if recv := receiver(&r.Call); recv != nil && recv != v && !names[recv] {
			return t.holder(recv, i, true)
		}
	}
	return ""
}

// base is the variable or object of an address.
func base(v ssa.Value) ssa.Value {
	for {
		switch a := v.(type) {
		case *ssa.FieldAddr:
			v = a.X
		case *ssa.IndexAddr:
			v = a.X
		default:
			return v
		}
	}
}

// aliases are the values of a function, and of those in it, that are v, or closures
// that have it.
func aliases(v ssa.Value) map[ssa.Value]bool {
	names := map[ssa.Value]bool{v: true}
	todo := []ssa.Value{v}
	add := func(a ssa.Value) {
		if !names[a] {
			names[a] = true
			todo = append(todo, a)
		}
	}
	for len(todo) > 0 {
		a := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range frames.Referrers(a) {
			switch r := r.(type) {
			case *ssa.Store:
				if cell, ok := r.Addr.(*ssa.Alloc); ok && r.Val == a {
					add(cell)
				}
			case *ssa.UnOp:
				if r.Op == token.MUL {
					add(r)
				}
			case *ssa.MakeClosure:
				f := r.Fn.(*ssa.Function)
				for k, b := range r.Bindings {
					if b == a && k < len(f.FreeVars) {
						add(f.FreeVars[k])
					}
				}
				add(r)
			case *ssa.Phi:
				add(r)
			case *ssa.ChangeType:
				add(r)
			case *ssa.ChangeInterface:
				add(r)
			case *ssa.MakeInterface:
				add(r)
			case *ssa.TypeAssert:
				add(r)
			case *ssa.Extract:
				add(r)
			}
		}
	}
	return names
}

// argument says who holds a parameter: who holds what the caller has passed.
func (t *tracer) argument(v *ssa.Parameter, i int, part bool) string {
	if i+1 >= len(t.frames) {
		return ""
	}
	fn := t.frames[i].Fn
	at := slices.Index(fn.Params, v)
	if at < 0 {
		return ""
	}
	for _, c := range t.Calls(t.frames[i], t.frames[i+1]) {
		call := c.Common()
		k := at
		if call.IsInvoke() {
			if k--; k < 0 {
				if of := t.holder(call.Value, i+1, part); of != "" {
					return of
				}
				continue
			}
		}
		if k < len(call.Args) {
			if of := t.holder(call.Args[k], i+1, part); of != "" {
				return of
			}
		}
	}
	if at > 0 {
		return ""
	}
	// A method value that somebody has called.
	for j := i + 1; j < len(t.frames); j++ {
		for _, b := range t.frames[j].Fn.Blocks {
			for _, instr := range b.Instrs {
				c, ok := instr.(*ssa.MakeClosure)
				if !ok || len(c.Bindings) != 1 || !strings.HasSuffix(c.Fn.Name(), "$bound") || c.Fn.(*ssa.Function).Object() != fn.Object() {
					continue
				}
				if of := t.holder(c.Bindings[0], j, part); of != "" {
					return of
				}
			}
		}
	}
	return ""
}

// captured says who holds a variable of the function around.
func (t *tracer) captured(v *ssa.FreeVar, i int, part bool) string {
	fn := t.frames[i].Fn
	at := slices.Index(fn.FreeVars, v)
	for j := i + 1; j < len(t.frames); j++ {
		if t.frames[j].Fn != fn.Parent() {
			continue
		}
		for _, b := range t.frames[j].Fn.Blocks {
			for _, instr := range b.Instrs {
				if c, ok := instr.(*ssa.MakeClosure); ok && c.Fn == fn && at >= 0 && at < len(c.Bindings) {
					return t.holder(c.Bindings[at], j, part)
				}
			}
		}
	}
	return ""
}

// stopped: a method that ends something is called on what the test holds, by these names.
func (t *tracer) stopped(names map[ssa.Value]bool) bool {
	for a := range withParts(names) {
		for _, r := range frames.Referrers(a) {
			var call *ssa.CallCommon
			switch r := r.(type) {
			case ssa.CallInstruction:
				call = r.Common()
			case *ssa.MakeClosure:
				if f := r.Fn.(*ssa.Function); strings.HasSuffix(f.Name(), "$bound") && t.stops(f) {
					return true
				}
				continue
			default:
				continue
			}
			if receiver(call) != a {
				continue
			}
			for _, f := range t.methods(call) {
				if t.stops(f) {
					return true
				}
			}
		}
	}
	return false
}

// stops: the method f ends something. One that has led to the goroutine does not end it:
// the service is run by it.
func (t *tracer) stops(f *ssa.Function) bool {
	led := func(o frames.Frame) bool { return frames.Origin(o.Fn) == frames.Origin(f) }
	return !slices.ContainsFunc(t.frames, led) && !givesWork(f) && t.ends(f, map[*ssa.Function]bool{})
}

// withParts are values, and the fields and elements that are read from them.
func withParts(names map[ssa.Value]bool) map[ssa.Value]bool {
	out := maps.Clone(names)
	todo := slices.Collect(maps.Keys(names))
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, r := range frames.Referrers(v) {
			switch r := r.(type) {
			case *ssa.Field, *ssa.FieldAddr, *ssa.Index, *ssa.IndexAddr, *ssa.UnOp:
				if part := r.(ssa.Value); !out[part] {
					out[part] = true
					todo = append(todo, part)
				}
			}
		}
	}
	return out
}

// givesWork: the method f is given more than what says how long to wait. What gives
// something to a service may end something too, such as what it has given before.
func givesWork(f *ssa.Function) bool {
	for v := range f.Signature.Params().Variables() {
		b, ok := v.Type().Underlying().(*types.Basic)
		if !(ok && b.Kind() == types.Bool) && !ofPackage(v.Type(), "context") && !ofPackage(v.Type(), "time") {
			return true
		}
	}
	return false
}

// methods are the functions that a call of a method may call.
func (t *tracer) methods(c *ssa.CallCommon) []*ssa.Function {
	if f := c.StaticCallee(); f != nil {
		return []*ssa.Function{f}
	}
	var out []*ssa.Function
	if !c.IsInvoke() {
		return out
	}
	for f := range t.Functions() {
		if f.Signature.Recv() != nil && f.Name() == c.Method.Name() {
			out = append(out, f)
		}
	}
	return out
}

// ends: f closes a channel that is part of something, or sends on it, cancels a context,
// stops a timer or wakes who waits for a Cond, or calls what does.
func (t *tracer) ends(f *ssa.Function, seen map[*ssa.Function]bool) bool {
	if f == nil || seen[f] || f.Blocks == nil {
		return false
	}
	seen[f] = true
	for _, in := range f.AnonFuncs {
		if t.ends(in, seen) {
			return true
		}
	}
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch s := instr.(type) {
			case *ssa.Send:
				if isPart(s.Chan) {
					return true
				}
			case *ssa.Select:
				if slices.ContainsFunc(s.States, func(st *ssa.SelectState) bool { return st.Dir == types.SendOnly && isPart(st.Chan) }) {
					return true
				}
			}
			c, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			call := c.Common()
			if b, ok := call.Value.(*ssa.Builtin); ok {
				if b.Name() == "close" && isPart(call.Args[0]) {
					return true
				}
				continue
			}
			if isCancel(call.Value.Type()) {
				return true
			}
			callee := call.StaticCallee()
			if callee == nil {
				continue
			}
			switch callee.String() {
			case "(*time.Timer).Stop", "(*time.Ticker).Stop", "(*sync.Cond).Signal", "(*sync.Cond).Broadcast":
				return true
			}
			if t.Own(callee) && t.ends(callee, seen) {
				return true
			}
		}
	}
	return false
}

// isPart: v is read from a field.
func isPart(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		_, ok := v.X.(*ssa.FieldAddr)
		return ok && v.Op == token.MUL
	case *ssa.Field:
		return true
	case *ssa.ChangeType:
		return isPart(v.X)
	}
	return false
}

func isCancel(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "context" && strings.HasPrefix(n.Obj().Name(), "Cancel")
}

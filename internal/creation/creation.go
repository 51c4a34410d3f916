package creation

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/frames"
	"github.com/vtrace/vtrace/internal/sites"
)

// Program answers questions about one program. Its methods must not be called concurrently.
type Program struct {
	*frames.Program
	sites *sites.Index
	// Everything that the program itself stores in fields and package-level variables.
	fields  map[*types.Var][]ssa.Value
	globals map[*ssa.Global][]ssa.Value
	// shared are fields and variables whose address goes elsewhere.
	shared map[any]bool
	// calls are those that may call a function, if it is not used as a value.
	calls  map[*ssa.Function][]ssa.CallInstruction
	values map[*ssa.Function]bool // used as values
	byName map[string][]ssa.CallInstruction
}

// New prepares the program.
func New(of *frames.Program, idx *sites.Index) *Program {
	p := &Program{
		Program: of, sites: idx, fields: map[*types.Var][]ssa.Value{}, globals: map[*ssa.Global][]ssa.Value{}, shared: map[any]bool{},
		calls: map[*ssa.Function][]ssa.CallInstruction{}, values: map[*ssa.Function]bool{}, byName: map[string][]ssa.CallInstruction{},
	}
	for f := range of.Functions() {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				p.note(instr)
			}
		}
	}
	return p
}

// note adds what an instruction stores and calls.
func (p *Program) note(instr ssa.Instruction) {
	switch instr := instr.(type) {
	case *ssa.DebugRef:
		return
	case *ssa.Store:
		switch a := instr.Addr.(type) {
		case *ssa.FieldAddr:
			if field := frames.FieldAt(a.X.Type(), a.Field); field != nil {
				p.fields[field] = append(p.fields[field], instr.Val)
			}
		case *ssa.Global:
			p.globals[a] = append(p.globals[a], instr.Val)
		}
	case *ssa.FieldAddr:
		if field := frames.FieldAt(instr.X.Type(), instr.Field); field != nil && goesElsewhere(instr) {
			p.shared[field] = true
		}
	case ssa.CallInstruction:
		c := instr.Common()
		switch callee := c.StaticCallee(); {
		case callee != nil:
			callee = frames.Origin(callee)
			p.calls[callee] = append(p.calls[callee], instr)
		case c.IsInvoke():
			p.byName[c.Method.Name()] = append(p.byName[c.Method.Name()], instr)
		}
	}
	for _, operand := range instr.Operands(nil) {
		switch v := (*operand).(type) {
		case *ssa.Function:
			if c, ok := instr.(ssa.CallInstruction); ok && operand == &c.Common().Value {
				continue
			}
			p.used(v)
		case *ssa.Global:
			switch instr := instr.(type) {
			case *ssa.UnOp:
			case *ssa.Store:
				if instr.Val == v {
					p.shared[v] = true
				}
			default:
				p.shared[v] = true
			}
		}
	}
}

// used notes that a function is used as a value; that of a literal is where it is made, which
// says nothing yet.
func (p *Program) used(f *ssa.Function) {
	if obj, ok := f.Object().(*types.Func); ok && obj != nil {
		if g := f.Prog.FuncValue(obj.Origin()); g != nil {
			f = g // of which f is a method value, for one
		}
	}
	p.values[frames.Origin(f)] = true
}

// goesElsewhere: an address is used otherwise than to load from it and to store to it.
func goesElsewhere(v ssa.Value) bool {
	for _, r := range frames.Referrers(v) {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef, *ssa.FieldAddr, *ssa.IndexAddr:
		case *ssa.Store:
			if r.Val == v {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// Of says where the objects were made that the operation at a site works on, which a goroutine is at
// with this stack, "function file:line" innermost first, that was started by one with the first of the other
// stacks, and so on. There is one object, and of a select one for each case, in the order of the source; none if the
// operation is not found. A place that is not known is token.NoPos.
func (p *Program) Of(site sites.ID, stack []string, created [][]string) []token.Pos {
	all, own := p.Chain(stack, created)
	if own == 0 {
		return nil
	}
	var in *context
	for i := len(all) - 1; i >= 0; i-- {
		c := &context{fn: all[i].Fn, up: in}
		if in != nil {
			c.calls, c.depth = p.Calls(all[i], all[i+1]), in.depth+1
		} else {
			c.outermost = true
		}
		in = c
	}
	return p.places(p.operands(in.fn, site), in, in.depth+maxDepth)
}

// At says where the objects were made that the operation at a site works on, whoever does it: as Of, where it is not known by
// which calls somebody comes there.
func (p *Program) At(site sites.ID) []token.Pos {
	for f := range p.Functions() {
		if all := p.operands(f, site); all != nil {
			return p.places(all, nil, maxDepth)
		}
	}
	return nil
}

// places are where values were made, in a context.
func (p *Program) places(values []ssa.Value, in *context, limit int) []token.Pos {
	out := make([]token.Pos, len(values))
	for i, v := range values {
		t := &tracer{Program: p, limit: limit, seen: map[visit]bool{}, found: map[token.Pos]bool{}}
		t.from(v, in)
		out[i] = t.place()
	}
	return out
}

// operands are what the operation at a site works on.
func (p *Program) operands(f *ssa.Function, site sites.ID) []ssa.Value {
	kind := p.sites.Site(site).Kind
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if s, ok := p.sites.At(kind, instr.Pos()); !ok || s.ID != site {
				continue
			}
			switch instr := instr.(type) {
			case *ssa.Send:
				return []ssa.Value{instr.Chan}
			case *ssa.UnOp:
				if instr.Op == token.ARROW {
					return []ssa.Value{instr.X}
				}
			case *ssa.Select:
				var out []ssa.Value
				for _, s := range instr.States {
					out = append(out, s.Chan)
				}
				return out
			case ssa.CallInstruction:
				if c := instr.Common(); c.IsInvoke() {
					return []ssa.Value{c.Value}
				} else if len(c.Args) > 0 {
					return c.Args[:1]
				}
			}
		}
	}
	return nil
}

// context says how a function was called.
type context struct {
	fn *ssa.Function
	// calls are those in the function of up that may have called it.
	calls []ssa.CallInstruction
	up    *context
	depth int
	// outermost: nobody has called it that is known.
	outermost bool
}

// maxDepth is how many calls deep results of functions are followed.
const maxDepth = 12

// maxVisits is how many values are followed.
const maxVisits = 4000

// tracer follows a value back to where it was made.
type tracer struct {
	*Program
	limit   int // depth of contexts
	seen    map[visit]bool
	found   map[token.Pos]bool
	unknown bool
}

type visit struct {
	v    ssa.Value
	in   *context
	load bool
}

// place is the one place that was found, token.NoPos if there are more or there may be.
func (t *tracer) place() token.Pos {
	if t.unknown || len(t.found) != 1 {
		return token.NoPos
	}
	for pos := range t.found {
		return pos
	}
	return token.NoPos
}

func (t *tracer) visit(v ssa.Value, in *context, load bool) bool {
	k := visit{v, in, load}
	if t.unknown || t.seen[k] {
		return false
	}
	t.seen[k] = true
	t.unknown = len(t.seen) > maxVisits
	return !t.unknown
}

// made notes a place where it may have been made.
func (t *tracer) made(pos token.Pos) {
	t.found[pos] = true
	t.unknown = t.unknown || !pos.IsValid()
}

// from follows a channel, or a pointer to or into what was made. A nil is nothing that was made.
// in is nil if it is not known how the function was called that has the value.
func (t *tracer) from(v ssa.Value, in *context) {
	if !t.visit(v, in, false) {
		return
	}
	switch v := v.(type) {
	case *ssa.Const:
	case *ssa.MakeChan, *ssa.MakeSlice, *ssa.Alloc, *ssa.Global:
		t.made(v.Pos())
	case *ssa.FieldAddr:
		t.from(v.X, in)
	case *ssa.IndexAddr:
		t.from(v.X, in)
	case *ssa.Slice:
		t.from(v.X, in)
	case *ssa.ChangeType:
		t.from(v.X, in)
	case *ssa.ChangeInterface:
		t.from(v.X, in)
	case *ssa.MakeInterface:
		t.from(v.X, in)
	case *ssa.TypeAssert:
		t.from(v.X, in)
	case *ssa.Phi:
		for _, e := range v.Edges {
			t.from(e, in)
		}
	case *ssa.Extract:
		switch of := v.Tuple.(type) {
		case *ssa.Call:
			t.result(of, v.Index, in)
		case *ssa.TypeAssert:
			t.from(of.X, in)
		default:
			t.unknown = true
		}
	case *ssa.Call:
		t.result(v, 0, in)
	case *ssa.Parameter:
		t.argument(v, in)
	case *ssa.FreeVar:
		t.captured(v, in, t.from)
	case *ssa.Field:
		t.field(frames.FieldAt(v.X.Type(), v.Field))
	case *ssa.UnOp:
		if v.Op != token.MUL {
			t.unknown = true
			return
		}
		t.load(v.X, in)
	default:
		t.unknown = true
	}
}

// load follows what may be in a variable.
func (t *tracer) load(addr ssa.Value, in *context) {
	if !t.visit(addr, in, true) {
		return
	}
	switch a := addr.(type) {
	case *ssa.Alloc:
		t.variable(a, in)
	case *ssa.FreeVar:
		t.captured(a, in, t.load)
	case *ssa.FieldAddr:
		t.field(frames.FieldAt(a.X.Type(), a.Field))
	case *ssa.Global:
		t.all(t.globals[a], t.shared[a])
	default:
		t.unknown = true
	}
}

// variable follows what is stored in a variable, here and by functions that capture it.
func (t *tracer) variable(v ssa.Value, in *context) {
	for _, r := range frames.Referrers(v) {
		switch r := r.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
		case *ssa.Store:
			if r.Val == v {
				t.unknown = true
				return
			}
			t.from(r.Val, in)
		case *ssa.MakeClosure:
			f := r.Fn.(*ssa.Function)
			for i, b := range r.Bindings {
				if b == v && i < len(f.FreeVars) && t.visit(f.FreeVars[i], nil, true) {
					t.variable(f.FreeVars[i], nil)
				}
			}
		default:
			t.unknown = true
			return
		}
	}
}

// field follows what is stored in a field of any value.
func (t *tracer) field(f *types.Var) {
	if f == nil {
		t.unknown = true
		return
	}
	t.all(t.fields[f], t.shared[f])
}

// all follows everything that is stored somewhere. There is nothing if a library stores it.
func (t *tracer) all(in []ssa.Value, shared bool) {
	t.unknown = t.unknown || shared || len(in) == 0
	for _, v := range in {
		t.from(v, nil)
	}
}

// result follows what a call returns. A library's function that returns something of its own package makes it.
func (t *tracer) result(c *ssa.Call, i int, in *context) {
	callee := c.Call.StaticCallee()
	switch {
	case callee == nil:
		t.unknown = true
		return
	case !t.Own(callee):
		of := c.Call.Signature().Results().At(i).Type()
		if p, ok := of.(*types.Pointer); ok {
			of = p.Elem()
		}
		n, ok := types.Unalias(of).(*types.Named)
		if !ok || callee.Pkg == nil || n.Obj().Pkg() != callee.Pkg.Pkg {
			t.unknown = true
			return
		}
		t.made(c.Pos())
		return
	}
	deeper := &context{fn: callee, calls: []ssa.CallInstruction{c}, up: in, depth: 1}
	if in != nil {
		deeper.depth = in.depth + 1
	}
	if callee.Blocks == nil || deeper.depth > t.limit {
		t.unknown = true
		return
	}
	for _, b := range callee.Blocks {
		if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && i < len(r.Results) {
			t.from(r.Results[i], deeper)
		}
	}
}

// argument follows what a function was called with.
func (t *tracer) argument(v *ssa.Parameter, in *context) {
	fn := v.Parent()
	at := slices.Index(fn.Params, v)
	var calls []ssa.CallInstruction
	var up *context
	switch {
	case at < 0, in != nil && in.outermost:
	case in != nil && frames.Origin(in.fn) == frames.Origin(fn):
		calls, up = in.calls, in.up
	case !t.values[frames.Origin(fn)]:
		calls = t.calls[frames.Origin(fn)]
		if fn.Signature.Recv() != nil {
			calls = append(calls[:len(calls):len(calls)], t.byName[fn.Name()]...)
		}
	}
	t.unknown = t.unknown || len(calls) == 0
	for _, c := range calls {
		call := c.Common()
		k := at
		if call.StaticCallee() == nil && fn.Signature.Recv() != nil { // of a method, or of a method value
			k--
		}
		switch {
		case k >= 0 && k < len(call.Args) && (call.StaticCallee() != nil || types.Identical(call.Args[k].Type(), v.Type())):
			t.from(call.Args[k], up)
		case k < 0 && call.IsInvoke():
			t.from(call.Value, up)
		default:
			t.unknown = true
		}
	}
}

// captured follows a variable of the function around, where that makes the function literal.
func (t *tracer) captured(v *ssa.FreeVar, in *context, follow func(ssa.Value, *context)) {
	fn := v.Parent()
	at := slices.Index(fn.FreeVars, v)
	around := in
	for around != nil && around.fn != fn.Parent() {
		around = around.up
	}
	found := false
	if parent := fn.Parent(); parent != nil && at >= 0 {
		for _, b := range parent.Blocks {
			for _, instr := range b.Instrs {
				if c, ok := instr.(*ssa.MakeClosure); ok && c.Fn == fn && at < len(c.Bindings) {
					found = true
					follow(c.Bindings[at], around)
				}
			}
		}
	}
	t.unknown = t.unknown || !found
}

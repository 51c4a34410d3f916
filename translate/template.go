package translate

import (
	"fmt"
	"go/token"
	"sort"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// A template is the automaton of the goroutines that one go statement, in one
// calling context, starts with one function; or of the entry goroutine.
type template struct {
	index        int
	key          string
	name         string
	parent       *template
	origin       ssa.Instruction // the go statement; nil for the entry
	fn           *ssa.Function   // entry function, nil if it is a guarded operation
	root         *callPath
	slots        int
	once         bool // at most one goroutine in a whole run
	serial       bool // a subtest of a goroutine that has started none but subtests
	daemon       bool // started by package initialisation, or by such a goroutine
	site         sites.Site
	scope        *callPath // the call of t.Run that it is started in, nil for none
	target       string    // names what the goroutine calls
	start        []*frame  // its stack at the first guard
	startSite    sites.ID
	tname, uname string // names in the model

	automaton
	variables
	handedOver
	ctxs map[callKey]*callPath
}

// automaton is what a template becomes in the model.
type automaton struct {
	locs  []*location
	byKey map[string]*location
	idle  *location
	first *location // the Start guard, or where the entry begins
	edges []*edge
}

// variables are those of the goroutines of a template.
type variables struct {
	vars    map[varKey]*variable
	varList []*variable
	inits   map[*variable]int32 // of the entry
}

func newVariables() variables {
	return variables{vars: map[varKey]*variable{}, inits: map[*variable]int32{}}
}

// handedOver is what a goroutine gets from the one that starts it.
type handedOver struct {
	handed []varKey  // in order
	refs   []bool    // which of it are references
	args   []sym.Set // what each can be
}

// context is a call path inside a goroutine.
type callPath struct {
	id     int
	tmpl   *template
	parent *callPath
	site   ssa.Instruction
	nth    int
	fn     *ssa.Function
	what   string // of operations that are not functions with bodies
	inLoop bool
	depth  int
}

// A callKey names a call path in a template.
type callKey struct {
	parent          int
	pos             token.Pos // of the call
	block, idx, nth int
	fn, what        string
}

func (x *translator) context(t *template, parent *callPath, site ssa.Instruction, nth int, fn *ssa.Function, what string) *callPath {
	pid, sid := -1, token.NoPos
	inLoop, depth := false, 0
	if parent != nil {
		pid, inLoop, depth = parent.id, parent.inLoop, parent.depth+1
	}
	block, idx := -1, -1
	if site != nil {
		sid = site.Pos()
		block = site.Block().Index
		for i, in := range site.Block().Instrs {
			if in == site {
				idx = i
			}
		}
		if site.Parent() != nil && parent != nil && parent.fn == site.Parent() {
			if _, isDefer := site.(*ssa.Defer); !isDefer && x.prog.Function(site.Parent()).InCycle[block] {
				inLoop = true
			}
		}
	}
	name := ""
	if fn != nil {
		if name = x.names[fn]; name == "" {
			name = fn.String() + "@" + strconv.Itoa(int(fn.Pos()))
			x.names[fn] = name
		}
	}
	key := callKey{pid, sid, block, idx, nth, name, what}
	if c := t.ctxs[key]; c != nil {
		return c
	}
	c := &callPath{id: len(t.ctxs), tmpl: t, parent: parent, site: site, nth: nth, fn: fn, what: what, inLoop: inLoop, depth: depth}
	t.ctxs[key] = c
	return c
}

// variable is a value of a goroutine that lives across a guard.
type variable struct {
	tmpl *template
	id   uint64
	name string
	abs  sym.Set // all it holds where it is stored
	x    *sym.Expr
	refs bool // holds references
	ref  bool // holds references to objects of pools: it is global, so that the allocators can see it
}

// Key is the number of the variable in the program.
func (v *variable) Key() uint64 { return v.id }

// variableOf is the variable that an expression reads.
func variableOf(e *sym.Expr) *variable { return e.Leaf.(*variable) }

// varKey names a value: of an activation, with its component.
type varKey struct {
	ctx  *callPath
	v    any // ssa.Value, argKey, deferKey or panicKey
	comp int
}

// argKey is an argument of an operation, or of a goroutine.
type argKey int

// deferKey holds the operands of a deferred call, or of a function registered
// by Cleanup.
type deferKey struct {
	instr   ssa.CallInstruction
	nth     int
	cleanup bool
	context bool // the end of the context of a test, no call
	join    bool // where a test waits for its parallel subtests, no call
}

// panicKey holds the value of a panic on its way.
type panicKey struct{}

type locKind uint8

const (
	atOp    locKind = iota // at the guard of an operation
	atQueue                // granted and queued
	atStmt                 // at the guard of a statement
	atStart                // at the first guard
	atEnd                  // at the return of the entry
	atLocal                // inside a segment that had to be split
	atBegin                // before anything, the entry only
	atIdle                 // no goroutine
	atDone                 // the goroutine is over
	atSpin                 // runs for ever without an operation
	atSink                 // the program is over
)

// location is a control state of a goroutine between two segments.
type location struct {
	tmpl   *template
	key    string
	index  int
	kind   locKind
	frames []*frame
	site   sites.ID
	op     string // word for the name
	block  bool   // the operation can wait

	live []liveValue
	in   []sym.Set
	lost []bool // the greatest value of in stands for one beyond the limits

	held []heldLock // by who is here, whatever the way

	variant  string    // see variants.go
	rolled   bool      // see unroll.go
	alone    bool      // nobody else has been started, see places.go
	serial   bool      // but subtests, see unroll.go
	contents *contents // of memory
	visits   map[*location]visit

	queued bool
	seen   bool
	ways   int // through the segments that begin here, when they were executed last

	sink *sinkInfo
	name string
}

// liveValue is one scalar that is live at a location.
type liveValue struct {
	key varKey
	v   *variable
}

// sinkInfo describes an end.
type sinkInfo struct {
	end    string // as artifact.LocationInfo.End
	kind   string // artifact.Kind*, "" for none
	site   sites.ID
	pos    token.Pos
	detail string
	at     *bounded // of a bound that is smaller than asked for
}

func (t *template) variable(k varKey, name func() string) *variable {
	if v := t.vars[k]; v != nil {
		return v
	}
	v := &variable{tmpl: t, id: uint64(t.index)<<32 + uint64(len(t.varList)), name: name()}
	v.x = sym.Read(sym.OpVar, v, 0)
	t.vars[k] = v
	t.varList = append(t.varList, v)
	return v
}

// frame is one activation on the stack of a goroutine. Frames are copied
// before they are changed.
type frame struct {
	ctx   *callPath
	block *ssa.BasicBlock // nil in operations
	idx   int
	op    *program.Operation // the operation, nil in functions
	tgt   target             // the operation's target
	phase int                // how far the operation is

	defers   []deferKey
	running  bool // its deferred calls run, since it returns
	over     bool // its body is over: what is left are functions registered by Cleanup
	unwind   *unwind
	deferred bool     // this is a deferred call of the frame below
	passed   sites.ID // the statement whose guard was passed
	guess    bool     // the operation is reached by a free choice of the model
	turns    []int    // how often each loop of the function has begun again since it was entered
}

// unwind is a panic or Goexit on its way up.
type unwind struct {
	goexit    bool
	recovered bool
	// exits: it is the panic of a call that runtime.Goexit has deferred functions make, which
	// goes on when it is recovered from.
	exits  bool
	kind   string // artifact.Kind*
	site   sites.ID
	pos    token.Pos
	detail string
}

func (u *unwind) key() string {
	if u == nil {
		return ""
	}
	return fmt.Sprintf("!%t%t%t%s%d.%d%s", u.goexit, u.recovered, u.exits, u.kind, u.site, u.pos, u.detail)
}

func controlKey(frames []*frame) string { return string(appendControl(nil, frames)) }

// appendControl names the control state of a stack.
func appendControl(b []byte, frames []*frame) []byte {
	add := func(sep byte, k int) { b = strconv.AppendInt(append(b, sep), int64(k), 10) }
	for _, f := range frames {
		bi := -1
		if f.block != nil {
			bi = f.block.Index
		}
		add('/', f.ctx.id)
		add(':', bi)
		add('.', f.idx)
		add('.', f.phase)
		for _, d := range f.defers {
			if d.context {
				b = append(b, 'c')
				continue
			}
			if d.join {
				b = append(b, 'j')
				continue
			}
			add('d', int(d.instr.Pos()))
			add('.', d.instr.Block().Index)
			add('.', d.nth)
		}
		if f.running {
			b = append(b, 'r')
		}
		if f.over {
			b = append(b, 'o')
		}
		if f.guess {
			b = append(b, 'g')
		}
		if f.deferred {
			b = append(b, 'D')
		}
		if f.passed != 0 {
			add('p', int(f.passed))
		}
		if f.unwind != nil {
			b = append(b, f.unwind.key()...)
		}
	}
	return b
}

// order numbers the values of a function, for sorting.
func (x *translator) order(f *ssa.Function) map[ssa.Value]int {
	if o := x.orders[f]; o != nil {
		return o
	}
	o := map[ssa.Value]int{}
	for _, p := range f.Params {
		o[p] = len(o)
	}
	for _, v := range f.FreeVars {
		o[v] = len(o)
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok {
				o[v] = len(o)
			}
		}
	}
	x.orders[f] = o
	return o
}

// liveOf lists the values that a control state needs, innermost frame last.
func (x *translator) liveOf(frames []*frame) []varKey {
	var out []varKey
	for i, f := range frames {
		top := i == len(frames)-1
		if f.op != nil {
			for k, comps := range f.tgt.args {
				for c := range comps {
					out = append(out, varKey{f.ctx, argKey(k), c})
				}
			}
			continue
		}
		in := x.prog.Function(f.ctx.fn)
		var live map[ssa.Value]bool
		var except ssa.Value
		switch {
		case f.unwind != nil:
			live = map[ssa.Value]bool{}
			if r := f.ctx.fn.Recover; r != nil {
				live = x.sl.LiveIn[f.ctx.fn][r.Index]
			}
		case top:
			live = x.sl.LiveBefore(in, f.block, f.idx)
		default:
			live = x.sl.LiveBefore(in, f.block, f.idx+1)
			except, _ = f.block.Instrs[f.idx].(ssa.Value)
		}
		ord := x.order(f.ctx.fn)
		vals := make([]ssa.Value, 0, len(live))
		for v := range live {
			if v != except {
				vals = append(vals, v)
			}
		}
		sort.Slice(vals, func(i, j int) bool { return ord[vals[i]] < ord[vals[j]] })
		for _, v := range vals {
			for c := range x.valueWidth(v) {
				out = append(out, varKey{f.ctx, v, c})
			}
		}
		for _, d := range f.defers {
			for c := range x.deferWidth(f.ctx, d) {
				out = append(out, varKey{f.ctx, d, c})
			}
		}
		if f.unwind != nil && !f.unwind.goexit {
			out = append(out, varKey{f.ctx, panicKey{}, 0}, varKey{f.ctx, panicKey{}, 1})
		}
	}
	return out
}

// varName makes a readable name for a value.
func (x *translator) varName(k varKey) string {
	s := "v"
	switch v := k.v.(type) {
	case ssa.Value:
		s = mangle(v.Name())
		if n := x.sourceName(v); n != "" {
			s = mangle(n)
		}
	case argKey:
		s = "arg" + strconv.Itoa(int(v))
	case deferKey:
		s = "defer"
	case panicKey:
		s = "panic"
	}
	if k.ctx.fn != nil {
		s = mangle(k.ctx.fn.Name()) + "_" + s
	}
	return s
}

// sourceName is the name of the variable that a value is of, by its debug
// references.
func (x *translator) sourceName(v ssa.Value) string {
	refs := v.Referrers()
	if refs == nil {
		return ""
	}
	if a, ok := v.(*ssa.Alloc); ok {
		return a.Comment
	}
	if p, ok := v.(*ssa.Phi); ok {
		return p.Comment
	}
	for _, r := range *refs {
		if d, ok := r.(*ssa.DebugRef); ok && d.Object() != nil {
			return d.Object().Name()
		}
	}
	return ""
}

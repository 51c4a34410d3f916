package state

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A Target is what a call calls: a function with a body, or an operation.
type Target struct {
	Fn       *ssa.Function
	Op       *program.Operation
	Bindings [][]*sym.Expr
	Args     [][]*sym.Expr // one for each parameter, the receiver first
	Pos      token.Pos     // of the method value, if the call goes through one
}

// Name names what a goroutine calls, to tell apart the goroutines that one statement
// starts.
func (tgt Target) Name() string {
	switch {
	case tgt.Fn != nil:
		return tgt.Fn.String() + fmt.Sprint(tgt.Fn.Pos())
	case tgt.Op != nil:
		return tgt.Op.Name
	}
	return "op"
}

// CallPath is a call path inside a goroutine.
type CallPath struct {
	ID       int
	Template *Template
	Parent   *CallPath
	Site     ssa.Instruction
	Nth      int
	Fn       *ssa.Function
	What     string // of operations that are not functions with bodies
	InLoop   bool
	depth    int
}

// A callKey names a call path in a template.
type callKey struct {
	parent          int
	pos             token.Pos // of the call
	block, idx, nth int
	fn, what        string
}

// Frame is one activation on the stack of a goroutine. Frames are copied
// before they are changed.
type Frame struct {
	Call   *CallPath
	Block  *ssa.BasicBlock // nil in operations
	Idx    int
	Op     *program.Operation // the operation, nil in functions
	Target Target             // the operation's target
	Phase  int                // how far the operation is

	Defers     []DeferKey
	Running    bool // its deferred calls run, since it returns
	Over       bool // its body is over: what is left are functions registered by Cleanup
	Unwind     *Unwind
	Deferred   bool     // this is a deferred call of the frame below
	Passed     sites.ID // the statement whose guard was passed
	Guess      bool     // the operation is reached by a free choice of the model
	Iterations []int    // how often each loop of the function has begun again since it was entered
}

// NextIteration counts that a loop begins again.
func (f *Frame) NextIteration(in *program.Function, header *ssa.BasicBlock) {
	f.Iterations = slices.Clone(f.Iterations)
	for len(f.Iterations) < len(in.Func.Blocks) {
		f.Iterations = append(f.Iterations, 0)
	}
	f.Iterations[header.Index]++
	in.Arrange()
	for _, b := range in.Func.Blocks { // the loops inside begin anew
		if h := b.Index; h != header.Index && slices.Contains(in.Loops[h], header.Index) && slices.Contains(in.Loops[h], h) {
			f.Iterations[h] = 0
		}
	}
}

// Iteration is how often a loop has begun again.
func (f *Frame) Iteration(header int) int {
	if header < len(f.Iterations) {
		return f.Iterations[header]
	}
	return 0
}

// Unwinds has a frame unwind. A panic of a call that Goexit has a deferred function make does
// not end that.
func (f *Frame) Unwinds(u *Unwind) {
	if f.Unwind != nil && (f.Unwind.Goexit || f.Unwind.Exits) && !u.Goexit {
		v := *u
		v.Exits = true
		u = &v
	}
	f.Unwind = u
	f.Running = false
}

// Unwind is a panic or Goexit on its way up.
type Unwind struct {
	Goexit    bool
	Recovered bool
	// Exits: it is the panic of a call that runtime.Goexit has deferred functions make, which
	// goes on when it is recovered from.
	Exits  bool
	Kind   string // artifact.Kind*
	Site   sites.ID
	Pos    token.Pos
	Detail string
}

func (u *Unwind) key() string {
	if u == nil {
		return ""
	}
	return fmt.Sprintf("!%t%t%t%s%d.%d%s", u.Goexit, u.Recovered, u.Exits, u.Kind, u.Site, u.Pos, u.Detail)
}

// Call returns the call path of a template, made on first use. name is one that no other function
// has.
func (t *Template) Call(c CallPath, name string) *CallPath {
	key := callKey{parent: -1, block: -1, idx: -1, nth: c.Nth, fn: name, what: c.What}
	if c.Parent != nil {
		key.parent, c.InLoop, c.depth = c.Parent.ID, c.InLoop || c.Parent.InLoop, c.Parent.depth+1
	}
	if c.Site != nil {
		key.pos, key.block = c.Site.Pos(), c.Site.Block().Index
		key.idx = slices.Index(c.Site.Block().Instrs, c.Site)
	}
	if known := t.Calls[key]; known != nil {
		return known
	}
	made := c // only those that are new are allocated
	made.ID, made.Template = len(t.Calls), t
	t.Calls[key] = &made
	return &made
}

// ControlKey names the control state of a stack.
func ControlKey(frames []*Frame) string { return string(AppendControl(nil, frames)) }

// AppendControl appends the name of the control state of a stack.
func AppendControl(b []byte, frames []*Frame) []byte {
	add := func(sep byte, k int) { b = strconv.AppendInt(append(b, sep), int64(k), 10) }
	for _, f := range frames {
		bi := -1
		if f.Block != nil {
			bi = f.Block.Index
		}
		add('/', f.Call.ID)
		add(':', bi)
		add('.', f.Idx)
		add('.', f.Phase)
		for _, d := range f.Defers {
			if d.Context {
				b = append(b, 'c')
				continue
			}
			if d.Join {
				b = append(b, 'j')
				continue
			}
			add('d', int(d.Instr.Pos()))
			add('.', d.Instr.Block().Index)
			add('.', d.Nth)
		}
		if f.Running {
			b = append(b, 'r')
		}
		if f.Over {
			b = append(b, 'o')
		}
		if f.Guess {
			b = append(b, 'g')
		}
		if f.Deferred {
			b = append(b, 'D')
		}
		if f.Passed != 0 {
			add('p', int(f.Passed))
		}
		if f.Unwind != nil {
			b = append(b, f.Unwind.key()...)
		}
	}
	return b
}

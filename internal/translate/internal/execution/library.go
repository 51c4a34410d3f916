package execution

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// An operation is a function of the library, or a builtin, whose effect the model knows. On the
// stack of a goroutine it is a frame without a body, so that it can be called, deferred, started
// and passed around like any other. What it does is kept beside it, so that stacks are data.

// A Run does something of the operation on top of the stack, in the phase of its frame. It reports whether
// the path goes on; then the same operation is executed again if it is still on top, so that a Run that
// does not end the operation has set another phase.
type Run func(x *Executor, p *exploration.Path) bool

// Library is what is known of functions that are not executed from their source: the operations,
// and what else the library does to a program.
type Library struct {
	// Known are the operations of the library, by their full names.
	Known map[string]*program.Operation
	// Testing are those of testing.T and its like, by the names of the methods.
	Testing map[string]*program.Operation
	// Builtins are the builtins that are operations, by their names.
	Builtins map[string]*program.Operation
	// Methods are the methods that values of the library have, by the types that stand for
	// theirs. Of those that are nil nothing else is known.
	Methods map[types.Type]map[string]*program.Operation

	// Made completes a target by a function that the library has made. off is where in the
	// object o it points, addr the whole address.
	Made func(tgt state.Target, o *state.Object, off int32, addr *sym.Expr) (state.Target, bool)
	// Begin has a test function do what the library does at its end. It is on top of the stack.
	Begin func(p *exploration.Path)
	// Deferred does what the library has deferred in the innermost frame.
	Deferred func(x *Executor, p *exploration.Path, d state.DeferKey) bool
	// Misuse continues with the panic of a function of the library that is misused; false if it
	// has taken over the path.
	Misuse func(x *Executor, p *exploration.Path, call *ssa.Call) bool
	// Assert executes an assertion: it ends the test, or goes on with pass.
	Assert func(x *Executor, p *exploration.Path, site *ssa.Call, a *program.Assertion, pass func(q *exploration.Path) bool) bool
	// Late adds what happens by itself, when all that goroutines do has been executed. It reports
	// whether there is something to do then.
	Late func(x *Executor) bool

	// runs execute operations from the phase of their frames on: 1 at first, as they set it afterwards.
	runs map[*program.Operation]Run
	// unwinds are called when a panic, or a Goexit, passes through an operation.
	unwinds map[*program.Operation]Run
}

// NewLibrary knows nothing of the library yet, but only the operations that some calls are made of.
func NewLibrary() *Library {
	const many = 256 // operations of the library
	l := &Library{
		Known: make(map[string]*program.Operation, many), Testing: map[string]*program.Operation{},
		Builtins: map[string]*program.Operation{}, Methods: map[types.Type]map[string]*program.Operation{},
		runs: make(map[*program.Operation]Run, many), unwinds: map[*program.Operation]Run{},
	}
	l.Does(callsBack, callBack)
	l.Does(nilBody, callNil)
	return l
}

// Does says what executes an operation.
func (l *Library) Does(op *program.Operation, run Run) { l.runs[op] = run }

// WhenUnwound says what is called when an operation is unwound.
func (l *Library) WhenUnwound(op *program.Operation, run Run) { l.unwinds[op] = run }

// Add makes an operation that is executed by run.
func (l *Library) Add(op program.Operation, run Run) *program.Operation {
	l.Does(&op, run)
	return &op
}

// Operation returns what the model knows of a function without body. The methods of testing.T, B, F and
// what they embed are known by their names alone.
func (l *Library) Operation(f *ssa.Function) *program.Operation {
	if f == nil || f.Blocks != nil {
		return nil
	}
	name := program.FullName(f)
	if op := l.Known[name]; op != nil || !strings.HasPrefix(name, "(*testing.") {
		return op
	}
	return l.Testing[name[strings.LastIndexByte(name, '.')+1:]]
}

package translate

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/translate/internal/program"
)

// An operation is a function of the library, or a builtin, whose effect the model knows. On the
// stack of a goroutine it is a frame without a body, so that it can be called, deferred, started
// and passed around like any other. What it does is kept beside it, so that stacks are data.

// An execution does something of the operation on top of the stack. It reports whether the path goes
// on.
type execution func(x *translator, p *path) bool

var (
	// runs execute operations from f.phase on: 1 at first, as they set it afterwards.
	runs = map[*program.Operation]execution{}
	// unwinds are called when a panic, or a Goexit, passes through an operation.
	unwinds = map[*program.Operation]execution{}
)

// operation is an operation that is executed by run, or by what runs is given later where run uses
// the operation itself.
func operation(op program.Operation, run execution) *program.Operation {
	return unwinding(op, run, nil)
}

// unwinding is an operation that ends otherwise when it is unwound.
func unwinding(op program.Operation, run, unwound execution) *program.Operation {
	if run != nil {
		runs[&op] = run
	}
	if unwound != nil {
		unwinds[&op] = unwound
	}
	return &op
}

// operationOf returns what the model knows of a function without body.
func operationOf(f *ssa.Function) *program.Operation {
	if f == nil || f.Blocks != nil {
		return nil
	}
	name := program.FullName(f)
	if op := known[name]; op != nil {
		return op
	}
	return testingOperation(name)
}

var (
	// known are the operations of the library, by their full names.
	known    map[string]*program.Operation
	builtins map[string]*program.Operation
	// libraryMethods are the methods that values of the library have, by the types that stand for
	// theirs. Of those that are nil nothing else is known.
	libraryMethods = map[types.Type]map[string]*program.Operation{}
)

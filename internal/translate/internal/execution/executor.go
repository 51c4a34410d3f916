package execution

import (
	"context"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
)

// An Executor executes instructions: what they do to the paths of an explorer.
type Executor struct {
	*exploration.Explorer
	library    *Library
	methods    map[methodKey]*ssa.Function // what interfaces call, as far as it has been looked up
	capacities map[string]bool             // the types of elements of which capacities are seen, see package growth
}

// New makes an executor of a program.
func New(ctx context.Context, l *Library, p *program.Program, sl *relevance.Slice, idx *sites.Index, opts exploration.Options, taken *exploration.Assumptions) *Executor {
	x := &Executor{library: l, methods: map[methodKey]*ssa.Function{}}
	x.Explorer = exploration.New(ctx, p, sl, idx, x, opts, taken)
	return x
}

// Begin has a test function, on top of the stack, do at its end what the library does there.
func (x *Executor) Begin(p *exploration.Path) { x.library.Begin(p) }

// Late adds what the library does by itself, as the cause that a context has when its deadline passes. It
// is called when the queue of locations is empty, and reports whether there is something to do then.
func (x *Executor) Late() bool { return x.library.Late(x) }

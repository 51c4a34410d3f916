package translate

import (
	"context"

	"github.com/vtrace/vtrace/translate/internal/exploration"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/relevance"
)

// An executor executes the segments of a program.
type executor struct {
	*exploration.Explorer
	library    *Library
	methods    map[methodKey]*ssa.Function
	capacities map[string]bool // the types of elements of which capacities are seen, see package growth
}

// newExecutor makes an executor of a program.
func newExecutor(ctx context.Context, l *Library, p *program.Program, sl *relevance.Slice, idx *sites.Index, opts exploration.Options, taken *exploration.Assumptions) *executor {
	x := &executor{library: l, methods: map[methodKey]*ssa.Function{}}
	x.Explorer = exploration.New(ctx, p, sl, idx, x, opts, taken)
	return x
}

// Begin has a test function do at its end what the library does there.
func (x *executor) Begin(p *exploration.Path) { x.library.Begin(p) }

// Late adds what the library does by itself.
func (x *executor) Late() bool { return x.library.Late(x) }

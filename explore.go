package vtrace

import (
	"context"

	passes "github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/pass"
)

// Explored is what random runs of a program have shown.
type Explored = pass.Explored

// Explore runs a program under random schedules, which WithStrategy says how to choose, without searching
// a model: in one process, as long as its runs leave nothing behind. The seeds are seed and
// those after it. Errors that it finds are replayed in a process of their own.
func Explore(ctx context.Context, src Source, runs int, seed uint64, opts ...Option) (*Explored, error) {
	return passes.Explore(ctx, src.spec, runs, seed, options(opts))
}

// Exhaustion says how Exhaust explores a program, and Exhausted what that has shown.
type (
	Exhaustion = pass.Exhaustion
	Exhausted  = pass.Exhausted
)

// Bounding is for Exhaustion.Bounding: programs that have too many schedules are run with
// few preemptions first.
type Bounding = pass.Bounding

// AllPreemptions is for Bounding.Last: there is no last bound.
const AllPreemptions = pass.AllPreemptions

// Exhaust runs a program under every schedule that is not equivalent to another one: two
// are equivalent if they differ only in the order of steps that do not depend on each
// other. If Exhausted.Proved reports it, the program has no other behaviour, for its
// input, than what was seen. Otherwise Exhausted.Rest is where to go on from, for
// Exhaustion.Frontier: the result of that is the sum of both. If ctx ends, the result is
// what is known by then, and the error says so.
//
// Time passes only when nothing else can happen, but as often as Exhaustion.Stalls says.
func Exhaust(ctx context.Context, src Source, how Exhaustion, opts ...Option) (*Exhausted, error) {
	return passes.Exhaust(ctx, src.spec, how, options(opts))
}

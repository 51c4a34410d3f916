package vtrace

import (
	"context"

	passes "github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/pass"
)

// Explore runs a program under random schedules, which WithStrategy says how to choose, without searching
// a model: in one process, as long as its runs leave nothing behind. The seeds are seed and
// those after it. Errors that it finds are replayed in a process of their own.
func Explore(ctx context.Context, src Source, runs int, seed uint64, opts ...Option) (*pass.Explored, error) {
	return passes.Explore(ctx, src.spec, runs, seed, options(opts))
}

// Exhaust runs a program under every schedule that is not equivalent to another one: two
// are equivalent if they differ only in the order of steps that do not depend on each
// other. If Exhausted.Proved reports it, the program has no other behaviour, for its
// input, than what was seen. Otherwise Exhausted.Rest is where to go on from, for
// Exhaustion.Frontier: the result of that is the sum of both. If ctx ends, the result is
// what is known by then, and the error says so.
//
// Time passes only when nothing else can happen, but as often as Exhaustion.Stalls says.
func Exhaust(ctx context.Context, src Source, how pass.Exhaustion, opts ...Option) (*pass.Exhausted, error) {
	return passes.Exhaust(ctx, src.spec, how, options(opts))
}

package vtrace

import (
	"context"

	"github.com/vtrace/vtrace/pass"
)

// Explored is what random runs of a program have shown.
type Explored = pass.Explored

// Explore runs a program under random schedules, without searching a model: in
// one process, as long as its runs leave nothing behind. The seeds are seed and
// those after it. Errors that it finds are replayed in a process of their own.
func Explore(ctx context.Context, src Source, runs int, seed uint64, opts ...Option) (*Explored, error) {
	return pass.Explore(ctx, src.spec, runs, seed, options(opts))
}

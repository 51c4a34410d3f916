package vtrace

import (
	"context"

	passes "github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/pass"
)

// Record runs a program once, free: in real time, with its goroutines in parallel, and nobody who
// decides which goes on. What they do is written to Recording.To, in the form that
// ReadRecording reads, however the program ends: also by a deadlock, a panic, or when it is killed. That it fails
// is no error. When ctx ends, the program is ended.
//
// With Recording.Seed the program runs under control instead, as in the run of Explore that has this seed and strategy. The
// recording is of the same form.
//
// Of the options, Args, Sandbox and Progress are used; with a seed also WithStrategy and those of the translation, which
// says where goroutines are switched.
func Record(ctx context.Context, src Source, how pass.Recording, opts ...Option) (*pass.Recorded, error) {
	return passes.Record(ctx, src.spec, how, options(opts))
}

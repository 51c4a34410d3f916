package translate

import (
	"go/token"
	"sort"

	"github.com/hashicorp/go-multierror"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/emission"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/library"
	"github.com/vtrace/vtrace/internal/translate/internal/omissions"
)

// A translation is one attempt at a model.
type translation struct {
	*execution.Executor
	options Options
}

// err is what cannot be translated, nil if that is nothing.
func (x *translation) err() error {
	var errs *multierror.Error
	for _, r := range x.Refusals {
		e := UnsupportedError(r)
		errs = multierror.Append(errs, &e)
	}
	return errs.ErrorOrNil()
}

// emit makes the network.
func (x *translation) emit() (*Model, error) {
	if err := x.AddEdges(); err != nil {
		return nil, err
	}
	if x.TooLarge {
		return nil, x.err()
	}
	left := omissions.New(x.Program, x.Slice, x.Endings(), func(pos token.Pos, kind, direction, reason string) {
		x.Approximation(pos, kind, direction, reason)
	})
	left.Calls()
	x.NoteCompletions()
	left.TestMain()
	x.MissingPanics()
	left.Loops()
	x.QueueOrder()
	if err := x.err(); err != nil && (!x.options.Continue || x.TooLarge) {
		return nil, err
	}
	for _, t := range x.Templates {
		t.Subtest = len(t.Start) > 0 && t.Start[0].Op.StartedBy(sites.Subtest)
	}
	x.Initialise()
	in := x.emissionInput()
	if err := x.err(); err != nil && !x.options.Continue {
		return nil, err // of what is known only now
	}
	out, err := emission.Emit(in)
	if err != nil {
		return nil, err
	}
	x.Written = out.Written
	x.Approx = out.Sidecar.Approximations
	m := &Model{Network: out.Network, Queries: out.Queries, formulas: out.Formulas, Sidecar: out.Sidecar}
	if x.options.At != nil {
		at, shown := x.Reached()
		m.Sidecar.Bounds, m.bounded = &at, shown
	}
	if err := x.err(); err != nil && !x.options.Continue {
		return nil, err
	}
	m.Sidecar.Approximations = x.Approx
	if x.options.Proto {
		m.Reveal()
	}
	return m, nil
}

// emissionInput is the finished state, with what is to be said of the model.
func (x *translation) emissionInput() *emission.Input {
	in := &emission.Input{
		Program: x.Program, Sites: x.Sites, Annotated: x.Slice.Annotated,
		Templates: x.Templates, Memory: x.Memory, Time: library.TimeSteps(x.Executor),
		Bounds: x.InOrder(), Limited: x.Limited,
		Proto: x.options.Proto, Hash: x.options.Hash, Portable: x.options.Portable, Categories: x.options.Categories,
	}
	for s := range x.Access {
		in.Accesses = append(in.Accesses, int(s))
	}
	sort.Ints(in.Accesses)
	in.Approximations, in.Conditional = x.Approx, x.Conditional()
	return in
}

// Reveal makes the guards of a Source model visible, as Options.Proto does: the
// two models differ in nothing else, but for the hash of Options.Hash.
func (m *Model) Reveal() { emission.Reveal(m.Network, &m.Sidecar) }

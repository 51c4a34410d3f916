package translate

import (
	"go/token"
	"sort"

	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/emission"
	"github.com/vtrace/vtrace/translate/internal/omissions"
)

// A translation is one attempt at a model.
type translation struct {
	*executor
	options Options
}

// emit makes the network.
func (x *translation) emit() (*Model, error) {
	if err := x.addEdges(); err != nil || x.tooLarge {
		return nil, err
	}
	left := omissions.New(x.prog, x.sl, x.endings(), func(pos token.Pos, kind, direction, reason string) {
		x.approximation(pos, kind, direction, reason)
	})
	left.Calls()
	x.noteCompletions()
	left.TestMain()
	x.missingPanics()
	left.Loops()
	x.queueOrder()
	if err := x.errs.ErrorOrNil(); err != nil && (!x.options.Continue || x.tooLarge) {
		return nil, err
	}
	for _, t := range x.templates {
		t.Subtest = len(t.Start) > 0 && t.Start[0].Op.StartedBy(sites.Subtest)
	}
	x.initialise()
	in := x.emissionInput()
	if err := x.errs.ErrorOrNil(); err != nil && !x.options.Continue {
		return nil, err // of what is known only now
	}
	out, err := emission.Emit(in)
	if err != nil {
		return nil, err
	}
	x.written = out.Written
	x.approx = out.Sidecar.Approximations
	m := &Model{Network: out.Network, Queries: out.Queries, Sidecar: out.Sidecar}
	if x.options.At != nil {
		at, shown := x.reached()
		m.Sidecar.Bounds, m.bounded = &at, shown
	}
	if err := x.errs.ErrorOrNil(); err != nil && !x.options.Continue {
		return nil, err
	}
	m.Sidecar.Approximations = x.approx
	if x.options.Proto {
		m.Reveal()
	}
	return m, nil
}

// emissionInput is the finished state, with what is to be said of the model.
func (x *translation) emissionInput() *emission.Input {
	in := &emission.Input{
		Program: x.prog, Sites: x.idx, Annotated: x.sl.Annotated,
		Templates: x.templates, Memory: x.mem, Time: timeSteps(x.executor),
		Bounds: x.inOrder(), Limited: x.limited,
		Proto: x.options.Proto, Hash: x.options.Hash, Portable: x.options.Portable, Categories: x.options.Categories,
	}
	for s := range x.access {
		in.Accesses = append(in.Accesses, int(s))
	}
	sort.Ints(in.Accesses)
	in.Approximations, in.Conditional = x.approx, x.conditional()
	return in
}

// Reveal makes the guards of a Source model visible, as Options.Proto does: the
// two models differ in nothing else, but for the hash of Options.Hash.
func (m *Model) Reveal() { emission.Reveal(m.Network, &m.Sidecar) }

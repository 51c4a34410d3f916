package translate

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"sort"

	"github.com/vtrace/vtrace/artifact"
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
	x.emitting = true
	x.work, x.parts = 0, 0
	x.approx, x.approxAt = nil, map[string]int{}
	if x.start != nil {
		for _, r := range x.start.early {
			x.plainly[x.approximation(r.pos, r.kind, r.direction, r.reason)] = true
		}
	}
	if x.options.Continue && x.errs != nil {
		x.leaveOut()
	}
	for i := 0; i < len(x.templates); i++ {
		t := x.templates[i]
		for j := 0; j < len(t.Locations); j++ {
			if t.Locations[j].Seen {
				x.leave(t.Locations[j])
			}
			if err := x.ctx.Err(); err != nil {
				return nil, err
			}
			if x.tooLarge {
				return nil, x.errs.ErrorOrNil()
			}
		}
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
	x.noteBounds(m)
	if err := x.errs.ErrorOrNil(); err != nil && !x.options.Continue {
		return nil, err
	}
	m.Sidecar.Approximations = x.approx
	if x.options.Proto {
		m.Reveal()
	}
	return m, nil
}

// initialise sets what the variables of the entry hold where it begins, if the first segment was
// executed beforehand.
func (x *translation) initialise() {
	if x.start == nil {
		return
	}
	t := x.templates[0]
	for i, lv := range t.First.Live {
		if !x.mem.Holds(lv, t.First.In[i]) {
			continue
		}
		if v := x.start.liveExpr(lv); v.IsConst() {
			t.Inits[lv.Variable] = v.K
		} else if t.First.Lost[i] {
			t.Inits[lv.Variable] = t.First.In[i].Hi
		}
	}
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
	in.Approximations = x.approx
	for i := range x.approx {
		if x.beyond[i] && !x.plainly[i] {
			in.Conditional = append(in.Conditional, i)
		}
	}
	return in
}

// Reveal makes the guards of a Source model visible, as Options.Proto does: the
// two models differ in nothing else, but for the hash of Options.Hash.
func (m *Model) Reveal() { emission.Reveal(m.Network, &m.Sidecar) }

// missingPanics records the panics that are not in the model, all as one.
func (x *translation) missingPanics() {
	if len(x.faults) == 0 {
		return
	}
	at := slices.SortedFunc(maps.Keys(x.faults), func(p, q token.Pos) int {
		a, b := x.position(p), x.position(q)
		return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	reason := "the values are not tracked: a panic here (" + x.faults[at[0]] + "), which would be recovered, is not in the model"
	if n := len(at) - 1; n > 0 {
		reason += fmt.Sprintf("; nor are those of %d more places, the next at %s:%d", n, filepath.Base(x.position(at[1]).Filename), x.position(at[1]).Line)
	}
	x.approximation(at[0], "runtime-panic", artifact.DirectionUnder, reason)
}

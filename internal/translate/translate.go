package translate

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"runtime/debug"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/library"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Options direct a translation. The zero value is good.
type Options struct {
	// Categories are the query categories to generate; nil means all.
	Categories []string
	// Proto makes the guards visible: every edge that passes one carries the
	// comment "guard <number> <kind> <file:line>".
	Proto bool
	// Hash makes each guarded edge of a Proto model update the hash of the path.
	Hash bool
	// Strict makes every approximation an error.
	Strict bool
	// Portable asks only what UPPAAL and Spin can answer, too: the atom stuck(P) becomes
	// deadlock, and what cannot be asked so is left out, which approximations of the kind
	// "portable" say. The model has no monitors then, and so no priorities.
	Portable bool
	// Continue leaves out what cannot be translated, and records it as an
	// approximation, instead of failing.
	Continue bool

	Bounds
	// At are the bounds of an earlier model of the program, where they are smaller
	// than asked for: the model is made with these.
	At *artifact.Bounds
	// Cost is where the translation is given up, with ErrTooLarge; 0 is nowhere.
	Cost int
	// Dump, if not nil, gets the text of a stage.
	Dump *Dump
}

// Bounds limit the pools of a model. Zero means the default, for objects, slices,
// entries and recursion less where the model would be too large, which is recorded
// in the sidecar. A bound that a program exceeds ends that path of the model, and a
// query says so.
type Bounds = artifact.ModelBounds

func (o Options) withDefaults() Options {
	def := func(p *int, v int) {
		if *p <= 0 {
			*p = v
		}
	}
	def(&o.Slots, 8)
	def(&o.Objects, 8)
	def(&o.Recursion, 3)
	def(&o.Defers, 4)
	def(&o.BufferValues, 8)
	def(&o.Slice, 8)
	def(&o.Entries, 4)
	def(&o.Counter, 32)
	def(&o.Numbers, 3)
	return o
}

// settings are the options that direct the search.
func (o Options) settings() exploration.Options {
	return exploration.Options{ModelBounds: o.withDefaults().Bounds, Asked: o.Asked(), At: o.At, Cost: o.Cost, Strict: o.Strict, Continue: o.Continue}
}

// Model is a network with what accompanies it.
type Model struct {
	Network *uppaal.Network
	Queries []artifact.Query
	Sidecar artifact.Sidecar
	// Cost is what the translation has cost, in the unit of Options.Cost.
	Cost int

	formulas []*uppaal.Query // of all queries, by number
	bounded  []*state.Bound  // those in the sidecar that a path reaches
}

// Formula is the formula of a query, which may be changed.
func (m *Model) Formula(q artifact.Query) *uppaal.Query { return m.formulas[q.Number-1].Clone() }

// UnsupportedError is a construct that cannot be translated.
type UnsupportedError struct {
	Pos    token.Position // file relative to the module root
	What   string
	Reason string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s: %s not supported: %s", e.Pos, e.What, e.Reason)
}

// InternalError is a broken invariant of the translator: its own defect, not one
// of the program.
type InternalError struct {
	Entry string // of the program that showed it
	What  any    // what was thrown
	Stack []byte
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("%s: the translator failed, please report it: %v", e.Entry, e.What)
}

// maxRestarts bounds how often the analysis starts again with more guards.
const maxRestarts = 24

// Translate makes the model of a program. idx are the sites of its packages.
func Translate(ctx context.Context, prog *source.Program, idx *sites.Index, opts Options) (*Model, error) {
	p, err := Prepare(ctx, prog, idx)
	if err != nil {
		return nil, err
	}
	return p.Translate(ctx, opts)
}

// Prepared is a program of which models can be made, one after the other.
type Prepared struct {
	library *execution.Library
	program *program.Program
	slice   *relevance.Slice
	sites   *sites.Index
}

// caught makes an InternalError of what is thrown.
func caught(prog *source.Program, err *error) {
	if r := recover(); r != nil {
		*err = &InternalError{prog.Spec.Entry, r, debug.Stack()}
	}
}

// Prepare does what is the same for all models of a program, which are completed by
// what runs have shown.
func Prepare(ctx context.Context, prog *source.Program, idx *sites.Index, completions ...artifact.Completion) (_ *Prepared, err error) {
	defer caught(prog, &err)
	l := library.New()
	p, err := program.Build(ctx, prog, l.Operation, completions)
	if err != nil {
		return nil, err
	}
	return &Prepared{l, p, relevance.New(p), idx}, nil
}

// SSA is the SSA form of the program.
func (p *Prepared) SSA() *ssa.Program { return p.program.SSA }

// Translate makes a model. Where it would be too large with the bounds asked for,
// and Options.At gives no others, it is made with the least ones.
func (p *Prepared) Translate(ctx context.Context, opts Options) (m *Model, err error) {
	defer caught(p.program.Source, &err)
	opts.Dump.begins(p)
	if opts.At != nil {
		return p.attempt(ctx, opts)
	}
	first := opts
	if first.Cost <= 0 || firstCost < first.Cost {
		first.Cost = firstCost
	}
	if m, err = p.attempt(ctx, first); !errors.Is(err, ErrTooLarge) {
		return m, err
	}
	lowest := opts.Least()
	opts.At = &lowest
	return p.attempt(ctx, opts)
}

// attempt makes a model with the bounds that are given: it solves, and emits what it has found.
func (p *Prepared) attempt(ctx context.Context, opts Options) (*Model, error) {
	x, cost, err := p.solve(ctx, opts)
	if err != nil {
		return nil, err
	}
	m, err := x.emit()
	if x.TooLarge && x.LimitedCost() {
		return nil, ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	m.Cost = cost + x.Work + x.Written/100
	if opts.At != nil && opts.Cost > 0 && m.Cost > opts.Cost {
		return nil, ErrTooLarge
	}
	return m, nil
}

// solve finds the solution under assumptions that nothing in it disproves, and what that has cost.
func (p *Prepared) solve(ctx context.Context, opts Options) (x *translation, cost int, err error) {
	taken := exploration.NewAssumptions()
	for restarts, nth := 0, 1; restarts < maxRestarts; nth++ {
		opts.Dump.attempts(p, taken, nth)
		x = &translation{execution.New(ctx, p.library, p.program, p.slice, p.sites, opts.settings(), taken), opts}
		x.Budget = opts.Cost - cost
		x.GuardSpins()
		x.PlaceAnnotations()
		x.Solve()
		opts.Dump.solves(x.Explorer)
		cost += x.Cost()
		if err := ctx.Err(); err != nil {
			return nil, cost, err
		}
		if x.TooLarge {
			if x.LimitedCost() {
				return nil, cost, ErrTooLarge
			}
			return nil, cost, x.err()
		}
		taken.Comparing = taken.Comparing || x.Comparable
		if x.PlainNeeded && !taken.Plain {
			taken.Plain = true
			continue
		}
		if x.Again {
			continue // see assumptions
		}
		restarts++
		// What segments have shown before they were split stays in the model of a part, which may be coarser.
		if x.FindShared() || x.NewSplits && !x.Cut() {
			continue
		}
		if err := x.err(); err != nil && !opts.Continue {
			return nil, cost, err
		}
		return x, cost, nil
	}
	return nil, cost, fmt.Errorf("%s: the set of shared statements does not settle", p.program.Source.Spec.Pattern)
}

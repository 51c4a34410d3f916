package translate

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"runtime/debug"
	"slices"
	"sort"

	"github.com/hashicorp/go-multierror"
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/source"
	"github.com/vtrace/vtrace/translate/internal/layout"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/relevance"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
	"github.com/vtrace/vtrace/translate/internal/termination"
	"github.com/vtrace/vtrace/uppaal"
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
	def(&o.Entries, mapEntries)
	def(&o.Counter, 32)
	def(&o.Numbers, 3)
	return o
}

// Model is a network with what accompanies it.
type Model struct {
	Network *uppaal.Network
	Queries []artifact.Query
	Sidecar artifact.Sidecar
	// Cost is what the translation has cost, in the unit of Options.Cost.
	Cost int

	bounded []*state.Bound // those in the sidecar that a path reaches
}

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
	library *Library
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
	l := libraryOf()
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

// attempt makes a model with the bounds that are given.
func (p *Prepared) attempt(ctx context.Context, opts Options) (*Model, error) {
	taken := newAssumptions()
	cost := 0
	for restarts := 0; restarts < maxRestarts; {
		x := newTranslator(ctx, p.library, p.program, p.slice, p.sites, opts, taken)
		x.budget = opts.Cost - cost
		x.guardSpins()
		x.placeAnnotations()
		x.solve()
		cost += x.cost()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if x.tooLarge {
			if x.limitedCost() {
				return nil, ErrTooLarge
			}
			return nil, x.errs.ErrorOrNil()
		}
		taken.comparing = taken.comparing || x.comparable
		if x.plainNeeded && !taken.plain {
			taken.plain = true
			continue
		}
		if x.again {
			continue // see assumptions
		}
		restarts++
		if x.findShared() || x.newSplits {
			continue
		}
		if err := x.errs.ErrorOrNil(); err != nil && !opts.Continue {
			return nil, err
		}
		m, err := x.emit()
		if x.tooLarge && x.limitedCost() {
			return nil, ErrTooLarge
		}
		if err != nil {
			return nil, err
		}
		m.Cost = cost + x.work + x.written/100
		if opts.At != nil && opts.Cost > 0 && m.Cost > opts.Cost {
			return nil, ErrTooLarge
		}
		return m, nil
	}
	return nil, fmt.Errorf("%s: the set of shared statements does not settle", p.program.Source.Spec.Pattern)
}

// translator is the state of one attempt.
type translator struct {
	*layout.Layout
	*assumptions
	disproved
	programFacts
	worklist
	timeline
	observed
	beginning
	bounding
	effort
	account

	library   *Library
	ctx       context.Context
	prog      *program.Program
	sl        *relevance.Slice
	idx       *sites.Index
	opts      Options
	mem       *state.Memory
	templates []*state.Template
	byKey     map[string]*state.Template // of templates
	emitting  bool                       // the segments are executed again, for the model
}

// programFacts are what follows from the program alone, made when somebody asks for it.
type programFacts struct {
	capacities map[string]bool    // the types of elements of which capacities are seen, see package growth
	loops      *termination.Loops // how often loops turn
	methods    map[methodKey]*ssa.Function
	names      map[*ssa.Function]string // that nothing else has
}

// worklist is what is left to be executed, until there is nothing new.
type worklist struct {
	queue   []*state.Location
	stack   []*path
	meeting map[string][]envKey     // what is live where ways meet
	parked  []*path                 // these wait for others where ways meet, see meet.go
	left    map[int32]sym.Set       // in memory by a path that arrives
	ways    map[*state.Location]int // by where they began
}

// timeline is what has deadlines, what can be cancelled, and who looks at that.
type timeline struct {
	untimely map[sites.ID][]*state.Object // statements, and what they look at or set that the passing of time changes, see timer.go
	contexts []*state.Object
	cancels  []*state.Location // where segments cancel some
	// events are what has deadlines, by their numbers, and precedes the cells that say
	// for two of them which comes first, see deadline.go.
	events   []*state.Event
	eventsOf map[*state.Object]*state.Event
	sleeps   map[*state.Template]*state.Event
	precedes map[[2]int]*state.Cell
	several  bool // there are other deadlines, of which each can be several
}

// observed is what the segments executed so far have shown of the program.
type observed struct {
	notified map[*state.Object]bool // by signal.Notify
	inside   map[sites.ID]bool      // statements in the middle of which guards are passed
	signals  map[int32]bool         // locks that are released by others than hold them
	initial  int                    // objects made before the start
	unrolled int                    // locations of turns of loops, see unroll.go
}

// beginning is the first segment, which is executed beforehand if that leads to one place.
type beginning struct {
	begin    func() *path // the path that starts the program
	start    *path        // the first segment, if it was executed beforehand
	prefix   []arrival    // where it ends, while it is executed
	inPrefix bool
}

// bounding is how large a model may be, by its places.
type bounding struct {
	asked   artifact.Bounds
	given   map[artifact.Place]artifact.PlaceBound // in opts.At
	bounded map[artifact.Place]*state.Bound
}

// effort counts what an attempt has cost.
type effort struct {
	budget   int    // of cost, if that is limited
	epochs   uint64 // of paths, see path.eval
	evals    int    // expressions evaluated
	steps    int    // instructions executed
	written  int    // expressions of the model
	work     int    // paths executed
	parts    int    // of the expressions of the edges
	tooLarge bool   // work or parts are beyond their limit
}

// account is what is to be said of the model: where it is not exact, and why there is none.
type account struct {
	approx   []artifact.Approximation
	approxAt map[string]int
	// beyond and plainly are the approximations of ways on which a number is beyond
	// its limits, and of others; limited are the cells that are asked.
	beyond, plainly map[int]bool
	limited         map[*state.Cell]bool
	faults          map[token.Pos]string // panics that are not in the model
	errs            *multierror.Error
	errSeen         map[string]bool
}

type arrival struct {
	p   *path
	loc *state.Location
}

func newTranslator(ctx context.Context, l *Library, p *program.Program, sl *relevance.Slice, idx *sites.Index, opts Options, taken *assumptions) *translator {
	x := &translator{
		assumptions: taken,
		programFacts: programFacts{
			methods: map[methodKey]*ssa.Function{}, names: map[*ssa.Function]string{},
		},
		worklist: worklist{meeting: map[string][]envKey{}, left: map[int32]sym.Set{}, ways: map[*state.Location]int{}},
		timeline: timeline{
			untimely: map[sites.ID][]*state.Object{}, eventsOf: map[*state.Object]*state.Event{}, sleeps: map[*state.Template]*state.Event{}, precedes: map[[2]int]*state.Cell{},
		},
		observed: observed{notified: map[*state.Object]bool{}, inside: map[sites.ID]bool{}, signals: map[int32]bool{}},
		bounding: bounding{asked: opts.Asked(), given: map[artifact.Place]artifact.PlaceBound{}, bounded: map[artifact.Place]*state.Bound{}},
		account: account{
			approxAt: map[string]int{}, beyond: map[int]bool{}, plainly: map[int]bool{}, limited: map[*state.Cell]bool{},
			faults: map[token.Pos]string{}, errSeen: map[string]bool{},
		},
		ctx: ctx, library: l, prog: p, sl: sl, idx: idx, opts: opts.withDefaults(), mem: state.NewMemory(), byKey: map[string]*state.Template{},
	}
	if opts.At != nil {
		for _, b := range opts.At.Places {
			x.given[b.Place] = b
		}
	}
	x.Layout = layout.New(p, sl, x.mem, x.opts.Counter, func() int {
		n, _ := x.entriesOfSyncMaps()
		return n
	})
	return x
}

func (x *translator) position(pos token.Pos) token.Position {
	return x.prog.Position(pos)
}

// leaveOut turns what is not supported into approximations.
func (x *translator) leaveOut() {
	for _, err := range x.errs.Errors {
		var u *UnsupportedError
		if errors.As(err, &u) {
			x.approx = append(x.approx, artifact.Approximation{
				File: u.Pos.Filename, Line: u.Pos.Line, Col: u.Pos.Column,
				Kind: "unsupported", Direction: artifact.DirectionUnder, Reason: u.What + ": " + u.Reason,
			})
		}
	}
}

// unsupported records a construct that stops the translation.
func (x *translator) unsupported(pos token.Pos, what, reason string) {
	if !pos.IsValid() { // in code that has none: a wrapper, or an initialiser
		pos = x.prog.Entry.Pos()
	}
	e := &UnsupportedError{Pos: x.position(pos), What: what, Reason: reason}
	if !x.errSeen[e.Error()] {
		x.errSeen[e.Error()] = true
		x.errs = multierror.Append(x.errs, e)
	}
}

// approximation returns the number of an approximation, recorded once.
func (x *translator) approximation(pos token.Pos, kind, direction, reason string) int {
	if x.opts.Strict {
		x.unsupported(pos, kind, reason)
	}
	q := x.position(pos)
	key := fmt.Sprintf("%s|%s|%s|%s", q, kind, direction, reason)
	if n, ok := x.approxAt[key]; ok {
		return n
	}
	a := artifact.Approximation{File: q.Filename, Line: q.Line, Col: q.Column, Kind: kind, Direction: direction, Reason: reason}
	if s, ok := x.idx.Stmt(pos); ok && pos.IsValid() {
		a.Site = int(s.ID)
	}
	x.approx = append(x.approx, a)
	x.approxAt[key] = len(x.approx) - 1
	return len(x.approx) - 1
}

func (x *translator) enqueue(l *state.Location) {
	l.Seen = true
	if !l.Queued {
		l.Queued = true
		x.queue = append(x.queue, l)
	}
}

// limit is the size at which an explicit set becomes an interval.
func (x *translator) limit(ref bool) int {
	if ref {
		return sym.MaxRefSet
	}
	return sym.MaxSet
}

// grow adds to what a cell can hold.
func (x *translator) grow(c *state.Cell, a sym.Set) {
	if c.Fix || x.emitting {
		return
	}
	if c.Confined {
		return // any value has its place
	}
	j := c.Abs.Widen(a, x.limit(c.Ref), x.prog.Thresholds)
	if j.Top && !a.Top && !c.Abs.Top {
		// A counter that is kept for the whole program, not by place, seems to
		// grow for ever.
		if x.confine(c); c.Confined {
			return
		}
	}
	if j.Equal(c.Abs) {
		return
	}
	c.Abs = j
	x.wake(c)
}

// wake has the segments executed again that depend on what a cell can hold.
func (x *translator) wake(c *state.Cell) {
	x.enqueueAll(c.Readers)
	if c.Abs.Top {
		x.enqueueAll(c.Places)
	}
}

// enqueueAll has the segments at several locations executed again.
func (x *translator) enqueueAll(locs map[*state.Location]bool) {
	readers := make([]*state.Location, 0, len(locs))
	for l := range locs {
		readers = append(readers, l)
	}
	sort.Slice(readers, func(i, j int) bool {
		if readers[i].Template.Index != readers[j].Template.Index {
			return readers[i].Template.Index < readers[j].Template.Index
		}
		return readers[i].Index < readers[j].Index
	})
	for _, l := range readers {
		x.enqueue(l)
	}
}

// solve finds all locations and what every variable and cell can hold.
func (x *translator) solve() {
	t := state.NewTemplate(state.Template{Key: "entry", Name: "main", Slots: 1, Once: true, Fn: x.prog.Entry})
	x.templates = append(x.templates, t)
	t.Root = x.context(t, nil, nil, 0, x.prog.Entry, "")
	ini := x.context(t, t.Root, nil, 1, x.prog.Init, "")
	begin := func() *path {
		p := x.newPath(t, nil)
		p.role, p.alone, p.serial = artifact.RoleLocal, true, true
		p.push(&state.Frame{Call: t.Root, Block: x.prog.Entry.Blocks[0]})
		x.library.Begin(p)
		if x.prog.Test() && len(x.prog.Entry.Params) > 0 {
			p.set(t.Root, x.prog.Entry.Params[0], layout.Unknowns(1, "the testing.T"))
		}
		if x.prog.Init != nil && x.prog.Init.Blocks != nil && x.sl.Funcs[x.prog.Init] {
			// Package initialisation runs on top of the entry's frame, which it
			// returns to as if it had been deferred.
			p.push(&state.Frame{Call: ini, Block: x.prog.Init.Blocks[0], Deferred: true})
		}
		return p
	}
	if !x.plain {
		x.inPrefix = true
		x.takeUp(begin())
		x.drive()
		x.inPrefix = false
		if len(x.prefix) != 1 || x.prefix[0].loc.Kind == state.AtSink || x.prefix[0].loc.Kind == state.AtLocal {
			x.plainNeeded = true
			return
		}
		a := x.prefix[0]
		t.First, t.Idle = a.loc, a.loc
		for _, addr := range sortedKeys(a.p.heap.m) {
			e := a.p.heap.m[addr]
			c := x.mem.Cells[addr]
			if e.IsConst() {
				c.Init = e.K
				if !c.Fix {
					c.Abs = sym.Single(e.K)
				}
			} else if !c.Fix {
				c.Abs, c.Open = sym.Anything(), true
			}
		}
		x.join(a.p, a.loc)
		x.start = a.p
		x.enqueue(a.loc)
	} else {
		l := &state.Location{Template: t, Kind: state.AtBegin, Key: "begin", Op: "begin", Alone: true, Serial: true}
		x.addLocation(l)
		t.First, t.Idle = l, l
		x.enqueue(l)
	}
	x.begin = begin
	for !x.again && (len(x.queue) > 0 || x.library.Late(x) || x.lateEvents()) && x.ctx.Err() == nil {
		// Where few ways begin first: what is learned there saves executing the
		// many ways elsewhere again.
		best := 0
		for i, l := range x.queue {
			if l.Ways < x.queue[best].Ways {
				best = i
			}
		}
		l := x.queue[best]
		x.queue = slices.Delete(x.queue, best, best+1)
		l.Queued = false
		before := x.ways[l]
		x.leave(l)
		l.Ways = x.ways[l] - before
	}
}

func sortedKeys(m map[int32]*sym.Expr) []int32 {
	out := make([]int32, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// findShared adds the statements that touch memory which goroutines share and
// that somebody writes. It reports whether there are new ones.
func (x *translator) findShared() bool {
	if x.errs.ErrorOrNil() != nil && !x.opts.Continue {
		return false
	}
	grown := x.findTimed()
	var shared []*state.Cell
	for _, c := range x.mem.Cells {
		if c == nil || c.Sync || c.Abs.Top {
			continue
		}
		if _, ok := c.Abs.Single(); ok && !c.Varies {
			continue
		}
		n, written := 0, false
		for t, in := range c.Access {
			n += t.Slots
			written = written || in.Written
		}
		if n < 2 || !written {
			continue
		}
		shared = append(shared, c)
		for _, s := range c.Stmts {
			if !x.access[s] {
				x.access[s] = true
				grown = true
			}
		}
	}
	return x.findStores(shared) || grown
}

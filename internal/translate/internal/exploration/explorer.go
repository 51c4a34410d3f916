package exploration

import (
	"context"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
	"github.com/vtrace/vtrace/internal/translate/internal/termination"
)

// Explorer is the search for all that a program can do: the state of one attempt at a model.
// It is for one goroutine: what expressions can be is kept in themselves (Path.eval).
type Explorer struct {
	*layout.Layout
	*Assumptions
	Disproved
	programFacts
	Worklist
	Timeline
	Observed
	Beginning
	bounding
	Effort
	partial
	Account

	Program   *program.Program
	Slice     *relevance.Slice // what of the program matters
	Sites     *sites.Index
	Options   Options
	Memory    *state.Memory
	Templates []*state.Template // in the order in which they were found, that of the entry first
	Emitting  bool              // the segments are executed again, for the model

	ctx       context.Context
	byKey     map[string]*state.Template // of templates
	semantics Semantics
}

// programFacts are what follows from the program alone, made when somebody asks for it.
type programFacts struct {
	loops *termination.Loops       // how many iterations loops have
	names map[*ssa.Function]string // that nothing else has
}

// Worklist is what is left to be executed, until there is nothing new.
//
// stack has the paths that can go on, parked those that wait where paths merge: of one segment at a time.
type Worklist struct {
	Queue       []*state.Location // where segments begin that are to be executed
	stack       []*Path
	liveAtMerge map[string][]envKey     // what is live where paths merge
	parked      []*Path                 // these wait for others to merge with, see merge.go
	left        map[int32]sym.Set       // in memory by a path that arrives
	paths       map[*state.Location]int // by where they began
}

// Timeline is what has deadlines, what can be cancelled, and who looks at that.
type Timeline struct {
	Untimely map[sites.ID][]*state.Object // statements, and what they look at or set that the passing of time changes
	Contexts []*state.Object              // all contexts
	Cancels  []*state.Location            // where segments cancel some
	// events are what has deadlines, by their numbers, and precedes the cells that say
	// for two of them which comes first, see deadline.go.
	events   []*state.Event
	arming   map[*state.Location]bool       // where segments arm some, and look at all others that there are
	EventsOf map[*state.Object]*state.Event // those of timers and contexts
	sleeps   map[*state.Template]*state.Event
	precedes map[[2]int]*state.Cell
	several  bool // there are other deadlines, of which each can be several
}

// Observed is what the segments executed so far have shown of the program.
type Observed struct {
	Notified map[*state.Object]bool // by signal.Notify
	inside   map[sites.ID]bool      // statements in the middle of which guards are passed
	signals  map[int32]bool         // locks that are released by others than hold them
	initial  int                    // objects made before the start
	unrolled int                    // locations of iterations of loops, see unroll.go
}

// Beginning is the first segment, which is executed beforehand if that leads to one place.
// Then it has no edge, and is not executed again when edges are made: what its path has to say is kept
// (Path.early).
type Beginning struct {
	begin    func() *Path // the path that starts the program
	start    *Path        // the first segment, if it was executed beforehand
	prefix   []arrival    // where it ends, while it is executed
	InPrefix bool         // it is being executed
}

// bounding is how large a model may be, by the sites of its bounds.
type bounding struct {
	given   map[artifact.BoundSite]artifact.SiteBound // in Options.At
	bounded map[artifact.BoundSite]*state.Bound
}

// Effort counts what an attempt has cost.
type Effort struct {
	Budget   int    // of cost, if that is limited
	epochs   uint64 // of paths, see Path.eval
	evals    int    // expressions evaluated
	steps    int    // instructions executed
	Written  int    // expressions of the model
	Work     int    // paths executed
	parts    int    // of the expressions of the edges
	TooLarge bool   // work or parts are beyond their limit
}

// Account is what is to be said of the model: where it is not exact, and why there is none.
type Account struct {
	Approx   []artifact.Approximation // in the order in which they were found
	approxAt map[string]int
	// saturated and plainly are the approximations of paths on which something is
	// saturated, and of others.
	saturated, plainly map[int]bool
	Limited            map[*state.Cell]bool // cells of which it is asked whether they are saturated
	Faults             map[token.Pos]string // panics that are not in the model
	Refusals           []Refusal            // what cannot be translated
	refused            map[string]bool      // these, as texts
}

type arrival struct {
	p   *Path
	loc *state.Location
}

// New makes an explorer that has not begun. taken is what earlier attempts have found out.
func New(ctx context.Context, p *program.Program, sl *relevance.Slice, idx *sites.Index, sem Semantics, opts Options, taken *Assumptions) *Explorer {
	x := &Explorer{
		Assumptions:  taken,
		programFacts: programFacts{names: map[*ssa.Function]string{}},
		Worklist:     Worklist{liveAtMerge: map[string][]envKey{}, left: map[int32]sym.Set{}, paths: map[*state.Location]int{}},
		Timeline: Timeline{
			Untimely: map[sites.ID][]*state.Object{}, EventsOf: map[*state.Object]*state.Event{}, sleeps: map[*state.Template]*state.Event{}, precedes: map[[2]int]*state.Cell{}, arming: map[*state.Location]bool{},
		},
		Observed: Observed{Notified: map[*state.Object]bool{}, inside: map[sites.ID]bool{}, signals: map[int32]bool{}},
		bounding: bounding{given: map[artifact.BoundSite]artifact.SiteBound{}, bounded: map[artifact.BoundSite]*state.Bound{}},
		Account: Account{
			approxAt: map[string]int{}, saturated: map[int]bool{}, plainly: map[int]bool{}, Limited: map[*state.Cell]bool{},
			Faults: map[token.Pos]string{}, refused: map[string]bool{},
		},
		ctx: ctx, Program: p, Slice: sl, Sites: idx, Options: opts, semantics: sem, Memory: state.NewMemory(), byKey: map[string]*state.Template{},
	}
	if opts.At != nil {
		for _, b := range opts.At.Sites {
			x.given[b.BoundSite] = b
		}
	}
	x.Layout = layout.New(p, sl, x.Memory, x.Options.Counter, func() int {
		n, _ := x.EntriesOfSyncMaps()
		return n
	})
	return x
}

// Position is a position of the program, with its file relative to the module root.
func (x *Explorer) Position(pos token.Pos) token.Position {
	return x.Program.Position(pos)
}

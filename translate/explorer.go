package translate

import (
	"context"
	"go/token"

	"github.com/hashicorp/go-multierror"
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate/internal/layout"
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/relevance"
	"github.com/vtrace/vtrace/translate/internal/state"
	"github.com/vtrace/vtrace/translate/internal/sym"
	"github.com/vtrace/vtrace/translate/internal/termination"
)

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

	ctx       context.Context
	prog      *program.Program
	sl        *relevance.Slice
	idx       *sites.Index
	opts      settings
	mem       *state.Memory
	templates []*state.Template
	byKey     map[string]*state.Template // of templates
	semantics semantics
	emitting  bool // the segments are executed again, for the model
}

// programFacts are what follows from the program alone, made when somebody asks for it.
type programFacts struct {
	loops *termination.Loops       // how often loops turn
	names map[*ssa.Function]string // that nothing else has
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

func newTranslator(ctx context.Context, p *program.Program, sl *relevance.Slice, idx *sites.Index, sem semantics, opts settings, taken *assumptions) *translator {
	x := &translator{
		assumptions:  taken,
		programFacts: programFacts{names: map[*ssa.Function]string{}},
		worklist:     worklist{meeting: map[string][]envKey{}, left: map[int32]sym.Set{}, ways: map[*state.Location]int{}},
		timeline: timeline{
			untimely: map[sites.ID][]*state.Object{}, eventsOf: map[*state.Object]*state.Event{}, sleeps: map[*state.Template]*state.Event{}, precedes: map[[2]int]*state.Cell{},
		},
		observed: observed{notified: map[*state.Object]bool{}, inside: map[sites.ID]bool{}, signals: map[int32]bool{}},
		bounding: bounding{given: map[artifact.Place]artifact.PlaceBound{}, bounded: map[artifact.Place]*state.Bound{}},
		account: account{
			approxAt: map[string]int{}, beyond: map[int]bool{}, plainly: map[int]bool{}, limited: map[*state.Cell]bool{},
			faults: map[token.Pos]string{}, errSeen: map[string]bool{},
		},
		ctx: ctx, prog: p, sl: sl, idx: idx, opts: opts, semantics: sem, mem: state.NewMemory(), byKey: map[string]*state.Template{},
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

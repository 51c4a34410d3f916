package check

import (
	"context"
	"time"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// Verdict is the answer to a query.
type Verdict byte

// The verdicts, in the letters that the trace files use.
const (
	True  Verdict = 'T' // satisfied, by exhaustive search or by a witness
	False Verdict = 'F' // not satisfied
	Maybe Verdict = 'M' // undecided: a budget ended the search first
	Error Verdict = 'E' // the query or the model is wrong; Reason says where
)

func (v Verdict) String() string { return string(rune(v)) }

// An Engine decides queries over a network. Implementations are safe for
// concurrent use by several callers.
type Engine interface {
	// Verify answers every query, in order. A cancelled context ends the
	// search promptly: decided queries keep their verdicts, the others are
	// Maybe with the reason. The error is for what prevents any answer: a
	// network that does not type-check (see uppaal.Errors), an engine that
	// cannot be run.
	Verify(ctx context.Context, net *uppaal.Network, queries []*uppaal.Query, opts Options) (*Report, error)
}

// Options bound and direct a search. The zero value searches breadth-first
// without bounds.
type Options struct {
	MaxMemory int64 // bytes for states and tables; 0: no bound
	MaxStates int   // stored states; 0: no bound
	// Timeout bounds the search in wall time; 0: no bound but the context's.
	Timeout time.Duration
	// Order is the order of exploration. Only BreadthFirst, the default, makes
	// traces shortest.
	Order Order
	Seed  uint64 // of RandomDepthFirst
	// Workers bounds the cores that a breadth-first search uses; 0: all. The
	// report does not depend on it, except for the time and memory taken and
	// where a budget of these ends the search.
	Workers int
	// HashCompaction keeps hashes instead of states, which takes about 22 bytes
	// for each, however many variables it has, besides those that are yet to be
	// expanded. Two states with the same hash are taken for one. What is found
	// is real; an A[] or E<> query for which nothing is found is Maybe, with
	// Result.Omission. It needs a breadth-first search and no queries about
	// paths or with stuck. States that fit into 64 bits are kept as they are.
	HashCompaction bool
	// Reductions are switched off by Reductions; all are on by default.
	Reductions Reductions
	// Refuted are choice sequences that the program is known not to follow.
	// Only paths none of whose prefixes is refuted count as violations: the
	// search runs in product with the trie of these sequences and discards a
	// path where it completes one. Steps without label are skipped.
	Refuted [][]Label
	// LabelOf gives the label of one participant of a transition, or "" for
	// none; required with Refuted, called only while compiling.
	LabelOf func(p *uppaal.Process, edge int) Label
	// From are paths from the initial state. If there are any, the search begins in the
	// states behind them and not in the initial state, and the answers are about what can
	// be reached from there: "A[] p" is that p holds from there on. Traces begin with the
	// path; they are shortest in the steps behind it. Queries about paths (E[], A<>, -->)
	// and HashCompaction are not supported with it, and symmetry is not used.
	From [][]Step
	// Deadline, if set, is when everything has to be done, the traces too: a verdict whose
	// trace is not built by then comes without it, and with the reason.
	Deadline time.Time
	// Progress, if not nil, is called now and then from the searching
	// goroutine.
	Progress func(Stats)
	eager    bool // for tests: all workers and compaction even where that is not worthwhile
}

// Reductions are ways to explore less without changing any verdict or the
// length of a shortest trace. They are only used where that is certain.
type Reductions struct {
	NoStubborn bool // stubborn sets: partial-order reduction
	// NoInvisible: stubborn sets of steps that queries do not see, which make
	// paths longer, so that a second search finds the shortest.
	NoInvisible bool
	NoFusing    bool // such steps of one process are taken together
	// NoSymmetry: states that differ only in the names of the values of scalar
	// types are taken for one. It excludes the two reductions above.
	NoSymmetry bool
}

// NoReductions has every state visited, as far as the engine can.
func NoReductions() Reductions {
	return Reductions{NoStubborn: true, NoInvisible: true, NoFusing: true, NoSymmetry: true}
}

// Label names one choice of the scheduler. The labels of a transition are
// those of its participants, sender first, without the empty ones; selected
// values are not part of it.
type Label string

// Stats describes a search.
type Stats struct {
	States      int // stored
	Explored    int // states whose transitions were looked at
	Transitions int // explored
	Depth       int // of the search: steps from the initial state
	Bytes       int64
	Elapsed     time.Duration
}

// Report holds the results of Verify.
type Report struct {
	Results []Result // one for each query, in order
	Stats   Stats
	// Decided says, for each query, how far the search was when it was decided or given
	// up. All queries share one search.
	Decided []Stats
	// Complete reports an exhaustive search: every reachable state was visited
	// or left out by a reduction.
	Complete bool
}

// Result is the answer to one query.
type Result struct {
	Verdict Verdict
	Reason  string // for Maybe and Error: why, with the place
	// Omission is set in a Maybe that comes from a whole search with hash
	// compaction in which nothing was found: it bounds the probability that
	// states were left out, as if hashes were random.
	Omission float64
	// Trace leads to the violation of an A[] query or the witness of an E<>
	// query, shortest in steps if the search is breadth-first and no budget ends
	// it; nil if there is none. It has been replayed on the reference
	// interpreter.
	//
	// That of a sup or inf query of one expression leads to a state with the value; it is
	// True if the whole state space was searched.
	Trace *Trace
	// Measured has the values of a sup, inf or bounds query, one for each of its
	// expressions: in a Maybe those of the states that were visited.
	Measured []Measured
}

// Trace is a path from the initial state.
type Trace struct {
	Steps []Step
	// States are the len(Steps)+1 states along the path.
	States []State
}

// State is one state, spelled out.
type State struct {
	Locations []*uppaal.Location // by process, in system order
	Vars      []VarValue         // non-constant variables in the order of UPPAAL's traces
}

// VarValue is the value of one scalar cell, flattened: "a[1]", "P.x", "s.f".
type VarValue struct {
	Name  string
	Value int32
}

// Step is one transition.
type Step struct {
	Parts []Part // sender first
}

// Part is what one process does in a transition.
type Part struct {
	Process int // index in Info.Processes
	Edge    int // index in the template's Edges
	Select  []int32
}

package check

import "github.com/vtrace/vtrace/internal/uppaal"

// A program is a network compiled for execution. It is read-only once
// compiled, except that formulas add cells before the first machine is made.
type program struct {
	info    *uppaal.Info
	cells   []cell
	initial []int32 // by cell
	width   int     // words of a packed state

	stateCells []int32
	fields     []field
	fieldAt    []int32    // by bit of the packed state: the field
	vars       []shownVar // variables of traces, in their order
	metas      []int32    // cells of meta variables

	procs       []process
	committable []int32   // processes that have committed locations
	invariant   []int32   // processes that have invariants
	receivers   [][]int32 // by channel: processes that may receive from it
	channels    []channel
	priorities  bool
	defaultPrio int32
	// Run at the beginning and the end of every transition.
	before, after []runFn

	monitor  *monitor  // nil without refuted sequences
	symmetry *symmetry // nil: states are stored as they are
}

// shownVar is a variable of traces.
type shownVar struct {
	name string
	typ  uppaal.Type
	cell int32 // the first
}

type channel struct {
	broadcast bool
	urgent    bool
	prio      int32
}

type process struct {
	loc  int32 // cell holding the location's index in the template
	locs []location
	prio int32
}

type location struct {
	committed bool
	urgent    bool
	inv       truthFn // nil: true
	acts      []*edge // internal edges and sends, in file order
	recvs     []*edge
}

type edgeKind uint8

const (
	internalEdge edgeKind = iota
	sendEdge
	recvEdge
)

type edge struct {
	kind     edgeKind
	proc     int32
	index    int32 // in the template
	id       int32 // among all edges, once there is a structure
	from, to int32
	sel      []selection
	guard    truthFn // nil: true
	// A constant channel, or chanFn; the channel lies in [chanLo,chanHi).
	chanID         int32
	chanFn         intFn
	chanLo, chanHi int32
	update         []runFn
	label          int32 // of the monitor, -1: none
}

// selection is a select binding: its cell takes each value from lo to hi.
type selection struct{ cell, lo, hi int32 }

type (
	intFn   func(*machine) int32
	truthFn func(*machine) bool
	runFn   func(*machine)
	// stmtFn reports whether the function returned.
	stmtFn func(*machine) bool
)

// UnsupportedError reports a construct that the embedded engine does not
// handle.
type UnsupportedError struct {
	Pos  uppaal.Pos
	What string
}

func (e *UnsupportedError) Error() string {
	return position(e.Pos) + "not supported: " + e.What
}

// position renders a place as a prefix of messages.
func position(p uppaal.Pos) string {
	if at := p.String(); at != "" {
		return at + ": "
	}
	return ""
}

// isAggregate reports whether values of the type take several cells.
func isAggregate(t uppaal.Type) bool {
	switch t.(type) {
	case *uppaal.Array, *uppaal.Struct:
		return true
	}
	return false
}

// hasChannels reports whether a type is a channel or an array of them.
func hasChannels(t uppaal.Type) (uppaal.Chan, bool) {
	for {
		switch u := t.(type) {
		case *uppaal.Array:
			t = u.Elem
		case uppaal.Chan:
			return u, true
		default:
			return uppaal.Chan{}, false
		}
	}
}

// scalarRange is the range of a scalar type.
func scalarRange(t uppaal.Type) (lo, hi int32, truth bool) {
	switch t := t.(type) {
	case uppaal.Bool:
		return 0, 1, true
	case uppaal.Int:
		return t.Lo, t.Hi, false
	case *uppaal.Scalar:
		return 0, t.Size - 1, false
	}
	return 0, 0, false
}

package state

import (
	"cmp"
	"go/token"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sidecar"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/radix"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Contents is what cells can hold at a location: those that it does not list hold what
// they did at first. It is never changed. The nil contents list nothing.
type Contents struct{ cells radix.Tree[sym.Set] }

// In is what the contents say of a cell.
func (m *Contents) In(c *Cell) sym.Set {
	if m != nil {
		if a, ok := m.cells.Get(c.Addr); ok {
			return a
		}
	}
	return c.First()
}

// With are the contents after changes.
func (m *Contents) With(changes map[int32]sym.Set) *Contents {
	out := &Contents{}
	if m != nil {
		out.cells = m.cells.Share()
	}
	for addr, a := range changes {
		out.cells.Set(addr, a, a.Interval)
	}
	return out
}

// Differing visits the cells that one of two contents lists and the other does not, or of which
// they say different things, and intervals. It may visit others. What is not listed is nil.
func (m *Contents) Differing(n *Contents, visit func(addr int32, a, b *sym.Set)) {
	var none Contents
	cmp.Or(m, &none).cells.Differing(&cmp.Or(n, &none).cells, visit)
}

// A Visit is what is known of the paths that have come to a location from another:
// the contents of that, and the cells that all of them have written on that path.
type Visit struct {
	Contents *Contents
	Written  []int32
}

// LocationKind says what a goroutine does that is at a location.
type LocationKind uint8

const (
	AtOp    LocationKind = iota // at the guard of an operation
	AtQueue                     // granted and queued
	AtStmt                      // at the guard of a statement
	AtStart                     // at the first guard
	AtEnd                       // at the return of the entry
	AtLocal                     // inside a segment that had to be split
	AtBegin                     // before anything, the entry only
	AtIdle                      // no goroutine
	AtDone                      // the goroutine is over
	AtSpin                      // runs for ever without an operation
	AtSink                      // the program is over
)

// Location is a control state of a goroutine between two segments.
type Location struct {
	Template *Template
	Key      string
	Index    int
	Kind     LocationKind
	Frames   []*Frame
	Site     sites.ID
	Op       string // word for the name
	Block    bool   // the operation can wait

	Live      []LiveValue
	In        []sym.Set
	Saturates []bool // the greatest value of In is the saturated one

	Held []HeldLock // by who is here, whatever the path

	Variant  string    // see variants.go
	Rolled   bool      // see unroll.go
	Alone    bool      // nobody else has been started, see bylocation.go
	Serial   bool      // but subtests, see unroll.go
	Contents *Contents // of memory
	Visits   map[*Location]Visit

	Queued   bool
	Seen     bool
	Paths    int  // through the segments that begin here, when they were executed last
	Executed bool // they were

	Sink *Sink
	Name string
}

// Knows reports that only those that lead to a location have written a cell.
func (l *Location) Knows(c *Cell) bool {
	return l.Alone || c.Writer == l.Template && l.Template.Once && !c.Shared
}

// Sink describes an end.
type Sink struct {
	End    sidecar.End
	Kind   string // artifact.Kind*, "" for none
	Site   sites.ID
	Pos    token.Pos
	Detail string
	At     *Bound // of a bound that is smaller than asked for
}

// Normal reports that the program ends as it should, or that it may go on: a
// test that fails does.
func (s *Sink) Normal() bool {
	return s.End == sidecar.EndReturn || s.End == sidecar.EndExit && s.Kind == "" || s.Kind == artifact.KindTestFailure
}

package state

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// ObjectKind says what an object is.
type ObjectKind uint8

const (
	DataObject     ObjectKind = iota
	ChannelObject             // see the Chan* offsets
	FunctionObject            // a function without free variables
	ClosureObject             // its cells are the bindings
	OpaqueObject              // something of which only the identity matters
)

// The cells of a channel object. The payload cell i stands for component i of
// any message; the buffer holds capacity times width cells after the payload.
const (
	ChanClosed = iota
	ChanLen
	ChanSenders   // queued senders, kept where somebody polls
	ChanReceivers // queued receivers, likewise
	ChanPayload
)

// The cells of a timer or ticker, behind the payload of its channel.
const (
	TimerArmed = iota
	TimerC     // the channel itself, as a field
	TimerCells
)

// The cells of a context, behind the payload of its Done channel.
const (
	ContextErr      = iota // what has ended it, 0 for nothing
	ContextParent          // the context that it is derived from
	ContextDeadline        // it has one
	ContextCancel
	ContextStop                     // what AfterFunc returns
	ContextWaits                    // the function of AfterFunc has not been called, and not been stopped
	ContextUp                       // where the values are that it has from the one it is derived from
	ContextCause                    // two scalars, if causes matter
	ContextLater = ContextCause + 2 // the cause if its deadline passes, likewise
	ContextCells = ContextLater + 2
)

// Object is a piece of memory.
type Object struct {
	Kind ObjectKind
	Base int32
	Size int32
	Name string
	Pool *Pool // nil if it is allocated at most once

	Fn      *ssa.Function // of functions and closures
	Closure *ssa.MakeClosure
	Key     string

	// channels
	Elem   types.Type
	Cap    int32
	Pos    token.Pos // of the make
	Polled bool
	Timer  bool // see timer.go
	Ticker bool
	// Callback: see callback.go.
	Callback  bool
	Context   bool   // see context.go
	Values    bool   // see contextvalue.go
	Once      bool   // see oncefunc.go
	ModelName string // of a channel
	Boxed     string // the type of the value of an interface, see newBox

	Messages
	wrapping
	testScope
	Backing
}

// NewObject is an object that the update being spelled allocates.
type NewObject struct {
	Pool *Pool
	K    int32
}

// Entry is the address of entry i of a map; its key and value follow.
func (o *Object) Entry(i int) int32 { return o.Base + int32(i)*o.Stride }

// More is the address of the cell that says that there were more entries.
func (o *Object) More() int32 { return o.Base + o.Elems*o.Stride }

// Behind is the address of cell k behind the payload of a channel.
func (o *Object) Behind(k int32) int32 { return o.Base + ChanPayload + o.Width + k }

// Rendezvous reports that communications on a channel are rendezvous.
func (o *Object) Rendezvous() bool { return o.Cap == 0 && !o.Context }

// Messages are those of a channel.
type Messages struct {
	Tracked bool  // they matter
	Width   int32 // scalars of each
	Kept    int32 // buffered ones whose contents are kept
	// AtKept is the bound that Kept is, nil if it is that asked for.
	AtKept *Bound
}

// Bounded reports that the model ends where there are more values in the buffer of a channel than are kept.
func (o *Object) Bounded() bool { return 0 < o.Kept && o.Kept < o.Cap }

// wrapping is what is known of an error, see errorchain.go.
type wrapping struct {
	Wrapped *ssa.Global
	Wraps   bool
	// Repeats: the call that makes it can be executed again, so that it stands for several errors. Maker is the
	// activation that has made it, Compared where segments begin that compare it with itself.
	Repeats  bool
	Maker    *CallPath
	Compared map[*Location]bool
}

// testScope is what a test has of its subtests, see subtest.go.
type testScope struct {
	Parallels []int32            // the cells that say whether they are parallel and have not ended
	Joiners   map[*Location]bool // where they are waited for
}

// Backing is an array that the model allocates for a slice or a map: its elements and the scalars of
// each. Behind them is a spare cell, so that the address behind the last element is still one of the
// array.
type Backing struct {
	Elems, Stride int32
	Mapping       *types.Map // see maps.go
	At            *Bound     // the entries of the map, nil if the bound is that asked for
	WriteOnly     bool       // nobody reads what it holds, see writeOnly
}

// Pool is what one allocation that can be executed repeatedly draws from.
type Pool struct {
	Name    string
	ID      int
	Objects []*Object
	At      *Bound // nil if the bound is that asked for
}

// Key is the number of the pool.
func (p *Pool) Key() uint64 { return uint64(p.ID) }

// Addresses are those of the objects that can be the free one number k.
func (p *Pool) Addresses(k int32) []int32 {
	var out []int32
	for _, o := range p.Objects[k:] {
		out = append(out, o.Base)
	}
	return out
}

// PoolOf is the pool that an expression draws from.
func PoolOf(e *sym.Expr) *Pool { return e.Leaf.(*Pool) }

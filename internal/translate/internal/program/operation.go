package program

import (
	"slices"

	"github.com/vtrace/vtrace/internal/sites"
)

// An Operation is a function of the library, or a builtin, whose effect the model knows.
type Operation struct {
	Name  string
	Kind  sites.Kind // of its guard, Invalid for none
	Seed  bool       // relevant by itself
	Reads bool       // the memory that its first argument points to
	// Writes: likewise.
	Writes bool
	Args   []int // numbers of the arguments that matter; nil for the first
	// Also are numbers of arguments that the slice asks for itself.
	Also []int
	// Calls is the number of the argument that it calls, 0 for none, and takes
	// that of the argument to keep what it returns in.
	Calls, Takes int
	// Forwards: it calls its first argument with the others.
	Forwards bool
	// Starts is, of an operation with which a goroutine begins, the kind of the one that starts
	// that; Invalid for others.
	Starts sites.Kind
	// Subtest: the function that it calls is a subtest.
	Subtest bool
	// Methods are those of its first argument, an interface, that it calls.
	Methods []string
}

// Blocks reports that who comes to the guard of the operation can have to wait there.
func (o *Operation) Blocks() bool { return o.Kind.Waits() == sites.AtGuard }

// StartedBy reports that an operation, which may be nil, is what a goroutine begins with that one of
// a kind starts.
func (o *Operation) StartedBy(k sites.Kind) bool { return o != nil && o.Starts == k }

// RunsSubtest reports that the function that the operation calls is a subtest.
func (o *Operation) RunsSubtest() bool { return o != nil && o.Subtest }

// Needs reports that an argument matters.
func (o *Operation) Needs(k int) bool {
	if o.Args == nil {
		return k == 0
	}
	return slices.Contains(o.Args, k)
}

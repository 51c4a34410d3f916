package translate

import (
	"slices"

	"github.com/vtrace/vtrace/sites"
)

// An operation is a function of the library, or a builtin, whose effect the model knows.
type operation struct {
	name  string
	kind  sites.Kind // of its guard, Invalid for none
	block bool       // it can wait
	seed  bool       // relevant by itself
	reads bool       // the memory that its first argument points to
	// writes: likewise.
	writes bool
	args   []int // numbers of the arguments that matter; nil for the first
	// also are numbers of arguments that the slice asks for itself.
	also []int
	// calls is the number of the argument that it calls, 0 for none, and takes
	// that of the argument to keep what it returns in.
	calls, takes int
	// forwards: it calls its first argument with the others.
	forwards bool
	// methods are those of its first argument, an interface, that it calls.
	methods []string
}

// needs reports that an argument matters.
func (o *operation) needs(k int) bool {
	if o.args == nil {
		return k == 0
	}
	return slices.Contains(o.args, k)
}

package left

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Stops returns a function that says whether a method ends the goroutines of what it is called on: it closes a
// channel of it or sends on it, cancels a context, stops a timer or wakes who waits for a Cond, itself or in a
// function of the packages own, and is given nothing but truths, times and contexts.
func Stops(own map[*types.Package]bool) func(*ssa.Function) bool {
	t := &tracer{Program: &Program{own: own}}
	return func(f *ssa.Function) bool {
		return f != nil && !givesWork(f) && t.ends(f, map[*ssa.Function]bool{})
	}
}

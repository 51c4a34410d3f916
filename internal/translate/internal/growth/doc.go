// Package growth says how much room there is behind what append returns.
//
// What append returns has room for at least what is in it. How much more there is decides
// whether a later append writes into the same array, which others may see, or into a new
// one. For arrays on the heap it is what runtime.growslice computes. Small ones may lie on
// the stack, if the compiler sees that the slice stays there for a while, and are larger
// or smaller then: where that can be, and the program looks at capacities, it is a choice.
//
// The sizes are those of the Go runtime for which vtrace is built; a test compares them.
package growth

// Package execution says what the instructions of a program do: an Executor executes them on the paths
// of an explorer (package exploration), one after the other.
//
// An instruction computes values, reads and writes cells, or goes to other instructions (run.go); where
// a value has to be known the path goes on once for each (Executor.Concrete). A call enters its target,
// with the target's frame on top of the stack (call.go). At its guard an operation arrives at a location,
// and behind it is executed: on channels here (comm.go), others by what Library says of them. They are
// frames without a body, which go through phases (operations.go).
//
// What values are is in values.go, aggregates.go, maps.go and elements.go, the panics of instructions in
// panics.go. What the model does not keep is a free choice, or one of few where something depends on
// a number or a text (numbers.go, puretext.go, errorchain.go); which choices another run may make
// otherwise is in input.go, and what runs have shown beyond the call graph in complete.go.
//
// # Who owns a path
//
// Most functions take a path and report whether it goes on. After true the path is still the caller's, who
// does the next thing with it. After false it is not: it has arrived at a location or an end, or there is
// no such path since its conditions exclude each other, or it was given to ContinueWith, alone or with
// paths that were forked from it, and is executed later. Who touched it then would change what another one
// executes.
//
// Functions that need to know a value return k, ok and tracked (Executor.Concrete). Where tracked is false
// the model does not know the value, and the path is still the caller's, who takes an unknown result, a
// free choice or a note for it. Where tracked is true and ok is false the path was taken over: there is one
// now for each value, and each executes the same instruction, or the same phase of an operation, again from
// its beginning. So what comes before such a call may look, note and simplify, and may not change what the
// program sees.
//
// # Values
//
// A value is a list of scalars (package layout), each of them an expression over the state in which the
// segment began:
//
//   - a boolean or an integer is itself, a text its number (state.Memory.Text)
//   - a pointer, channel, map or function is the address of a cell, 0 for nil
//   - an interface is the number of its dynamic type, 0 for nil, and its value, or the address of a box
//     that holds a value of several scalars
//   - a slice is the address of its first element, its length and its capacity
//   - a struct, an array and the results of a call are their parts, one after the other
//   - a closure that is only called where it is made is what it has captured (layout.Direct)
//   - a pointer that the model replaces by what it points to is that (relevance.Slice.Plain)
//   - an iterator over a map is the map, and the set of the entries that it has been at
//
// What each scalar can be is kept apart from what the others can be at the same time. So a path may have an
// address with the length of another slice, or the type of one interface with the value of another. No run
// has these together: where such a path is recognised it ends, and nothing is lost by that.
//
// # What is not known
//
// On a branch by something unknown the path goes both ways. That can show an error that no run has, which a
// replay finds out. Of an unknown function that is called each one is tried that the call graph has. What
// is done through an unknown pointer, or by a function that the call graph does not have, is not in the
// model, which can hide an error: it is noted (artifact.DirectionUnder). And where an operation is on a channel
// or a lock that is not known, the path ends as at a bound (exploration.Path.Unfollowed).
//
// # The library
//
// What is known of the library of Go is handed over as a Library; package library has it.
//
// # Files
//
// Instructions:
//   - executor.go: the executor
//   - run.go: each instruction, jumps, branches, and values that have to be known
//   - values.go: operators, conversions, interfaces
//   - aggregates.go: slices, arrays, structs
//   - elements.go: copy, and clear of slices
//   - maps.go: maps
//   - panics.go: panics of instructions
//
// Calls and operations:
//   - call.go: calls, and their targets
//   - complete.go: what runs have shown beyond the call graph
//   - comm.go: operations on channels
//   - operations.go: operations of the library, which go through phases
//   - library.go: what is known of the library, as package library says it
//
// What the model does not follow:
//   - numbers.go: numbers that are chosen
//   - puretext.go: texts that are computed
//   - errorchain.go: errors.Is
//   - input.go: choices that another run may make otherwise
package execution

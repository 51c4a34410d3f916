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

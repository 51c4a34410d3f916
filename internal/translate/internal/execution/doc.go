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
package execution

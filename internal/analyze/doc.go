// Package analyze finds in a recorded run what other runs could do: the two-phase analysis by vector
// clocks of Sulzmann and Stadtmüller (2018), and predictions of errors that are built on it.
//
// Phase one is the recording, package trace. Phase two, Replay, goes through the local traces again
// without the program, and gives each operation a clock for when it was begun and one for when it was
// completed. Analyze asks these clocks which operations could have met, and which errors could have come
// about. Nothing here runs a program: all is computed from the trace.
//
// The component of a goroutine in its own clock is the number of its operation, so that a component of
// another goroutine says how many of the operations of that one are known to have been begun.
// docs/analyses.md has the rules, and a section for each analysis.
package analyze

// Package library says what functions and types of Go's library do to a program, whose source is
// not executed: locks, wait groups, Onces, Conds and pools (package sync), atomic operations, timers,
// contexts, signals, sorting, and tests.
//
// New makes the table of them that package execution is given. Each operation has a function that
// executes it on a path, from the phase of its frame on; one that starts a goroutine, or that returns a
// function, has operations for these as well. What such objects are made of is in cells, as what the
// program has made itself: the files say which.
//
// An operation that may have to wait assumes the condition under which it goes on
// (exploration.Path.Assume), which becomes the guard of its edge. There is no path for who waits: the
// goroutine stays at its location until the condition holds. Only where others can tell that it waits, as
// they can of a writer that has announced itself, is that a step, with a location of its own
// (state.AtQueue).
//
// Three things happen by themselves: a deadline passes (TimeSteps), a context ends with another one, and
// a test ends (testcontext.go, subtest.go, cleanup.go). That a function of the library panics since it
// is misused is in librarypanics.go, that an assertion ends a test in assertion.go, and when the
// failure of a test is an error in failure.go.
package library

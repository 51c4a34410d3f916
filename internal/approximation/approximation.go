// Package approximation has those kinds of approximations, of artifact.Approximation, that more than one package has to know.
package approximation

const (
	// Completed is the Kind of what a model does since a run has done it.
	Completed = "completed"
	// Input is the Kind of a choice that another run with the same
	// schedule may make otherwise: a random number, the order of a map, what is read
	// from outside.
	Input = "input"
	// Outside is the Kind of a reason why there is no model of the program.
	Outside = "outside"
	// Failure is the Kind of a failure of the test that is not asked for: whether
	// it happens depends on what the model does not keep.
	Failure = "test-failure"
	// Assertion is the Kind of an assertion of a library of which the
	// model assumes that it holds.
	Assertion = "assertion"
	// Access is the Kind of an access to memory that replays do not
	// see, so that races may go unseen.
	Access = "not-recorded"
	// Number is the Kind of a number from outside of which the model
	// has a few values only.
	Number = "number"
	// Bound is the Kind of a bound that is smaller than asked for, since
	// the model would be too large otherwise.
	Bound = "bounds"
)

// Never begins the description of the query that asks for a bound; what follows is what would exceed it.
const Never = "the model is complete: never "

// The kinds of sites that have a bound of their own, of artifact.BoundSite.
const (
	BoundObjects     = "objects"     // of an allocation
	BoundElements    = "elements"    // of a slice that grows here
	BoundEntries     = "entries"     // of a map that is made here; without position, of every sync.Map
	BoundActivations = "activations" // of the function that is declared here
	BoundPaths       = "paths"       // from guard to guard, in the whole program
)

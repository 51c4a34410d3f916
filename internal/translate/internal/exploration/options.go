package exploration

import "github.com/vtrace/vtrace/artifact"

// Options direct the search.
type Options struct {
	artifact.ModelBounds
	// Asked are the bounds of all sites where the model is not too large.
	Asked artifact.Bounds
	// At are the bounds of an earlier model of the program, where they are smaller
	// than asked for.
	At *artifact.Bounds
	// Cost is where the search is given up; 0 is nowhere.
	Cost int
	// Strict makes every approximation an error.
	Strict bool
	// Continue goes on behind what cannot be translated.
	Continue bool
}

// Semantics is what the code of a program does.
type Semantics interface {
	// Execute executes one instruction, and reports whether the path goes on.
	Execute(p *Path) bool
	// Begin has a test function, on top of the stack, do at its end what the library does there.
	Begin(p *Path)
	// Late adds what happens by itself, when all that goroutines do has been executed. It reports
	// whether there is something to do then.
	Late() bool
}

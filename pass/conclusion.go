package pass

import (
	"github.com/vtrace/vtrace/orchestrate"
)

// Exported is an Orchestration test as a regression test: a file for the tree
// of the program, which go builds ignore and RunExported runs.
type Exported struct {
	// Name is the name of the test function.
	Name string
	// Path is where the file belongs, relative to the root of the program: the
	// directory of the entry's package.
	Path string
	Data []byte
	// Command runs the test.
	Command string
}

// ExportedResult is what an exported test has shown.
type ExportedResult struct {
	Name, File string
	// Verdict is Reproduced if the error is still there. Otherwise it says at
	// which step the program has left the interleaving, or what it did.
	Verdict *orchestrate.Verdict
	// Missing are the sites of the test which the program has no more.
	Missing []string
}

// Conclusion sums up what a bundle says about its program.
type Conclusion struct {
	// Real, Possible, Unconfirmed, False, TimingDependent and Notes count the findings.
	Real, Possible, Unconfirmed, False, TimingDependent, Notes int
	// Limits are the reasons why "nothing found" is not "there is nothing":
	// undecided queries, bounds of the model that were reached, behaviour that
	// the model leaves out. Empty if there are none.
	Limits []string
	// Precision says how far the model is that of the program.
	Precision Precision
	// Proved: the program was run under every schedule that is not equivalent to another
	// one, so that nothing rests on the model.
	Proved bool
}

// Inconclusive reports that no real error was found, but that there may be one
// all the same.
func (c Conclusion) Inconclusive() bool {
	return c.Real == 0 && (c.Possible > 0 || c.Unconfirmed > 0 || len(c.Limits) > 0)
}

// Precision says how far a model is that of its program.
type Precision struct {
	// Exact and Approximated count the operations of the program that are in
	// the model: an operation is approximated if one of its edges rests on an
	// approximation.
	Exact, Approximated int
	// Outside counts the places where the program can do what the model cannot.
	Outside int
}

package pass

import (
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/orchestrate"
)

// Exhaustion says how a program is explored.
type Exhaustion struct {
	// Stalls is how often, in one run, time may pass while a goroutine could go on;
	// -1: any number.
	Stalls int
	// Values is how many alternatives a choice of the environment may have, as the order of
	// a map; of those with more one is explored. Less than 24 is 24.
	Values int
	// Draw is which random numbers of a large range, orders of large maps and the like the program gets, and when its
	// clock begins, where that is not explored; 0 is the ordinary one, and others may be any.
	Draw int
	// Bounding has the exploration run all schedules with no preemption, then those with
	// one, and so on, nil: in no order.
	Bounding *Bounding
	// Parallel is how many processes explore at once if the program has more than some
	// hundred schedules, and is not bounded by preemptions; 0 is as many as there are
	// cores. The result is the same, but for what MaxTime cuts off.
	Parallel int
	// MaxRuns, TotalSteps of all runs, and MaxTime bound the exploration; 0 is no bound.
	MaxRuns, TotalSteps int
	MaxTime             time.Duration
	// MaxSteps bounds a run; 0 is 20 000.
	MaxSteps int
	// Frontier is what an earlier exploration has left to do, see Exhausted.Rest.
	Frontier []byte
}

// Bounding has an exploration run all schedules with no preemption, then those with one, and so on, up to Last,
// which AllPreemptions leaves open. A preemption is that another goroutine goes on though the one that has done the
// last step could.
type Bounding = orcruntime.Bounding

// AllPreemptions is for Bounding.Last: there is no last bound.
const AllPreemptions = orcruntime.AllPreemptions

// Exhausted is what an exhaustive exploration of a program has shown.
type Exhausted struct {
	*orchestrate.Exhaustive
	// Sidecar has the sites, to read the plans with.
	Sidecar *artifact.Sidecar
	// Guarded are the statements that were seen to race, and became guards.
	Guarded []artifact.Site
	// Accesses are the numbers of the statements that were guards, those among them.
	Accesses []int
	// Covered says how far the exploration has come.
	Covered artifact.Exhaustive
	// Findings are as in Explored. A check, which reports what it finds otherwise, has none here.
	Findings []artifact.Finding
}

// Explored is what random runs of an instrumented program have shown.
type Explored struct {
	*orchestrate.Exploration
	Sidecar *artifact.Sidecar // the sites, to read the plans with
	// Limits are the operations that have no guards, and why accesses to shared
	// memory have none, if so.
	Limits []string
	// Findings are what Ends have shown, in their order: the goroutines at the end, with where what they wait for was made;
	// of an error that was replayed the interleaving; and why it comes about, as far as that is known.
	Findings []artifact.Finding
}

// Fuzzing says how Fuzz searches.
type Fuzzing struct {
	// Seed decides the search, but for when it ends.
	Seed uint64
	// MaxRuns bounds the runs; 0: vtrace.Budget, which begins when the program is built, or
	// vtrace.Interrupt ends them.
	MaxRuns int
	// Corpus is what an earlier search has kept: it goes on from there.
	Corpus []Input
}

// Input is what decides a run of a search by Fuzz: seeds, choices of the environment, and steps to go along
// with.
type Input = orcruntime.Input

// Fuzzed is what a search has shown.
type Fuzzed struct {
	// Bundle has the findings: a bundle of a deep pass, of a program without a model.
	Bundle *artifact.Bundle
	// Runs counts the runs, Schedules those with different steps. Features counts the pairs of operations
	// one after the other, the partners of communications and the cases of selects that they have come to.
	Runs, Schedules, Features int
	// Chains counts the runs in which some operations were to come in another order, Enforced those in which
	// they did, and Discarded the orders that were left out since they cannot be.
	Chains, Enforced, Discarded int
	// Single: there is nothing to choose in the program, so that one run is all.
	Single bool
	// Took is how long the runs and the proofs have taken, once the program was built.
	Took time.Duration
	// Corpus is what is to be kept, for Fuzzing.Corpus: inputs whose runs have come to all that was seen,
	// few of them.
	Corpus []Input
	// Limits say what was not under control, and what has ended the search early.
	Limits []string
}

package pass_test

import (
	"fmt"
	"time"

	"github.com/vtrace/vtrace/pass"
)

// Example shows what happens in a check, as the callback of vtrace.Progress is told it.
func Example() {
	show := func(e pass.Event) {
		switch e := e.(type) {
		case pass.StageStarted:
			fmt.Printf("%s pass: %s\n", e.Pass, e.Stage)
		case pass.StageDone:
			fmt.Printf("%s pass: %s took %v\n", e.Pass, e.Stage, e.Elapsed)
		case pass.Replayed:
			fmt.Printf("query %d, replay %d: %s\n", e.Query, e.Attempt, e.Outcome)
		}
	}
	show(pass.StageStarted{Pass: "first", Stage: pass.LoadStage})
	show(pass.StageDone{Pass: "first", Stage: pass.LoadStage, Elapsed: 2 * time.Second})
	show(pass.Unchanged{}) // of no interest here
	show(pass.Replayed{Query: 3, Attempt: 1, Outcome: "reproduced"})
	// Output:
	// first pass: load
	// first pass: load took 2s
	// query 3, replay 1: reproduced
}

package orcutil_test

import (
	"encoding/json"
	"fmt"

	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/orcutil"
)

// Example reads what an Orchestration test has written to the file that VTRACE_RESULT names, and makes of it
// the steps of a plan that repeats the run up to where it left the first one.
func Example() {
	written := []byte(`{
		"Verdict": "infeasible",
		"Step": 2,
		"Want": {"G": "0.1", "Site": "locks.main$1#1"},
		"Found": "finished",
		"Goroutines": [
			{"G": "0", "State": "blocked", "Op": "lock", "Object": "mutex#2", "Site": "locks.main#3", "Source": "main.go:17: b.Lock()"},
			{"G": "0.1", "State": "finished"}
		],
		"Trace": [{"G": "0", "Site": "locks.main#2", "Occ": 1}]
	}`)
	var r orcutil.Result
	if err := json.Unmarshal(written, &r); err != nil {
		fmt.Println(err)
		return
	}
	if r.Verdict == orchestrate.Infeasible {
		fmt.Printf("step %d wants %s at %s: %s\n", r.Step, r.Want.G, r.Want.Site, r.Found)
	}
	for _, g := range r.Goroutines {
		fmt.Println(g)
	}
	again := orcutil.Plan{Steps: r.Trace, Expect: orcutil.Expect{Goroutines: []orcutil.At{{G: "0"}}}}
	for _, step := range again.Steps {
		fmt.Println(step.G, step.Site)
	}
	// Output:
	// step 2 wants 0.1 at locks.main$1#1: finished
	// 0: blocked lock on mutex#2 at locks.main#3 (main.go:17: b.Lock())
	// 0.1: finished
	// 0 locks.main#2
}

package explain_test

import (
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
)

func Example() {
	locked := artifact.FindingAct{G: "0", Site: "main.main#1", Operation: "lock", Object: "mutex#1", File: "main.go", Line: 6, Text: "mu.Lock()"}
	fmt.Println(explain.Cause(artifact.Finding{Kind: artifact.KindDeadlock, Goroutines: []artifact.FindingGoroutine{{
		G: "0", Site: "main.main#2", Operation: "lock", Object: "mutex#1", State: "blocked",
		File: "main.go", Line: 7, Text: "mu.Lock()", Holds: []artifact.FindingAct{locked},
	}}}))
	// Output:
	// goroutine 0 waits at main.go:7 for mu, which it holds itself since main.go:6
}

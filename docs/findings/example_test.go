package findings_test

import (
	"fmt"
	"strings"

	"github.com/vtrace/vtrace/docs/findings"
)

func Example() {
	text, _ := findings.Page("deadlock")
	title, _, _ := strings.Cut(text, "\n")
	fmt.Println(title)
	fmt.Println(findings.Help("waitgroup-misuse"))
	// Output:
	// # deadlock
	// a new WaitGroup for each round, or an Add only when every `Wait` of the round before has returned. Within a
	// round, Add comes in front of the `go` statement, or in a goroutine that is counted itself.
}

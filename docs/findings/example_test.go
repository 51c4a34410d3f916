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
	// count up only while the counter cannot be zero, as by a goroutine that is counted itself; a new
	// WaitGroup for each round.
}

package analyze_test

import (
	"fmt"

	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/trace"
)

// A run in which the close came last, and need not have.
func Example() {
	t, err := trace.Parse([]byte(`trace 1
chan jobs 1
goroutine 1 main
  go 2 @main.go:5
  recv jobs from 2.1 @main.go:6
  close jobs @main.go:7
goroutine 2 worker of 1
  send jobs @main.go:11
  send jobs @main.go:12
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := analyze.Analyze(t, analyze.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range r.Findings {
		if f.Level == analyze.Error {
			fmt.Println(f.Code, f.Message)
		}
	}
	// Output:
	// SC send jobs in goroutine 2 at main.go:12 can come after close jobs in goroutine 1 at main.go:7
}

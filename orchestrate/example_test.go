package orchestrate_test

import (
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// The entry M starts a goroutine W and receives from it.
func Example() {
	side := &artifact.Sidecar{
		Sites: []artifact.Site{{},
			{ID: 1, Kind: "go", Key: "m.main#1", File: "main.go", Line: 5, Text: "go func() { ch <- 1 }()"},
			{ID: 2, Kind: "send", Key: "m.main$1#1", File: "main.go", Line: 5, Text: "go func() { ch <- 1 }()"},
			{ID: 3, Kind: "receive", Key: "m.main#2", File: "main.go", Line: 6, Text: "<-ch"},
		},
		Templates: []artifact.TemplateInfo{
			{Name: "M", Role: "goroutine", Edges: []artifact.EdgeInfo{
				{Site: 1, Role: artifact.RoleOp}, {Site: 3, Role: artifact.RoleOp}}},
			{Name: "W", Role: "goroutine", Edges: []artifact.EdgeInfo{
				{Role: artifact.RoleBirth}, {Site: 2, Role: artifact.RoleOp}}},
		},
	}
	trace := &artifact.Trace{Steps: []artifact.Step{
		{Parts: []artifact.Part{{Process: "M", Template: 0, Edge: 0}, {Process: "W", Template: 1, Edge: 0}}},
		{Parts: []artifact.Part{{Process: "W", Template: 1, Edge: 1}, {Process: "M", Template: 0, Edge: 1}}},
	}}
	plan, err := orchestrate.PlanOf(side, trace, artifact.Query{Number: 1, Kind: artifact.KindTestFailure})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range orchestrate.Table(side, plan) {
		fmt.Println(line)
	}
	// Output:
	// step  where      0                0.1
	//    1  main.go:5  go func() {…}()
	//    2  main.go:5                   ch <- 1
	//    3  main.go:6  <-ch
}

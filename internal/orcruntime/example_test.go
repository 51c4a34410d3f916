package orcruntime_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/vtrace/vtrace/internal/orcruntime"
)

// A program with two locks, as the instrumenter writes it, and the plan that
// makes it deadlock. A generated test would pass a testing/synctest bubble, in
// which the deadlock is proved instead of assumed.
func Example() {
	orcruntime.RegisterSites("example.com/locks", []orcruntime.SiteInfo{
		{ID: 1, Key: "locks.main#1", File: "main.go", Line: 10, Text: "go func() {"},
		{ID: 2, Key: "locks.main$1#1", File: "main.go", Line: 11, Text: "b.Lock()"},
		{ID: 3, Key: "locks.main$1#2", File: "main.go", Line: 12, Text: "a.Lock()"},
		{ID: 4, Key: "locks.main#2", File: "main.go", Line: 16, Text: "a.Lock()"},
		{ID: 5, Key: "locks.main#3", File: "main.go", Line: 17, Text: "b.Lock()"},
	})
	program := func() {
		var a, b sync.Mutex
		orcruntime.Go(1, func() {
			orcruntime.Lock(2, &b)
			orcruntime.Lock(3, &a)
		})
		orcruntime.Lock(4, &a)
		orcruntime.Lock(5, &b)
	}
	res := orcruntime.Run(orcruntime.Config{
		Main:     program,
		Patience: time.Millisecond,
		Plan: orcruntime.Plan{
			Steps: []orcruntime.Step{
				{G: "0", Site: "locks.main#1"},
				{G: "0", Site: "locks.main#2"},
				{G: "0.1", Site: "locks.main$1#1"},
			},
			Expect: orcruntime.Expect{
				Kind: orcruntime.KindDeadlock,
				Goroutines: []orcruntime.At{
					{G: "0", Site: "locks.main#3"},
					{G: "0.1", Site: "locks.main$1#2"},
				},
			},
		},
	})
	fmt.Println(res.Verdict)
	for _, g := range res.Goroutines {
		fmt.Println(g.G, g.State, g.Op, g.Object, g.Source)
	}
	// Output:
	// reproduced
	// 0 blocked lock mutex#2 main.go:17: b.Lock()
	// 0.1 blocked lock mutex#1 main.go:12: a.Lock()
}

package library

import (
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// synctest.Test is a call, as in a replay, which has a bubble around it anyway.
// synctest.Wait has its guard, but does not wait.

func bubbleOperations(l *execution.Library) {
	l.Known["testing/synctest.Test"] = l.Add(program.Operation{Name: "synctest", Seed: true, Args: []int{1}}, runBubble)
	l.Known["testing/synctest.Wait"] = l.Add(program.Operation{Name: "settle", Kind: sites.Settle, Seed: true, Args: []int{}}, settleBubble)
}

func runBubble(x *execution.Executor, p *exploration.Path) bool {
	if p.Peek().Phase == 2 {
		return x.OpReturn(p, nil)
	}
	p.Note("synctest", artifact.DirectionOver, "synctest.Test is a call in the model: it does not wait for the goroutines of its bubble to end")
	p.Note("synctest", artifact.DirectionUnder, "who waits for time when the function given to synctest.Test has returned waits for good; in the model it goes on")
	return x.CallArg(p, 1, func(q *exploration.Path) { q.Top().Phase = 2 })
}

func settleBubble(x *execution.Executor, p *exploration.Path) bool {
	p.Note("synctest", artifact.DirectionOver, "synctest.Wait does not wait for the other goroutines in the model")
	return x.OpReturn(p, nil)
}

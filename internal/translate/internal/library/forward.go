package library

import (
	"github.com/vtrace/vtrace/internal/translate/internal/execution"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// Function types of the library have methods that do nothing but call their receiver, with the
// arguments that they are given: they make a function what an interface asks for.

func forwardOperations(l *execution.Library) {
	l.Known["(net/http.HandlerFunc).ServeHTTP"] = l.Add(program.Operation{Name: "forward", Args: []int{0, 1, 2}, Forwards: true}, forward)
}

// forward calls the receiver, with the other arguments as its own.
func forward(x *execution.Executor, p *exploration.Path) bool {
	f := p.Peek()
	if f.Phase == 2 { // it has returned
		return x.OpReturn(p, nil)
	}
	tgt, ok, tracked := x.FunctionOf(p, p.Arg(0)[0], f.Call.Site)
	if !ok && tracked {
		return false
	}
	tgt.Args = [][]*sym.Expr{p.Arg(1), p.Arg(2)}
	return x.EnterArg(p, 0, tgt, func(q *exploration.Path) { q.Top().Phase = 2 })
}

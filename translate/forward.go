package translate

import (
	"github.com/vtrace/vtrace/translate/internal/program"
	"github.com/vtrace/vtrace/translate/internal/sym"
)

// Function types of the library have methods that do nothing but call their receiver, with the
// arguments that they are given: they make a function what an interface asks for.

func forwardOperations(l *Library) {
	l.Known["(net/http.HandlerFunc).ServeHTTP"] = l.operation(program.Operation{Name: "forward", Args: []int{0, 1, 2}, Forwards: true}, forward)
}

// forward calls the receiver.
func forward(x *executor, p *path) bool {
	f := p.peek()
	if f.Phase == 2 { // it has returned
		return x.opReturn(p, nil)
	}
	tgt, ok, tracked := x.functionOf(p, p.arg(0)[0], f.Call.Site)
	if !ok && tracked {
		return false
	}
	tgt.Args = [][]*sym.Expr{p.arg(1), p.arg(2)}
	return x.enterArg(p, 0, tgt, func(q *path) { q.top().Phase = 2 })
}

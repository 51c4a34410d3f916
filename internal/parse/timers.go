package parse

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// durations are the library functions that arm a timer, with the argument that
// says for how long, or until when.
var durations = map[string]int{
	"time.After": 0, "time.NewTimer": 0,
	"context.WithTimeout": 1, "context.WithTimeoutCause": 1,
	"context.WithDeadline": 1, "context.WithDeadlineCause": 1,
}

// tickers are the functions that make one.
var tickers = map[string]bool{"time.NewTicker": true, "time.Tick": true}

// WaitsForTime reports whether something in a program may wait for a point of time, or be told of it: by a timer, a sleep, or a loop
// that looks at the clock and lets others go on.
func WaitsForTime(prog *source.Program) bool {
	return uses(prog, func(obj types.Object) bool {
		f, ok := obj.(*types.Func)
		if !ok || f.Pkg() == nil {
			return false
		}
		name := f.FullName()
		_, timer := durations[name]
		return timer || tickers[name] || name == "time.AfterFunc" || name == "runtime.Gosched" || sites.KindOf(f) == sites.Sleep
	})
}

// ReadsClock reports whether something in a program looks at what time it is.
func ReadsClock(prog *source.Program) bool {
	return uses(prog, func(obj types.Object) bool { return sites.ClockReader(obj) != "" })
}

// due announces to the runtime when a timer will fire.
func (r *rewriter) due(c *ast.CallExpr) {
	_, obj := sites.Classify(r.info, c.Fun)
	f, ok := obj.(*types.Func)
	if !ok {
		return
	}
	i, ok := durations[f.FullName()]
	if !ok || i >= len(c.Args) {
		r.ticker(c, f)
		return
	}
	announce := fmt.Sprintf("%s.Due(%d, ", r.zz, r.statement(c.Pos()))
	if strings.HasPrefix(f.Name(), "WithDeadline") {
		announce = r.zz + ".DueAt("
	}
	r.before(c.Args[i].Pos(), announce)
	r.after(c.Args[i].End(), ")")
}

// ticker has the runtime make a ticker, so that it knows of the ticks.
func (r *rewriter) ticker(c *ast.CallExpr, f *types.Func) {
	if !tickers[f.FullName()] || len(c.Args) != 1 {
		return
	}
	fun := calledFunc(c)
	r.keep[r.qualifier(fun)+f.Name()] = true
	r.replace(r.file.Offset(fun.Pos()), r.file.Offset(fun.End()), r.zz+"."+f.Name())
	r.before(c.Args[0].Pos(), fmt.Sprintf("%d, ", r.statement(c.Pos())))
}

// isReset reports that a function sets a timer or ticker anew.
func isReset(obj types.Object) bool {
	return isFunc(obj, "(*time.Timer).Reset") || isFunc(obj, "(*time.Ticker).Reset")
}

// timer has the runtime stop and reset timers and tickers, so that it knows when
// they fire, and forgets what it has received of them before the program has.
func (r *rewriter) timer(sel *ast.SelectorExpr) {
	s := r.info.Selections[sel]
	if s == nil {
		return
	}
	f, ok := s.Obj().(*types.Func)
	if !ok {
		return
	}
	function := ""
	switch f.FullName() {
	case "(*time.Timer).Stop", "(*time.Timer).Reset":
		function = "Timer"
	case "(*time.Ticker).Stop", "(*time.Ticker).Reset":
		function = "Ticker"
	default:
		return
	}
	if r.asyncTimers && isReset(f) {
		r.diag(sel.Sel.Pos(), "Reset of a %s in a program with GODEBUG=asynctimerchan=1, as modules of Go before 1.23 have it: what it has sent before stays in its channel, and does not in runs", strings.ToLower(function))
	}
	o, ok := operand{}, false
	if s.Kind() == types.MethodVal {
		o, ok = r.receiver(sel.X, s)
	}
	if !ok {
		how := "through an embedded field that is not accessible here"
		if s.Kind() != types.MethodVal {
			how = "as a method expression"
		}
		r.diag(sel.Sel.Pos(), "%s of a %s %s: not known to the run", f.Name(), strings.ToLower(function), how)
		return
	}
	b := r.build(sel.Pos())
	b.put("%s.%s(%d, ", r.zz, function, r.statement(sel.Pos()))
	o.put(b)
	b.put(").")
	b.node(sel.Sel)
	b.done(sel.End())
}

package smallscope

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A loop matters if goroutines may meet in it: one that only calculates costs no schedules, and with fewer iterations it would calculate
// something else. What is not known counts as if it did.

// concurrent reports whether what is in a node, or a function that it calls, starts goroutines or may wait for them, or has atomic
// operations.
func (n *numbers) concurrent(info *types.Info, node ast.Node) bool {
	found := false
	ast.Inspect(node, func(x ast.Node) bool {
		if found {
			return false
		}
		switch x := x.(type) {
		case *ast.GoStmt, *ast.SendStmt, *ast.SelectStmt:
			found = true
		case *ast.UnaryExpr:
			found = x.Op == token.ARROW
		case *ast.RangeStmt:
			_, channel := info.TypeOf(x.X).Underlying().(*types.Chan)
			found = channel
		case *ast.CallExpr:
			found = n.concurrentCall(info, x)
		}
		return !found
	})
	return found
}

// concurrentCall is concurrent for what a call runs.
func (n *numbers) concurrentCall(info *types.Info, call *ast.CallExpr) bool {
	if info.Types[call.Fun].IsType() {
		return false
	}
	if _, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
		return false // it is looked at as a part of the call
	}
	switch f := callee(info, call); {
	case f != nil:
		return n.concurrentFunc(f)
	case isBuiltin(info, call):
		return object(info, call.Fun).Name() == "close"
	}
	return n.concurrentValue(object(info, call.Fun))
}

// concurrentFunc is concurrent for a function.
func (n *numbers) concurrentFunc(f *types.Func) bool {
	f = f.Origin()
	if known, ok := n.meets[f]; ok {
		return known
	}
	if body, ok := n.bodies[f]; ok {
		n.meets[f] = false // while it is looked at: it calls itself
		n.meets[f] = n.concurrent(body.info, body.node)
		return n.meets[f]
	}
	if f.Pkg() == nil {
		return false // the method of an error
	}
	path := f.Pkg().Path()
	switch path {
	case "sync", "sync/atomic", "context", "time":
		return true
	}
	first, _, _ := strings.Cut(path, "/")
	return strings.Contains(first, ".") || n.own(path) // of another module; or a method of an interface
}

// recursive reports whether a function of the program comes to call itself, as far as calls name functions.
func (n *numbers) recursive(f *types.Func) bool {
	seen := map[*types.Func]bool{}
	var calls func(from *types.Func) bool
	calls = func(from *types.Func) bool {
		if seen[from] {
			return false
		}
		seen[from] = true
		return slices.ContainsFunc(n.callees(from), func(to *types.Func) bool { return to == f.Origin() || calls(to) })
	}
	return calls(f.Origin())
}

// callees are the functions that a function of the program names in calls.
func (n *numbers) callees(f *types.Func) (out []*types.Func) {
	if known, ok := n.called[f]; ok {
		return known
	}
	if body, ok := n.bodies[f]; ok {
		ast.Inspect(body.node, func(x ast.Node) bool {
			if c, ok := x.(*ast.CallExpr); ok {
				if to := callee(body.info, c); to != nil {
					out = append(out, to.Origin())
				}
			}
			return true
		})
	}
	n.called[f] = out
	return out
}

// own reports whether a package is one of the program's.
func (n *numbers) own(path string) bool {
	for _, p := range n.prog.Packages {
		if p.PkgPath == path {
			return true
		}
	}
	return false
}

// concurrentValue is concurrent for the functions that a variable may have.
func (n *numbers) concurrentValue(o types.Object) bool {
	if o == nil || len(n.flows[origin(o)]) == 0 {
		return true
	}
	o = origin(o)
	if known, ok := n.meets[o]; ok {
		return known
	}
	n.meets[o] = false
	for _, f := range n.flows[o] {
		lit, ok := ast.Unparen(f.from).(*ast.FuncLit)
		if !ok || n.concurrent(f.info, lit.Body) {
			n.meets[o] = true
			break
		}
	}
	return n.meets[o]
}

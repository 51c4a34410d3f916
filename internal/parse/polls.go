package parse

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/vtrace/vtrace/internal/sites"
)

// polls are the functions outside of sync/atomic that a loop may ask again and
// again whether something has happened, besides those that read the clock.
var polls = map[string]bool{"(context.Context).Err": true, countsGoroutines: true}

// poll has the runtime count what a goroutine asks for: the results of atomic
// operations and the like. One that asks for long without coming to a guard
// waits in vain for those that are not given their turn.
func (r *rewriter) poll(c *ast.CallExpr) {
	if asksLength(r.info, c) {
		if s, ok := r.idx.Stmt(c.Pos()); ok {
			r.unit.guarded[s.ID] = true
			r.before(c.Pos(), fmt.Sprintf("%s.Polled(%d, ", r.zz, s.ID))
			r.after(c.End(), ")")
		}
		return
	}
	_, obj := sites.Classify(r.info, c.Fun)
	f, ok := obj.(*types.Func)
	if !ok || f.Pkg() == nil {
		return
	}
	gosched := f.FullName() == "runtime.Gosched"
	if !gosched && sites.ClockReader(f) == "" && (f.Pkg().Path() != "sync/atomic" || f.Signature().Results().Len() != 1) && !polls[f.FullName()] {
		return
	}
	s, ok := r.idx.Stmt(c.Pos())
	if !ok {
		return // outside of functions, or where no other may be called
	}
	r.unit.guarded[s.ID] = true
	if gosched {
		r.unused(c.Fun, obj)
		b := r.build(c.Pos())
		b.put("%s.Gosched(%d)", r.zz, s.ID)
		b.done(c.End())
		return
	}
	function := "Polled"
	if f.Pkg().Path() == "sync/atomic" {
		switch {
		case strings.HasPrefix(f.Name(), "CompareAndSwap"):
			function = "Swapped"
		case strings.HasPrefix(f.Name(), "Add"):
			function = "Changed"
		}
	}
	r.before(c.Pos(), fmt.Sprintf("%s.%s(%d, ", r.zz, function, s.ID))
	r.after(c.End(), ")")
}

// asksLength: a call of the builtin len for a channel.
func asksLength(info *types.Info, c *ast.CallExpr) bool {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok || len(c.Args) != 1 {
		return false
	}
	if b, ok := info.Uses[id].(*types.Builtin); !ok || b.Name() != "len" {
		return false
	}
	_, ok = info.TypeOf(c.Args[0]).Underlying().(*types.Chan)
	return ok
}

package driver

import (
	"cmp"
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A caller stops what it has made, and waits for what it has started. Which methods do that follows from what they do;
// the usual names only decide between several.

// stopNames are the names that methods have that end what a value does, the most usual first.
var stopNames = []string{"Close", "Stop", "Shutdown", "Cancel", "Quit"}

// ends reports whether a method ends what its receiver does: it closes a channel of it, cancels a context or stops
// a timer, itself or through other functions. One with another name than the usual ones is given nothing, and has no result
// but an error; the others may be told how long to wait.
func (f *finder) ends(fn *types.Func) bool {
	type ending struct{ *types.Func }
	return remember(f, ending{fn}, func() bool { return f.findEnd(fn) })
}

func (f *finder) findEnd(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() == nil {
		return false
	}
	usual := slices.ContainsFunc(stopNames, func(name string) bool { return strings.HasPrefix(fn.Name(), name) })
	for p := range sig.Params().Variables() {
		if !usual || !isOf(p.Type(), "context") && !isOf(p.Type(), "time") {
			return false
		}
	}
	for r := range sig.Results().Variables() {
		if !usual && !isError(r.Type()) {
			return false
		}
	}
	if sig.Params().Len() > 0 && f.starts(f.prog.FuncValue(fn)) {
		return false // it runs until its context ends, as Serve(ctx) does
	}
	for g := range f.reached(fn) {
		if f.endsSomething(g) {
			return true
		}
	}
	return false
}

// isStop reports whether a method has one of the names that methods have that end what a value does, and needs nothing but
// to know how long to wait: what it does when it is called again is not said.
func isStop(fn *types.Func) bool {
	for p := range fn.Signature().Params().Variables() {
		if !isOf(p.Type(), "context") && !isOf(p.Type(), "time") {
			return false
		}
	}
	return slices.ContainsFunc(stopNames, func(name string) bool { return strings.HasPrefix(fn.Name(), name) })
}

// isOf reports whether a type is one of a package.
func isOf(t types.Type, pkg string) bool {
	n := namedOf(t)
	return n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == pkg
}

// endsSomething reports whether a function closes a channel in a field, cancels a context that it has not made, or
// stops a timer in a field.
func (f *finder) endsSomething(g *ssa.Function) bool {
	for _, b := range g.Blocks {
		for _, instr := range b.Instrs {
			for _, op := range operations(instr) {
				if op.kind == closing && isRead(op.on) {
					return true
				}
			}
			c, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			call := c.Common()
			if isOf(call.Value.Type(), "context") && isRead(call.Value) {
				return true
			}
			if pkg, name := calleeName(call); pkg == "time" && name == "Stop" && isRead(call.Args[0]) {
				return true
			}
		}
	}
	return false
}

// isRead reports whether a value is read from a field.
func isRead(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.UnOp:
		_, ok := v.X.(*ssa.FieldAddr)
		return ok
	case *ssa.Field:
		return true
	}
	return false
}

// methodsOf are the methods of a type that the packages have: its own ones, and behind them those of what it embeds.
func (f *finder) methodsOf(n *types.Named) []*types.Func {
	own := slices.Collect(n.Origin().Methods())
	all := types.NewMethodSet(types.NewPointer(n.Origin()))
	for s := range all.Methods() {
		m, ok := s.Obj().(*types.Func)
		if ok && f.own[m.Pkg()] && !slices.Contains(own, m.Origin()) && !types.IsInterface(m.Signature().Recv().Type()) {
			own = append(own, m.Origin())
		}
	}
	return own
}

// stopOf is the method of a type that ends what its values do, nil if there is none: of several one with a usual name,
// one that is asked for less, the first one.
func (w *writer) stopOf(t types.Type) *types.Func {
	n := namedOf(t)
	if n == nil || n.Obj().Pkg() == nil || !w.f.own[n.Obj().Pkg()] || types.IsInterface(n) {
		return nil
	}
	var all []*types.Func
	for _, m := range w.f.methodsOf(n) {
		if m.Exported() && w.f.ends(m) {
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return nil
	}
	usual := func(m *types.Func) int {
		if i := slices.Index(stopNames, m.Name()); i >= 0 {
			return i
		}
		return len(stopNames)
	}
	return slices.MinFunc(all, func(a, b *types.Func) int {
		return cmp.Or(cmp.Compare(usual(a), usual(b)), cmp.Compare(a.Signature().Params().Len(), b.Signature().Params().Len()), cmp.Compare(a.Pos(), b.Pos()))
	})
}

func (w *writer) stopCall(name string, stop *types.Func) string {
	w.called = append(w.called, stop)
	var args []string
	for p := range stop.Signature().Params().Variables() {
		switch {
		case types.TypeString(p.Type(), nil) == "context.Context":
			args = append(args, w.expand("$context$.Background()"))
		case types.TypeString(p.Type(), nil) == "time.Duration":
			args = append(args, w.expand("$time$.Second"))
		default:
			zero, _ := w.zero(p.Type())
			args = append(args, zero)
		}
	}
	return fmt.Sprintf("%s.%s(%s)", name, stop.Name(), strings.Join(args, ", "))
}

// waitOf is the method of the type of a method that waits for the goroutines that it has started, nil if there is none: it
// is given nothing, and waits for a wait group to which the method adds.
func (f *finder) waitOf(fn *types.Func) *types.Func {
	type waiting struct{ *types.Func }
	return remember(f, waiting{fn}, func() *types.Func { return f.findWait(fn) })
}

func (f *finder) findWait(fn *types.Func) *types.Func {
	n := namedOf(fn.Signature().Recv().Type())
	adds := map[any]bool{}
	for g := range f.reached(fn) {
		for _, c := range waitGroupCalls(g) {
			if _, name := calleeName(c); name == "Add" || name == "Go" {
				things, _ := f.matters.identity(c.Args[0], nil)
				maps.Copy(adds, things)
			}
		}
	}
	for _, m := range f.methodsOf(n) {
		if m == fn || !m.Exported() || m.Signature().Params().Len() > 0 {
			continue
		}
		for g := range f.reached(m) {
			for _, c := range waitGroupCalls(g) {
				if _, name := calleeName(c); name != "Wait" {
					continue
				}
				things, _ := f.matters.identity(c.Args[0], nil)
				for t := range things {
					if adds[t] {
						return m
					}
				}
			}
		}
	}
	return nil
}

// waitGroupCalls are the calls of methods of a wait group in a function.
func waitGroupCalls(f *ssa.Function) (out []*ssa.CallCommon) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(ssa.CallInstruction); ok {
				if args := c.Common().Args; len(args) > 0 && pointsTo(args[0].Type(), "sync", "WaitGroup") {
					out = append(out, c.Common())
				}
			}
		}
	}
	return out
}

// sendsOnClosed reports whether a function sends on a channel that another one closes.
func (f *finder) sendsOnClosed(sends, closes *types.Func) bool {
	type pair struct{ sends, closes *types.Func }
	return remember(f, pair{sends, closes}, func() bool { return f.findSendOnClosed(sends, closes) })
}

func (f *finder) findSendOnClosed(sends, closes *types.Func) bool {
	closed := map[any]bool{}
	each := func(fn *types.Func, kind operationKind, do func(operation)) {
		for g := range f.reached(fn) {
			for _, b := range g.Blocks {
				for _, instr := range b.Instrs {
					for _, op := range operations(instr) {
						if op.kind == kind {
							do(op)
						}
					}
				}
			}
		}
	}
	each(closes, closing, func(op operation) {
		things, _ := f.matters.identity(op.on, nil)
		maps.Copy(closed, things)
	})
	found := false
	each(sends, sending, func(op operation) {
		things, _ := f.matters.identity(op.on, nil)
		for t := range things {
			found = found || closed[t]
		}
	})
	return found
}

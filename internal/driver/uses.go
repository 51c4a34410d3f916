package driver

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
)

// uses says what a function does with concurrency, itself or through the functions that it calls by
// name.
type uses struct {
	operates bool // it starts goroutines, or operates on channels, locks and the like
	creates  bool // it makes some of these, or starts goroutines
}

// program is the SSA form of the packages, with what is known about its functions.
type program struct {
	prog *ssa.Program
	own  map[*types.Package]bool
	uses map[*ssa.Function]uses
	all  []*ssa.Function // those of the packages, generic ones as they are declared, in the order of their places
}

// usesOf is what a function does itself and through others. Calls through interfaces and function values are not
// followed: who passes them has entry points of his own.
func (p *program) usesOf(f *ssa.Function) uses {
	if f.Origin() != nil {
		f = f.Origin()
	}
	return p.uses[f]
}

// findUses works out the uses of all functions, as the least fixed point.
func (p *program) findUses() {
	for _, f := range p.all {
		p.uses[f] = direct(f)
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.all {
			sum := p.uses[f]
			for _, callee := range callees(f) {
				u := p.usesOf(callee)
				sum.operates = sum.operates || u.operates
				sum.creates = sum.creates || u.creates
			}
			if sum != p.uses[f] {
				p.uses[f], changed = sum, true
			}
		}
	}
}

// callees are the functions that a function calls by name, and those that it declares inside.
func callees(f *ssa.Function) (out []*ssa.Function) {
	out = append(out, f.AnonFuncs...)
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(ssa.CallInstruction); ok {
				callee := c.Common().StaticCallee()
				if callee == nil {
					continue
				}
				if callee.Origin() != nil {
					callee = callee.Origin()
				}
				out = append(out, callee)
			}
		}
	}
	return out
}

// direct is what the instructions of a function do.
func direct(f *ssa.Function) (u uses) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			switch v := instr.(type) {
			case *ssa.Go:
				u.operates, u.creates = true, true
			case *ssa.MakeChan:
				u.creates = true
			case *ssa.Send, *ssa.Select:
				u.operates = true
			case *ssa.UnOp:
				u.operates = u.operates || v.Op == token.ARROW
			case *ssa.Alloc:
				u.creates = u.creates || hasState(v.Type().Underlying().(*types.Pointer).Elem(), nil)
			}
			c, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			if b, ok := c.Common().Value.(*ssa.Builtin); ok {
				u.operates = u.operates || b.Name() == "close"
				continue
			}
			switch pkg, name := calleeName(c.Common()); pkg {
			case "sync", "sync/atomic", "golang.org/x/sync/errgroup", "golang.org/x/sync/semaphore", "golang.org/x/sync/singleflight":
				u.operates = true
				u.creates = u.creates || strings.HasPrefix(name, "New") || strings.HasPrefix(name, "With")
			case "time":
				u.creates = u.creates || name == "After" || name == "AfterFunc" || strings.HasPrefix(name, "New") || name == "Tick"
				u.operates = u.operates || name == "AfterFunc"
			case "context":
				u.creates = u.creates || strings.HasPrefix(name, "With")
				u.operates = u.operates || name == "AfterFunc"
			}
		}
	}
	return u
}

// syncMethod is the kind of operation that a call of a method of package sync is, Invalid for other calls.
func syncMethod(c *ssa.CallCommon) sites.Kind {
	f := c.StaticCallee()
	if f == nil {
		return sites.Invalid
	}
	obj, ok := f.Object().(*types.Func)
	if !ok || f.Name() != obj.Name() { // the name of a method value is another one
		return sites.Invalid
	}
	if method := sites.LibraryFuncOf(obj); method.Package == "sync" && method.Receiver != "" {
		return method.Kind
	}
	return sites.Invalid
}

// calleeName is the path of the package and the name of a function that is called by name.
func calleeName(c *ssa.CallCommon) (pkg, name string) {
	f := c.StaticCallee()
	if f == nil {
		return "", ""
	}
	if f.Origin() != nil {
		f = f.Origin()
	}
	if f.Object() == nil || f.Object().Pkg() == nil {
		return "", ""
	}
	return f.Object().Pkg().Path(), f.Name()
}

// hasState reports whether a value of a type holds a channel, a lock, or another thing by which goroutines
// synchronise, in itself or behind pointers.
func hasState(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if pkg := n.Obj().Pkg(); pkg != nil {
			switch pkg.Path() {
			case "sync", "sync/atomic", "golang.org/x/sync/errgroup", "golang.org/x/sync/semaphore", "golang.org/x/sync/singleflight":
				return true
			}
		}
	}
	if seen == nil {
		seen = map[types.Type]bool{}
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Chan:
		return true
	case *types.Pointer:
		return hasState(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if hasState(f.Type(), seen) {
				return true
			}
		}
	case *types.Array:
		return hasState(u.Elem(), seen)
	case *types.Slice:
		return hasState(u.Elem(), seen)
	case *types.Map:
		return hasState(u.Elem(), seen)
	}
	return false
}

// isShared reports whether values of a type look made for several goroutines: one of its fields is a lock, a channel or the
// like.
func isShared(n *types.Named) bool {
	st, ok := n.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if _, isChan := f.Type().Underlying().(*types.Chan); isChan {
			return true
		}
		if synchronises(f.Type()) {
			return true
		}
	}
	return false
}

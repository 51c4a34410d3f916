package driver

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
)

// A type with a lock promises that its methods may be called at the same time. Two that hold it do not disturb each
// other; worth a driver are those of which one reads a field without a lock that the other one writes under it, or
// writes one without it though it takes it elsewhere. A method without any lock that writes is no such: it sets up the
// value before there are others, as a rule.

// mostBeside is how many other methods a method is called beside.
const mostBeside = 2

// beside are exported methods of a type that a call of one of them may meet in a field that is not guarded, in the order of
// their places.
func (f *finder) beside(n *types.Named, fn *types.Func) (out []*types.Func) {
	own := f.fieldUses(n, fn)
	for m := range n.Origin().Methods() {
		if m == fn.Origin() || !m.Exported() || isStop(m) || f.ends(m) || m.Name() == "Lock" || m.Name() == "Unlock" {
			continue
		}
		if r := m.Signature().Results(); r.Len() > 0 && namedOf(r.At(0).Type()) != nil && namedOf(r.At(0).Type()).Obj() == n.Obj() {
			continue // it sets something up, and calls of others follow in the same statement
		}
		for field, theirs := range f.fieldUses(n, m) {
			if ours, both := own[field]; both && (ours.disturbs(theirs) || theirs.disturbs(ours)) {
				out = append(out, m)
				break
			}
		}
	}
	slices.SortFunc(out, func(a, b *types.Func) int { return int(a.Pos() - b.Pos()) })
	return out[:min(mostBeside, len(out))]
}

// fieldUse is what a method does with a field.
type fieldUse struct {
	guardedWrite bool // it writes the field, or what is in the map or slice there, under a lock
	write, read  bool // it does that without
	locked       bool // it takes a lock somewhere
}

// disturbs reports whether what a method does without a lock meets what another one does.
func (u fieldUse) disturbs(other fieldUse) bool {
	return u.read && other.guardedWrite || u.write && u.locked
}

// fieldUses are the fields of a type that a method uses, itself or through others. What synchronises by itself is not
// among them.
func (f *finder) fieldUses(n *types.Named, fn *types.Func) map[*types.Var]fieldUse {
	type of struct{ *types.Func }
	return remember(f, of{fn.Origin()}, func() map[*types.Var]fieldUse { return f.findFieldUses(n, fn) })
}

func (f *finder) findFieldUses(n *types.Named, fn *types.Func) map[*types.Var]fieldUse {
	out := map[*types.Var]fieldUse{}
	method := f.prog.FuncValue(fn.Origin())
	if method == nil {
		return out
	}
	reached := f.reached(fn.Origin())
	locked := false
	for g := range reached {
		locked = locked || len(locks(g)) > 0
	}
	for g := range reached {
		taken := locks(g)
		for _, b := range g.Blocks {
			for _, instr := range b.Instrs {
				at, ok := instr.(*ssa.FieldAddr)
				if !ok || namedOf(at.X.Type()) == nil || namedOf(at.X.Type()).Obj() != n.Obj() || synchronises(fieldOf(at).Type()) {
					continue
				}
				guarded := locked && g != method || slices.ContainsFunc(taken, func(l ssa.Instruction) bool { return comesBefore(l, at) })
				use := out[fieldOf(at)]
				use.locked = locked
				switch written := writes(at); {
				case written && guarded:
					use.guardedWrite = true
				case written:
					use.write = true
				case !guarded:
					use.read = true
				}
				out[fieldOf(at)] = use
			}
		}
	}
	return out
}

// synchronises reports whether a type is one that several goroutines may use at once.
func synchronises(t types.Type) bool {
	return isOf(t, "sync") || isOf(t, "sync/atomic")
}

// locks are the instructions of a function that take a lock, or may wait for what orders what is behind them.
func locks(f *ssa.Function) (out []ssa.Instruction) {
	for _, b := range f.Blocks {
		for _, instr := range b.Instrs {
			if receive, ok := instr.(*ssa.UnOp); ok && receive.Op == token.ARROW {
				out = append(out, instr)
			}
			c, ok := instr.(*ssa.Call)
			if !ok {
				continue
			}
			pkg, name := calleeName(&c.Call)
			if c.Call.IsInvoke() {
				pkg, name = "sync", c.Call.Method.Name()
			}
			if pkg == "sync" && waits[name] {
				out = append(out, instr)
			}
		}
	}
	return out
}

// waits are the names of the methods of package sync that may wait.
var waits = func() map[string]bool {
	m := map[string]bool{}
	for k := range sites.Kinds() {
		if f := k.Method(); k.Waits() != sites.Never && f.Kind != sites.Invalid {
			m[f.Name] = true
		}
	}
	return m
}()

// comesBefore reports whether a function comes to an instruction only behind another one.
func comesBefore(first, then ssa.Instruction) bool {
	a, b := first.Block(), then.Block()
	if a != b {
		return a.Dominates(b)
	}
	return slices.Index(a.Instrs, first) < slices.Index(a.Instrs, then)
}

// writes reports whether a field is written at the address of it, or what is in the map or slice there.
func writes(at *ssa.FieldAddr) bool {
	for _, use := range *at.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == at {
				return true
			}
		case *ssa.UnOp:
			if use.Op == token.MUL && slices.ContainsFunc(*use.Referrers(), func(in ssa.Instruction) bool { return changes(in, use) }) {
				return true
			}
		}
	}
	return false
}

// changes reports whether an instruction changes what is in a map or a slice.
func changes(in ssa.Instruction, of ssa.Value) bool {
	switch in := in.(type) {
	case *ssa.MapUpdate:
		return in.Map == of
	case *ssa.IndexAddr:
		return slices.ContainsFunc(*in.Referrers(), func(use ssa.Instruction) bool {
			s, ok := use.(*ssa.Store)
			return ok && s.Addr == in
		})
	case *ssa.Call:
		b, ok := in.Call.Value.(*ssa.Builtin)
		return ok && (b.Name() == "delete" || b.Name() == "clear") && in.Call.Args[0] == of
	}
	return false
}

package program

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// SyncCells names the cells of a type of package sync, nil for other types.
func SyncCells(t types.Type) []string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != "sync" {
		return nil
	}
	switch n.Obj().Name() {
	case "Mutex":
		return []string{"_locked"}
	case "RWMutex":
		return []string{"_held", "_pending", "_readers"}
	case "WaitGroup":
		return []string{"_count"}
	case "Once":
		return []string{"_state"}
	}
	return nil
}

// IsCond recognises sync.Cond, which foreign code has no other business with
// than to read and set its lock.
func IsCond(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync" && n.Obj().Name() == "Cond"
}

// IsSync reports that a value is a reference to an object of package sync.
func IsSync(t types.Type) bool {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync" {
		return n.Obj().Name() == "Locker"
	}
	p, ok := t.Underlying().(*types.Pointer)
	return ok && (SyncCells(p.Elem()) != nil || IsCond(p.Elem()))
}

// LockerMethod reports that a method is one of sync.Locker.
func LockerMethod(m *types.Func) bool {
	sig, ok := m.Type().(*types.Signature)
	if !ok || sig.Recv() == nil {
		return false
	}
	n, ok := types.Unalias(sig.Recv().Type()).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "sync" && n.Obj().Name() == "Locker"
}

// OfSync reports that an interface of the program's own, whose method is called,
// can hold a type of package sync: its methods have no callees in the call graph.
func (p *Program) OfSync(c *ssa.CallCommon) bool {
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 {
		return false
	}
	for _, q := range p.Source.Packages {
		if q.Types == nil {
			continue
		}
		for _, imported := range q.Types.Imports() {
			if imported.Path() != "sync" {
				continue
			}
			for _, name := range []string{"Mutex", "RWMutex", "WaitGroup", "Cond"} {
				if o := imported.Scope().Lookup(name); o != nil && types.Implements(types.NewPointer(o.Type()), iface) {
					return true
				}
			}
		}
	}
	return false
}

// A struct or array that holds a lock, a wait group or a Once takes their state
// with it when it is copied: the copy of a locked mutex is locked, and one that is
// set to its zero value is not. So the store of such a value matters like an
// operation on it.

// CopiesSync reports that an instruction stores a copy of synchronisation
// objects, or new ones.
func (p *Program) CopiesSync(instr ssa.Instruction) bool {
	st, ok := instr.(*ssa.Store)
	if !ok {
		return false
	}
	return p.holdsSync(st.Val.Type())
}

// holdsSync reports that a value of type t contains a synchronisation object.
func (p *Program) holdsSync(t types.Type) bool {
	if SyncCells(t) != nil {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if p.ofOthers(t) {
			return false
		}
		for i := range u.NumFields() {
			if p.holdsSync(u.Field(i).Type()) {
				return true
			}
		}
	case *types.Array:
		return p.holdsSync(u.Elem())
	}
	return false
}

// ofOthers reports that a type is declared in a package that is not under translation.
func (p *Program) ofOthers(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && !p.ownPackage(n.Obj().Pkg().Path())
}

// ownPackage reports that a package is under translation.
func (p *Program) ownPackage(path string) bool {
	for _, q := range p.Source.Packages {
		if q.PkgPath == path || q.Types != nil && q.Types.Path() == path {
			return true
		}
	}
	return false
}

// SpinsOn is the atomic operation by which a branch decides whether a loop goes
// on that waits for an atomic variable, nil for other branches: the loop is left
// when the variable has, or can be changed from, a value that is known
// beforehand. A loop that tries again to change what it has read, as in an atomic
// counter, does not wait: somebody else's change has come between.
func (p *Program) SpinsOn(br *ssa.If) *ssa.Call {
	b := br.Block()
	in := p.Function(b.Parent())
	if !in.InCycle[b.Index] {
		return nil
	}
	cond := br.Cond
	if n, ok := cond.(*ssa.UnOp); ok && n.Op == token.NOT {
		cond = n.X
	}
	if c, ok := cond.(*ssa.BinOp); ok {
		cond = c.X
		if _, isConst := c.Y.(*ssa.Const); !isConst {
			return nil
		}
	}
	call, ok := cond.(*ssa.Call)
	if !ok || !in.InCycle[call.Block().Index] {
		return nil
	}
	op := p.Operation(call.Call.StaticCallee())
	if op == nil {
		return nil
	}
	switch op.Name {
	case "atomiccas":
		_, known := call.Call.Args[1].(*ssa.Const)
		if !known {
			return nil
		}
	case "atomicload":
	default:
		return nil
	}
	// One branch leads back without leaving the loop, the other out of it.
	back := 0
	for _, s := range b.Succs {
		if in.InCycle[s.Index] && Reaches(s, b) {
			back++
		}
	}
	if back != 1 {
		return nil
	}
	return call
}

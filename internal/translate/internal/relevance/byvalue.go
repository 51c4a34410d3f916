package relevance

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// byValue finds the variables that escape into closures only to be read there,
// and that are not written once a closure, or the next iteration, has them.
// Such a variable needs no memory: where the program passes its address, the
// model passes its value. All loop variables that goroutines capture are like
// that, as a rule.
//
//	for i := range 3 { go func() { c <- i }() }
//
// Whether one is depends on those that it flows into and comes from, in circles: all are
// taken for such variables, and those that cannot be are taken out until none is left. What
// remains is the greatest set in which each one relies on others of the set only.
func (s *Slice) byValue() map[ssa.Value]bool {
	group := map[ssa.Value]bool{}
	var all []ssa.Value
	add := func(v ssa.Value) {
		if !group[v] {
			group[v] = true
			all = append(all, v)
		}
	}
	for _, f := range s.prog.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				if a, ok := instr.(*ssa.Alloc); ok && a.Heap {
					add(a)
				}
			}
		}
	}
	// What allocations flow into: phis and captured variables.
	for i := 0; i < len(all); i++ {
		for _, r := range *all[i].Referrers() {
			switch r := r.(type) {
			case *ssa.Phi:
				add(r)
			case *ssa.MakeClosure:
				for k, b := range r.Bindings {
					if b == all[i] {
						add(r.Fn.(*ssa.Function).FreeVars[k])
					}
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, v := range all {
			if group[v] && !s.readOnly(group, v) {
				delete(group, v)
				changed = true
			}
		}
	}
	return group
}

// readOnly reports that a pointer can be replaced by the value it points to,
// if all others in the group can.
// It is written in the block that allocates it only, and there in front of every closure that gets it: so it has
// its value before anybody can read it, and each time that the block is executed it is another variable.
func (s *Slice) readOnly(group map[ssa.Value]bool, v ssa.Value) bool {
	last := -1 // index of the last store into an allocation
	switch v := v.(type) {
	case *ssa.Phi:
		for _, e := range v.Edges {
			if !group[e] {
				return false
			}
		}
	case *ssa.FreeVar:
		f := v.Parent()
		for k, fv := range f.FreeVars {
			for _, m := range s.Closures[f] {
				if fv == v && !group[m.Bindings[k]] {
					return false
				}
			}
		}
	case *ssa.Alloc:
		for i, instr := range v.Block().Instrs {
			if st, ok := instr.(*ssa.Store); ok && st.Addr == v {
				last = i
			}
		}
	}
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
			if r.Op != token.MUL {
				return false
			}
		case *ssa.Phi:
			if !group[r] {
				return false
			}
		case *ssa.Store:
			a, ok := v.(*ssa.Alloc)
			if !ok || r.Addr != v || r.Val == v || r.Block() != a.Block() {
				return false
			}
		case *ssa.MakeClosure:
			for k, b := range r.Bindings {
				if b == v && !group[r.Fn.(*ssa.Function).FreeVars[k]] {
					return false
				}
			}
			if a, ok := v.(*ssa.Alloc); ok && r.Block() == a.Block() {
				for i, instr := range r.Block().Instrs {
					if instr == r && i < last {
						return false
					}
				}
			}
		default:
			return false
		}
	}
	return true
}

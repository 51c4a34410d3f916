package relevance

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
)

// A pointer or interface that the program sets to nil, or takes out of a map from which it
// deletes, may be nil by the time that it is followed: a connection that has been
// closed, a session that has gone. Where the model has the path to such a place
// anyway, it keeps the value, so that the panic is found.
//
//	p.conn = nil        // in Close
//	p.conn.Write(b)     // in another goroutine
//
// That is asked only of what the program itself sets to nil: every pointer may be nil,
// and the model would have to keep all of them.

// nils asks for the values that may be nil where they are followed. It reports
// whether there was anything new.
func (s *Slice) nils() bool {
	grown := false
	for _, f := range s.prog.Funcs {
		if !s.Funcs[f] || s.prog.OfLibrary(f) {
			continue
		}
		for _, b := range f.Blocks {
			if !s.Blocks[b] {
				continue
			}
			for _, instr := range b.Instrs {
				if v, ok := instr.(ssa.Value); ok && s.maybeNil(v) && s.followedAt(v, 0) {
					grown = true
				}
			}
		}
	}
	return grown
}

// maybeNil reports that a value is read from where the program puts nil, or from
// a map from which it deletes.
func (s *Slice) maybeNil(v ssa.Value) bool {
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Interface:
	default:
		return false
	}
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op != token.MUL {
			return false
		}
		if _, ok := s.Parts[v.X]; ok {
			return false
		}
		c, known := ClassOf(v.X)
		// The elements of all slices of a type are one class, which says too little of any of them.
		if !known || c.v == nil {
			return false
		}
		if _, isLocal := c.v.(*ssa.Alloc); isLocal {
			return false
		}
		return slices.ContainsFunc(s.Stores[c], func(instr ssa.Instruction) bool {
			st, ok := instr.(*ssa.Store)
			return ok && program.IsNil(st.Val)
		})
	case *ssa.Lookup:
		return slices.ContainsFunc(s.mapWrites[Entries(v.X.Type())], func(instr ssa.Instruction) bool {
			_, deletes := instr.(ssa.CallInstruction)
			return deletes
		})
	}
	return false
}

// maxHanded is through how many calls a value is looked for that is handed on.
const maxHanded = 3

// followedAt asks for the checks of a value where it is followed: in the blocks
// that the model has, and at the beginning of functions that it is handed to
// there. It reports whether there was anything new.
// Elsewhere in such a function it depends on branches that the model does not have.
func (s *Slice) followedAt(v ssa.Value, depth int) bool {
	grown := false
	for _, instr := range *v.Referrers() {
		b := instr.Block()
		if !s.Blocks[b] && (depth == 0 || b.Index != 0) {
			continue
		}
		switch i := instr.(type) {
		case *ssa.FieldAddr, *ssa.Store, *ssa.UnOp, *ssa.IndexAddr, *ssa.Slice:
			if s.Checks[i] != "" || !follows(i, v) {
				continue
			}
			s.Checks[i], s.MayBeNil[i] = s.Fault(i), true
			s.needCheck(i)
			grown = true
		case *ssa.Call:
			if (i.Call.IsInvoke() && i.Call.Value == v || s.prog.ActedOn(i) == v) && !s.Instrs[i] && s.Checks[i] == "" {
				s.Checks[i], s.MayBeNil[i] = "nil pointer dereference", true
				s.needCheck(i)
				grown = true
			}
			f := i.Call.StaticCallee()
			if f == nil || f.Blocks == nil || depth == maxHanded || s.prog.OfLibrary(f) {
				continue
			}
			for k, a := range i.Call.Args {
				if a == v && k < len(f.Params) && s.followedAt(f.Params[k], depth+1) {
					grown = true
				}
			}
		}
	}
	return grown
}

// follows reports that an instruction follows a pointer.
func follows(instr ssa.Instruction, v ssa.Value) bool {
	switch i := instr.(type) {
	case *ssa.FieldAddr:
		return i.X == v
	case *ssa.IndexAddr:
		return i.X == v && arrayFault(v) != ""
	case *ssa.Slice:
		return i.X == v && arrayFault(v) != ""
	case *ssa.Store:
		return i.Addr == v
	case *ssa.UnOp:
		return i.Op == token.MUL && i.X == v
	}
	return false
}

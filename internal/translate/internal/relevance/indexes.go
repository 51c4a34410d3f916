package relevance

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// bounds asks for the indexing of slices that are kept anyway, where the index
// is a constant or counted from the end: that the slice is too short is an error
// even if the element does not matter. It reports whether there was anything new.
// As in args[1], or in list[len(list)-1] of an empty list: an index that was computed
// otherwise is mostly in range, and would bring all that it is computed from.
func (s *Slice) bounds() bool {
	grown := false
	for b, instr := range s.instructions() {
		i, ok := instr.(*ssa.IndexAddr)
		if !ok || s.Values[i] || !s.keeps(i.X) || !fixedIndex(i.Index) {
			continue
		}
		s.needBlock(b)
		s.need(i)
		grown = true
	}
	return grown
}

// keeps reports that a slice is a value of the model, or read from memory that
// is.
func (s *Slice) keeps(v ssa.Value) bool {
	if _, ok := v.Type().Underlying().(*types.Slice); !ok {
		return false
	}
	if s.Values[v] {
		return true
	}
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	c, known := ClassOf(load.X)
	return known && c.v != nil && s.Classes[c]
}

// fixedIndex reports that an index is a constant or len(x) less a constant.
func fixedIndex(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return true
	case *ssa.BinOp:
		if _, ok := v.Y.(*ssa.Const); !ok || v.Op != token.SUB {
			return false
		}
		call, ok := v.X.(*ssa.Call)
		if !ok {
			return false
		}
		b, ok := call.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "len"
	}
	return false
}

package execution

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// elementsLost notes that elements which a call writes are not in the model, if they matter: if something
// that is in the slice reads elements of such a type. elem is nil where the type is not known.
func (x *Executor) elementsLost(p *exploration.Path, call ssa.CallInstruction, elem types.Type) {
	if elem == nil || x.Slice.Classes[relevance.Elements(elem)] {
		p.NoteAt(call.Pos(), "copy", artifact.DirectionUnder, "the elements written are not in the model")
	}
}

// execElements executes the builtin copy, or clear of a slice. copy writes as many elements as the shorter
// of the two slices has, and returns how many (Go specification, Appending to and copying slices).
//
// The number need not be known: of each element that can be written the cells get what is new if the number
// is large enough, and keep what they have if not. What is written is all read before, since the two slices
// may be parts of one array.
func (x *Executor) execElements(p *exploration.Path, i *ssa.Call) bool {
	elem := x.Program.ElementsWritten(i)
	ctx := p.Peek().Call
	lost := func() bool {
		x.elementsLost(p, i, elem)
		p.Set(ctx, i, layout.Unknowns(x.ValueWidth(i), "the number of elements copied"))
		return p.Advance()
	}
	if elem == nil {
		return lost()
	}
	w := int32(x.Width(elem))
	dst := p.Value(ctx, i.Call.Args[0])
	n := dst[1]
	var from int32
	copies := len(i.Call.Args) > 1
	if copies {
		src := p.Value(ctx, i.Call.Args[1])
		if len(src) != 3 {
			return lost() // a string
		}
		// Cells of new objects are written to memory, since both slices are read and written by address.
		if _, _, isNew := exploration.NewObjectAt(src[0]); isNew {
			p.Settle()
			src = p.Value(ctx, i.Call.Args[1])
		}
		ptr, ok, tracked := x.Shape(p, src, w)
		if !tracked {
			return lost()
		}
		if !ok {
			return false
		}
		from = ptr
		n = sym.Ite(sym.Arith(sym.OpLt, src[1], n), src[1], n)
	}
	if _, _, isNew := exploration.NewObjectAt(dst[0]); isNew {
		p.Settle()
	}
	to, ok, tracked := x.Shape(p, dst, w)
	if !tracked {
		return lost()
	}
	if !ok {
		return false
	}
	n = p.Simplify(n)
	a := p.Abs(n)
	if n.Op == sym.OpUnknown || a.Top {
		return lost()
	}
	// most is how many elements can be written: each cell more would depend on the number for nothing.
	_, most := a.Bounds()
	for _, arg := range i.Call.Args { // none is written beyond the end of either
		if l := p.Abs(p.Value(ctx, arg)[1]); !l.Top {
			_, hi := l.Bounds()
			most = min(most, hi)
		}
	}
	for i, at := range []int32{to, from} { // nor of the arrays
		if left, known := x.room(at, w); known && (i == 0 || copies) {
			most = min(most, left)
		}
	}
	if int(most)*int(w) > layout.MaxArray {
		return lost()
	}
	s := p.Statement(i)
	x.Accessed(p, to, int(most*w), s, true)
	values := make([]*sym.Expr, most*w) // of before: the two may overlap
	for k := range values {
		values[k] = sym.Num(0)
		if copies {
			values[k] = p.Copied(from + int32(k))
		}
	}
	if copies {
		x.Accessed(p, from, int(most*w), s, false)
	}
	for k, e := range values {
		at := to + int32(k)
		p.Put(at, sym.Ite(sym.Arith(sym.OpLt, sym.Num(int32(k)/w), n), e, p.RawCell(at)))
	}
	p.Set(ctx, i, []*sym.Expr{n})
	return p.Advance()
}

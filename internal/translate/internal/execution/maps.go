package execution

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/translate/internal/exploration"
	"github.com/vtrace/vtrace/internal/translate/internal/layout"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A map is an object with room for a few entries, each of which says whether it is used, and holds a key
// and its value. Behind them a cell says that the map has had more: then what is not found is not tracked.
// The cells after that are not part of the state: they stand for the keys that are ever set. So a map[K]V
// with n entries has the cells
//
//	used key.. value..   n times, Stride = 1 + width of K + width of V
//	more                 (state.Object.More)
//	ever..               width of K, what keys have ever been set
//
// An entry that is not used is all 0. Which entry a key has is decided by the state, so that most
// operations have a list found of conditions, one for each entry: that it is the one with the key. At most
// one of them holds, and none if there is no entry. Cells are written in all entries under these
// conditions, and the path does not fork.
//
// A map that has too large entries, or whose contents do not matter, is an object without contents
// (someMap), in which nothing is ever found out: not nil, of unknown length.

// maxEntry is the most scalars of a key with its value.
const maxEntry = 16

// execMakeMap allocates a map, empty. That it has more entries than the bound is said by the cell more, for
// which there may be an approximation instead of an end of the path (endsWhereFull).
func (x *Executor) execMakeMap(p *exploration.Path, i *ssa.MakeMap) bool {
	ctx := p.Peek().Call
	t := i.Type().Underlying().(*types.Map)
	kw, vw := x.Width(t.Key()), x.Width(t.Elem())
	if kw+vw > maxEntry || !x.Slice.Classes[relevance.Entries(t)] {
		p.Set(ctx, i, []*sym.Expr{sym.Num(x.someMap())})
		return p.Advance()
	}
	n, at := x.BoundOf(approximation.BoundEntries, p.Here())
	stride, entries := int32(1+kw+vw), int32(n)
	r, ok := x.Allocate(p, i, func() *state.Object {
		return &state.Object{Kind: state.DataObject, Name: state.Identifier(ctx.Fn.Name()) + "_map", Size: entries*stride + 1 + int32(kw), Backing: state.Backing{Elems: entries, Stride: stride, Mapping: t, At: at}}
	}, func(o *state.Object) {
		for n := range int(entries) {
			at, name := o.Entry(n), fmt.Sprintf("%s_%d", o.Name, n)
			used := x.Memory.Cells[at]
			used.Name = name + "_used"
			x.DescribeAt(at+1, name+"_key", t.Key(), 0)
			x.MarkRefs(at+1, t.Key())
			x.DescribeAt(at+1+int32(kw), name+"_value", t.Elem(), 0)
			x.MarkRefs(at+1+int32(kw), t.Elem())
		}
		more := x.Memory.Cells[o.More()]
		more.Name = o.Name + "_more"
		if at != nil && !x.endsWhereFull(t) {
			at.Over = append(at.Over, more)
		}
		// The keys that are ever set: grown by who sets them, and no part of the state.
		for c := range kw {
			k := x.Memory.Cells[o.More()+1+int32(c)]
			k.Abs, k.Payload, k.Sync = sym.Set{}, true, true
			k.Ref = x.Refs(t.Key())[c]
		}
	})
	if !ok {
		return false
	}
	// Clear leaves out the keys ever set, which are those of all maps made here.
	r.Clear(p, func(off int32) bool { return off > entries*stride })
	p.Set(ctx, i, []*sym.Expr{r.Address})
	return p.Advance()
}

// someMap stands for the maps whose contents are not kept: they are not nil.
func (x *Executor) someMap() int32 {
	return x.Memory.KeyedObject("a map", func() *state.Object { return &state.Object{Kind: state.OpaqueObject, Name: "map", Size: 1} }).Base
}

// mapAt finds the map that an instruction is about; nil for a nil map. ok is false if it has taken over the
// path. A map whose contents are not kept is not tracked. It counts as an access to all cells of the map,
// since which entry a key has depends on all of them.
func (x *Executor) mapAt(p *exploration.Path, e *sym.Expr, instr ssa.Instruction, write bool) (o *state.Object, ok, tracked bool) {
	e = p.Simplify(e)
	if _, _, isNew := exploration.NewObjectAt(e); isNew {
		p.Settle()
	}
	k, ok, tracked := x.Concrete(p, e)
	if !ok || !tracked {
		return nil, ok, tracked
	}
	if o = x.Memory.Object(k); o == nil || o.Mapping == nil {
		return nil, true, k == 0
	}
	x.Accessed(p, o.Base, int(o.Size), p.Statement(instr), write)
	return o, true, true
}

// readMap finds the map of which i reads, for the access at another instruction.
// If there is none, i has its values: zeros from a nil map, unknown ones for the
// reason given from one that is not tracked. goesOn says whether the path does.
func (x *Executor) readMap(p *exploration.Path, e *sym.Expr, at ssa.Instruction, i ssa.Value, untracked string) (o *state.Object, goesOn bool) {
	ctx, n := p.Peek().Call, x.ValueWidth(i)
	o, ok, tracked := x.mapAt(p, e, at, false)
	switch {
	case !tracked:
		p.Set(ctx, i, layout.Unknowns(n, untracked))
	case !ok:
		return nil, false
	case o == nil:
		p.Set(ctx, i, layout.Zeros(n))
	default:
		return o, true
	}
	return nil, p.Advance()
}

// Find looks a key up: done completes a path for the entries that hold it, by the condition that each does,
// and reports that it goes on. Keys that are not tracked may be any.
//
// done may be called several times, each time with another path, and must not touch p. With a saturated
// key, which stands for all numbers beyond some limit, whether it is the one looked for is not known.
func (x *Executor) Find(p *exploration.Path, o *state.Object, key []*sym.Expr, done func(q *exploration.Path, found []*sym.Expr) bool) bool {
	if saturated := p.Simplify(saturatedKey(p, o, len(key))); !saturated.Is(0) {
		// With a saturated key nothing is known; without, all keys are.
		if q := p.ForkSaturated(saturated); q != nil && x.compare(q, o, key, done) {
			x.ContinueWith(q)
		}
		if !p.Assume(sym.Not(saturated)) {
			return false
		}
	}
	return x.compare(p, o, key, done)
}

// saturatedKey is the condition that an entry of a map has a saturated key.
func saturatedKey(p *exploration.Path, o *state.Object, width int) *sym.Expr {
	any := sym.Num(0)
	for i := range int(o.Elems) {
		for c := range width {
			if l := p.SaturatedIf(p.RawCell(o.Entry(i) + 1 + int32(c))); l != nil {
				any = sym.Or(any, l)
			}
		}
	}
	return any
}

// compare compares a key with those of the entries, for Find. If the result is open for some entries, there
// is a path for each of them, on which it is the one, and one on which none is: never two, since no two
// entries have the same key.
func (x *Executor) compare(p *exploration.Path, o *state.Object, key []*sym.Expr, done func(q *exploration.Path, found []*sym.Expr) bool) bool {
	kt := o.Mapping.Key()
	found := make([]*sym.Expr, o.Elems)
	open := ""
	for i := range found {
		used := p.CellAt(o.Entry(i))
		if used.Is(0) {
			found[i] = sym.Num(0)
			continue
		}
		k := make([]*sym.Expr, len(key))
		for c := range k {
			k[c] = p.CellAt(o.Entry(i) + 1 + int32(c))
		}
		// The key of an unused entry is 0, which may be a key as well: that the entry is used is asked for
		// beside.
		same := withinEntry(p, o, k, func() *sym.Expr { return p.Simplify(x.Equal(p, kt, k, key)) })
		if same.Op == sym.OpUnknown {
			open = exploration.Why(same)
			same = sym.Num(1)
		}
		found[i] = p.Simplify(sym.And(used, same))
	}
	if open == "" {
		return done(p, found)
	}
	p.MarkFork()
	p.Note("free-choice", artifact.DirectionOver, "the key of a map is not tracked: "+open)
	for i := -1; i < len(found); i++ {
		only := layout.Zeros(len(found))
		if i >= 0 {
			if found[i].Is(0) {
				continue
			}
			only[i] = found[i]
		}
		q := p.Clone()
		q.Picks++
		if done(q, only) {
			x.ContinueWith(q)
		}
	}
	return false
}

func (x *Executor) execLookup(p *exploration.Path, i *ssa.Lookup) bool {
	ctx := p.Peek().Call
	o, goesOn := x.readMap(p, p.Value(ctx, i.X)[0], i, i, "the contents of a map that is not tracked")
	if o == nil {
		return goesOn
	}
	if !x.hashed(p, o, p.Value(ctx, i.Index), i) {
		return false
	}
	return x.LookUp(p, o, p.Value(ctx, i.Index), func(q *exploration.Path, _, val []*sym.Expr, has *sym.Expr) bool {
		if i.CommaOk {
			val = append(slices.Clone(val), has)
		}
		q.Set(ctx, i, slices.Clone(val))
		return q.Advance()
	})
}

// hashed continues with the panic where a key is an interface that holds what cannot be compared, as a
// slice; false if it has taken over the path (Go specification, Comparison operators and Map types).
func (x *Executor) hashed(p *exploration.Path, o *state.Object, key []*sym.Expr, instr ssa.Instruction) bool {
	return !types.IsInterface(o.Mapping.Key()) || x.check(p, x.uncomparable(p, key), "hash of unhashable type", instr)
}

// LookUp reads the entry of a key. done completes a path by the condition that each entry is the one, the
// value and whether there is one, and reports that it goes on. The value is a choice among those of the
// entries, with 0 for none, which is the zero value of its type.
func (x *Executor) LookUp(p *exploration.Path, o *state.Object, key []*sym.Expr, done func(q *exploration.Path, found, val []*sym.Expr, has *sym.Expr) bool) bool {
	kw, vw := int32(x.Width(o.Mapping.Key())), x.Width(o.Mapping.Elem())
	return x.Find(p, o, key, func(q *exploration.Path, found []*sym.Expr) bool {
		if !x.forkOverfull(q, o, func(r *exploration.Path) { x.lookUpOverfull(r, o, found, done) }) {
			return false
		}
		out, saturated, has := layout.Zeros(vw), make([]*sym.Expr, vw), sym.Num(0)
		for n := range found {
			if found[n].Is(0) {
				continue
			}
			val, l := q.Cells(o.Entry(n)+1+kw, vw)
			for c := range out {
				out[c] = sym.Ite(found[n], val[c], out[c])
				if l[c] != nil {
					saturated[c] = sym.Or(exploration.OrFalse(saturated[c]), sym.And(found[n], l[c]))
				}
			}
			has = sym.Or(has, found[n])
		}
		// A value may be saturated, under the condition that its entry is the one and that it is.
		if !slices.ContainsFunc(saturated, func(l *sym.Expr) bool { return l != nil }) {
			return done(q, found, out, has)
		}
		x.Decide(q, out, saturated, func(r *exploration.Path, val []*sym.Expr) {
			if done(r, found, val, has) {
				x.ContinueWith(r)
			}
		})
		return false
	})
}

// forkOverfull leaves to f the path on which a map has had more entries than the model keeps, and reports
// that there is another one, with which p goes on. Where the bound is less than was asked for, the path
// counts as one on which something is saturated: with a larger bound its approximations might not be
// (exploration.Explorer.Conditional).
func (x *Executor) forkOverfull(p *exploration.Path, o *state.Object, f func(q *exploration.Path)) bool {
	more := p.CellAt(o.More())
	if more.Is(0) {
		return true
	}
	if q := p.Fork(sym.Not(exploration.Eq(more, 0))); q != nil {
		q.Saturated = q.Saturated || o.At != nil
		f(q)
	}
	return p.Assume(exploration.Eq(more, 0))
}

// lookUpOverfull is LookUp in a map that has had more entries: of what is not found nothing is known. What
// is found is as it is: an entry that is kept does not change by there being others. The path forks for
// each entry, and for a key that is not among them it may have an entry or not.
func (x *Executor) lookUpOverfull(p *exploration.Path, o *state.Object, found []*sym.Expr, done func(q *exploration.Path, found, val []*sym.Expr, has *sym.Expr) bool) {
	end := func(q *exploration.Path, found, val []*sym.Expr, has *sym.Expr) {
		if done(q, found, val, has) {
			x.ContinueWith(q)
		}
	}
	kw, vw := int32(x.Width(o.Mapping.Key())), x.Width(o.Mapping.Elem())
	for n := range found {
		if q := p.Fork(found[n]); q != nil {
			only := layout.Zeros(len(found))
			only[n] = sym.Num(1)
			end(q, only, x.EntryValue(q, o, n, kw, vw), sym.Num(1))
		}
		if !p.Assume(sym.Not(found[n])) {
			return
		}
	}
	p.Note("free-choice", artifact.DirectionOver, "whether a map with more entries than the model keeps has one")
	end(p.Clone(), layout.Zeros(len(found)), layout.Unknowns(vw, "the contents of a map with more entries than the model keeps"), sym.Num(1))
	end(p, layout.Zeros(len(found)), layout.Zeros(vw), sym.Num(0))
}

// withinEntry evaluates f, given that the key of an entry is one that is ever set. The cells of a key can
// be 0 besides, where the entry is not used, which may be no key at all: whoever compares asks for used as
// well, and without the 0 the comparison is decided more often. What is learned of the cells holds for f
// only. A sync.Map does not note its keys.
func withinEntry(p *exploration.Path, o *state.Object, key []*sym.Expr, f func() *sym.Expr) *sym.Expr {
	old := map[*sym.Expr]sym.Set{}
	for c, e := range key {
		if o.Size <= o.Elems*o.Stride+1 {
			break // none are noted
		}
		at := p.Explorer.Memory.Cells[o.More()+1+int32(c)]
		// When another key is set this has to be executed again.
		if p.From != nil {
			at.Readers[p.From] = true
		}
		if e.Op != sym.OpCell || at.Abs.Top || at.Abs.Interval {
			continue
		}
		a := p.Root(e)
		old[e] = a
		p.Learn(e, a.Filter(at.Abs.Has))
	}
	out := f()
	for e, a := range old {
		p.Learn(e, a)
	}
	return out
}

// excludes is the conjunction, false where a condition stands beside its negation. Conditions of entries
// contain each other's negations, and expressions would grow with those that can never hold.
func excludes(a, b *sym.Expr) *sym.Expr {
	for _, c := range conjuncts(a) {
		for _, d := range conjuncts(b) {
			if c.Same(sym.Not(d)) {
				return sym.Num(0)
			}
		}
	}
	return sym.And(a, b)
}

// conjuncts are the conditions of which an expression is the conjunction.
func conjuncts(e *sym.Expr) []*sym.Expr {
	if e.Op == sym.OpAnd {
		return append(conjuncts(e.A), conjuncts(e.B)...)
	}
	return []*sym.Expr{e}
}

// EntryValue is the value of an entry of a map, of vw scalars behind a key of kw.
func (x *Executor) EntryValue(p *exploration.Path, o *state.Object, n int, kw int32, vw int) []*sym.Expr {
	out := make([]*sym.Expr, vw)
	for c := range out {
		out[c] = p.CellAt(o.Entry(n) + 1 + kw + int32(c))
	}
	return out
}

// execMapUpdate sets the entry of a key, or takes a free one for it. In a nil map that panics (Go
// specification, Map types), and in one that is not tracked nothing is written.
func (x *Executor) execMapUpdate(p *exploration.Path, i *ssa.MapUpdate) bool {
	ctx := p.Peek().Call
	o, ok, tracked := x.mapAt(p, p.Value(ctx, i.Map)[0], i, true)
	switch {
	case !tracked:
		x.noteWrite(p, p.Value(ctx, i.Map)[0])
		return p.Advance()
	case !ok:
		return false
	case o == nil:
		x.Raise(p, &state.Unwind{Kind: artifact.KindPanic, Site: p.Statement(i), Pos: p.Here(), Detail: "assignment to entry in nil map"}, x.SomeError())
		return true
	}
	key, val := p.Value(ctx, i.Key), p.Value(ctx, i.Value)
	if !x.hashed(p, o, key, i) {
		return false
	}
	// The keys ever set are those of all maps made here, wherever this one was.
	for c, e := range key {
		x.Grow(x.Memory.Cells[o.More()+1+int32(c)], p.Abs(e))
	}
	return x.Find(p, o, key, func(q *exploration.Path, found []*sym.Expr) bool {
		if !x.Update(q, o, found, key, val) {
			return false
		}
		return q.Advance()
	})
}

// Update sets the value of the entry that is the one, or takes the first free one for the key. It reports
// whether the path goes on.
//
// absent is the condition that no entry has the key and none before was free: of all entries but one it
// does not hold, and where it is left at the end there was no room. Then the path ends, or the map is noted
// to have had more entries, and the new one is lost.
func (x *Executor) Update(q *exploration.Path, o *state.Object, found, key, val []*sym.Expr) bool {
	absent := sym.Num(1)
	for _, f := range found {
		absent = excludes(absent, sym.Not(f))
	}
	for n := range found {
		at := o.Entry(n)
		used := q.CellAt(at)
		// The entry is the first free one, and the key is in none.
		fresh := excludes(absent, sym.Not(used))
		absent = excludes(absent, used)
		q.Put(at, sym.Ite(fresh, sym.Num(1), q.CellAt(at)))
		for c, e := range key {
			q.Put(at+1+int32(c), sym.Ite(fresh, e, q.RawCell(at+1+int32(c))))
		}
		here := sym.Or(found[n], fresh)
		for c, e := range val {
			a := at + 1 + int32(len(key)+c)
			q.Put(a, sym.Ite(here, e, q.RawCell(a)))
		}
	}
	absent = q.Simplify(absent)
	if absent.Is(0) {
		return true
	}
	if !x.endsWhereFull(o.Mapping) {
		q.Put(o.More(), sym.Ite(absent, sym.Num(1), q.CellAt(o.More())))
		return true
	}
	if r := q.Fork(absent); r != nil {
		r.BoundAt(o.At, r.Here(), fmt.Sprintf("a map of more than %d entries", o.Elems))
	}
	return q.Assume(sym.Not(absent))
}

// endsWhereFull reports that the path ends where a map has more entries than the model keeps: what it holds
// refers to other things. A channel or a lock that is lost is one that no operation can be done on any
// more, which would hide errors; a number is a free choice.
func (x *Executor) endsWhereFull(t *types.Map) bool {
	return slices.Contains(x.Refs(t.Elem()), true)
}

// remove executes the builtins delete and clear for maps, with these arguments, at an
// instruction, nil for a deferred call, which runs elsewhere. done goes on behind the call.
func (x *Executor) remove(p *exploration.Path, args [][]*sym.Expr, at ssa.Instruction, done func(q *exploration.Path) bool) bool {
	m := args[0][0]
	o, ok, tracked := x.mapAt(p, m, at, true)
	if !ok && tracked {
		return false
	}
	if !tracked {
		x.noteWrite(p, m)
	}
	if o == nil {
		return done(p)
	}
	if len(args) == 1 {
		EmptyMap(p, o)
		return done(p)
	}
	return x.Find(p, o, args[1], func(q *exploration.Path, found []*sym.Expr) bool {
		WipeMap(q, o, found)
		return done(q)
	})
}

// WipeMap removes the entry that is the one. It is all 0 then, so that maps that have had different entries
// look alike. That a map had more stays: one of those may be there still.
func WipeMap(p *exploration.Path, o *state.Object, found []*sym.Expr) {
	for n := range found {
		for c := range o.Stride {
			at := o.Entry(n) + c
			p.Put(at, sym.Ite(found[n], sym.Num(0), p.RawCell(at)))
		}
	}
}

// EmptyMap removes all entries of a map.
func EmptyMap(p *exploration.Path, o *state.Object) {
	all := make([]*sym.Expr, o.Elems)
	for n := range all {
		all[n] = sym.Num(1)
	}
	p.Put(o.More(), sym.Num(0))
	WipeMap(p, o, all)
}

// mapLen is the number of entries of a map: the sum of the cells that say whether they are used. done
// completes a path with it, and reports that it goes on.
func (x *Executor) mapLen(p *exploration.Path, o *state.Object, done func(q *exploration.Path, n *sym.Expr) bool) bool {
	if o == nil {
		return done(p, sym.Num(0))
	}
	if !x.forkOverfull(p, o, func(q *exploration.Path) {
		if done(q, sym.Unknown("the length of a map with more entries than the model keeps")) {
			x.ContinueWith(q)
		}
	}) {
		return false
	}
	n := sym.Num(0)
	for i := range int(o.Elems) {
		n = sym.Arith(sym.OpAdd, n, p.CellAt(o.Entry(i)))
	}
	return done(p, n)
}

// SeenEntries is the set of the entries that an iteration has been at, as bits. There is a path for each set that it can be: if
// ok is false the path has been taken over, or ends, where the sets are more than are told apart.
func (x *Executor) SeenEntries(p *exploration.Path, set *sym.Expr) (seen int32, ok bool) {
	seen, ok, tracked := x.Concrete(p, set)
	if !tracked {
		p.Unfollowed("iteration over a map", "it may have been at too many sets of entries")
		return 0, false
	}
	return seen, ok
}

// execNext goes on with an iteration over a map, to any entry that it has not been at: the order is not
// specified (Go specification, For statements with range clause). The iterator is the map and the set of
// those that it has, as bits, which is known on each path.
//
// Which one comes next is an input of the program: a run draws it anew, whatever the schedule. An entry
// that is removed before the iteration has come to it is not used any more, and not visited. One that is
// added meanwhile is visited if its place has not been; that Go may leave it out is not in the model.
//
// In a map that has had more entries than the model keeps the path ends: what an iteration does once for
// each entry cannot be done for one that is not there.
func (x *Executor) execNext(p *exploration.Path, i *ssa.Next) bool {
	ctx := p.Peek().Call
	r, isRange := i.Iter.(*ssa.Range)
	n := x.ValueWidth(i)
	if !isRange || i.IsString {
		p.Set(ctx, i, layout.Unknowns(n, "iteration over a string"))
		return p.Advance()
	}
	t := r.X.Type().Underlying().(*types.Map)
	o, goesOn := x.readMap(p, p.Value(ctx, r)[0], r, i, "iteration over a map that is not tracked")
	if o == nil {
		return goesOn
	}
	seen, ok := x.SeenEntries(p, p.Value(ctx, r)[1])
	if !ok {
		return false
	}
	if more := p.CellAt(o.More()); !more.Is(0) {
		// What comes now may be an entry that the model does not keep.
		if q := p.Fork(sym.Not(exploration.Eq(more, 0))); q != nil {
			q.BoundAt(o.At, r.Pos(), fmt.Sprintf("an iteration over a map of more than %d entries", o.Elems))
		}
	}
	// rest is the condition that no entry is left.
	rest := sym.Num(1)
	choices := 0
	kw, vw := int32(x.Width(t.Key())), x.Width(t.Elem())
	// An iteration is the next one of the loop, with one of the entries that are left.
	type iteration struct {
		path           *exploration.Path
		val, saturated []*sym.Expr
	}
	var next []iteration
	for e := range int(o.Elems) {
		used := exploration.Eq(p.CellAt(o.Entry(e)), 1)
		if seen>>e&1 != 0 || used.Is(0) {
			continue
		}
		rest = sym.And(rest, sym.Not(used))
		q := p.Fork(used)
		if q == nil {
			continue
		}
		choices++
		entry := iteration{path: q, val: []*sym.Expr{sym.Num(1)}, saturated: []*sym.Expr{nil}}
		tuple := i.Type().(*types.Tuple)
		at := o.Entry(e) + 1
		// The tuple is ok, key and value; what the loop does not name has no type there (ssa.Next).
		for k, width := range []int{int(kw), vw} {
			val, saturated := q.Cells(at, width)
			if w := x.Width(tuple.At(k + 1).Type()); w != width {
				val, saturated = layout.Zeros(w), make([]*sym.Expr, w) // not asked for
			}
			entry.val, entry.saturated = append(entry.val, val...), append(entry.saturated, saturated...)
			at += int32(width)
		}
		q.Set(ctx, r, []*sym.Expr{p.Value(ctx, r)[0], sym.Num(seen | 1<<e)})
		next = append(next, entry)
	}
	for _, t := range next {
		// Of one entry there is no order.
		if choices > 1 {
			t.path.NoteAt(r.Pos(), "input", artifact.DirectionOver, "the order of the iteration over a map")
		}
		x.Decide(t.path, t.val, t.saturated, func(q *exploration.Path, val []*sym.Expr) {
			q.Set(ctx, i, val)
			q.Advance()
			x.ContinueWith(q)
		})
	}
	if p.Assume(rest) {
		p.Set(ctx, i, layout.Zeros(n))
		p.Advance()
		x.ContinueWith(p)
	}
	return false
}

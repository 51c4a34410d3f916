package termination

import (
	"go/token"
	"go/types"
	"math/big"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/relevance"
)

// farIterations is a number of iterations that takes weeks where one takes a nanosecond. A counter
// of 64 bits that has so far to go is taken not to wrap around: otherwise "i <= n" were
// thought of as endless for the sake of the one n that is the greatest of its type.
const farIterations = 1 << 48

// maxLook bounds how deep expressions are looked into.
const maxLook = 10

// Loops says which loops end by their form.
//
// A loop that is wrongly said to end would be false calm: what stands behind it is taken to be reached. So whatever
// is not looked into has no answer, and the loop is named as one that is assumed to end (omissions.Finder.Loops).
type Loops struct {
	prog *program.Program
	sl   *relevance.Slice
	// valued are the functions that are used otherwise than to be called by name.
	valued map[*ssa.Function]bool
	// aside are the functions that may run beside the goroutine of the entry.
	aside map[*ssa.Function]bool
	// first are instructions, and whether they are executed before anybody else can have
	// what they write to.
	first map[ssa.Instruction]bool
}

// New prepares the answers for a program, of which sl says what matters. Iterations does not need that.
// Of a function that is a value not all calls are known, and so nothing of its parameters.
func New(prog *program.Program, sl *relevance.Slice) *Loops {
	e := &Loops{prog: prog, sl: sl, valued: map[*ssa.Function]bool{}, first: map[ssa.Instruction]bool{}}
	for _, f := range e.prog.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					if g, ok := (*op).(*ssa.Function); ok && !calledByName(instr, op) {
						e.valued[g] = true
					}
				}
			}
		}
	}
	return e
}

// calledByName reports that an operand is the function that a call runs, or only names it
// for debuggers.
func calledByName(instr ssa.Instruction, op *ssa.Value) bool {
	if _, ok := instr.(*ssa.DebugRef); ok {
		return true
	}
	call, ok := instr.(ssa.CallInstruction)
	return ok && op == &call.Common().Value
}

// A natural is a natural loop, with what is asked of it.
type natural struct {
	*Loops
	fn     *ssa.Function
	header *ssa.BasicBlock
	in     *program.Function
	// calls are the functions that may run while the loop does, and outside is that some
	// calls leave the program with pointers to values of these types.
	calls   map[*ssa.Function]bool
	outside []types.Type
	changes map[ssa.Value]*change
}

func (e *Loops) loop(header *ssa.BasicBlock) *natural {
	in := e.prog.Function(header.Parent())
	in.Arrange()
	return &natural{Loops: e, fn: header.Parent(), header: header, in: in, changes: map[ssa.Value]*change{}}
}

// has reports that a block is in the loop.
func (l *natural) has(b *ssa.BasicBlock) bool {
	return b.Parent() == l.fn && slices.Contains(l.in.Loops[b.Index], l.header.Index)
}

// defines reports that a value is computed in the loop.
func (l *natural) defines(v ssa.Value) bool {
	instr, ok := v.(ssa.Instruction)
	return ok && l.has(instr.Block())
}

// Ends reports that the loop with a header ends by its form.
func (e *Loops) Ends(header *ssa.BasicBlock) bool {
	l := e.loop(header)
	for _, t := range l.exits() {
		switch c := t.cond.(type) {
		case *ssa.Extract:
			if t.holds && l.iterates(c) {
				return true
			}
		case *ssa.BinOp:
			op := t.operator(c)
			if l.counts(c.X, op, c.Y) || l.counts(c.Y, program.Mirrored[op], c.X) {
				return true
			}
		}
	}
	return false
}

// A test is a branch of which one side is taken where cond is holds.
type test struct {
	cond  ssa.Value
	holds bool
}

// testOf is the test of a branch, without negations: "!(i < n)" that does not hold is "i < n" that does.
func testOf(br *ssa.If, holds bool) test {
	t := test{br.Cond, holds}
	for {
		n, ok := t.cond.(*ssa.UnOp)
		if !ok || n.Op != token.NOT {
			return t
		}
		t.cond, t.holds = n.X, !t.holds
	}
}

// operator is that by which the sides of a comparison are related where the test holds.
func (t test) operator(c *ssa.BinOp) token.Token {
	if !t.holds {
		return program.Negated[c.Op]
	}
	return c.Op
}

// exits are the branches that every iteration comes to and of which one side leaves the loop. They
// hold where it goes on.
//
// A branch on some paths around only is none: the other paths may go on without it for ever. One of which both
// sides stay in the loop decides nothing, as in
//
//	for i := 0; ; i++ {
//		if i < 10 { a() } else { b() }
//	}
func (l *natural) exits() []test {
	var out []test
	for _, b := range l.fn.Blocks {
		if !l.has(b) || !l.everyIteration(b) {
			continue
		}
		br, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if ok && l.has(b.Succs[0]) != l.has(b.Succs[1]) {
			out = append(out, testOf(br, l.has(b.Succs[0])))
		}
	}
	return out
}

// everyIteration reports that a block is on every path around.
// That is so if it dominates every block that leads back.
func (l *natural) everyIteration(b *ssa.BasicBlock) bool {
	for _, p := range l.header.Preds {
		if l.header.Dominates(p) && !b.Dominates(p) {
			return false
		}
	}
	return true
}

// iterates reports that a condition is that an iterator, which was made before the loop, has
// another element.
func (l *natural) iterates(c *ssa.Extract) bool {
	next, ok := c.Tuple.(*ssa.Next)
	return ok && c.Index == 0 && l.defines(next) && !l.defines(next.Iter)
}

// counts reports that the loop ends, if it goes on where counter op limit holds.
//
// It is the argument of the documentation of the package, with numbers. values are those of the type of the
// counter, start is what is compared in the first iteration, step what is added in one, and end what the limit can
// be.
func (l *natural) counts(counter ssa.Value, op token.Token, limit ssa.Value) bool {
	if op == token.ILLEGAL || !program.IsInteger(counter.Type()) || !program.IsInteger(limit.Type()) || !l.same(limit, nil, 0) {
		return false
	}
	// A conversion that leaves every value as it is may stand around the counter.
	values := l.whole(counter.Type())
	for {
		c, ok := counter.(*ssa.Convert)
		if !ok || !program.IsInteger(c.X.Type()) || !l.whole(c.X.Type()).within(values) {
			break
		}
		// It is the type of the counter that wraps around: of int64(i) < n that of i.
		counter, values = c.X, l.whole(c.X.Type())
	}
	at := l.change(counter)
	// What is compared may lie at a distance, as in i+1 < n, but at the same one whichever path has led here.
	if at == nil || at.lo.Cmp(at.hi) != 0 {
		return false
	}
	h, start, step := l.header, interval{}, interval{}
	// Condition (1): the edges of the phi that enter the loop say where it starts, those that lead back how far it
	// goes.
	for i, v := range at.phi.Edges {
		if !h.Dominates(h.Preds[i]) {
			start = start.union(l.interval(v, nil))
			continue
		}
		d := l.change(v)
		if d == nil || d.phi != at.phi {
			return false
		}
		step = step.union(d.interval)
	}
	if start.empty() || step.empty() {
		return false
	}
	if start = start.add(at.interval); !start.within(values) {
		start = values // it begins with another value where this wraps around
	}
	end := l.interval(limit, nil)
	if step.hi.Sign() < 0 { // it counts down: the same with all signs exchanged
		values, start, step, end, op = values.negative(), start.negative(), step.negative(), end.negative(), program.Mirrored[op]
	}
	// A path around on which it stays can be taken for ever.
	if step.lo.Sign() <= 0 {
		return false
	}
	if op == token.NEQ {
		return meets(values, start, step, end)
	}
	last := end.hi // the greatest value with which the loop may go on
	switch op {
	case token.LSS:
		last = new(big.Int).Sub(last, one)
	case token.LEQ:
	default:
		return false
	}
	// Condition (4): from the greatest value with which it goes on, the longest step stays within the type.
	room := new(big.Int).Sub(values.hi, step.hi)
	if last.Cmp(room) <= 0 {
		return true
	}
	if end.single() {
		return false // whatever the counter begins with, it wraps around if it comes so far
	}
	iterations := room.Sub(room, start.hi)
	return iterations.Quo(iterations, step.hi).Cmp(big.NewInt(farIterations)) >= 0
}

// meets reports that a counter that rises comes to be equal to its end.
// "i != n" does not hold on one side of n only: a counter that steps over n goes on. So it has to come to n itself.
func meets(values, start, step, end interval) bool {
	if !step.single() || !end.within(values) {
		return false
	}
	if step.lo.Cmp(one) == 0 {
		// One that is small passes through all its values.
		size := new(big.Int).Sub(values.hi, values.lo)
		return size.Cmp(big.NewInt(1<<16)) < 0 || start.hi.Cmp(end.lo) <= 0
	}
	if !start.single() || !end.single() || start.lo.Cmp(end.lo) > 0 {
		return false
	}
	distance := new(big.Int).Sub(end.lo, start.lo)
	return distance.Rem(distance, step.lo).Sign() == 0
}

// A change is what was added to a variable of the header since the iteration began.
type change struct {
	phi *ssa.Phi
	interval
}

// change returns by how much a value differs from a variable of the header in the same
// iteration, nil if it is not computed by adding constants to one.
func (l *natural) change(v ssa.Value) *change {
	if c, ok := l.changes[v]; ok {
		return c
	}
	l.changes[v] = nil // while it is looked into: it depends on itself
	c := l.changed(v)
	l.changes[v] = c
	return c
}

// Both branches in
//
//	for i < n { if odd { i++ } else { i += 2 } }
//
// add to the same variable of the header: the phi behind them has changed by 1 or 2. An inner loop that adds to it
// depends on itself, and has no answer.
func (l *natural) changed(v ssa.Value) *change {
	if !l.defines(v) {
		return nil
	}
	switch v := v.(type) {
	case *ssa.Phi:
		if v.Block() == l.header {
			return &change{v, exactly(new(big.Int))}
		}
		var all *change
		for _, w := range v.Edges {
			c := l.change(w)
			switch {
			case c == nil, all != nil && all.phi != c.phi:
				return nil
			case all == nil:
				all = c
			default:
				all = &change{c.phi, all.union(c.interval)}
			}
		}
		return all
	case *ssa.ChangeType:
		return l.change(v.X)
	case *ssa.BinOp:
		x, k := v.X, program.IntegerConst(v.Y)
		if k == nil && v.Op == token.ADD {
			x, k = v.Y, program.IntegerConst(v.X)
		}
		if k == nil {
			return nil
		}
		by := exactly(k)
		switch v.Op {
		case token.ADD:
		case token.SUB:
			by = by.negative()
		default:
			return nil
		}
		if c := l.change(x); c != nil {
			return &change{c.phi, c.add(by)}
		}
	}
	return nil
}

// same reports that a value is the same whenever it is computed while the loop runs. given
// are the parameters of the functions that it is computed by, as far as these are the same.
//
// It may be computed anew each time, as len(s.items) is in a condition: what it is computed from has to be the
// same, memory included (steady).
func (l *natural) same(v ssa.Value, given map[*ssa.Parameter]bool, depth int) bool {
	if depth > maxLook {
		return false
	}
	same := func(v ssa.Value) bool { return l.same(v, given, depth+1) }
	switch v := v.(type) {
	case *ssa.Const, *ssa.Global, *ssa.Function, *ssa.Builtin:
		return true
	// Of the function of the loop: in an activation it does not change. That of another function is what it is
	// given.
	case *ssa.Parameter:
		return v.Parent() == l.fn || given[v]
	case *ssa.FreeVar:
		return v.Parent() == l.fn
	}
	// What was computed before the loop is a value by now. What is left is in the loop, or in a function that it
	// calls.
	if instr, ok := v.(ssa.Instruction); !ok || instr.Parent() == l.fn && !l.has(instr.Block()) {
		return ok
	}
	switch v := v.(type) {
	case *ssa.BinOp:
		return same(v.X) && same(v.Y)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			return l.steady(v.X, given, depth+1)
		case token.ARROW:
			return false
		}
		return same(v.X)
	case *ssa.ChangeType:
		return same(v.X)
	case *ssa.Convert:
		return program.IsInteger(v.Type()) && program.IsInteger(v.X.Type()) && same(v.X)
	case *ssa.Field:
		return same(v.X)
	case *ssa.Call:
		return l.sameResult(v, given, depth)
	}
	return false
}

// sameResult is same for the result of a call: of a builtin that asks a value for what is
// part of it, or a function that only computes its result.
// One block without a loop or a branch is what a getter has, as in "i < q.len()". It is looked into as if it stood
// in the condition.
func (l *natural) sameResult(call *ssa.Call, given map[*ssa.Parameter]bool, depth int) bool {
	args := call.Call.Args
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "len", "cap":
			switch args[0].Type().Underlying().(type) {
			case *types.Map, *types.Chan:
				return false // the contents of one change while it stays the same
			}
		case "min", "max":
		default:
			return false
		}
		return !slices.ContainsFunc(args, func(a ssa.Value) bool { return !l.same(a, given, depth+1) })
	}
	f, ok := call.Call.Value.(*ssa.Function)
	if !ok || len(f.Blocks) != 1 {
		return false
	}
	ret, ok := f.Blocks[0].Instrs[len(f.Blocks[0].Instrs)-1].(*ssa.Return)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	own := map[*ssa.Parameter]bool{}
	for i, p := range f.Params {
		own[p] = l.same(args[i], given, depth+1)
	}
	return l.same(ret.Results[0], own, depth+1)
}

package sym

import "math"

// An Expr is the symbolic value of one scalar: an expression over the state
// in which the segment began. Expressions are immutable and may be shared.
type Expr struct {
	Op      Op
	K       int32      // OpConst; OpMsg, OpArg: number of the component
	Leaf    Leaf       // OpVar, OpCell; OpAlloc, OpFull: a pool
	A, B, C *Expr      // operands
	Why     *Ignorance // OpUnknown
	given   bool       // it reads what a partner hands over
	Cells   bool       // it reads cells
	News    bool       // it may be the address of a new object
	Merged  bool       // it is made where paths merge: its condition says from which it is
	part    bool       // a part of it is not tracked
	Size    int32      // of it as a tree, saturating; 0 for leaves
	hash    uint64     // of its structure; 0 for leaves

	// What it can be, found by who evaluates it when that had this epoch.
	Epoch uint64
	Can   Set
}

// A Leaf is what an expression reads of the state: a variable, a cell, a pool.
type Leaf interface {
	// Key tells leaves of one operator apart.
	Key() uint64
}

// An Allocator is a leaf that has objects to give.
type Allocator interface {
	Leaf
	// Addresses are those that the free object number k can have.
	Addresses(k int32) []int32
}

// Op is what an expression does with its operands.
type Op uint8

// The operators.
const (
	OpConst   Op = iota
	OpUnknown    // not tracked: any value
	OpVar        // a variable of the process
	OpCell       // a memory cell
	OpMsg        // what the partner of a rendezvous hands over
	OpArg        // what the spawner hands over
	OpSelf       // the number of the process
	OpAlloc      // the address of the free object of pool number k
	OpFull       // there are no more than k free objects in pool
	OpNot
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpMod
	OpEq
	OpLt
	OpLe
	OpAnd
	OpOr
	OpIte
)

// Ignorance says where a value that is not tracked comes from.
type Ignorance struct {
	Reason string
	Unkept bool // it is an address of memory that the model has nothing of
}

// MaxProcesses bounds the numbers of processes.
const MaxProcesses = 255

// Node builds an operation.
func Node(op Op, a, b, c *Expr) *Expr {
	e := &Expr{Op: op, A: a, B: b, C: c, Size: 1, hash: mix(uint64(op)+1, 0)}
	for _, x := range []*Expr{a, b, c} {
		if x != nil {
			e.given = e.given || x.HandedOver()
			e.Cells = e.Cells || x.Cells || x.Op == OpCell
			e.News = e.News || x.News || x.Op == OpAlloc
			e.part = e.part || x.part || x.Op == OpUnknown
			e.Size = min(e.Size+x.Nodes(), 1<<20)
			e.hash = mix(e.hash, x.Key())
		}
	}
	return e
}

// Nodes is the size of an expression as a tree.
func (e *Expr) Nodes() int32 { return max(e.Size, 1) }

// mix adds to a hash.
func mix(h, k uint64) uint64 {
	h = (h ^ k) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// Key is a hash of the structure: expressions that are the same have the same.
func (e *Expr) Key() uint64 {
	k := uint64(0)
	switch e.Op {
	case OpConst, OpMsg, OpArg:
		k = uint64(uint32(e.K))
	case OpVar, OpCell:
		k = e.Leaf.Key()
	case OpAlloc, OpFull:
		k = e.Leaf.Key()<<16 + uint64(e.K)
	case OpUnknown, OpSelf:
	default:
		return e.hash
	}
	return mix(uint64(e.Op)+1, k)
}

// Most constants are small, or addresses: these are made once.
const leastMade, mostMade = -64, 1024

var (
	constants [mostMade - leastMade + 1]Expr
	singles   [mostMade - leastMade + 1]int32
)

func init() {
	for i := range constants {
		constants[i], singles[i] = Expr{Op: OpConst, K: int32(i) + leastMade}, int32(i)+leastMade
	}
}

// Read is an expression that reads a leaf, or one that has an operator and a number alone.
func Read(op Op, l Leaf, k int32) *Expr { return &Expr{Op: op, Leaf: l, K: k} }

// Num is a constant.
func Num(k int32) *Expr {
	if leastMade <= k && k <= mostMade {
		return &constants[k-leastMade]
	}
	return &Expr{Op: OpConst, K: k}
}

// Bool is 1 for true, 0 for false.
func Bool(b bool) *Expr {
	if b {
		return Num(1)
	}
	return Num(0)
}

// Unknown is a value that is not tracked, with the reason.
func Unknown(reason string) *Expr {
	return &Expr{Op: OpUnknown, Why: &Ignorance{Reason: reason}}
}

// Unkept is an address of memory that the model has nothing of: what is written there
// is read nowhere else in the model.
func Unkept(reason string) *Expr {
	return &Expr{Op: OpUnknown, Why: &Ignorance{Reason: reason, Unkept: true}}
}

// IsConst reports that the expression is a constant.
func (e *Expr) IsConst() bool { return e.Op == OpConst }

// Is reports that the expression is this constant.
func (e *Expr) Is(k int32) bool {
	return e.Op == OpConst && e.K == k
}

// Same reports that two expressions are equal as trees.
func (e *Expr) Same(f *Expr) bool { return new(comparison).same(e, f) }

// comparison is one of two expressions. These share parts, and may have far more of them as
// trees than there are: which are equal is kept as soon as it is worth it. Two that differ
// end it.
type comparison struct {
	compared int
	equal    map[[2]*Expr]bool
}

// keepsEqual is after how many parts a comparison keeps which are equal.
const keepsEqual = 64

func (c *comparison) same(e, f *Expr) bool {
	if e == f {
		return e.Op != OpUnknown
	}
	if e == nil || f == nil || e.Op != f.Op || e.Op == OpUnknown || e.hash != f.hash || e.Merged != f.Merged {
		return false
	}
	switch e.Op {
	case OpConst, OpMsg, OpArg:
		return e.K == f.K
	case OpVar, OpCell:
		return e.Leaf == f.Leaf
	case OpAlloc, OpFull:
		return e.Leaf == f.Leaf && e.K == f.K
	case OpSelf:
		return true
	}
	if c.compared++; c.compared > keepsEqual {
		if c.equal[[2]*Expr{e, f}] {
			return true
		}
		if c.equal == nil {
			c.equal = map[[2]*Expr]bool{}
		}
	}
	eq := func(x, y *Expr) bool { return x == nil && y == nil || x != nil && y != nil && c.same(x, y) }
	if !eq(e.A, f.A) || !eq(e.B, f.B) || !eq(e.C, f.C) {
		return false
	}
	if c.equal != nil {
		c.equal[[2]*Expr{e, f}] = true
	}
	return true
}

// UnknownIn returns the unknown part of an expression, nil if it has none.
func (e *Expr) UnknownIn() *Expr {
	if e == nil || e.Op == OpUnknown {
		return e
	}
	if !e.part {
		return nil
	}
	for _, x := range []*Expr{e.A, e.B, e.C} {
		if u := x.UnknownIn(); u != nil {
			return u
		}
	}
	return nil
}

// HandedOver reports that the expression reads what a partner hands over
// during the transition, which a guard cannot.
func (e *Expr) HandedOver() bool {
	return e.given || e.Op == OpMsg || e.Op == OpArg
}

// Not is the negation of a condition.
func Not(a *Expr) *Expr {
	switch a.Op {
	case OpConst:
		return Bool(a.K == 0)
	case OpUnknown:
		return a
	case OpNot:
		return a.A
	}
	return Node(OpNot, a, nil, nil)
}

// And is the conjunction of conditions. What is not tracked makes all of it unknown, unless the
// other side is false.
func And(a, b *Expr) *Expr {
	switch {
	case a.IsConst():
		if a.K == 0 {
			return a
		}
		return b
	case b.IsConst():
		if b.K == 0 {
			return b
		}
		return a
	case a.Op == OpUnknown:
		return a
	case b.Op == OpUnknown:
		return b
	}
	return Node(OpAnd, a, b, nil)
}

// Or is the disjunction of conditions.
func Or(a, b *Expr) *Expr { return Not(And(Not(a), Not(b))) }

// Arith folds and builds a binary operation.
func Arith(op Op, a, b *Expr) *Expr {
	if a.Op == OpUnknown {
		return a
	}
	if b.Op == OpUnknown {
		return b
	}
	if a.IsConst() && b.IsConst() {
		if z, ok := Apply(op, int64(a.K), int64(b.K)); ok && z >= math.MinInt32 && z <= math.MaxInt32 {
			return Num(int32(z))
		}
		return Unknown("arithmetic beyond 32 bits")
	}
	switch {
	case (op == OpAdd || op == OpSub) && b.Is(0), op == OpMul && b.Is(1), op == OpDiv && b.Is(1):
		return a
	case op == OpAdd && a.Is(0), op == OpMul && a.Is(1):
		return b
	case (op == OpEq || op == OpLe) && a.Same(b):
		return Num(1)
	case op == OpLt && a.Same(b):
		return Num(0)
	}
	// (x + j) + k = x + (j+k), so that counters stay small.
	if (op == OpAdd || op == OpSub) && b.IsConst() && a.Op == OpAdd && a.B.IsConst() {
		k := int64(b.K)
		if op == OpSub {
			k = -k
		}
		if s := int64(a.B.K) + k; s > math.MinInt32 && s < math.MaxInt32 {
			return Arith(OpAdd, a.A, Num(int32(s)))
		}
	}
	if op == OpSub && b.IsConst() && b.K != math.MinInt32 {
		return Arith(OpAdd, a, Num(-b.K))
	}
	// x + j == k, x + j < k: compare x itself.
	if b.IsConst() && a.Op == OpAdd && a.B.IsConst() && (op == OpEq || op == OpLt || op == OpLe) {
		if s := int64(b.K) - int64(a.B.K); s >= math.MinInt32 && s <= math.MaxInt32 {
			return Arith(op, a.A, Num(int32(s)))
		}
	}
	if a.IsConst() && b.Op == OpAdd && b.B.IsConst() && (op == OpEq || op == OpLt || op == OpLe) {
		if s := int64(a.K) - int64(b.B.K); s >= math.MinInt32 && s <= math.MaxInt32 {
			return Arith(op, Num(int32(s)), b.A)
		}
	}
	if op == OpEq || op == OpLt || op == OpLe {
		if c := compareChoice(op, a, b); c != nil {
			return c
		}
	}
	return Node(op, a, b, nil)
}

// compareChoice compares a choice with a constant where the result is known for
// one of its sides at least: then what matters is the condition. It is nil where
// nothing is gained.
func compareChoice(op Op, a, b *Expr) *Expr {
	var yes, no *Expr
	c := a
	switch {
	case a.Op == OpIte && b.IsConst():
		yes, no = Arith(op, a.B, b), Arith(op, a.C, b)
	case b.Op == OpIte && a.IsConst():
		c = b
		yes, no = Arith(op, a, b.B), Arith(op, a, b.C)
	default:
		return nil
	}
	if yes.Op == OpUnknown || no.Op == OpUnknown || !yes.IsConst() && !no.IsConst() {
		return nil
	}
	return Choice(c.A, yes, no)
}

// Choice is a where c holds and b elsewhere, of conditions.
func Choice(c, a, b *Expr) *Expr {
	switch {
	case c.IsConst() && c.K != 0 || a.Same(b):
		return a
	case c.IsConst():
		return b
	case a.Is(0):
		return And(Not(c), b)
	case a.IsConst():
		return Or(c, b)
	case b.Is(0):
		return And(c, a)
	case b.IsConst():
		return Or(Not(c), a)
	}
	return Ite(c, a, b)
}

// Ite is a where c holds, b elsewhere.
func Ite(c, a, b *Expr) *Expr {
	if c.IsConst() {
		if c.K != 0 {
			return a
		}
		return b
	}
	if a.Same(b) {
		return a
	}
	for _, x := range []*Expr{c, a, b} {
		if x.Op == OpUnknown {
			return x
		}
	}
	// What both sides have in common stands once: a counter does not grow with
	// each condition under which it is counted.
	x, j := a.plus()
	if y, k := b.plus(); (j != 0 || k != 0) && !x.IsConst() && x.Same(y) {
		return Arith(OpAdd, x, Node(OpIte, c, Num(j), Num(k)))
	}
	// Conditions exclude each other: the one that changes nothing is not needed.
	if b.Op == OpIte && a.Same(b.C) && excluding(c, b.A) {
		return b
	}
	return Node(OpIte, c, a, b)
}

// plus takes an expression apart into another one and a constant that is added.
func (e *Expr) plus() (*Expr, int32) {
	if e.Op == OpAdd && e.B.IsConst() {
		return e.A, e.B.K
	}
	return e, 0
}

// excluding reports that two conditions compare one value with different
// constants.
func excluding(c, d *Expr) bool {
	return c.Op == OpEq && d.Op == OpEq && c.B.IsConst() && d.B.IsConst() && c.B.K != d.B.K && c.A.Same(d.A)
}

// Apply is the result of an operation on numbers; false if it has none.
func Apply(op Op, x, y int64) (int64, bool) {
	b := func(v bool) (int64, bool) {
		if v {
			return 1, true
		}
		return 0, true
	}
	switch op {
	case OpAdd:
		return x + y, true
	case OpSub:
		return x - y, true
	case OpMul:
		return x * y, true
	case OpDiv:
		if y == 0 {
			return 0, false
		}
		return x / y, true
	case OpMod:
		if y == 0 {
			return 0, false
		}
		return x % y, true
	case OpEq:
		return b(x == y)
	case OpLt:
		return b(x < y)
	case OpLe:
		return b(x <= y)
	}
	return 0, false
}

// Evaluate computes what e may be, given what its operands may be, or if it is a
// variable or cell, what that may be.
func Evaluate(e *Expr, of func(*Expr) Set) Set {
	switch e.Op {
	case OpConst:
		return Single(e.K)
	case OpUnknown:
		return Anything()
	case OpVar, OpCell, OpMsg, OpArg:
		return of(e)
	case OpFull:
		return Either()
	case OpAlloc:
		return Set{Elems: e.Leaf.(Allocator).Addresses(e.K)}
	case OpSelf:
		return Range(1, MaxProcesses)
	case OpNot:
		a := of(e.A)
		if k, ok := a.Single(); ok {
			return Single(1 - min(max(k, 0), 1))
		}
		if !a.Has(0) {
			return Single(0)
		}
		return Either()
	case OpAnd, OpOr:
		a, b := of(e.A), of(e.B)
		a0, a1, b0, b1 := a.Can(false), a.Can(true), b.Can(false), b.Can(true)
		if !a0 && !a1 || !b0 && !b1 {
			return Set{}
		}
		yes, no := a1 && b1, a0 || b0
		if e.Op == OpOr {
			yes, no = a1 || b1, a0 && b0
		}
		return oneOf(yes, no)
	case OpIte:
		c := of(e.A)
		var out Set
		if c.Can(true) {
			out = of(e.B)
		}
		if c.Can(false) {
			out = out.Join(of(e.C), MaxRefSet)
		}
		return out
	}
	a, b := of(e.A), of(e.B)
	if e.Op == OpMod && a.Interval && b.Equal(Single(1)) {
		return Single(0)
	}
	switch e.Op {
	case OpEq, OpLt, OpLe:
		if !a.Top && !a.Interval && !b.Top && !b.Interval {
			return compareSets(e.Op, a.Elems, b.Elems)
		}
	}
	return combine(a, b, func(x, y int64) (int64, bool) { return Apply(e.Op, x, y) },
		func(al, ah, bl, bh int64) (int64, int64, bool) { return applyBounds(e.Op, al, ah, bl, bh) })
}

// compareSets is what the comparison of two values can be.
func compareSets(op Op, a, b []int32) Set {
	if len(a) == 0 || len(b) == 0 {
		return Set{}
	}
	least, most := a[0], a[len(a)-1]
	low, high := b[0], b[len(b)-1]
	var yes, no bool
	switch op {
	case OpEq:
		for i, j := 0, 0; !yes && i < len(a) && j < len(b); {
			switch {
			case a[i] < b[j]:
				i++
			case b[j] < a[i]:
				j++
			default:
				yes = true
			}
		}
		no = len(a) > 1 || len(b) > 1 || !yes
	case OpLt:
		yes, no = least < high, most >= low
	case OpLe:
		yes, no = least <= high, most > low
	}
	return oneOf(yes, no)
}

// oneOf is a condition that can be true, or false, or either.
func oneOf(yes, no bool) Set {
	switch {
	case !no:
		return Single(1)
	case !yes:
		return Single(0)
	}
	return Either()
}

// Can reports that the value can be true, or false.
func (a Set) Can(b bool) bool {
	if a.Top {
		return true
	}
	if !b {
		return a.Has(0)
	}
	if a.Interval {
		return true
	}
	return len(a.Elems) > 1 || len(a.Elems) == 1 && a.Elems[0] != 0
}

func applyBounds(op Op, al, ah, bl, bh int64) (lo, hi int64, ok bool) {
	three := func(yes, no bool) (int64, int64, bool) {
		switch {
		case yes:
			return 1, 1, true
		case no:
			return 0, 0, true
		}
		return 0, 1, true
	}
	switch op {
	case OpAdd:
		return al + bl, ah + bh, true
	case OpSub:
		return al - bh, ah - bl, true
	case OpMul:
		p := []int64{al * bl, al * bh, ah * bl, ah * bh}
		lo, hi = p[0], p[0]
		for _, q := range p {
			lo, hi = min(lo, q), max(hi, q)
		}
		return lo, hi, true
	case OpDiv:
		if bl > 0 {
			p := []int64{al / bl, al / bh, ah / bl, ah / bh}
			lo, hi = p[0], p[0]
			for _, q := range p {
				lo, hi = min(lo, q), max(hi, q)
			}
			return lo, hi, true
		}
		return 0, 0, false
	case OpMod:
		m := max(bh, -bl) - 1
		if bl <= 0 && bh >= 0 && m < 0 {
			return 0, 0, false
		}
		lo, hi = -m, m
		if al >= 0 {
			lo = 0
		}
		if ah <= 0 {
			hi = 0
		}
		return lo, hi, true
	case OpEq:
		return three(al == ah && bl == bh && al == bl, ah < bl || bh < al)
	case OpLt:
		return three(ah < bl, al >= bh)
	case OpLe:
		return three(ah <= bl, al > bh)
	}
	return 0, 0, false
}

// Visit calls f for every part of e, once also for those that occur more than once.
func (e *Expr) Visit(f func(*Expr)) {
	seen := map[*Expr]bool{}
	var visit func(e *Expr)
	visit = func(e *Expr) {
		if e == nil || seen[e] {
			return
		}
		seen[e] = true
		f(e)
		visit(e.A)
		visit(e.B)
		visit(e.C)
	}
	visit(e)
}

// Replace puts another expression in the place of a variable or cell. What it does not occur
// in stays as it is.
func (e *Expr) Replace(root, by *Expr) *Expr {
	done := map[*Expr]*Expr{root: by, nil: nil}
	var replace func(e *Expr) *Expr
	replace = func(e *Expr) *Expr {
		if r, ok := done[e]; ok {
			return r
		}
		a, b, c := replace(e.A), replace(e.B), replace(e.C)
		r := e
		if a != e.A || b != e.B || c != e.C {
			f := *e
			f.A, f.B, f.C = a, b, c
			r = &f
		}
		done[e] = r
		return r
	}
	return replace(e)
}

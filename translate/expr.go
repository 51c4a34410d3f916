package translate

import "math"

// An expr is the symbolic value of one scalar: an expression over the state
// in which the segment began. exprs are immutable and may be shared.
type expr struct {
	op      exprOp
	k       int32      // xConst; xMsg, xArg: number of the component
	leaf    leaf       // xVar, xCell; xAlloc, xFull: a pool
	a, b, c *expr      // operands
	why     *ignorance // xUnknown
	given   bool       // it reads what a partner hands over
	cells   bool       // it reads cells
	news    bool       // it may be the address of a new object
	joined  bool       // it is made where ways meet: its condition says from which it is
	part    bool       // a part of it is not tracked
	size    int32      // of it as a tree, saturating; 0 for leaves
	hash    uint64     // of its structure; 0 for leaves

	// What it can be, found when the path had this epoch; see path.eval.
	epoch uint64
	val   abs
}

// A leaf is what an expression reads of the state: a variable, a cell, a pool.
type leaf interface {
	// Key tells leaves of one operator apart.
	Key() uint64
}

// An allocator is a leaf that has objects to give.
type allocator interface {
	leaf
	// Addresses are those that the free object number k can have.
	Addresses(k int32) []int32
}

// exprOp is what an expression does with its operands.
type exprOp uint8

const (
	xConst   exprOp = iota
	xUnknown        // not tracked: any value
	xVar            // a variable of the process
	xCell           // a memory cell
	xMsg            // what the partner of a rendezvous hands over
	xArg            // what the spawner hands over
	xSelf           // the number of the process
	xAlloc          // the address of the free object of pool number k
	xFull           // there are no more than k free objects in pool
	xNot
	xAdd
	xSub
	xMul
	xDiv
	xMod
	xEq
	xLt
	xLe
	xAnd
	xOr
	xIte
)

// ignorance says where a value that is not tracked comes from.
type ignorance struct {
	reason string
	unkept bool // it is an address of memory that the model has nothing of
}

// maxProcesses bounds the numbers of processes.
const maxProcesses = 255

// node builds an operation.
func node(op exprOp, a, b, c *expr) *expr {
	e := &expr{op: op, a: a, b: b, c: c, size: 1, hash: mix(uint64(op)+1, 0)}
	for _, x := range []*expr{a, b, c} {
		if x != nil {
			e.given = e.given || x.handedOver()
			e.cells = e.cells || x.cells || x.op == xCell
			e.news = e.news || x.news || x.op == xAlloc
			e.part = e.part || x.part || x.op == xUnknown
			e.size = min(e.size+x.nodes(), 1<<20)
			e.hash = mix(e.hash, x.key())
		}
	}
	return e
}

// nodes is the size of an expression as a tree.
func (e *expr) nodes() int32 { return max(e.size, 1) }

// mix adds to a hash.
func mix(h, k uint64) uint64 {
	h = (h ^ k) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// key is a hash of the structure: expressions that are the same have the same.
func (e *expr) key() uint64 {
	k := uint64(0)
	switch e.op {
	case xConst, xMsg, xArg:
		k = uint64(uint32(e.k))
	case xVar, xCell:
		k = e.leaf.Key()
	case xAlloc, xFull:
		k = e.leaf.Key()<<16 + uint64(e.k)
	case xUnknown, xSelf:
	default:
		return e.hash
	}
	return mix(uint64(e.op)+1, k)
}

// Most constants are small, or addresses: these are made once.
const leastMade, mostMade = -64, 1024

var (
	constants [mostMade - leastMade + 1]expr
	singles   [mostMade - leastMade + 1]int32
)

func init() {
	for i := range constants {
		constants[i], singles[i] = expr{op: xConst, k: int32(i) + leastMade}, int32(i)+leastMade
	}
}

// read is an expression that reads a leaf, or one that has an operator and a number alone.
func read(op exprOp, l leaf, k int32) *expr { return &expr{op: op, leaf: l, k: k} }

func num(k int32) *expr {
	if leastMade <= k && k <= mostMade {
		return &constants[k-leastMade]
	}
	return &expr{op: xConst, k: k}
}

func boolean(b bool) *expr {
	if b {
		return num(1)
	}
	return num(0)
}

func unknown(reason string) *expr {
	return &expr{op: xUnknown, why: &ignorance{reason: reason}}
}

// unkept is an address of memory that the model has nothing of: what is written there
// is read nowhere else in the model.
func unkept(reason string) *expr {
	return &expr{op: xUnknown, why: &ignorance{reason: reason, unkept: true}}
}

func (e *expr) isConst() bool { return e.op == xConst }
func (e *expr) is(k int32) bool {
	return e.op == xConst && e.k == k
}

// same reports that two expressions are equal as trees.
func (e *expr) same(f *expr) bool { return new(comparison).same(e, f) }

// comparison is one of two expressions. These share parts, and may have far more of them as
// trees than there are: which are equal is kept as soon as it is worth it. Two that differ
// end it.
type comparison struct {
	compared int
	equal    map[[2]*expr]bool
}

// keepsEqual is after how many parts a comparison keeps which are equal.
const keepsEqual = 64

func (c *comparison) same(e, f *expr) bool {
	if e == f {
		return e.op != xUnknown
	}
	if e == nil || f == nil || e.op != f.op || e.op == xUnknown || e.hash != f.hash || e.joined != f.joined {
		return false
	}
	switch e.op {
	case xConst, xMsg, xArg:
		return e.k == f.k
	case xVar, xCell:
		return e.leaf == f.leaf
	case xAlloc, xFull:
		return e.leaf == f.leaf && e.k == f.k
	case xSelf:
		return true
	}
	if c.compared++; c.compared > keepsEqual {
		if c.equal[[2]*expr{e, f}] {
			return true
		}
		if c.equal == nil {
			c.equal = map[[2]*expr]bool{}
		}
	}
	eq := func(x, y *expr) bool { return x == nil && y == nil || x != nil && y != nil && c.same(x, y) }
	if !eq(e.a, f.a) || !eq(e.b, f.b) || !eq(e.c, f.c) {
		return false
	}
	if c.equal != nil {
		c.equal[[2]*expr{e, f}] = true
	}
	return true
}

// unknownIn returns the unknown part of an expression, nil if it has none.
func (e *expr) unknownIn() *expr {
	if e == nil || e.op == xUnknown {
		return e
	}
	if !e.part {
		return nil
	}
	for _, x := range []*expr{e.a, e.b, e.c} {
		if u := x.unknownIn(); u != nil {
			return u
		}
	}
	return nil
}

// handedOver reports that the expression reads what a partner hands over
// during the transition, which a guard cannot.
func (e *expr) handedOver() bool {
	return e.given || e.op == xMsg || e.op == xArg
}

func not(a *expr) *expr {
	switch a.op {
	case xConst:
		return boolean(a.k == 0)
	case xUnknown:
		return a
	case xNot:
		return a.a
	}
	return node(xNot, a, nil, nil)
}

func and(a, b *expr) *expr {
	switch {
	case a.isConst():
		if a.k == 0 {
			return a
		}
		return b
	case b.isConst():
		if b.k == 0 {
			return b
		}
		return a
	case a.op == xUnknown:
		return a
	case b.op == xUnknown:
		return b
	}
	return node(xAnd, a, b, nil)
}

func or(a, b *expr) *expr { return not(and(not(a), not(b))) }

// arith folds and builds a binary operation.
func arith(op exprOp, a, b *expr) *expr {
	if a.op == xUnknown {
		return a
	}
	if b.op == xUnknown {
		return b
	}
	if a.isConst() && b.isConst() {
		if z, ok := apply(op, int64(a.k), int64(b.k)); ok && z >= math.MinInt32 && z <= math.MaxInt32 {
			return num(int32(z))
		}
		return unknown("arithmetic beyond 32 bits")
	}
	switch {
	case (op == xAdd || op == xSub) && b.is(0), op == xMul && b.is(1), op == xDiv && b.is(1):
		return a
	case op == xAdd && a.is(0), op == xMul && a.is(1):
		return b
	case (op == xEq || op == xLe) && a.same(b):
		return num(1)
	case op == xLt && a.same(b):
		return num(0)
	}
	// (x + j) + k = x + (j+k), so that counters stay small.
	if (op == xAdd || op == xSub) && b.isConst() && a.op == xAdd && a.b.isConst() {
		k := int64(b.k)
		if op == xSub {
			k = -k
		}
		if s := int64(a.b.k) + k; s > math.MinInt32 && s < math.MaxInt32 {
			return arith(xAdd, a.a, num(int32(s)))
		}
	}
	if op == xSub && b.isConst() && b.k != math.MinInt32 {
		return arith(xAdd, a, num(-b.k))
	}
	// x + j == k, x + j < k: compare x itself.
	if b.isConst() && a.op == xAdd && a.b.isConst() && (op == xEq || op == xLt || op == xLe) {
		if s := int64(b.k) - int64(a.b.k); s >= math.MinInt32 && s <= math.MaxInt32 {
			return arith(op, a.a, num(int32(s)))
		}
	}
	if a.isConst() && b.op == xAdd && b.b.isConst() && (op == xEq || op == xLt || op == xLe) {
		if s := int64(a.k) - int64(b.b.k); s >= math.MinInt32 && s <= math.MaxInt32 {
			return arith(op, num(int32(s)), b.a)
		}
	}
	if op == xEq || op == xLt || op == xLe {
		if c := compareChoice(op, a, b); c != nil {
			return c
		}
	}
	return node(op, a, b, nil)
}

// compareChoice compares a choice with a constant where the result is known for
// one of its sides at least: then what matters is the condition. It is nil where
// nothing is gained.
func compareChoice(op exprOp, a, b *expr) *expr {
	var yes, no *expr
	c := a
	switch {
	case a.op == xIte && b.isConst():
		yes, no = arith(op, a.b, b), arith(op, a.c, b)
	case b.op == xIte && a.isConst():
		c = b
		yes, no = arith(op, a, b.b), arith(op, a, b.c)
	default:
		return nil
	}
	if yes.op == xUnknown || no.op == xUnknown || !yes.isConst() && !no.isConst() {
		return nil
	}
	return choice(c.a, yes, no)
}

// choice is a where c holds and b elsewhere, of conditions.
func choice(c, a, b *expr) *expr {
	switch {
	case c.isConst() && c.k != 0 || a.same(b):
		return a
	case c.isConst():
		return b
	case a.is(0):
		return and(not(c), b)
	case a.isConst():
		return or(c, b)
	case b.is(0):
		return and(c, a)
	case b.isConst():
		return or(not(c), a)
	}
	return ite(c, a, b)
}

func ite(c, a, b *expr) *expr {
	if c.isConst() {
		if c.k != 0 {
			return a
		}
		return b
	}
	if a.same(b) {
		return a
	}
	for _, x := range []*expr{c, a, b} {
		if x.op == xUnknown {
			return x
		}
	}
	// What both sides have in common stands once: a counter does not grow with
	// each condition under which it is counted.
	x, j := a.plus()
	if y, k := b.plus(); (j != 0 || k != 0) && !x.isConst() && x.same(y) {
		return arith(xAdd, x, node(xIte, c, num(j), num(k)))
	}
	// Conditions exclude each other: the one that changes nothing is not needed.
	if b.op == xIte && a.same(b.c) && excluding(c, b.a) {
		return b
	}
	return node(xIte, c, a, b)
}

// plus takes an expression apart into another one and a constant that is added.
func (e *expr) plus() (*expr, int32) {
	if e.op == xAdd && e.b.isConst() {
		return e.a, e.b.k
	}
	return e, 0
}

// excluding reports that two conditions compare one value with different
// constants.
func excluding(c, d *expr) bool {
	return c.op == xEq && d.op == xEq && c.b.isConst() && d.b.isConst() && c.b.k != d.b.k && c.a.same(d.a)
}

func apply(op exprOp, x, y int64) (int64, bool) {
	b := func(v bool) (int64, bool) {
		if v {
			return 1, true
		}
		return 0, true
	}
	switch op {
	case xAdd:
		return x + y, true
	case xSub:
		return x - y, true
	case xMul:
		return x * y, true
	case xDiv:
		if y == 0 {
			return 0, false
		}
		return x / y, true
	case xMod:
		if y == 0 {
			return 0, false
		}
		return x % y, true
	case xEq:
		return b(x == y)
	case xLt:
		return b(x < y)
	case xLe:
		return b(x <= y)
	}
	return 0, false
}

// absOf computes what e may be, given what its operands may be, or if it is a
// variable or cell, what that may be.
func absOf(e *expr, of func(*expr) abs) abs {
	switch e.op {
	case xConst:
		return absConst(e.k)
	case xUnknown:
		return absTop()
	case xVar, xCell, xMsg, xArg:
		return of(e)
	case xFull:
		return absBool()
	case xAlloc:
		return abs{set: e.leaf.(allocator).Addresses(e.k)}
	case xSelf:
		return absRange(1, maxProcesses)
	case xNot:
		a := of(e.a)
		if k, ok := a.single(); ok {
			return absConst(1 - min(max(k, 0), 1))
		}
		if !a.has(0) {
			return absConst(0)
		}
		return absBool()
	case xAnd, xOr:
		a, b := of(e.a), of(e.b)
		a0, a1, b0, b1 := a.can(false), a.can(true), b.can(false), b.can(true)
		if !a0 && !a1 || !b0 && !b1 {
			return abs{}
		}
		yes, no := a1 && b1, a0 || b0
		if e.op == xOr {
			yes, no = a1 || b1, a0 && b0
		}
		return oneOf(yes, no)
	case xIte:
		c := of(e.a)
		var out abs
		if c.can(true) {
			out = of(e.b)
		}
		if c.can(false) {
			out = out.join(of(e.c), maxRefSet)
		}
		return out
	}
	a, b := of(e.a), of(e.b)
	if e.op == xMod && a.iv && b.equal(absConst(1)) {
		return absConst(0)
	}
	switch e.op {
	case xEq, xLt, xLe:
		if !a.top && !a.iv && !b.top && !b.iv {
			return compareSets(e.op, a.set, b.set)
		}
	}
	return combine(a, b, func(x, y int64) (int64, bool) { return apply(e.op, x, y) },
		func(al, ah, bl, bh int64) (int64, int64, bool) { return applyBounds(e.op, al, ah, bl, bh) })
}

// compareSets is what the comparison of two values can be.
func compareSets(op exprOp, a, b []int32) abs {
	if len(a) == 0 || len(b) == 0 {
		return abs{}
	}
	least, most := a[0], a[len(a)-1]
	low, high := b[0], b[len(b)-1]
	var yes, no bool
	switch op {
	case xEq:
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
	case xLt:
		yes, no = least < high, most >= low
	case xLe:
		yes, no = least <= high, most > low
	}
	return oneOf(yes, no)
}

// oneOf is a condition that can be true, or false, or either.
func oneOf(yes, no bool) abs {
	switch {
	case !no:
		return absConst(1)
	case !yes:
		return absConst(0)
	}
	return absBool()
}

// can reports that the value can be true, or false.
func (a abs) can(b bool) bool {
	if a.top {
		return true
	}
	if !b {
		return a.has(0)
	}
	if a.iv {
		return true
	}
	return len(a.set) > 1 || len(a.set) == 1 && a.set[0] != 0
}

func applyBounds(op exprOp, al, ah, bl, bh int64) (lo, hi int64, ok bool) {
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
	case xAdd:
		return al + bl, ah + bh, true
	case xSub:
		return al - bh, ah - bl, true
	case xMul:
		p := []int64{al * bl, al * bh, ah * bl, ah * bh}
		lo, hi = p[0], p[0]
		for _, q := range p {
			lo, hi = min(lo, q), max(hi, q)
		}
		return lo, hi, true
	case xDiv:
		if bl > 0 {
			p := []int64{al / bl, al / bh, ah / bl, ah / bh}
			lo, hi = p[0], p[0]
			for _, q := range p {
				lo, hi = min(lo, q), max(hi, q)
			}
			return lo, hi, true
		}
		return 0, 0, false
	case xMod:
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
	case xEq:
		return three(al == ah && bl == bh && al == bl, ah < bl || bh < al)
	case xLt:
		return three(ah < bl, al >= bh)
	case xLe:
		return three(ah <= bl, al > bh)
	}
	return 0, 0, false
}

// visit calls f for every part of e, once also for those that occur more than once.
func (e *expr) visit(f func(*expr)) {
	seen := map[*expr]bool{}
	var visit func(e *expr)
	visit = func(e *expr) {
		if e == nil || seen[e] {
			return
		}
		seen[e] = true
		f(e)
		visit(e.a)
		visit(e.b)
		visit(e.c)
	}
	visit(e)
}

// replace puts another expression in the place of a variable or cell. What it does not occur
// in stays as it is.
func (e *expr) replace(root, by *expr) *expr {
	done := map[*expr]*expr{root: by, nil: nil}
	var replace func(e *expr) *expr
	replace = func(e *expr) *expr {
		if r, ok := done[e]; ok {
			return r
		}
		a, b, c := replace(e.a), replace(e.b), replace(e.c)
		r := e
		if a != e.a || b != e.b || c != e.c {
			f := *e
			f.a, f.b, f.c = a, b, c
			r = &f
		}
		done[e] = r
		return r
	}
	return replace(e)
}

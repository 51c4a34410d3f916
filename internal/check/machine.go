package check

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A cell holds one scalar at run time. The cells of a machine are numbered;
// an array or struct is a run of consecutive cells.
type cell struct {
	lo, hi int32
	kind   cellKind
	truth  bool // a bool: any value but 0 is stored as 1
	shift  uint8
	word   uint32 // of the packed state, if kind is stateCell
}

type cellKind uint8

const (
	// constCell is never written after initialisation; the compiler folds it.
	constCell cellKind = iota
	// stateCell is part of the packed state.
	stateCell
	// tempCell lives within one evaluation: function locals, bindings, and
	// meta variables, which are reset after each transition.
	tempCell
)

// maxLoop bounds the loop iterations, quantifier instances and calls of one
// evaluation of a guard, update, invariant or formula.
const maxLoop = 1 << 20

// A fault is an invalid evaluation; the compiled code panics with it and
// searching recovers it.
type fault struct {
	pos  uppaal.Pos
	msg  string
	loop bool // the bound on loops was reached
}

func throw(pos uppaal.Pos, format string, args ...any) {
	panic(&fault{pos: pos, msg: fmt.Sprintf(format, args...)})
}

// interrupted ends an evaluation because the search has to stop.
type interrupted struct{ err error }

// A machine executes a program: it holds one state unpacked in v and, kept in
// step by every store, packed in w.
type machine struct {
	prog *program
	v    []int32
	w    []uint64
	undo []change
	args []int32 // arguments of calls being evaluated
	ret  int32   // result of the last call: a value or, for aggregates, a cell

	loops int                  // iterations left in this evaluation
	pause int                  // iterations left at the next poll
	poll  func(work int) error // called from long evaluations; may be nil

	// Inputs of formulas.
	dead  bool
	stuck []bool // by process

	expansion
	_ [padding]byte
}

type change struct{ cell, old int32 }

func newMachine(p *program) *machine {
	m := &machine{
		prog:  p,
		v:     apart[int32](len(p.cells)),
		w:     apart[uint64](p.width),
		undo:  make([]change, 0, padding/8), // apart, too
		stuck: make([]bool, len(p.procs)),
	}
	m.parts = make([]*edge, 0, padding/8)
	copy(m.v, p.initial)
	m.pack()
	return m
}

// apart makes a slice that no other worker's memory shares a cache line with: its
// size is a multiple of padding, and the sizes of the allocator are.
func apart[T int32 | uint64](n int) []T {
	var x T
	each := padding / int(unsafe.Sizeof(x))
	return make([]T, n, max(n+each-1, each)/each*each)
}

// pack computes w from v.
func (m *machine) pack() {
	clear(m.w)
	for _, i := range m.prog.stateCells {
		c := &m.prog.cells[i]
		m.w[c.word] |= uint64(uint32(m.v[i]-c.lo)) << c.shift
	}
}

// unpack computes v from w.
func (m *machine) unpack() {
	for i := range m.prog.fields {
		f := &m.prog.fields[i]
		m.v[f.cell] = int32(uint32(m.w[f.word]>>f.shift)&f.mask) + f.lo
	}
}

// load goes from the state that the machine holds to another one. Of two
// states of a search that follow each other, most cells are the same.
func (m *machine) load(words []uint64) {
	for k, w := range words {
		d := w ^ m.w[k]
		if d == 0 {
			continue
		}
		m.w[k] = w
		at := m.prog.fieldAt[64*k : 64*k+64 : 64*k+64]
		for d != 0 {
			f := &m.prog.fields[at[bits.TrailingZeros64(d)]]
			m.v[f.cell] = int32(uint32(w>>f.shift)&f.mask) + f.lo
			d &^= uint64(f.mask) << f.shift
		}
	}
}

// field is what unpacking needs of a state cell.
type field struct {
	cell  int32
	word  uint32
	mask  uint32
	lo    int32
	shift uint8
}

// set stores x in cell i.
func (m *machine) set(i, x int32, pos uppaal.Pos) {
	c := &m.prog.cells[i]
	if c.truth && x != 0 {
		x = 1
	}
	if x < c.lo || x > c.hi {
		throw(pos, "value %d is outside [%d,%d]", x, c.lo, c.hi)
	}
	if c.kind == stateCell {
		m.put(i, x, c)
		return
	}
	m.v[i] = x
}

// put stores a value in range in a state cell, packed and unpacked, and notes
// the change.
func (m *machine) put(i, x int32, c *cell) {
	old := m.v[i]
	if old == x {
		return
	}
	m.undo = append(m.undo, change{i, old})
	m.v[i] = x
	m.w[c.word] ^= uint64(uint32(x-c.lo)^uint32(old-c.lo)) << c.shift
}

// rollback undoes all changes since the last rollback.
func (m *machine) rollback() {
	for k := len(m.undo) - 1; k >= 0; k-- {
		u := m.undo[k]
		c := &m.prog.cells[u.cell]
		m.w[c.word] ^= uint64(uint32(m.v[u.cell]-c.lo)^uint32(u.old-c.lo)) << c.shift
		m.v[u.cell] = u.old
	}
	m.undo = m.undo[:0]
}

// pollLoops is the number of loop iterations between polls.
const pollLoops = 1 << 14

// iterate accounts for n iterations of a loop.
func (m *machine) iterate(n int, pos uppaal.Pos) {
	if m.loops -= n; m.loops <= m.pause {
		m.paused(pos)
	}
}

func (m *machine) paused(pos uppaal.Pos) {
	if m.loops <= 0 {
		panic(&fault{pos: pos, loop: true, msg: fmt.Sprintf("more than %d loop iterations in one evaluation", maxLoop)})
	}
	m.pause = m.loops - pollLoops
	if m.poll != nil {
		if err := m.poll(pollLoops); err != nil {
			panic(interrupted{err})
		}
	}
}

// begin starts an evaluation that may loop.
func (m *machine) begin() { m.loops, m.pause = maxLoop, maxLoop-pollLoops }

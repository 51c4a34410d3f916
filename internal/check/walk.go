package check

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A Walk goes through the states of a network step by step, where its user
// chooses. It has the transitions that a search without reductions explores.
//
//	w, err := check.NewWalk(ctx, net)
//	moves, err := w.Moves(w.Initial())
//
// A Walk is not safe for concurrent use.
type Walk struct {
	// Info has the processes that the numbers in steps refer to.
	Info *uppaal.Info

	m       *machine
	initial Packed
	places  []field // of the processes' locations
	bytes   []byte
	bounded bool
	left    int // see Bound
}

// ErrWork is the error of a Walk that has done as much as it may.
var ErrWork = errors.New("the network takes more work than it may")

// Bound bounds the work of all later calls of Moves together: the transitions found, more of them
// where states are small, the valuations of selections tried and the iterations of loops, the
// last two in steps of some thousands. It is for networks that somebody else has written; the result does not depend on
// the time that anything takes.
func (w *Walk) Bound(work int) {
	w.bounded, w.left = true, work
	w.m.poll = w.spend
}

func (w *Walk) spend(work int) error {
	if w.bounded {
		if w.left -= work; w.left < 0 {
			return ErrWork
		}
	}
	return nil
}

// Packed is a state in a compact form. Two states of one Walk are the same if
// and only if they are equal as strings.
type Packed string

// Move is a transition of a state, and where it leads.
type Move struct {
	Step Step
	To   Packed
}

// NewWalk prepares a network. The errors are those of Verify; an invalid initial
// value is one too, and so is the end of the context.
func NewWalk(ctx context.Context, net *uppaal.Network) (*Walk, error) {
	info, err := uppaal.Check(net)
	if err != nil {
		return nil, err
	}
	work := 0
	c, err := compile(info, &Options{}, func(n int) error {
		if work += n; work > 1<<24 {
			return errors.New("initial values take too long to compute")
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	w := &Walk{Info: info, m: newMachine(c.p)}
	ok := false
	if err := caught(func() { ok = w.m.invariants() }); err != nil {
		return nil, err
	}
	if !ok {
		return nil, errors.New("the initial state violates an invariant")
	}
	w.initial = w.pack()
	for i := range c.p.procs {
		place := field{} // of a process with one location
		if k := slices.IndexFunc(c.p.fields, func(f field) bool { return f.cell == c.p.procs[i].loc }); k >= 0 {
			place = c.p.fields[k]
		}
		w.places = append(w.places, place)
	}
	return w, nil
}

// Initial is the initial state.
func (w *Walk) Initial() Packed { return w.initial }

// Moves lists the transitions of a state in a fixed order. The error is an
// evaluation that is invalid, or ErrWork; the moves are those found before it.
func (w *Walk) Moves(from Packed) (moves []Move, err error) {
	m := w.m
	w.load(from)
	m.visit = func() error {
		if err := w.spend(1 + len(w.m.w)/8); err != nil {
			return err
		}
		var step Step
		for _, e := range m.parts {
			step.Parts = append(step.Parts, Part{Process: int(e.proc), Edge: int(e.index), Select: m.selected(e)})
		}
		moves = append(moves, Move{step, w.pack()})
		return nil
	}
	if fault := caught(func() { err = m.expand() }); fault != nil {
		m.recovered()
		return moves, fault
	}
	return moves, err
}

// Location is the index of the location in which a process is.
func (w *Walk) Location(s Packed, process int) int {
	f := &w.places[process]
	word := binary.LittleEndian.Uint64([]byte(s[8*f.word : 8*f.word+8]))
	return int(uint32(word>>f.shift)&f.mask) + int(f.lo)
}

// Cells is how many locations and variables a state has.
func (w *Walk) Cells() int {
	n := len(w.m.prog.procs)
	for _, v := range w.m.prog.vars {
		n += uppaal.Size(v.typ)
	}
	return n
}

// State spells a state out.
func (w *Walk) State(s Packed) State {
	w.load(s)
	return w.m.prog.state(w.m)
}

func (w *Walk) load(s Packed) {
	for i := range w.m.w {
		w.m.w[i] = binary.LittleEndian.Uint64([]byte(s[8*i : 8*i+8]))
	}
	w.m.unpack()
}

func (w *Walk) pack() Packed {
	w.bytes = w.bytes[:0]
	for _, x := range w.m.w {
		w.bytes = binary.LittleEndian.AppendUint64(w.bytes, x)
	}
	return Packed(w.bytes)
}

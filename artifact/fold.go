package artifact

import (
	"fmt"

	"github.com/vtrace/vtrace/internal/repeat"
)

// A loop of a million iterations makes a trace of millions of steps, which are a few in turn. In a file such a list has only the
// first two iterations, and beside it how many there are; whoever reads a bundle by this package sees all of them.

// repetition is a part of a list that a file has in short.
type repetition struct {
	// List is the one that is meant: a field of the object that this is in, or of one in it, as in "plan.steps".
	List string `json:"list" schema:"trace|steps|plan.steps|interleaving"`
	// At is where the first iteration begins, an index from 0 into the list as the file has it. The second is behind it; the others
	// are not in the file.
	At     int `json:"at"`
	Length int `json:"length"` // elements of one iteration
	// Times is how many iterations there are. They go on as the second does behind the first: numbers, also those within texts, grow by
	// the same amount each time, and everything else is the same.
	Times int `json:"times"`
}

// The lists that can be folded.
const (
	listTrace        = "trace"
	listSteps        = "steps"
	listPlanSteps    = "plan.steps"
	listInterleaving = "interleaving"
)

// storedTrace is a Trace as a file has it.
type storedTrace struct {
	Trace
	// Repeats are what long lists leave out, in the order of their places in each list.
	Repeats []repetition `json:"repeats,omitempty"`
}

// storedFinding is a Finding as a file has it.
type storedFinding struct {
	Finding
	// Repeats are what a long interleaving leaves out, in the order of the places.
	Repeats []repetition `json:"repeats,omitempty"`
}

func storeTrace(tr *Trace) *storedTrace {
	if tr == nil {
		return nil
	}
	s := &storedTrace{Trace: *tr}
	s.Lines = fold(s.Lines, listTrace, &s.Repeats)
	s.Steps = fold(s.Steps, listSteps, &s.Repeats)
	if s.Plan != nil {
		plan := *s.Plan
		plan.Steps = fold(plan.Steps, listPlanSteps, &s.Repeats)
		s.Plan = &plan
	}
	return s
}

func (s *storedTrace) value(u *unfolding) *Trace {
	s.Lines = unfold(u, s.Lines, listTrace, s.Repeats)
	s.Steps = unfold(u, s.Steps, listSteps, s.Repeats)
	if s.Plan != nil {
		s.Plan.Steps = unfold(u, s.Plan.Steps, listPlanSteps, s.Repeats)
	}
	u.done(s.Repeats)
	return &s.Trace
}

func storeFindings(list []Finding) []storedFinding {
	out := make([]storedFinding, len(list))
	for i, f := range list {
		out[i].Finding = f
		out[i].Interleaving = fold(f.Interleaving, listInterleaving, &out[i].Repeats)
	}
	return out
}

func findingsOf(stored []storedFinding, u *unfolding) []Finding {
	out := make([]Finding, len(stored))
	for i, s := range stored {
		s.Interleaving = unfold(u, s.Interleaving, listInterleaving, s.Repeats)
		u.done(s.Repeats)
		out[i] = s.Finding
	}
	return out
}

// fold shortens a list, and notes what it leaves out.
func fold[T any](list []T, name string, repeats *[]repetition) []T {
	if len(list) < repeat.Long {
		return list
	}
	short, blocks := repeat.Fold(list)
	for _, b := range blocks {
		*repeats = append(*repeats, repetition{name, b.At, b.Length, b.Times})
	}
	return short
}

// unfolding makes lists whole again, within a limit on the bytes that this takes. If it only checks, they stay as they are: a
// trace of half a million steps takes more time to be made whole than all else that is done with its bundle.
type unfolding struct {
	left   int64
	checks bool
	used   int // repetitions of the object that is being made whole
	err    error
}

func unfold[T any](u *unfolding, list []T, name string, repeats []repetition) []T {
	var blocks []repeat.Block
	for _, r := range repeats {
		if r.List == name {
			blocks = append(blocks, repeat.Block{At: r.At, Length: r.Length, Times: r.Times})
		}
	}
	u.used += len(blocks)
	if len(blocks) == 0 || u.err != nil {
		return list
	}
	size, err := repeat.Size(list, blocks)
	if err == nil && size > u.left {
		err = fmt.Errorf("%w: a list that repeats itself would be %d bytes more in memory", ErrLimit, size)
	}
	u.left -= size
	switch {
	case err != nil:
	case u.checks:
		err = repeat.Check(list, blocks)
	default:
		list, err = repeat.Unfold(list, blocks)
	}
	if err != nil {
		u.err = fmt.Errorf("%s: %w", name, err)
	}
	return list
}

// done ends an object, all of whose repetitions must be of lists that it has.
func (u *unfolding) done(repeats []repetition) {
	if u.err == nil && u.used != len(repeats) {
		u.err = fmt.Errorf("a list repeats itself that is not there")
	}
	u.used = 0
}

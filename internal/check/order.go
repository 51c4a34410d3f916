package check

import "math/rand/v2"

// Order is the order in which states are explored.
type Order uint8

// The orders of exploration.
const (
	// BreadthFirst finds shortest traces.
	BreadthFirst Order = iota
	// DepthFirst finds some traces early; they may be very long.
	DepthFirst
	// RandomDepthFirst is DepthFirst with the successors of each state in an
	// order that Options.Seed determines.
	RandomDepthFirst
)

// depthFirst explores with a stack: a state is expanded as a whole and the
// new states go on top, the first to be expanded next.
func (s *search) depthFirst() error {
	type frame struct {
		state uint32
		depth int32
	}
	const frameBytes = 16 // the stack may double when it grows
	var stack []frame
	random := newShuffle(s.opts)
	depth := int32(-1)
	for {
		if err := s.store.flush(); err != nil {
			return err
		}
		fresh, end := s.seen, s.store.len()
		if err := s.show(); err != nil {
			return err
		}
		if err := s.mem.take(int64(end-fresh) * frameBytes); err != nil {
			return err
		}
		top := len(stack)
		for i := end - 1; i >= fresh; i-- {
			stack = append(stack, frame{uint32(i), depth + 1})
		}
		if random != nil {
			random.Shuffle(end-fresh, func(i, j int) {
				stack[top+i], stack[top+j] = stack[top+j], stack[top+i]
			})
		}
		if len(stack) == 0 {
			return nil
		}
		next := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		s.mem.give(frameBytes)
		depth = next.depth
		s.stats.Depth = max(s.stats.Depth, int(depth))
		if err := s.workers[0].expandState(next.state); err != nil {
			return err
		}
		if s.head++; s.head&(1<<12-1) == 0 {
			_ = s.review()
		}
		if err := s.poll(1); err != nil {
			return err
		}
	}
}

// newShuffle is the source of a random order, nil for others.
func newShuffle(opts *Options) *rand.Rand {
	if opts.Order != RandomDepthFirst {
		return nil
	}
	return rand.New(rand.NewPCG(opts.Seed, 0))
}

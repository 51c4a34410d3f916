//go:build go1.25

package orcruntime

import (
	"bytes"
	"slices"
	"time"
)

// A library may have goroutines of its own: a pool of connections has one that opens them, a context
// whose parent is of the program's making one that waits for that. Runs do not control them, and
// know them only when they call the program back. Whoever forgets to close the pool, or to cancel the
// context, leaves them behind.

// settleTime is how much time passes in a bubble, after all else, for goroutines of libraries to come to
// their ends by themselves. That is much longer than programs wait that look for such goroutines at the
// end of a test, and short for one that ticks.
const settleTime = 10 * time.Second

// remaining names the goroutines that are left in the bubble of a test which has ended well, when those
// that are under control have ended: libraries have started them. It does not name who comes to its
// end by itself, within settleTime.
func (s *run) remaining() []string {
	if s.cfg.Entry != EntryTest || s.cfg.Bubble.Wait == nil || s.outcome.Kind != "" || s.left != "" || len(s.locks.waiting) > 0 || s.alone() {
		return nil
	}
	s.cfg.Bubble.Wait()
	if len(left(stacksOfAll(make([]byte, 1<<16)))) == 0 {
		return nil
	}
	time.Sleep(settleTime)
	s.cfg.Bubble.Wait()
	return left(stacksOfAll(make([]byte, 1<<16)))
}

// left names the goroutines, sorted, that are blocked in the bubble of the first of these stacks, which
// is the caller's.
func left(stacks []byte) (names []string) {
	for stack := range besideInBubble(stacks) {
		head, frames, _ := bytes.Cut(stack, []byte("\n"))
		if _, state, ok := numberAndState(head); !ok || ofBubble(state, stack) || !isDurable(state) {
			continue
		}
		if name := nameOfStack(frames); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// nameOfStack names a goroutine by the function that it was started with and the one that has started
// it, "" if the text is not what the runtime prints of a goroutine that another has started.
func nameOfStack(frames []byte) string {
	before, after, ok := bytes.Cut(frames, []byte("\ncreated by "))
	if !ok {
		return ""
	}
	creator, _, _ := bytes.Cut(after, []byte("\n"))
	creator, _, _ = bytes.Cut(creator, []byte(" in goroutine "))
	lines := bytes.Split(before, []byte("\n"))
	for i := len(lines) - 1; i >= 0; i-- {
		if line := lines[i]; !bytes.HasPrefix(line, []byte("\t")) {
			if end := bytes.LastIndexByte(line, '('); end > 0 {
				return string(line[:end]) + ", started by " + string(creator)
			}
			return ""
		}
	}
	return ""
}

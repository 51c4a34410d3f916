package disallow

import (
	"encoding/json"
	"errors"
	"fmt"
	"sort"
)

// A Set is a set of refuted sequences of labels. A sequence that begins with a
// refuted one is refuted too, so a Set never holds both. The zero value is an
// empty set. A Set may be read from several goroutines while none adds.
type Set struct {
	root node
	size int
}

// A node of the trie of sequences; end marks the last label of one.
type node struct {
	next map[string]*node
	end  bool
}

// ErrEmptySequence is the error of Add for a sequence without labels, which
// would refute every trace.
var ErrEmptySequence = errors.New("the empty sequence cannot be refuted")

// Add puts a sequence into the set and reports whether it says something new.
// Sequences that begin with it are dropped.
func (s *Set) Add(prefix []string) (added bool, err error) {
	if len(prefix) == 0 {
		return false, ErrEmptySequence
	}
	at := &s.root
	for _, label := range prefix {
		if at.end {
			return false, nil
		}
		next := at.next[label]
		if next == nil {
			next = &node{}
			if at.next == nil {
				at.next = map[string]*node{}
			}
			at.next[label] = next
		}
		at = next
	}
	if at.end {
		return false, nil
	}
	s.size += 1 - at.count()
	at.end, at.next = true, nil
	return true, nil
}

// count is the number of sequences that end below or at the node.
func (n *node) count() int {
	total := 0
	for stack := []*node{n}; len(stack) > 0; {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if top.end {
			total++
		}
		for _, next := range top.next {
			stack = append(stack, next)
		}
	}
	return total
}

// Contains reports whether a sequence is refuted: it or a prefix of it was
// added.
func (s *Set) Contains(sequence []string) bool {
	at := &s.root
	for _, label := range sequence {
		if at = at.next[label]; at == nil {
			return false
		}
		if at.end {
			return true
		}
	}
	return false
}

// Len is the number of sequences.
func (s *Set) Len() int { return s.size }

// Sequences gives the sequences in lexicographic order of their labels.
func (s *Set) Sequences() [][]string {
	out := [][]string{}
	type frame struct {
		n      *node
		labels []string // not yet visited
	}
	var path []string
	stack := []frame{{&s.root, s.root.labels()}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.labels) == 0 {
			stack = stack[:len(stack)-1]
			if len(path) > 0 {
				path = path[:len(path)-1]
			}
			continue
		}
		label := top.labels[0]
		top.labels = top.labels[1:]
		next := top.n.next[label]
		path = append(path, label)
		if next.end {
			out = append(out, append([]string(nil), path...))
		}
		stack = append(stack, frame{next, next.labels()})
	}
	return out
}

// labels gives the labels that follow, sorted.
func (n *node) labels() []string {
	out := make([]string, 0, len(n.next))
	for label := range n.next {
		out = append(out, label)
	}
	sort.Strings(out)
	return out
}

// MarshalJSON writes the sequences, sorted.
func (s *Set) MarshalJSON() ([]byte, error) { return json.Marshal(s.Sequences()) }

// UnmarshalJSON replaces the set by the sequences read.
func (s *Set) UnmarshalJSON(data []byte) error {
	var sequences [][]string
	if err := json.Unmarshal(data, &sequences); err != nil {
		return fmt.Errorf("refuted sequences: %w", err)
	}
	read := Set{}
	for i, sequence := range sequences {
		if _, err := read.Add(sequence); err != nil {
			return fmt.Errorf("refuted sequence %d: %w", i, err)
		}
	}
	*s = read
	return nil
}

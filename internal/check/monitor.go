package check

import "github.com/vtrace/vtrace/internal/uppaal"

// A monitor is the trie of refuted label sequences. Its state is a node of
// the trie, 0 being the root, or one of two states beyond: left, once the path
// has diverged from every sequence, and refuted, once it has completed one.
type monitor struct {
	cell     int32 // holds the state
	children []map[int32]int32
	final    []bool
	// follow makes the search go on beyond completed sequences, in state
	// refuted, where nothing counts as a violation. That a process is stuck
	// depends on those continuations too.
	follow bool
}

func (m *monitor) left() int32    { return int32(len(m.children)) }
func (m *monitor) refuted() int32 { return int32(len(m.children)) + 1 }
func (m *monitor) last() int32    { return m.refuted() }

// next is the state after one label.
func (m *monitor) next(state, label int32) int32 {
	if state >= m.left() {
		return state
	}
	n, ok := m.children[state][label]
	if !ok {
		return m.left()
	}
	if m.final[n] {
		return m.refuted()
	}
	return n
}

// labels knows the labels of all edges, and numbers those that occur in
// refuted sequences.
type labels struct {
	refuted [][]Label
	edges   [][]Label // by process and edge; nil without refuted sequences
	ids     map[Label]int32
}

func newLabels(opts *Options, info *uppaal.Info) *labels {
	l := &labels{ids: map[Label]int32{}}
	for _, seq := range opts.Refuted {
		var short []Label
		for _, x := range seq {
			if x == "" {
				continue
			}
			short = append(short, x)
			if l.ids[x] == 0 {
				l.ids[x] = int32(len(l.ids)) + 1
			}
		}
		l.refuted = append(l.refuted, short)
	}
	if len(opts.Refuted) == 0 {
		return l
	}
	for _, p := range info.Processes {
		list := make([]Label, len(p.Template.Edges))
		for k := range list {
			list[k] = opts.LabelOf(p, k)
		}
		l.edges = append(l.edges, list)
	}
	return l
}

// of is the label of an edge, "" for none.
func (l *labels) of(proc, edge int) Label {
	if l.edges == nil {
		return ""
	}
	return l.edges[proc][edge]
}

// number is that of an edge's label: -1 for none, 0 for one that is in no
// refuted sequence.
func (l *labels) number(proc, edge int) int32 {
	x := l.of(proc, edge)
	if x == "" {
		return -1
	}
	return l.ids[x]
}

// monitor builds the trie; nil if there are no sequences. A sequence without
// labels refutes everything: the root is final.
func (l *labels) monitor() *monitor {
	if l.edges == nil {
		return nil
	}
	m := &monitor{children: []map[int32]int32{{}}, final: []bool{false}}
	for _, seq := range l.refuted {
		n := int32(0)
		for _, x := range seq {
			child, ok := m.children[n][l.ids[x]]
			if !ok {
				child = int32(len(m.children))
				m.children[n][l.ids[x]] = child
				m.children = append(m.children, map[int32]int32{})
				m.final = append(m.final, false)
			}
			n = child
		}
		m.final[n] = true
	}
	return m
}

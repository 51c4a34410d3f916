//go:build go1.25

package orcruntime

import "slices"

// Parts has an exploration by wakeup trees done in parts, by several processes at once.
// Whatever the number of processes and their speed, the result is that of the exploration
// that one process does: the same executions, in the same order.
//
// What is done below a node, which is all executions with the same first choices, depends
// on nothing but what the nodes up to there say when it begins: what is asleep there, and
// what is to be run next. So a part is a guess: it begins as the exploration would if all
// that comes before taught nothing more about these nodes. When that is done, it is known
// how the part begins. If it is as was guessed, the result of the part is what the
// exploration would have come to, else it is thrown away, and the part is done again.
//
// What is to be run later at these nodes may be more than was guessed, as long as no
// execution of the part has looked for a place there for something of its own (Node.Asked).
// Branches are only ever added behind others, and never behind the end of one: who has found
// a sequence planned among less finds it among more.
type Parts struct {
	// Runs and Steps bound the exploration, as those of Exhaustion.
	Runs, Steps int
	// Emit is called with what the exploration has done, in its order: the result of a
	// task, and the value that was given to Done with it.
	Emit func(out Exhausted, with any)
	// Discarded counts the tasks that were done in vain.
	Discarded int

	// list are the parts in the order of one exploration. The first is no guess. Between
	// two of them there may be something that nobody does yet.
	list     []*part
	complete bool
	// Of what was emitted:
	runs, steps int
	bounds      []string
	timed       bool
}

// part is all executions with the same first choices, or those of them that are left.
type part struct {
	// from is how it begins: the nodes of its first choices.
	from []Node
	// nodes is how far it has come, and below how many nodes it leaves as they are: those
	// of from, or more if other parts do the rest.
	nodes   []Node
	below   int
	done    bool
	task    *Task // that is being done
	results []result
	// Of what it knows, as in Frontier:
	bounds []string
	timed  bool
}

// result is that of a task, with the bounds that were known when it began.
type result struct {
	out    Exhausted
	before []string
	with   any
}

// Task is a piece of an exploration, to be done with Frontier, Below, Runs and Steps of
// Exhaustion, and as much less as one likes.
type Task struct {
	Frontier    *Frontier
	Below       int
	Runs, Steps int
	// Guess: it may turn out to be in vain.
	Guess bool
	part  *part
	base  []Node // those of the frontier, which the exploration may change
}

// maxParts and maxAhead bound what is done before it is known to be needed, in parts and runs.
const (
	maxParts = 64
	maxAhead = 1 << 20
)

// NewParts returns the parts of what an exploration has left to do.
func NewParts(f *Frontier) *Parts {
	s := &Parts{bounds: slices.Clone(f.Bounds), timed: f.Timed}
	s.insert(0, nil)
	s.list[0].nodes = cloneNodes(f.nodes())
	return s
}

// Complete reports whether all is done.
func (s *Parts) Complete() bool { return s.complete }

// Frontier is what is left to do behind what was emitted; nil if nothing is.
func (s *Parts) Frontier() *Frontier {
	if s.complete {
		return nil
	}
	return &Frontier{Nodes: unasked(s.list[0].nodes), Bounds: slices.Clone(s.bounds), Timed: s.timed, Trees: true}
}

// over reports whether nothing more is to be done.
func (s *Parts) over() bool {
	return s.complete || s.Runs > 0 && s.runs >= s.Runs || s.Steps > 0 && s.steps >= s.Steps
}

// Wanted reports whether the result of a task may be needed still.
func (s *Parts) Wanted(t *Task) bool { return t.part.task == t && !s.over() }

// Tasks returns up to n more tasks. If none is being done, there is one unless all is
// done, or a bound is reached.
func (s *Parts) Tasks(n int) (out []*Task) {
	if n <= 0 || s.over() {
		return nil
	}
	for len(s.idle()) < n && len(s.list) < maxParts && (s.extend() || s.split()) {
	}
	idle := s.idle()
	if s.ahead() > maxAhead {
		idle = slices.DeleteFunc(idle, func(p *part) bool { return p != s.list[0] })
	}
	for _, p := range idle[:min(n, len(idle))] {
		out = append(out, s.start(p))
	}
	return out
}

// ahead is how many runs of guesses wait for what comes before them.
func (s *Parts) ahead() (n int) {
	for _, p := range s.list {
		for _, r := range p.results {
			n += r.out.Runs
		}
	}
	return n
}

// idle are the parts that could be gone on with.
func (s *Parts) idle() (out []*part) {
	for _, p := range s.list {
		if p.task == nil && !p.done {
			out = append(out, p)
		}
	}
	return out
}

// start makes a task of a part.
func (s *Parts) start(p *part) *Task {
	p.task = &Task{
		Frontier: &Frontier{Nodes: cloneNodes(p.nodes), Bounds: slices.Clone(p.bounds), Timed: p.timed, Trees: true},
		Below:    p.below, Guess: p != s.list[0], part: p, base: cloneNodes(p.nodes),
	}
	if s.Runs > 0 {
		p.task.Runs = s.Runs - s.runs
	}
	if s.Steps > 0 {
		p.task.Steps = s.Steps - s.steps
	}
	return p.task
}

// extend makes a part of what comes after another one, and before the next. It reports
// whether there is something.
func (s *Parts) extend() bool {
	for i, p := range s.list {
		if next := successor(p.nodes, p.below); next != nil && s.gap(i, next) {
			s.insert(i+1, next)
			return true
		}
	}
	return false
}

// gap reports whether what comes after part i comes before the next one: it has more of the
// same first choices.
func (s *Parts) gap(i int, next []Node) bool {
	return i+1 == len(s.list) || len(next) > len(s.list[i+1].from)
}

// split has a part leave more nodes as they are. It reports whether there is one that can.
func (s *Parts) split() bool {
	for _, p := range s.idle() {
		for i := p.below; i < len(p.nodes); i++ {
			n := &p.nodes[i]
			if n.Of > 0 && (n.Value+1)%n.Of != n.First || len(n.To) > 0 {
				p.below = i + 1
				return true
			}
		}
	}
	return false
}

// insert adds a part that begins with nodes.
func (s *Parts) insert(i int, nodes []Node) {
	from := unasked(nodes)
	p := &part{from: from, nodes: cloneNodes(from), below: len(from), bounds: slices.Clone(s.bounds), timed: s.timed}
	s.list = slices.Insert(s.list, i, p)
}

// drop throws the parts from i on away.
func (s *Parts) drop(i int) {
	for _, p := range s.list[i:] {
		s.Discarded += len(p.results)
		p.task = nil
	}
	s.list = s.list[:i]
}

// successor is how an exploration goes on when nothing is left to do below the first nodes, nil
// if that was all.
func successor(nodes []Node, below int) []Node {
	x := &search{nodes: cloneNodes(nodes[:below])}
	x.by = &reduction{search: x}
	if !x.next() {
		return nil
	}
	return x.nodes
}

// Done takes the result of a task, nil if it has come to nothing, and a value for Emit. A
// task that was no guess and has come to nothing will be among the next ones again.
func (s *Parts) Done(t *Task, out *Exhausted, with any) {
	p := t.part
	if p.task != t {
		s.Discarded++ // it was a wrong guess
		return
	}
	p.task = nil
	if out == nil {
		s.Discarded++
		if i := slices.Index(s.list, p); i > 0 {
			s.drop(i)
		}
		return
	}
	nodes := p.nodes
	if out.Frontier != nil {
		var ok bool
		if nodes, ok = rebase(p.nodes, t.base, out.Frontier.Nodes, t.Below); !ok {
			s.Discarded++
			return
		}
	}
	r := result{*out, t.Frontier.Bounds, with}
	if p == s.list[0] && t.Guess && !s.exact([]result{r}) {
		s.Discarded++
		return
	}
	p.nodes, p.done = nodes, out.Complete || out.Through
	p.results = append(p.results, r)
	p.bounds, p.timed = slices.Clone(out.Bounds), p.timed || out.Timed
	s.settle()
}

// settle emits what is certain, and throws wrong guesses away.
func (s *Parts) settle() {
	for {
		s.compare()
		p := s.list[0]
		s.emit(p)
		if !p.done {
			return
		}
		next := successor(p.nodes, p.below)
		if next == nil {
			s.drop(1)
			s.complete = true
			return
		}
		if s.gap(0, next) {
			s.insert(1, next)
		}
		s.list = s.list[1:]
		if p := s.list[0]; !s.exact(p.results) {
			s.drop(0)
			s.insert(0, next)
		}
	}
}

// emit hands on the results of the first part.
func (s *Parts) emit(p *part) {
	for _, r := range p.results {
		s.runs, s.steps = s.runs+r.out.Runs, s.steps+r.out.Steps
		for _, b := range r.out.Bounds {
			if !slices.Contains(s.bounds, b) {
				s.bounds = append(s.bounds, b)
			}
		}
		s.timed = s.timed || r.out.Timed
		s.Emit(r.out, r.with)
	}
	p.results, p.bounds, p.timed = nil, slices.Clone(s.bounds), s.timed
}

// exact reports whether the exploration would have come to the results of guesses, too: it
// would not have ended before, or left out that something was not explored since that is
// said of enough places.
func (s *Parts) exact(results []result) bool {
	runs, steps, bounds := s.runs, s.steps, slices.Clone(s.bounds)
	for _, r := range results {
		runs, steps = runs+r.out.Runs, steps+r.out.Steps
		if slices.Equal(bounds, r.before) {
			bounds = slices.Clone(r.out.Bounds)
			continue
		}
		for _, b := range r.out.Bounds {
			if !slices.Contains(bounds, b) {
				if bounds = append(bounds, b); len(bounds) > maxBounds {
					return false
				}
			}
		}
	}
	return (s.Runs <= 0 || runs < s.Runs) && (s.Steps <= 0 || steps < s.Steps)
}

// compare compares guesses with what is known by now.
func (s *Parts) compare() {
	for i := 0; i+1 < len(s.list); i++ {
		p, q := s.list[i], s.list[i+1]
		next := successor(p.nodes, p.below)
		if next != nil && s.gap(i, next) {
			continue
		}
		if next == nil || !sameStart(next, q.from) {
			s.drop(i + 1)
			return
		}
		next = unasked(next)
		nodes, ok := rebase(next, q.from, q.nodes, len(q.from))
		if !ok {
			s.drop(i + 1)
			return
		}
		q.from, q.nodes = next, nodes
	}
}

// rebase returns the nodes to which an exploration has come that has left the first n as
// they are, and has begun with those of base, as if it had begun with those of now. It
// reports whether they are known.
func rebase(now, base, nodes []Node, n int) ([]Node, bool) {
	out := cloneNodes(nodes)
	for i := range n {
		o := &out[i]
		if !sameTrees(now[i].To, base[i].To) {
			if o.Asked {
				return nil, false
			}
			o.To = cloneTree(now[i].To)
		}
		extra := slices.Clone(now[i].Extra)
		for _, t := range o.Extra {
			if !slices.Contains(extra, t) {
				extra = append(extra, t)
			}
		}
		o.Extra, o.Ended = extra, o.Ended || now[i].Ended
	}
	return out, true
}

// sameStart reports whether all executions from two lists of nodes are the same ones.
func sameStart(a, b []Node) bool {
	return slices.EqualFunc(a, b, func(m, n Node) bool {
		return m.Chosen == n.Chosen && m.Of == n.Of && m.Value == n.Value && m.First == n.First &&
			slices.Equal(m.Values, n.Values) && sameTrees(m.Then, n.Then) &&
			slices.EqualFunc(m.Sleep, n.Sleep, func(y, z sleeper) bool {
				return y.G == z.G && y.Followed == z.Followed && y.Stale == z.Stale && slices.Equal(y.Extra, z.Extra)
			})
	})
}

func sameTrees(a, b []branch) bool {
	return slices.EqualFunc(a, b, func(c, d branch) bool {
		return c.G == d.G && c.Loose == d.Loose && slices.Equal(c.Values, d.Values) && slices.Equal(c.Unless, d.Unless) &&
			slices.Equal(c.Extra, d.Extra) && sameTrees(c.Then, d.Then)
	})
}

// cloneNodes copies nodes, with all that an exploration may change in place.
func cloneNodes(nodes []Node) []Node {
	out := slices.Clone(nodes)
	for i := range out {
		n := &out[i]
		n.To, n.Then, n.Extra = cloneTree(n.To), cloneTree(n.Then), slices.Clone(n.Extra)
		n.Sleep = slices.Clone(n.Sleep)
	}
	return out
}

func cloneTree(tree []branch) []branch {
	out := slices.Clone(tree)
	for i := range out {
		out[i].Then = cloneTree(out[i].Then)
	}
	return out
}

// unasked is a copy of nodes about which nobody has asked.
func unasked(nodes []Node) []Node {
	out := cloneNodes(nodes)
	for i := range out {
		out[i].Asked = false
	}
	return out
}

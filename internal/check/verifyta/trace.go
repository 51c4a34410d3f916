package verifyta

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Three forms of textual traces are read: that of verifyta 4.1 and 5 (blocks
// "State:" and "Transitions:"), that of the Stratego branch (lower case, values
// in brackets), and that of the tool tracer (a line for each).

// names maps the names in traces of a network to what they name.
type names struct {
	info      *uppaal.Info
	processes map[string]int
	variables []string
	known     map[string]int // positions in variables
}

func newNames(info *uppaal.Info) *names {
	n := &names{info: info, processes: map[string]int{}, known: map[string]int{}}
	add := func(v *uppaal.Var, name string) {
		if v.Const || isChan(v.Type) {
			return
		}
		uppaal.Leaves(v.Type, func(suffix string, _ uppaal.Type) {
			n.known[name+suffix] = len(n.variables)
			n.variables = append(n.variables, name+suffix)
		})
	}
	for _, v := range info.Globals {
		add(v, v.Name)
	}
	for i, p := range info.Processes {
		n.processes[p.Name] = i
		for _, a := range p.Args {
			if a.Ref == nil {
				add(a.Param, p.Name+"."+a.Param.Name)
			}
		}
		for _, v := range info.Locals[p.Template] {
			add(v, p.Name+"."+v.Name)
		}
	}
	return n
}

func isChan(t uppaal.Type) bool {
	switch t := t.(type) {
	case uppaal.Chan:
		return true
	case *uppaal.Array:
		return isChan(t.Elem)
	}
	return false
}

// location finds "P.x".
func (n *names) location(text string) (proc int, l *uppaal.Location, err error) {
	dot := strings.LastIndexByte(text, '.')
	if dot < 0 {
		return 0, nil, fmt.Errorf("%q is not a location", text)
	}
	proc, ok := n.processes[text[:dot]]
	if !ok {
		return 0, nil, fmt.Errorf("no process %q", text[:dot])
	}
	l, ok = n.info.Member(n.info.Processes[proc], text[dot+1:]).(*uppaal.Location)
	if !ok {
		return 0, nil, fmt.Errorf("no location %q", text)
	}
	return proc, l, nil
}

var (
	heading = regexp.MustCompile(`(?i)^(states?|transitions?|delay)\b\s*:?\s*`)
	// edgeText is one participant: P.a -> P.b { labels }, or [ labels ] up to
	// the end of the line, since indices have brackets too.
	edgeText = regexp.MustCompile(`(?m)([^\s{}]+?)\s*->\s*([^\s{}]+)[ \t]*(?:\{([^{}]*)\}|\[(.*)\][ \t]*$)?`)
	valueSet = regexp.MustCompile(`([^\s=\[\]#(),]+(?:\([^()]*\))?[^\s=#(),]*)\s*=\s*(-?\d+)`)
)

// ReadTrace reads a textual trace, as verifyta prints it with -t, in any of the three forms.
// The states are those of the text; each step leads from the locations of one to those of
// the next. Follow of package check tells whether the network can do the steps.
func ReadTrace(info *uppaal.Info, text string) (*check.Trace, error) {
	if at := stateStart.FindStringIndex(text); at != nil {
		text = text[at[0]:]
	}
	return readTrace(info, text)
}

// readTrace reads a whole trace.
func readTrace(info *uppaal.Info, text string) (*check.Trace, error) {
	n := newNames(info)
	t := &check.Trace{}
	var blocks [][2]string // heading and contents
	for _, line := range strings.Split(text, "\n") {
		if m := heading.FindStringSubmatch(line); m != nil {
			blocks = append(blocks, [2]string{strings.ToLower(m[1][:1]), line[len(m[0]):] + "\n"})
		} else if len(blocks) > 0 {
			blocks[len(blocks)-1][1] += line + "\n"
		}
	}
	moved := true
	for _, b := range blocks {
		switch b[0] {
		case "s":
			s, err := n.state(b[1])
			if err != nil {
				return nil, fmt.Errorf("state %d: %w", len(t.States), err)
			}
			if !moved {
				// After a delay the state is shown again.
				t.States[len(t.States)-1] = s
				continue
			}
			t.States = append(t.States, s)
			moved = false
		case "t":
			if moved {
				return nil, fmt.Errorf("step %d: no state before it", len(t.Steps)+1)
			}
			step, err := n.step(b[1], t.States[len(t.States)-1])
			if err != nil {
				return nil, fmt.Errorf("step %d: %w", len(t.Steps)+1, err)
			}
			t.Steps = append(t.Steps, step)
			moved = true
		}
	}
	if len(t.States) != len(t.Steps)+1 {
		return nil, fmt.Errorf("%d states and %d steps", len(t.States), len(t.Steps))
	}
	for i, step := range t.Steps {
		if err := n.follows(t.States[i], step, t.States[i+1]); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	return t, nil
}

// state reads locations and values.
func (n *names) state(text string) (check.State, error) {
	s := check.State{Locations: make([]*uppaal.Location, len(n.info.Processes))}
	values := make([]*int32, len(n.variables))
	for _, m := range valueSet.FindAllStringSubmatch(text, -1) {
		k, ok := n.known[m[1]]
		if !ok {
			continue // a constant parameter, a clock
		}
		v, err := strconv.ParseInt(m[2], 10, 32)
		if err != nil {
			return s, fmt.Errorf("value of %s: %w", m[1], err)
		}
		x := int32(v)
		values[k] = &x
	}
	for _, word := range strings.Fields(text) {
		if strings.ContainsAny(word, "=#") || word == "(" || word == ")" || word == "[" || word == "]" {
			continue
		}
		proc, l, err := n.location(strings.TrimSuffix(strings.TrimPrefix(word, "("), ","))
		if err != nil {
			if _, isNumber := strconv.ParseFloat(word, 64); isNumber == nil {
				continue
			}
			return s, err
		}
		s.Locations[proc] = l
	}
	for i, l := range s.Locations {
		if l == nil {
			return s, fmt.Errorf("process %s has no location", n.info.Processes[i].Name)
		}
	}
	for i, v := range values {
		if v == nil {
			return s, fmt.Errorf("variable %s has no value", n.variables[i])
		}
		s.Vars = append(s.Vars, check.VarValue{Name: n.variables[i], Value: *v})
	}
	return s, nil
}

// step reads the participants of a transition.
func (n *names) step(text string, before check.State) (check.Step, error) {
	var step check.Step
	for _, m := range edgeText.FindAllStringSubmatch(text, -1) {
		proc, from, err := n.location(m[1])
		if err != nil {
			return step, err
		}
		proc2, to, err := n.location(m[2])
		if err != nil {
			return step, err
		}
		if proc != proc2 || before.Locations[proc] != from {
			return step, fmt.Errorf("%s > %s is not a move from the state before", m[1], m[2])
		}
		part, err := n.part(proc, from, to, m[3]+m[4])
		if err != nil {
			return step, err
		}
		step.Parts = append(step.Parts, part)
	}
	if len(step.Parts) == 0 {
		return step, fmt.Errorf("no edge in %q", strings.TrimSpace(text))
	}
	return step, nil
}

// maxSelections bounds the selections tried for one edge of a trace.
const maxSelections = 1 << 16

// part finds the edge, and the selected values, between two locations.
func (n *names) part(proc int, from, to *uppaal.Location, labels string) (check.Part, error) {
	p := n.info.Processes[proc]
	var all []check.Part
	for i, e := range p.Template.Edges {
		if e.From != from || e.To != to {
			continue
		}
		err := n.selections(e, func(values []int32) {
			all = append(all, check.Part{Process: proc, Edge: i, Select: slices.Clone(values)})
		})
		if err != nil {
			return check.Part{}, err
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	want := normal(labels)
	var same []check.Part
	for _, c := range all {
		if printed(p.Template.Edges[c.Edge], c.Select) == want {
			same = append(same, c)
		}
	}
	switch {
	case len(all) == 0:
		return check.Part{}, fmt.Errorf("no edge of %s leads from %s to %s", p.Name, from.Name, to.Name)
	case len(same) == 0:
		return check.Part{}, fmt.Errorf("no edge of %s from %s to %s has the labels {%s}", p.Name, from.Name, to.Name, labels)
	}
	// Edges that print alike do the same.
	return same[0], nil
}

// selections calls visit for all values of an edge's selections.
func (n *names) selections(e *uppaal.Edge, visit func([]int32)) error {
	total := int64(1)
	for _, b := range e.Select {
		lo, hi, _ := uppaal.Range(n.info.Defs[b].Type)
		if total *= int64(hi) - int64(lo) + 1; total > maxSelections {
			return fmt.Errorf("too many selections to tell which one was made")
		}
	}
	var values []int32
	var rec func(k int)
	rec = func(k int) {
		if k == len(e.Select) {
			visit(values)
			return
		}
		lo, hi, _ := uppaal.Range(n.info.Defs[e.Select[k]].Type)
		for v := int64(lo); v <= int64(hi); v++ {
			values = append(values, int32(v))
			rec(k + 1)
			values = values[:k]
		}
	}
	rec(0)
	return nil
}

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*`)

// printed writes the labels of an edge as traces do, with values for names of
// selections, in normal form.
func printed(e *uppaal.Edge, values []int32) string {
	guard, sync, update := "1", "tau", "1"
	if e.Guard != nil {
		guard = uppaal.ExprString(e.Guard)
	}
	if e.Sync != nil {
		sync = uppaal.SyncString(e.Sync)
	}
	if len(e.Update) > 0 {
		update = uppaal.UpdateString(e.Update)
	}
	text := word.ReplaceAllStringFunc(guard+", "+sync+", "+update, func(name string) string {
		for i, b := range e.Select {
			if b.Name == name {
				return strconv.Itoa(int(values[i]))
			}
		}
		return name
	})
	return normal(text)
}

// normal gives labels that mean the same the same text: without blanks, outer
// parentheses and alternative spellings of operators.
func normal(labels string) string {
	var parts []string
	depth, start := 0, 0
	for i, c := range labels + "," {
		switch {
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case (c == ',' || c == ';') && depth <= 0:
			part := strings.TrimSpace(labels[start:i])
			start = i + 1
			if part == "" {
				continue
			}
			if u, err := uppaal.ParseUpdate(part); err == nil {
				part = uppaal.UpdateString(u)
			} else if s, err := uppaal.ParseSync(part); err == nil {
				part = uppaal.SyncString(s)
			}
			parts = append(parts, strings.Join(strings.Fields(part), ""))
		}
	}
	return strings.Join(parts, ",")
}

// follows reports whether a step leads from one state's locations to those of
// the next.
func (n *names) follows(before check.State, step check.Step, after check.State) error {
	at := slices.Clone(before.Locations)
	for _, p := range step.Parts {
		at[p.Process] = n.info.Processes[p.Process].Template.Edges[p.Edge].To
	}
	for i, l := range at {
		if after.Locations[i] != l {
			return fmt.Errorf("process %s should be in %s, not in %s", n.info.Processes[i].Name, l.Name, after.Locations[i].Name)
		}
	}
	return nil
}

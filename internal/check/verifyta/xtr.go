package verifyta

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// An .xtr file is numbers only: the initial state, then for each step the state that it
// leads to and the transition, then a dot. A state is the index of the location of each
// process, bounds of differences of clocks, and the values of the variables; a transition
// is the process, the edge and the selected values of each participant, which a
// semicolon ends. Each list ends in a dot. Numbers of locations and edges count within the
// process, in the order of its template.
//
// A network without clocks has two of UPPAAL's own: 0, which is the constant zero, and 1,
// the time that has passed.

// WriteXTR writes a trace as an .xtr file, which UPPAAL's simulator opens with the same
// model. Variables are written in the order of UPPAAL's traces, without constants.
func WriteXTR(w io.Writer, info *uppaal.Info, t *check.Trace) error {
	x := &xtrWriter{w: bufio.NewWriter(w), info: info, standing: true}
	for i, st := range t.States {
		if err := x.state(st); err != nil {
			return err
		}
		if i > 0 {
			x.transition(t.Steps[i-1])
		}
	}
	x.w.WriteString(".\n")
	return x.w.Flush() // reports the first error of any write
}

type xtrWriter struct {
	w        *bufio.Writer
	info     *uppaal.Info
	standing bool // no time can have passed so far
}

func (x *xtrWriter) state(st check.State) error {
	for i, l := range st.Locations {
		k := slices.Index(x.info.Processes[i].Template.Locations, l)
		if k < 0 {
			return fmt.Errorf("the trace is of another network: process %s has not its location", x.info.Processes[i].Name)
		}
		fmt.Fprintf(x.w, "%d ", k)
	}
	x.w.WriteString("\n.\n")
	// The time is not below zero; it is zero as long as no process lets it pass.
	x.standing = x.standing && still(st)
	x.w.WriteString("0 1 0\n.\n")
	if x.standing {
		x.w.WriteString("1 0 0\n.\n")
	}
	x.w.WriteString(".\n")
	for _, v := range st.Vars {
		fmt.Fprintf(x.w, "%d ", v.Value)
	}
	x.w.WriteString("\n.\n")
	return nil
}

// still reports whether some location keeps time from passing.
func still(st check.State) bool {
	return slices.ContainsFunc(st.Locations, func(l *uppaal.Location) bool { return l.Urgency != uppaal.Normal })
}

func (x *xtrWriter) transition(s check.Step) {
	for _, p := range s.Parts {
		fmt.Fprintf(x.w, "%d %d ", p.Process, p.Edge)
		for _, v := range p.Select {
			fmt.Fprintf(x.w, "%d ", v)
		}
		x.w.WriteString("; ")
	}
	x.w.WriteString(".\n")
}

// maxTrace bounds the bytes of a trace that is read.
const maxTrace = 64 << 20

// ReadXTR reads an .xtr file of UPPAAL's simulator, of verifyta -f, or of WriteXTR. The
// values of variables and clocks are passed over, since their order is that of UPPAAL's
// compiled model: the states are what the network makes of the steps. The locations in
// the file must be those.
func ReadXTR(r io.Reader, info *uppaal.Info) (*check.Trace, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxTrace+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxTrace {
		return nil, fmt.Errorf("the trace is longer than %d bytes", maxTrace)
	}
	x := &xtrReader{info: info, lines: strings.Split(string(text), "\n")}
	var states [][]int
	var steps []check.Step
	for {
		if len(states) > 0 {
			if word, ok := x.peek(); ok && word == "." {
				break
			}
		}
		state, err := x.state()
		if err != nil {
			return nil, err
		}
		if states = append(states, state); len(states) == 1 {
			continue
		}
		step, err := x.transition()
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	t, err := check.Follow(info, steps)
	if err != nil {
		return nil, err
	}
	for i, st := range t.States {
		for k, l := range st.Locations {
			p := info.Processes[k]
			if slices.Index(p.Template.Locations, l) != states[i][k] {
				return nil, fmt.Errorf("state %d: process %s is not in location %d of its template: the trace is of another model", i, p.Name, states[i][k])
			}
		}
	}
	return t, nil
}

// apart puts blanks around what may stand right behind a number.
var apart = strings.NewReplacer(";", " ; ", ".", " . ")

// An xtrReader goes through the words of a file line by line.
type xtrReader struct {
	info  *uppaal.Info
	lines []string
	line  int      // of words, counted from 1
	words []string // the rest of the line
}

func (x *xtrReader) failf(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", x.line, fmt.Sprintf(format, args...))
}

// peek gives the next word.
func (x *xtrReader) peek() (string, bool) {
	for len(x.words) == 0 {
		if x.line == len(x.lines) {
			return "", false
		}
		x.words = strings.Fields(apart.Replace(x.lines[x.line]))
		x.line++
	}
	return x.words[0], true
}

// numbers reads numbers up to a word that is none, which is in most cases the dot.
func (x *xtrReader) numbers(max int) ([]int, error) {
	var list []int
	for {
		word, ok := x.peek()
		if !ok {
			return nil, x.failf("the trace ends early")
		}
		n, err := strconv.ParseInt(word, 10, 32)
		if err != nil {
			return list, nil
		}
		if len(list) == max {
			return nil, x.failf("more than %d numbers", max)
		}
		list = append(list, int(n))
		x.words = x.words[1:]
	}
}

func (x *xtrReader) dot() error {
	if word, _ := x.peek(); word != "." {
		return x.failf("%q where a dot should be", word)
	}
	x.words = x.words[1:]
	return nil
}

// state reads the locations of a state.
func (x *xtrReader) state() ([]int, error) {
	n := len(x.info.Processes)
	locations, err := x.numbers(n)
	if err != nil {
		return nil, fmt.Errorf("%w: the model has %d processes", err, n)
	}
	if len(locations) != n {
		return nil, x.failf("a state of %d processes, where the model has %d", len(locations), n)
	}
	if err := x.dot(); err != nil {
		return nil, err
	}
	for { // bounds of clocks
		if word, ok := x.peek(); ok && word == "." {
			break
		}
		bound, err := x.numbers(3)
		if err != nil {
			return nil, err
		}
		if len(bound) != 3 {
			return nil, x.failf("a bound of clocks has three numbers")
		}
		if err := x.dot(); err != nil {
			return nil, err
		}
	}
	if err := x.dot(); err != nil {
		return nil, err
	}
	if _, err := x.numbers(maxTrace); err != nil {
		return nil, err
	}
	return locations, x.dot()
}

// transition reads the participants of a step. Old files have them on lines without
// semicolon, and count edges from 1.
func (x *xtrReader) transition() (check.Step, error) {
	var step check.Step
	for {
		word, ok := x.peek()
		if !ok {
			return step, x.failf("the trace ends early")
		}
		if word == "." {
			x.words = x.words[1:]
			if len(step.Parts) == 0 {
				return step, x.failf("a step without edges")
			}
			return step, nil
		}
		end := slices.IndexFunc(x.words, func(w string) bool { return w == ";" || w == "." })
		old := end < 0 || x.words[end] == "."
		if end < 0 {
			end = len(x.words)
		}
		var values []int
		for _, word := range x.words[:end] {
			n, err := strconv.ParseInt(word, 10, 32)
			if err != nil {
				return step, x.failf("%q is not a number", word)
			}
			values = append(values, int(n))
		}
		x.words = x.words[end:]
		if len(values) < 2 {
			return step, x.failf("an edge has the numbers of its process and of itself")
		}
		if old {
			values[1]--
		} else {
			x.words = x.words[1:]
		}
		part := check.Part{Process: values[0], Edge: values[1]}
		for _, v := range values[2:] {
			part.Select = append(part.Select, int32(v))
		}
		step.Parts = append(step.Parts, part)
	}
}

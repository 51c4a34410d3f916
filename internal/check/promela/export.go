package promela

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// Bounds of what is written.
const (
	maxOptions   = 1 << 14 // edges, once for each selection
	maxNative    = 1 << 14 // bytes of one expression of Promela
	maxText      = 1 << 20 // bytes of one expression
	maxWork      = 1 << 27 // bytes put together
	maxOutput    = 1 << 25 // bytes
	maxUnrolled  = 64      // values of a quantifier written out
	maxCells     = 1 << 12 // integers copied as a whole
	maxProcesses = 254
	maxChannels  = 253
	maxRounds    = 1 << 10
)

// failure is thrown to give up, with what cannot be exported.
type failure struct{ err *uppaal.Error }

// notNative is thrown where Promela itself has no equivalent.
type notNative struct{}

func failf(pos uppaal.Pos, format string, args ...any) {
	panic(failure{&uppaal.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}})
}

// Export writes the network with a query as Promela. Without a query the model
// has no assertion and Spin just visits the states. The query is checked
// against the network first. The error is an *uppaal.Error or uppaal.Errors if
// something cannot be exported.
func Export(w io.Writer, info *uppaal.Info, q *uppaal.Query) (err error) {
	x, err := export(info, q)
	if err != nil {
		return err
	}
	_, err = w.Write(x.out.Bytes())
	return err
}

// export makes the text.
func export(info *uppaal.Info, q *uppaal.Query) (x *exporter, err error) {
	if q != nil {
		if err := info.CheckQuery(q); err != nil {
			return nil, err
		}
	}
	defer func() {
		switch x := recover().(type) {
		case nil:
		case failure:
			err = x.err
		default:
			panic(x)
		}
	}()
	initial, err := initialValues(info)
	if err != nil {
		return nil, err
	}
	x = &exporter{info: info, query: q, initial: initial, global: map[varKey]bool{}, tracked: map[int]bool{}}
	// What must be global is found while writing; then it is written again.
	for range maxRounds {
		x.begin()
		x.write()
		if !x.again {
			return x, nil
		}
	}
	failf(uppaal.Pos{}, "the model is too large to be exported")
	return nil, nil
}

// initialValues asks the checker for the initial state, which is that of the
// network without its edges.
func initialValues(info *uppaal.Info) (map[string]int32, error) {
	net := info.Network.Clone()
	for _, t := range net.Templates {
		t.Edges = nil
	}
	q := &uppaal.Query{Op: uppaal.Possibly, X: &uppaal.BoolLit{Value: true}}
	report, err := check.Verify(context.Background(), net, []*uppaal.Query{q}, check.Options{MaxStates: 1})
	if err != nil {
		return nil, err
	}
	r := report.Results[0]
	if r.Trace == nil {
		return nil, &uppaal.Error{Msg: "no initial state: " + r.Reason}
	}
	values := map[string]int32{}
	for _, v := range r.Trace.States[0].Vars {
		values[v.Name] = v.Value
	}
	return values, nil
}

// varKey is a variable of a process, or a global one with process -1.
type varKey struct {
	v    *uppaal.Var
	proc int
}

// exporter holds one export. What is above the line survives the rounds.
type exporter struct {
	info    *uppaal.Info
	query   *uppaal.Query
	initial map[string]int32
	global  map[varKey]bool // variables of processes that must be global
	tracked map[int]bool    // processes whose location is a variable
	work    int

	again     bool
	out       bytes.Buffer
	functions bytes.Buffer // C
	vars      map[varKey]*variable
	order     []*variable
	channels  map[varKey]int
	binary    int // rendezvous channels, the two that are dead included
	names     int
	options   [][]*option // by process
	committed bool
	metas     bool
	ids       bool // a receiver must know who sends
	// places are those of options in the proctypes, and starts those of the proctypes in
	// the output.
	places []optionPlace
	starts []int
}

// optionPlace is the offset of an option in the text of its process.
type optionPlace struct {
	option *option
	proc   int
	offset int
}

func (x *exporter) begin() {
	x.again = false
	x.out.Reset()
	x.functions.Reset()
	x.vars, x.order, x.channels = map[varKey]*variable{}, nil, map[varKey]int{}
	x.names, x.options, x.committed, x.metas, x.ids = 0, nil, false, false, false
	x.binary = 2
	x.places, x.starts = nil, nil
}

func (x *exporter) printf(format string, args ...any) {
	fmt.Fprintf(&x.out, format, args...)
	x.bounded(x.out.Len() + x.functions.Len())
}

// spend counts the text that is put together, of which most is thrown away
// again where functions call functions.
func (x *exporter) spend(n int) {
	if x.work += 64 + n; x.work > maxWork {
		failf(uppaal.Pos{}, "the model is too large to be exported")
	}
}

func (x *exporter) bounded(n int) {
	if n > maxOutput {
		failf(uppaal.Pos{}, "the model is too large to be exported")
	}
}

func (x *exporter) fresh(prefix string) string {
	x.names++
	return fmt.Sprintf("%s%d", prefix, x.names)
}

// demote makes a variable of a process global in the next round.
func (x *exporter) demote(k varKey) {
	if !x.global[k] {
		x.global[k], x.again = true, true
	}
}

// track keeps the location of a process in a variable from the next round on.
func (x *exporter) track(proc int) {
	if !x.tracked[proc] {
		x.tracked[proc], x.again = true, true
	}
}

func (x *exporter) write() {
	x.supported()
	x.layout()
	x.expand()
	property := x.property()
	var bodies bytes.Buffer
	for i := range x.info.Processes {
		x.starts = append(x.starts, bodies.Len())
		bodies.WriteString(x.process(i))
		x.bounded(bodies.Len())
	}
	x.printf("/* A network of automata, written by vtrace.\n%s */\n\n", x.usage())
	x.declarations()
	for i := range x.starts {
		x.starts[i] += x.out.Len()
	}
	x.printf("%s%s", bodies.Bytes(), property)
}

// usage says how to run Spin on the model.
func (x *exporter) usage() string {
	flags := " -E"
	if _, isDeadlock := deadlockQuery(x.query); isDeadlock {
		flags = ""
	}
	text := "   spin -a -o1 -o2 -o3 FILE    (without -o: Spin merges steps)\n" +
		"   gcc -O2 -fwrapv -DSAFETY -DVECTORSZ=16384 -o pan pan.c    (-DNOREDUCE: every state)\n" +
		"   ./pan -m10000000" + flags + "\n"
	if x.query != nil {
		text += "   query: " + comment(uppaal.QueryString(x.query)) + "\n"
	}
	return text
}

// comment makes text safe inside a comment.
func comment(s string) string {
	return string(bytes.ReplaceAll(bytes.ReplaceAll([]byte(s), []byte("*/"), []byte("* /")), []byte("\n"), []byte(" ")))
}

// supported refuses what has no equivalent.
func (x *exporter) supported() {
	if x.info.HasPriorities() {
		pos := x.info.Network.System.Pos
		if x.info.Priorities != nil {
			pos = x.info.Priorities.Pos
		}
		failf(pos, "priorities cannot be exported")
	}
	for _, e := range slices.Concat(x.info.Before, x.info.After) {
		failf(e.Position(), "before_update and after_update cannot be exported")
	}
	if n := len(x.info.Processes); n > maxProcesses {
		failf(x.info.Network.System.Pos, "Spin has at most %d processes, the network %d", maxProcesses, n)
	}
	for _, p := range x.info.Processes {
		for _, l := range p.Template.Locations {
			if l.Invariant != nil {
				if v, ok := x.info.ConstEval(l.Invariant); !ok || v == 0 {
					failf(l.Invariant.Position(), "invariants cannot be exported")
				}
			}
			x.committed = x.committed || l.Urgency == uppaal.Committed
		}
	}
}

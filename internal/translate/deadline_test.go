package translate_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

var deadlinePrograms = flag.Int("deadlines", 30, "random programs for TestDeadlines")

// TestDeadlines compares the model of random programs that do nothing but arm timers,
// tickers and contexts, stop them, arm them again and sleep, with the clock: every
// order of steps and events for which there are moments of time is one of the model.
// Goroutines may be slow anywhere, also between a guard and what is armed behind it.
func TestDeadlines(t *testing.T) {
	orders, compared := 0, 0
	texts := map[string]string{} // by seed
	generators := make([]*times, *deadlinePrograms)
	for seed := range generators {
		generators[seed] = newTimes(uint64(seed))
		texts[fmt.Sprint(seed)] = generators[seed].program()
	}
	loaded, _ := programs.Together(t, texts)
	for seed, g := range generators {
		text, prog := texts[fmt.Sprint(seed)], loaded[fmt.Sprint(seed)]
		m, err := translate.Translate(context.Background(), prog, number(prog), translate.Options{})
		require.NoError(t, err, text)
		if slices.ContainsFunc(m.Network.Decls, func(d uppaal.Decl) bool {
			v, ok := d.(*uppaal.VarDecl)
			return ok && strings.Contains(v.Name, "_before_")
		}) {
			compared++
		}
		w := newTimed(t, m)
		o := &order{g: g, w: w, left: 1500}
		o.pc[1] = -1
		lost := o.extend(w.silent([]check.Packed{w.walk.Initial()}))
		require.Empty(t, lost, "seed %d: the model does not have this order, which is possible:\n%s", seed, text)
		orders += 1500 - o.left
	}
	t.Logf("%d programs, in %d of them durations are compared, %d orders", *deadlinePrograms, compared, orders)
	require.Greater(t, compared, *deadlinePrograms/2)
}

// deed is what a step of a program does.
type deed struct {
	do  string // "create", "stop", "reset" or "sleep"
	obj int
	d   int
}

// timer is an object of a program.
type timer struct {
	kind   string // as its name in the model begins: "newtimer", "newticker" or "ctx"
	line   int
	parent int // of a context, -1 for none
}

// times writes a program: for each of two goroutines the steps, each a guard with what
// is done behind it. The step with number start of the first starts the second, which
// has one more step at its beginning.
type times struct {
	*rand.Rand
	objs  []timer
	steps [2][][]deed
	start int
}

func newTimes(seed uint64) *times { return &times{Rand: rand.New(rand.NewPCG(seed, 7))} }

func (g *times) program() string {
	g.start = 1 + g.IntN(3)
	var known []int // what both goroutines can name
	for k := range 2 {
		mine := slices.Clone(known)
		n := 3 + g.IntN(2)
		g.steps[k] = make([][]deed, n)
		if k == 1 {
			g.steps[k] = append([][]deed{nil}, g.steps[k]...)
		}
		for i := range g.steps[k] {
			switch {
			case k == 0 && i == g.start:
				known = slices.Clone(mine)
				continue
			case k == 1 && i == 0:
				continue
			}
			for range g.IntN(3) {
				d := 1 + g.IntN(4)
				// What stops or resets is a step of its own, and what is armed before is armed
				// until then: a step arms only at its end.
				arms := slices.ContainsFunc(g.steps[k][i], func(x deed) bool { return x.do != "stop" })
				switch a := g.IntN(8); {
				case a < 4 && len(g.objs) < 5 || len(mine) == 0:
					o := timer{kind: []string{"newtimer", "newtimer", "newticker", "ctx"}[g.IntN(4)], parent: -1}
					if len(g.objs) >= 5 {
						continue
					}
					for _, p := range mine {
						if o.kind == "ctx" && g.objs[p].kind == "ctx" {
							o.parent = p
						}
					}
					mine = append(mine, len(g.objs))
					g.steps[k][i] = append(g.steps[k][i], deed{"create", len(g.objs), d})
					g.objs = append(g.objs, o)
				case a < 5 && !arms:
					g.steps[k][i] = append(g.steps[k][i], deed{"stop", mine[g.IntN(len(mine))], 0})
				case a < 7 && !arms:
					if o := mine[g.IntN(len(mine))]; g.objs[o].kind != "ctx" {
						g.steps[k][i] = append(g.steps[k][i], deed{"reset", o, d})
					}
				case len(g.steps[k][i]) == 0:
					g.steps[k][i] = []deed{{"sleep", -1, d}}
				}
				if len(g.steps[k][i]) > 0 && g.steps[k][i][0].do == "sleep" {
					break
				}
			}
		}
	}
	var out strings.Builder
	line := 0
	print := func(format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		line += 1 + strings.Count(text, "\n")
		fmt.Fprintln(&out, text)
	}
	print("package main\n\nimport (\n\t\"context\"\n\t\"time\"\n)\n\nvar _ context.Context\n\nvar _ time.Duration\n")
	print("func main() {\n\tg, h := make(chan int, 99), make(chan int, 99)\n\t_, _ = g, h")
	var body func(k int, guard string)
	body = func(k int, guard string) {
		var mine []int
		for i, deeds := range g.steps[k] {
			switch {
			case k == 0 && i == g.start:
				print("go func() {")
				body(1, "h")
				print("}()")
				continue
			case k == 1 && i == 0:
				continue
			case len(deeds) > 0 && deeds[0].do == "sleep":
				print("time.Sleep(%d * time.Second)", deeds[0].d)
				continue
			}
			print("%s <- 1", guard)
			for _, x := range deeds {
				o := &timer{}
				if x.obj >= 0 {
					o = &g.objs[x.obj]
				}
				switch {
				case x.do == "create" && o.kind == "newtimer":
					print("t%d := time.NewTimer(%d * time.Second)", x.obj, x.d)
				case x.do == "create" && o.kind == "newticker":
					print("t%d := time.NewTicker(%d * time.Second)", x.obj, x.d)
				case x.do == "create":
					parent := "context.Background()"
					if o.parent >= 0 {
						parent = fmt.Sprintf("t%d", o.parent)
					}
					print("t%d, cancel%d := context.WithTimeout(%s, %d * time.Second)", x.obj, x.obj, parent, x.d)
				case x.do == "stop" && o.kind == "ctx":
					print("cancel%d()", x.obj)
				case x.do == "stop":
					print("t%d.Stop()", x.obj)
				case x.do == "reset":
					print("t%d.Reset(%d * time.Second)", x.obj, x.d)
				}
				if x.do == "create" {
					o.line = line
					mine = append(mine, x.obj)
				}
			}
		}
		print("select {")
		for _, i := range mine {
			if g.objs[i].kind == "ctx" {
				print("case <-t%d.Done():\ncancel%d()", i, i)
			} else {
				print("case <-t%d.C:", i)
			}
		}
		print("}")
	}
	body(0, "g")
	print("}")
	return out.String()
}

// timed is a model whose transitions have labels: the number of a goroutine that does a
// step, "wakes" behind it for one that has slept, and the name of an object that
// something comes of; "" for what is no step.
type timed struct {
	t      *testing.T
	walk   *check.Walk
	labels [][]string // by process and edge
}

func newTimed(t *testing.T, m *translate.Model) *timed {
	walk, err := check.NewWalk(context.Background(), m.Network)
	require.NoError(t, err)
	w := &timed{t: t, walk: walk}
	kinds := map[int]string{}
	for _, s := range m.Sidecar.Sites {
		kinds[s.ID] = s.Kind
	}
	for _, p := range walk.Info.Processes {
		k := slices.Index(m.Network.Templates, p.Template)
		labels := make([]string, len(p.Template.Edges))
		for i, e := range p.Template.Edges {
			switch role := m.Sidecar.Templates[k].Edges[i].Role; {
			case p.Template.Name == "T_Time":
				for _, u := range e.Update {
					a, ok := u.(*uppaal.Assign)
					require.True(t, ok)
					name := a.L.(*uppaal.Ident).Name
					if one, ok := a.R.(*uppaal.IntLit); strings.HasSuffix(name, "_len") && ok && one.Value == 1 {
						labels[i] = strings.TrimSuffix(name, "_len")
					}
					if two, ok := a.R.(*uppaal.IntLit); strings.HasSuffix(name, "_err") && ok && two.Value == 2 {
						labels[i] = strings.TrimSuffix(name, "_err")
					}
				}
				require.NotEmpty(t, labels[i])
			case m.Sidecar.Templates[k].Role != "goroutine", role == artifact.RoleLocal, role == artifact.RoleBirth:
			case kinds[m.Sidecar.Templates[k].Edges[i].Site] == sites.Stmt.String():
				labels[i] = statement
			case role == artifact.RoleTime:
				labels[i] = fmt.Sprint(k, " wakes")
			default:
				labels[i] = fmt.Sprint(k)
			}
		}
		w.labels = append(w.labels, labels)
	}
	return w
}

// statement is the label of a guard that is in the model because goroutines share what
// the statement does: a step of its own at any moment.
const statement = "statement"

// silent adds what is no step, and takes away where that is still to be done.
func (w *timed) silent(states []check.Packed) []check.Packed {
	out := w.next(states, "")
	if more := w.next(out, statement); len(more) > 0 {
		out = append(out, more...)
	}
	return out
}

// next are the states behind a transition with a label.
func (w *timed) next(states []check.Packed, label string) []check.Packed {
	out := map[check.Packed]bool{}
	for _, s := range states {
		moves, err := w.walk.Moves(s)
		require.NoError(w.t, err)
		local := false
		for _, m := range moves {
			is := ""
			for _, part := range m.Step.Parts {
				is += w.labels[part.Process][part.Edge]
			}
			switch {
			case is == "":
				local = true
				for _, k := range w.silent([]check.Packed{m.To}) {
					out[k] = true
				}
			case is == label:
				for _, k := range w.silent([]check.Packed{m.To}) {
					out[k] = true
				}
			}
		}
		if !local && label == "" {
			out[s] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// order is a sequence of steps and events, with the moments at which each has come.
type order struct {
	g      *times
	w      *timed
	left   int // sequences to try
	labels []string
	// A moment is a variable. later has for each two of them by how much the second is
	// later at least.
	moments int
	later   []distance
	last    int    // moment of the last step, 0 at the beginning
	pc      [2]int // steps done; -1: not started
	own     [2]int // the last moment of each goroutine
	arms    []arming
}

// distance says that moment b is at least d later than a.
type distance struct{ a, b, d int }

// arming is what is pending: at is its moment.
type arming struct {
	obj, d, at, n int // n: the next one is the n-th to come of it
	by            int // the goroutine that sleeps or has armed it
	full          bool
}

// Durations are large against the least time between two steps.
const second = 1000

// possible reports whether there are times for all moments: whether no moment must be
// later than itself.
func (o *order) possible() bool {
	all := slices.Clone(o.later)
	for _, a := range o.arms { // what is pending has not come yet
		all = append(all, distance{o.last, a.at, 1 - a.n*a.d*second})
	}
	at := make([]int, o.moments+1)
	for range at {
		changed := false
		for _, c := range all {
			if at[c.b] < at[c.a]+c.d {
				at[c.b], changed = at[c.a]+c.d, true
			}
		}
		if !changed {
			return true
		}
	}
	return false
}

func (o *order) moment(after ...int) int {
	o.moments++
	for _, a := range after {
		o.later = append(o.later, distance{a, o.moments, 1})
	}
	return o.moments
}

// extend tries all that may come next. It returns the labels of an order that is
// possible and not one of the model.
func (o *order) extend(states []check.Packed) []string {
	if o.left--; o.left < 0 || len(o.labels) > 11 {
		return nil
	}
	var choices []func(q *order) (label string, stay bool)
	for k := range 2 {
		asleep := slices.ContainsFunc(o.arms, func(a arming) bool { return a.obj < 0 && a.by == k })
		if o.pc[k] >= 0 && o.pc[k] < len(o.g.steps[k]) && !asleep {
			choices = append(choices, func(q *order) (string, bool) { return q.step(k), false })
		}
	}
	for i := range o.arms {
		choices = append(choices, func(q *order) (string, bool) { return q.comes(i) })
	}
	o.g.Shuffle(len(choices), func(i, j int) { choices[i], choices[j] = choices[j], choices[i] })
	for _, choice := range choices {
		q := *o
		q.labels, q.later, q.arms = slices.Clone(o.labels), slices.Clone(o.later), slices.Clone(o.arms)
		label, stay := choice(&q)
		q.labels = append(q.labels, label)
		if !q.possible() {
			continue
		}
		next := o.w.next(states, label)
		if stay {
			next = append(next, states...)
		}
		if len(next) == 0 {
			return q.labels
		}
		lost := q.extend(next)
		if o.left = q.left; lost != nil {
			return lost
		}
	}
	return nil
}

// step does the next step of a goroutine. What it arms it arms at any moment until its
// next step.
func (o *order) step(k int) string {
	o.last = o.moment(o.last, o.own[k])
	o.own[k] = o.last
	i := o.pc[k]
	o.pc[k]++
	if k == 0 && i == o.g.start {
		o.pc[1] = 0
	}
	for _, x := range o.g.steps[k][i] {
		if x.do != "sleep" {
			if x.do == "stop" && o.g.objs[x.obj].kind == "ctx" {
				o.end(x.obj)
			} else {
				for _, a := range o.arms {
					if a.obj == x.obj { // it was armed before
						o.later = append(o.later, distance{a.at, o.own[k], 0})
					}
				}
				o.take(x.obj)
			}
		}
		if x.do == "stop" || x.do == "create" && o.ended(o.g.objs[x.obj].parent) {
			continue
		}
		o.own[k] = o.moment(o.own[k])
		o.arms = append(o.arms, arming{obj: x.obj, d: x.d, at: o.own[k], n: 1, by: k})
	}
	return fmt.Sprint(k)
}

// comes has what is pending come.
func (o *order) comes(i int) (label string, stay bool) {
	a := o.arms[i]
	o.last = o.moment(o.last)
	o.later = append(o.later, distance{a.at, o.last, a.n * a.d * second}, distance{o.last, a.at, -a.n * a.d * second})
	if a.obj < 0 {
		o.arms = slices.Delete(o.arms, i, i+1)
		o.own[a.by] = o.last
		return fmt.Sprint(a.by, " wakes"), false
	}
	t := o.g.objs[a.obj]
	switch t.kind {
	case "newticker":
		o.arms[i].n++
		o.arms[i].full = true
	case "ctx":
		o.arms = slices.Delete(o.arms, i, i+1)
		o.end(a.obj)
	default:
		o.arms = slices.Delete(o.arms, i, i+1)
	}
	return fmt.Sprintf("%s_%d", t.kind, t.line), a.full
}

// take has an object not pending any more. It has not come until then.
func (o *order) take(obj int) {
	o.arms = slices.DeleteFunc(o.arms, func(a arming) bool {
		if a.obj == obj {
			o.later = append(o.later, distance{o.last, a.at, 1 - a.n*a.d*second})
		}
		return a.obj == obj
	})
}

// end ends a context with those derived from it.
func (o *order) end(obj int) {
	o.take(obj)
	for i, t := range o.g.objs {
		if t.parent == obj {
			o.end(i)
		}
	}
}

// ended reports that a context has ended, which was made before.
func (o *order) ended(obj int) bool {
	return obj >= 0 && !slices.ContainsFunc(o.arms, func(a arming) bool { return a.obj == obj })
}

// TestTimeApproximations checks where the model says that it has orders which no clock
// has: not of what is alone, or two that are armed once, and Strict takes those.
func TestTimeApproximations(t *testing.T) {
	const moment, pairs = "it may happen at any moment: durations are not compared", "durations are compared in pairs: it may happen in an order with others that no clock allows"
	cases := map[string]struct {
		body string
		want []string // line and reason
	}{
		"one":            {"a := time.NewTimer(5 * time.Second)\n<-a.C\na.Reset(1)\n<-a.C", nil},
		"one ticker":     {"a := time.NewTicker(time.Second)\n<-a.C\n<-a.C", nil},
		"two":            {"a := time.After(time.Second)\nb := time.After(time.Hour)\n<-b\n<-a", nil},
		"two, again":     {"a := time.NewTimer(time.Second)\nb := time.After(time.Hour)\na.Reset(3)\n<-b\n<-a.C", []string{"8 " + pairs, "9 " + pairs}},
		"timer and tick": {"a := time.Tick(time.Second)\nb := time.After(time.Hour)\n<-b\n<-a", []string{"8 " + pairs, "9 " + pairs}},
		"with a sleep":   {"a := time.After(time.Second)\ntime.Sleep(time.Hour)\n<-a", []string{"8 " + pairs, "9 " + pairs}},
		"unknown":        {"a := time.After(time.Duration(len(os.Args)))\nb := time.After(time.Hour)\n<-b\n<-a", []string{"8 " + moment, "9 " + pairs}},
		"no time":        {"a := time.After(0)\n<-a", []string{"8 " + moment}},
		"a loop":         {"c := make(chan int, 1)\ngo func() { c <- 1 }()\nfor {\nselect {\ncase <-c:\ncase <-time.After(time.Second):\n}\n}", []string{"13 " + moment}},
	}
	texts := map[string]string{}
	for name, c := range cases {
		texts[name] = "package main\n\nimport (\n\t\"os\"\n\t\"time\"\n)\nfunc main() {\n" + c.body + "\n}\n\nvar _ = os.Args\n"
	}
	loaded, _ := programs.Together(t, texts)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			prog, idx := loaded[name], number(loaded[name])
			m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
			require.NoError(t, err)
			var got []string
			for _, a := range m.Sidecar.Approximations {
				if a.Kind == "time" {
					got = append(got, fmt.Sprint(a.Line, " ", a.Reason))
				}
			}
			slices.Sort(got)
			slices.Sort(c.want)
			require.Equal(t, c.want, got)
			if _, err = translate.Translate(context.Background(), prog, idx, translate.Options{Strict: true}); c.want == nil {
				require.NoError(t, err)
			} else {
				require.Error(t, err)
			}
		})
	}
}

// TestComparedBound checks that more events than maxCompared are not compared, and the
// first ones still are.
func TestComparedBound(t *testing.T) {
	var arm, wait strings.Builder
	for i := range 10 {
		fmt.Fprintf(&arm, "t%d := time.After(%d * time.Second)\n", i, i+1)
		fmt.Fprintf(&wait, "case <-t%d:\n", i)
	}
	prog, idx := load(t, program(t, "package main\n\nimport \"time\"\n\nfunc main() {\n"+arm.String()+"select {\n"+wait.String()+"}\n}\n"), "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	moment := 0
	for _, a := range m.Sidecar.Approximations {
		if strings.Contains(a.Reason, "any moment") {
			moment++
		}
	}
	require.Equal(t, 5, moment)
	w := newTimed(t, m)
	came := map[string]bool{}
	moves, err := w.walk.Moves(w.walk.Initial())
	require.NoError(t, err)
	for _, move := range moves {
		came[w.labels[move.Step.Parts[0].Process][move.Step.Parts[0].Edge]] = true
	}
	require.Equal(t, map[string]bool{"after_6": true, "after_11": true, "after_12": true, "after_13": true, "after_14": true, "after_15": true}, came)
}

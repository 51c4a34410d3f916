package check

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// The reductions believe what the analysis says of edges and formulas: which variables they
// read and write, and how; what cannot be invalid; what a formula implies. Here each edge and
// formula is evaluated in states with any values, and in states that differ in one variable.

// footprints are the edges and formulas of a network with what the analysis says of them.
type footprints struct {
	*structurer
	rand *rand.Rand
	m    *machine
	vary []int32 // the state cells
}

func newFootprints(t *testing.T, info *uppaal.Info, seed uint64) *footprints {
	t.Helper()
	c, err := compile(info, &Options{}, func(int) error { return nil })
	require.NoError(t, err)
	b := &structurer{
		compiler: c, st: &structure{committing: -1, pairs: map[uint64]int32{}}, facts: map[*edge]*edgeFacts{},
		locConj: map[[2]int32]int32{}, byUse: map[int32]map[cellUse]int32{}, procOf: map[int32]int32{},
	}
	for i := range c.p.procs {
		b.procOf[c.p.procs[i].loc] = int32(i)
	}
	f := &footprints{structurer: b, rand: rand.New(rand.NewPCG(seed, 47))}
	for i := range c.p.cells {
		if c.p.cells[i].kind == stateCell {
			f.vary = append(f.vary, int32(i))
		}
	}
	return f
}

// value is one that a cell may have.
func (f *footprints) value(i int32) int32 {
	cl := &f.p.cells[i]
	if int64(cl.hi)-int64(cl.lo) > 100 && f.rand.IntN(2) == 0 {
		return []int32{cl.lo, cl.lo + 1, 0, 1, cl.hi - 1, cl.hi}[f.rand.IntN(6)]
	}
	return int32(int64(cl.lo) + f.rand.Int64N(int64(cl.hi)-int64(cl.lo)+1))
}

// state is one with any values.
func (f *footprints) state() []int32 {
	v := slices.Clone(f.p.initial)
	for _, i := range f.vary {
		v[i] = f.value(i)
	}
	return v
}

// outcome is what an evaluation has come to.
type outcome struct {
	enabled bool
	channel int32
	invalid bool // an update is
	after   []int32
}

// do evaluates an edge in a state. That its guard or channel is invalid fails the test.
func (f *footprints) do(t *testing.T, e *edge, v, sel []int32) (o outcome) {
	m := f.m
	copy(m.v, v)
	for k, s := range e.sel {
		m.v[s.cell] = sel[k]
	}
	m.pack()
	m.undo = m.undo[:0]
	m.begin()
	err := caught(func() {
		o.enabled = e.guard == nil || e.guard(m)
		if o.channel = e.chanID; e.chanFn != nil && o.enabled {
			o.channel = e.chanFn(m)
		}
	})
	require.NoError(t, err)
	if o.enabled {
		o.invalid = caught(func() {
			for _, u := range e.update {
				u(m)
			}
		}) != nil
	}
	o.after = slices.Clone(m.v)
	return o
}

// edge compares what an edge does with what the analysis says, in states that differ in one
// variable too if each variable is to be tried. It reports whether the edge was taken.
func (f *footprints) edge(t *testing.T, e *edge, facts *edgeFacts, name string, each bool) (taken bool) {
	for range 15 {
		v := f.state()
		sel := make([]int32, len(e.sel))
		for k, s := range e.sel {
			sel[k] = s.lo + f.rand.Int32N(s.hi-s.lo+1)
		}
		o := f.do(t, e, v, sel)
		if o.invalid {
			require.True(t, facts.risky, "%s is invalid", name)
		} else if o.enabled {
			taken = true
		}
		for _, i := range f.vary {
			u := facts.uses[i]
			if o.enabled && !o.invalid {
				d := int64(o.after[i]) - int64(v[i])
				switch {
				case u.use&useConst != 0:
					require.Equal(t, u.k, o.after[i], "%s does not set cell %d", name, i)
				case u.use&useWrite != 0:
				case d > 0:
					require.NotZero(t, u.use&useInc, "%s adds to cell %d", name, i)
				case d < 0:
					require.NotZero(t, u.use&useDec, "%s subtracts from cell %d", name, i)
				}
			}
			if !each || u.use&useRead != 0 {
				continue
			}
			w := slices.Clone(v)
			if w[i] = f.value(i); w[i] == v[i] {
				continue
			}
			p := f.do(t, e, w, sel)
			if !p.enabled && o.enabled {
				require.True(t, u.use&useBelow != 0 && w[i] > v[i] || u.use&useAbove != 0 && w[i] < v[i], "the guard of %s depends on cell %d", name, i)
			}
			if !p.enabled || !o.enabled {
				continue
			}
			require.Equal(t, o.channel, p.channel, "the channel of %s depends on cell %d", name, i)
			if o.invalid || p.invalid {
				require.True(t, o.invalid && p.invalid || u.use&useChanges != 0, "whether %s is invalid depends on cell %d", name, i)
				continue
			}
			for _, k := range f.vary {
				switch {
				case k != i:
					require.Equal(t, o.after[k], p.after[k], "%s: cell %d depends on cell %d", name, k, i)
				case u.use&useWrite == 0:
					require.Equal(t, int64(o.after[i])-int64(v[i]), int64(p.after[i])-int64(w[i]), "%s: cell %d does not change by a constant", name, i)
				}
			}
		}
	}
	return taken
}

// TestFootprints: every phrase of the language as an edge, and those that may be invalid behind
// every guard, which may rule that out.
func TestFootprints(t *testing.T) {
	if testing.Short() {
		t.Skip("it has no goroutines for the race detector")
	}
	p := &phrased{generator: &generator{Rand: rand.New(rand.NewPCG(7, 31))}, uses: map[[2]string][]string{}}
	p.variables()
	p.b.WriteString(phraseFuncs)
	var names []string
	guarded := map[string]bool{} // what may be invalid behind one guard
	p.template("T", "")
	p.line("loc n0")
	p.line("loc n1")
	add := func(f form) {
		p.line("n0 > n1 %s | %s | %s | %s", f.sel, f.guard, f.sync, f.update)
		names = append(names, fmt.Sprint(f))
	}
	guards := slices.Concat(phraseConds, phraseGuards)
	for _, u := range slices.Concat(phraseUpdates, phraseFaults) {
		add(form{update: u})
		add(form{guard: "r == 1", update: u + ", " + pick(p.generator, phraseUpdates...)})
	}
	for _, g := range guards {
		for _, u := range phraseFaults {
			f := form{guard: g, update: u}
			add(f)
			guarded[fmt.Sprint(f)] = true
		}
		add(form{guard: g, update: pick(p.generator, phraseUpdates...)})
		add(form{guard: g + " && " + pick(p.generator, guards...), update: pick(p.generator, phraseFaults...)})
	}
	// Every comparison, and what may be invalid of both sides.
	numbers := []string{"n", "x", "z", "low", "0", "1", "2"}
	for _, l := range numbers[:4] {
		for _, r := range numbers {
			for _, op := range []string{"==", "!=", "<", "<=", ">", ">="} {
				for _, u := range []string{l + "++", l + "--", "z = 2 / " + l, "two[" + l + "] = 0", r + "++", r + "--", "z = 2 / " + r} {
					if l == r || r < "a" && strings.Contains(u, r+"+") || r < "a" && strings.Contains(u, r+"-") || strings.HasSuffix(u, "/ 0") {
						continue
					}
					f := form{guard: pick(p.generator, "%s %s %s", "!(%s %s %s)")}
					f = form{guard: fmt.Sprintf(f.guard, l, op, r), update: u}
					add(f)
					guarded[fmt.Sprint(f)] = true
				}
			}
		}
	}
	for _, w := range phraseWays {
		add(w)
		u := pick(p.generator, phraseUpdates...)
		if w.update != "" {
			u = w.update + ", " + u
		}
		add(form{sel: w.sel, guard: w.guard, sync: w.sync, update: u})
	}
	p.line("instance A = T(0, x, c); B = T(1, a[1], d[1]);")
	p.line("system A, B;")
	_, info := generated(t, p.b.String())
	f := newFootprints(t, info, 7)
	f.m = newMachine(f.p)
	taken, refused := map[string]bool{}, map[string]bool{}
	for i := range f.p.procs {
		f.proc = i
		for _, list := range [][]*edge{f.p.procs[i].locs[0].acts, f.p.procs[i].locs[0].recvs} {
			for _, e := range list {
				name := names[e.index]
				facts, err := f.edgeFacts(e, info.Processes[i].Template.Edges[e.index])
				if err != nil {
					refused[name] = true
					continue
				}
				if len(f.m.v) < len(f.p.cells) {
					f.m = newMachine(f.p) // the analysis has added temporary cells
				}
				if f.edge(t, e, facts, name, !guarded[name]) {
					taken[name] = true
				}
			}
		}
	}
	// A guard that may be invalid, as far as the analysis can tell, has no reductions.
	t.Logf("of %d edges %d are analysed, %d were taken", len(names), len(names)-len(refused), len(taken))
	require.Less(t, len(refused), len(names)/5)
	require.Greater(t, len(taken), len(names)/2)
}

// formula compares what a formula is with what the analysis says. It reports in how many of
// the states it decides.
func (f *footprints) formula(t *testing.T, text string) (decides int) {
	q := queries(t, text)[0]
	require.NoError(t, f.info.CheckQuery(q), text)
	g, err := f.compiler.goal(q, 0)
	require.NoError(t, err, text)
	first := len(f.st.cubes)
	reduced := f.structurer.goal(q, g) == nil
	if len(f.m.v) < len(f.p.cells) {
		f.m = newMachine(f.p) // the analysis has added temporary cells
	}
	m := f.m
	holds := func(x test, v []int32) bool {
		copy(m.v, v)
		m.pack()
		held := false
		require.NoError(t, caught(func() { held = x.holds(m) }), text)
		return held
	}
	for range 15 {
		v := f.state()
		for p := range m.stuck {
			m.stuck[p] = f.rand.IntN(2) == 0
		}
		m.dead = f.rand.IntN(2) == 0
		held := holds(g.target, v)
		if held {
			decides++
			for _, x := range g.implies {
				require.Equal(t, x.value, v[x.cell], "%s is taken to imply a value of cell %d", text, x.cell)
			}
			if g.proc >= 0 {
				require.Equal(t, int32(g.loc), v[f.p.procs[g.proc].loc], "%s is taken to imply a location", text)
			}
		}
		if m.dead = false; !m.dead {
			alive := holds(g.alive, v)
			require.Equal(t, alive, holds(g.target, v), "%s without a deadlock", text)
			if reduced {
				found := slices.ContainsFunc(f.st.cubes[first:], func(c goalCube) bool { return f.cubeHolds(c, v, holds) })
				require.Equal(t, alive, found, "the cubes of %s", text)
			}
		}
		m.dead = f.rand.IntN(2) == 0
		held = holds(g.target, v)
		for _, i := range f.vary {
			if slices.Contains(g.reads, i) {
				continue
			}
			w := slices.Clone(v)
			w[i] = f.value(i)
			require.Equal(t, held, holds(g.target, w), "%s depends on cell %d", text, i)
		}
	}
	return decides
}

// cubeHolds evaluates the conjuncts of a cube.
func (f *footprints) cubeHolds(c goalCube, v []int32, holds func(test, []int32) bool) bool {
	for _, p := range c.stuck {
		if !f.m.stuck[p] {
			return false
		}
	}
	for _, k := range c.conjuncts {
		switch l := f.st.conjuncts[k]; {
		case l.proc >= 0:
			if (v[f.p.procs[l.proc].loc] == l.loc) == l.negated {
				return false
			}
		case !holds(l.test, v):
			return false
		case l.simple != nil && !compareValues(l.simple.op, v[l.simple.cell], l.simple.k):
			return false
		}
	}
	return true
}

// TestFormulaFootprints: formulas of all connectives, also within each other.
func TestFormulaFootprints(t *testing.T) {
	if testing.Short() {
		t.Skip("it has no goroutines for the race detector")
	}
	p := &phrased{generator: &generator{Rand: rand.New(rand.NewPCG(8, 31))}, uses: map[[2]string][]string{}}
	p.variables()
	p.b.WriteString(phraseFuncs)
	p.template("T", "")
	for i := range 3 {
		p.line("loc n%d", i)
	}
	p.line("n0 > n1 | | | x = 2 - x, n = 3 - n, flag = !flag, low = 3 - low, z = -z, big = x")
	p.line("n1 > n2 | | | a[x] = 0, two[flag] = 1, grid[0][0] = 1, c3[x] = 0, s.u = 0, s.v[0] = flag, pair[flag] = s, old = made(x), l = 1, own[0] = 1, r = 0")
	p.line("n2 > n0 | | |")
	p.line("instance A = T(0, x, c); B = T(1, a[1], d[1]);")
	p.line("system A, B;")
	_, info := generated(t, p.b.String())
	f := newFootprints(t, info, 8)
	require.NoError(t, f.build())
	f.m = newMachine(f.p)
	f.inQuery = true
	atoms := []string{"x == 1", "x != 1", "x < 2", "2 > x", "n >= 2", "flag", "!flag", "flag == 0", "flag != 1", "low == 2", "low != 2", "1 != low", "two[0] == 1", "two[1] != 0", "two[flag] == 1",
		"A.n0", "not A.n0", "B.n1", "A.l == 1", "A.l != B.l", "stuck(A)", "not stuck(B)", "deadlock", "true", "false", "A.own[0] == 0", "exists (q : int[0,1]) two[q] == 1", "forall (q : int[0,1]) two[q] == 0", "(flag ? A.n1 : B.n0)"}
	texts := slices.Clone(phraseConds)
	for _, x := range atoms {
		texts = append(texts, x)
		for _, y := range append(atoms[:len(atoms):len(atoms)], phraseConds[p.IntN(len(phraseConds))]) {
			texts = append(texts, fmt.Sprintf(pick(p.generator, "(%s) and (%s)", "(%s) or (%s)", "(%s) imply (%s)", "(%s) == (%s)"), x, y))
		}
	}
	for range 500 {
		deep := texts[len(texts)-p.IntN(800)-1]
		texts = append(texts, fmt.Sprintf(pick(p.generator, "((%s) and (%s))", "((%s) or (%s))", "((%s) imply (%s))"), deep, pick(p.generator, atoms...)), fmt.Sprintf("not (%s)", deep))
	}
	decided := map[bool]int{}
	for _, x := range texts {
		for _, text := range []string{"E<> (" + x + ")", "A[] (" + x + ")"} {
			decided[f.formula(t, text) > 0]++
		}
	}
	t.Logf("%d formulas, of which %d decide some of the states", decided[true]+decided[false], decided[true])
	require.Greater(t, decided[true], decided[false])
}

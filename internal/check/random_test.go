package check

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

var networks = flag.Int("networks", 400, "random networks in differential tests")

// networkCount is how many there are: in the short form, which the race detector slows down,
// a quarter.
func networkCount() int {
	if testing.Short() {
		return *networks / 9
	}
	return *networks
}

// generator makes random networks in the format of model.
type generator struct {
	*rand.Rand
	b         strings.Builder
	locals    bool
	selected  int  // select variables in scope
	loose     bool // stores may leave their ranges
	hasMeta   bool
	hasStruct bool
	hasRef    bool
	rich      bool // the less usual parts of the language
	scalars   bool // a scalar variable k is selected
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func (g *generator) line(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

func pick[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// lvalue is a variable with the number of its values, which start at 0.
func (g *generator) lvalue() (string, int) {
	list := []string{"x", "y", "flag", "a[" + g.index() + "]"}
	size := []int{3, 4, 2, 3}
	if g.locals {
		list, size = append(list, "l"), append(size, 3)
	}
	if g.hasMeta {
		list, size = append(list, "m"), append(size, 5)
	}
	if g.hasStruct {
		list, size = append(list, "s.u", "s.v["+g.index()+"]"), append(size, 3, 2)
	}
	if g.hasRef {
		list, size = append(list, "r"), append(size, 3)
	}
	if g.rich {
		list = append(list, "grid[flag]["+pick(g, "1", "2", "1 + flag")+"]", "bySet[sv].u", "(flag ? x : a["+g.index()+"])", "duos["+pick(g, "0", "1", "flag")+"].v[1]")
		size = append(size, 3, 3, 3, 2)
	}
	i := g.IntN(len(list))
	return list[i], size[i]
}

// index is an expression within 0..2 for a[3], s.v[2] only sometimes.
func (g *generator) index() string {
	switch {
	case g.chance(60):
		return fmt.Sprint(g.IntN(2))
	case g.selected > 0:
		return "i"
	}
	return "flag"
}

func (g *generator) expr(depth int) string {
	if depth == 0 || g.chance(30) {
		switch g.IntN(5) {
		case 0:
			return fmt.Sprint(g.IntN(4))
		case 1:
			if g.selected > 0 {
				return "i"
			}
			if g.locals {
				return "id"
			}
		}
		v, _ := g.lvalue()
		return v
	}
	x, y := g.expr(depth-1), g.expr(depth-1)
	if g.rich && g.chance(35) {
		switch g.IntN(9) {
		case 0:
			return pick(g, "cr(x)", "cr(a["+g.index()+"])", fmt.Sprintf("cr(%s + 1)", x), "cr(flag ? x : 3)")
		case 1:
			return fmt.Sprintf("(-%s)", x)
		case 2:
			return fmt.Sprintf("abs(%s)", x)
		case 3:
			return fmt.Sprintf("(%s %s %d)", x, pick(g, "/", "%", "<<", ">>", "**"), 1+g.IntN(3))
		case 4:
			if g.loose {
				return fmt.Sprintf("(%s %s %s)", x, pick(g, "/", "%", "<<", ">>", "**"), y)
			}
		case 5:
			return fmt.Sprintf("(flag ? a : b3)[%s]", g.index())
		case 6:
			return "TAB[" + pick(g, "0", "1", "flag") + "]"
		case 7:
			return "(sum (q : int[1,2]) sum (z : set_t) (grid[q - 1][q] * bySet[z].u))"
		case 8:
			if g.locals {
				return fmt.Sprintf("lf(%s)", x)
			}
		}
	}
	switch g.IntN(9) {
	case 0:
		return fmt.Sprintf("f(%s)", x)
	case 1:
		return fmt.Sprintf("(%s ? %s : %s)", g.cond(depth-1), x, y)
	case 2:
		return fmt.Sprintf("(sum (q : int[0,2]) (a[q] + %s))", x)
	case 3:
		return fmt.Sprintf("(%s %s %s)", x, pick(g, "<?", ">?", "&", "|", "^"), y)
	}
	return fmt.Sprintf("(%s %s %s)", x, pick(g, "+", "-", "*", "+"), y)
}

func (g *generator) cond(depth int) string {
	if depth > 0 && g.rich && g.chance(25) {
		return pick(g, "(d[0] == d[flag])", "(a == b3)", "(grid[0] != grid[flag])", "(duos[0] == duos[1])", "(sv == first)", "(forall (z : set_t) bySet[z].u < 2)", "(exists (z : set_t) z == sv && bySet[z].v[0])", "holds(flag, x)")
	}
	if depth > 0 {
		switch g.IntN(6) {
		case 0:
			return fmt.Sprintf("(%s %s %s)", g.cond(depth-1), pick(g, "&&", "||", "imply", "xor"), g.cond(depth-1))
		case 1:
			return "!" + fmt.Sprintf("(%s)", g.cond(depth-1))
		case 2:
			return fmt.Sprintf("(%s (q : int[0,2]) a[q] %s %s)", pick(g, "forall", "exists"), pick(g, "<", "==", ">="), g.expr(0))
		}
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(1), pick(g, "==", "!=", "<", "<=", ">", ">="), g.expr(1))
}

// validCond is a condition that is valid in every state: where an invalid one
// is not looked at differs between the implementations.
func (g *generator) validCond(depth int) string {
	defer func(loose bool) { g.loose = loose }(g.loose)
	g.loose = false
	return g.cond(depth)
}

func (g *generator) update() string {
	v, n := g.lvalue()
	if g.rich && g.chance(30) {
		switch g.IntN(10) {
		case 0:
			return "(flag ? x : a[1]) = " + fmt.Sprint(g.IntN(3))
		case 1:
			return "(flag ? a : b3)[" + g.index() + "] = x"
		case 2:
			return "(x = " + fmt.Sprint(g.IntN(3)) + ") ^= 1"
		case 3:
			return "first = sv"
		case 4:
			if g.scalars {
				return pick(g, "sv = k", "bySet[k].u = x", "bySet[k] = bySet[sv]")
			}
		case 5:
			return pick(g, "grid[0] = grid[1]", "grid = grid", "duos[1] = duos[flag]", "b3 = a", "(b3 = a)[1] = 0")
		case 6:
			return "walk(" + g.expr(1) + ")"
		case 7:
			return "bump(flag ? x : a[2])"
		case 8:
			return pick(g, "flag -= x", "flag |= y", "flag ^= 1", "x = x, flag = !flag")
		case 9:
			if g.loose {
				return pick(g, "++(--x)", "(flag ? x : a[0])++", "bump(++x)", "x <<= y", "y /= x", "assure(x)")
			}
		}
	}
	switch g.IntN(12) {
	case 0:
		return "bump(x)"
	case 1:
		return fmt.Sprintf("move(%s)", g.expr(1))
	case 2:
		if g.hasStruct {
			return pick(g, "flip(s)", "t = turn(t)", "t = flag ? turn(turn(t)) : t", "s.v[turn(t).u % 2] = (t == turn(t))")
		}
	case 6:
		return "l2(a, y)"
	case 3:
		return fmt.Sprintf("%s = %d", v, g.IntN(n))
	case 4:
		if g.loose {
			return fmt.Sprintf("%s = %s", v, g.expr(1))
		}
	case 5:
		if g.loose && n > 2 {
			return v + pick(g, "++", "--")
		}
	}
	return fmt.Sprintf("%s = ((%s) %% %d + %d) %% %d", v, g.expr(2), n, n, n)
}

func (g *generator) updates() string {
	var list []string
	for range g.IntN(3) {
		list = append(list, g.update())
	}
	return strings.Join(list, ", ")
}

func (g *generator) network() string {
	g.loose = g.chance(20)
	g.hasMeta = g.chance(30)
	g.hasStruct = g.chance(40)
	g.rich = g.chance(50)
	g.line("int[0,2] x; int[0,3] y = %d; bool flag; int[0,2] a[3]%s;", g.IntN(4), pick(g, "", " = {0,1,2}"))
	g.line("const int K = %d; int[-2147483648,2147483647] w = K;", g.IntN(3))
	if g.hasMeta {
		g.line("meta int[0,4] m = 2;")
	}
	if g.hasStruct {
		g.line("typedef struct { int[0,2] u; bool v[2]; } rec; rec s; typedef struct { int[0,2] u; bool w; } duo; duo t;")
		g.line("void flip(rec &r) { rec q = r; r.v[0] = q.v[1]; r.v[1] = q.v[0]; }")
		g.line("duo turn(duo r) { duo q = r; q.w = !r.w; if (r.u > 1) return r; q.u++; return q; }")
	}
	if g.rich {
		g.line("int ident(int n) { int m; while (m < n) { m++; } return m; }")
	}
	g.line("%schan c; chan d[2]; broadcast chan b; chan e;", pick(g, "", "urgent "))
	g.line("int f(int n) { int k; int r = K; for (k = 0; k < 2; k++) { r += n * k; if (r > 9) return 9; } return r %% 5; }")
	g.line("void bump(int[0,2] &r) { r = (r + 1) %% 3; while (r == 1 && y > 1) { y--; } }")
	g.line("void l2(int[0,2] p[3], int n) { int[0,2] keep[3] = p; p[n %% 3] = 2; if (p != keep) { a[0] = p[2]; a[2] = keep[n == 1 ? 0 : 1]; } do { n--; x = (x + a[1]) %% 3; } while (n > 0); }")
	g.line("void move(int n) { int i; for (q : int[0,1]) { i = a[q]; a[q] = a[q+1]; a[q+1] = i; } w = (w ^ n) * 16777619; w = w & 1; flag = n; }")
	if g.rich {
		g.line("const int[0,2] TAB[2] = {%d, ident(%d)}; int[0,2] b3[3]; int[0,2] grid[2][int[1,2]] = { {1, 0}, {0, %d} };", g.IntN(3), g.IntN(3), g.IntN(3))
		g.line("typedef scalar[2] set_t; set_t sv, first; typedef struct { int[0,2] u; bool v[2]; } cellT; cellT bySet[set_t], duos[2] = { {1, {false, true}}, { v: {true, false}, u: 0 } };")
		g.line("int cr(const int &r) { return r %% 3; } void assure(int n) { assert n < 2; }")
		g.line("bool holds(bool p, const int n) { int i, j; for (i = 0, j = n; i < 2, j >= 0; i++, j--) { if (i++, p) return j > 0; } while (j++, j < 1) ; return p imply cr(n + 1) == 1; }")
		g.line("void walk(int n) { for (q : int[0,1]) for (z : set_t) { if (z == sv) { bySet[z].v[q] = n > q; } } }")
		g.line("urgent broadcast chan ub; broadcast chan bs[2];")
		if g.chance(25) {
			g.line("%s", pick(g, "before_update { x = (x + 1) % 3 }", "after_update { flag = !flag, y = (y * 2) % 4 }", "before_update { first = sv } after_update { walk(x) }"))
		}
	}
	if g.chance(15) {
		g.line("chan priority %s;", pick(g, "c < default < e", "d[0] < default", "default < b, c < e"))
	}
	templates := 2 + g.IntN(2)
	// In some networks most locations are urgent, so that paths cannot rest.
	normal := pick(g, "", "", " urgent")
	var names, instances []string
	for t := range templates {
		g.locals = true
		name := fmt.Sprintf("T%d", t)
		if g.hasRef = g.chance(25); g.hasRef {
			g.line("template %s(const int[0,1] id, int[0,2] &r, chan &h)", name)
			if g.rich && g.chance(50) {
				// One process for each value.
				instances = append(instances, fmt.Sprintf("J%d(const int[0,1] p, int[0,2] &q) = %s(1 - p, q, e); I%d(const int[0,1] p) = J%d(p, a[1]);", t, name, t, t))
			} else {
				instances = append(instances, fmt.Sprintf("I%d = %s(%d, %s, %s);", t, name, g.IntN(2), pick(g, "x", "a[1]"), pick(g, "e", "d[1]")))
			}
			names = append(names, fmt.Sprintf("I%d", t))
		} else {
			g.line("template %s(const int[0,%d] id)", name, g.IntN(2))
			names = append(names, name)
		}
		g.line("var int[0,2] l%s;", pick(g, "", " = id"))
		if g.rich {
			// The size of an array must not depend on a free parameter.
			g.line("var const int NL = ident(1 - id); int[0,2] own[2]; int lf(int m) { return (l + m + own[NL]) %% 3; }")
		}
		locs := 2 + g.IntN(3)
		for i := range locs {
			inv := ""
			if g.chance(10) {
				inv = " inv " + g.validCond(1)
			}
			g.line("loc n%d%s%s", i, pick(g, normal, normal, normal, normal, normal, " committed", " urgent"), inv)
		}
		for range 2 + g.IntN(5) {
			sel := ""
			g.selected = 0
			if g.chance(25) {
				sel = "select i : int[0,1]"
				g.selected = 1
				if g.rich && g.chance(40) {
					sel += ", k : set_t"
					g.scalars = true
				}
			}
			guard := ""
			if g.chance(60) {
				guard = g.validCond(2)
			}
			// "|" is the separator of fields.
			guard = strings.ReplaceAll(guard, " | ", " + ")
			sync := ""
			if g.chance(65) {
				sync = pick(g, "c", "d[0]", "d["+g.index()+"]", "d[id]", "b", "b", pick(g, "e", map[bool]string{true: "h", false: "e"}[g.hasRef])) + pick(g, "!", "?")
				if g.rich && g.chance(30) {
					sync = pick(g, "ub", "bs[flag]", "bs["+g.index()+"]", "(flag ? d[0] : d[1])", "(x > 0 ? d : d)[flag]", "(flag ? e : d[id])") + pick(g, "!", "?")
				}
			}
			g.line("n%d > n%d %s | %s | %s | %s", g.IntN(locs), g.IntN(locs), sel, guard, sync, strings.ReplaceAll(g.updates(), " | ", " ^ "))
			g.selected, g.scalars = 0, false
		}
	}
	g.locals, g.hasRef = false, false
	for _, i := range instances {
		g.line("instance %s", i)
	}
	sep := ", "
	if g.chance(10) {
		sep = " < "
	}
	g.line("system %s;", strings.Join(names, sep))
	return g.b.String()
}

func (g *generator) location(info *uppaal.Info) string {
	p := info.Processes[g.IntN(len(info.Processes))]
	return p.Name + "." + p.Template.Locations[g.IntN(len(p.Template.Locations))].Name
}

// formulas makes state formulas over the network.
func (g *generator) formulas(info *uppaal.Info, n int) []string {
	location := func() string { return g.location(info) }
	var list []string
	for range n {
		f := location()
		switch g.IntN(6) {
		case 0:
			f = g.cond(1)
		case 1:
			f += " and " + location()
		case 2:
			f += " and " + g.cond(1)
		case 3:
			f = "(" + f + " imply " + g.cond(1) + ")"
		}
		if g.rich && g.chance(50) {
			p := info.Processes[g.IntN(len(info.Processes))].Name
			f += " " + pick(g, "and", "or") + " " + pick(g, p+".location == "+fmt.Sprint(g.IntN(3)), p+".lf(x) > 0", p+".location < x", p+".own["+p+".NL] == 0",
				"("+p+".location > 0) == "+p+".lf("+p+".l)")
		}
		if !info.HasPriorities() {
			switch g.IntN(4) {
			case 0:
				f += " and deadlock"
			case 1:
				f = pick(g, "not deadlock or ", "not deadlock or ", "(deadlock == flag) and ", "(deadlock xor flag) or ", "(deadlock ? x == 0 : flag) and ", "(exists (q : int[0,1]) (deadlock and a[q] == 0)) and ",
					"(forall (q : int[0,1]) (a[q] < 1 or deadlock)) and ", "(sum (q : int[0,1]) (deadlock ? a[q] : 0)) == 0 and ") + f
			}
		}
		switch g.IntN(6) {
		case 5:
			f = fmt.Sprintf(pick(g, "(stuck(%s) == flag)", "(flag ? stuck(%s) : x == 0)", "(stuck(%s) xor x == 1)")+" and ", info.Processes[g.IntN(len(info.Processes))].Name) + f
		case 0:
			f += fmt.Sprintf(" and stuck(%s)", info.Processes[g.IntN(len(info.Processes))].Name)
		case 1:
			p := g.IntN(len(info.Processes))
			f = fmt.Sprintf("(%s) and stuck(%s) and not stuck(%s)", f, info.Processes[p].Name,
				info.Processes[(p+1)%len(info.Processes)].Name)
		}
		list = append(list, f)
	}
	return list
}

const refLimit = 1500

// tally counts what the random networks were like.
type tally struct {
	faults, big, states, refuted, stuck int
	paths                               map[string]int // by operator and verdict
}

// TestRandomNetworks compares the engine with the reference interpreter:
// state counts, transition counts, verdicts and the lengths of traces. The
// engine itself replays its traces.
func TestRandomNetworks(t *testing.T) {
	noRaces(t)
	n := tally{paths: map[string]int{}}
	for seed := range uint64(networkCount()) {
		compareNetwork(t, seed, refLimit, &n)
	}
	t.Logf("%d networks: %+v", networkCount(), n)
	require.Less(t, n.faults+n.big, networkCount()/2)
	require.Positive(t, n.stuck)
	require.Len(t, n.paths, 6, "both verdicts of each operator")
}

func FuzzRandomNetwork(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) {
		// Fuzzing stops an input that takes seconds, as the reference may.
		compareNetwork(t, seed, refLimit/10, &tally{paths: map[string]int{}})
	})
}

// generated is a generated network, which must be a correct one.
func generated(t *testing.T, text string) (*uppaal.Network, *uppaal.Info) {
	t.Helper()
	net, err := parseModel(text)
	require.NoError(t, err, text)
	info, err := uppaal.Check(net)
	require.NoError(t, err, text)
	return net, info
}

// compareNetwork compares the two implementations on one random network.
func compareNetwork(t *testing.T, seed uint64, limit int, n *tally) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	text := g.network()
	net, info := generated(t, text)
	ctx := fmt.Sprintf("seed %d\n%s", seed, text)

	all, err := Verify(context.Background(), net, nil, Options{MaxStates: 50000})
	require.NoError(t, err, ctx)
	ref, _ := newReference(info) // explore has the same error
	var steps []Step             // transitions of other states
	space, err := explore(info, limit, func(st refState, moves []refMove) {
		if len(steps) < 40 {
			for _, m := range moves {
				steps = append(steps, m.step)
			}
		}
		for _, m := range moves {
			to, ok, err := ref.follow(st, m.step)
			require.NoError(t, err, ctx)
			require.True(t, ok, ctx)
			require.Equal(t, m.target, to, ctx)
		}
		for _, x := range steps {
			possible := slices.ContainsFunc(moves, func(m refMove) bool { return reflect.DeepEqual(m.step, x) })
			if _, ok, err := ref.follow(st, x); err == nil {
				require.Equal(t, possible, ok, "%s\nstep %v", ctx, x)
			}
		}
	})
	if err != nil {
		n.faults++
		require.False(t, all.Complete, ctx)
		r, err := Verify(context.Background(), net, queries(t, "A[] true"), Options{})
		require.NoError(t, err, ctx)
		require.Equal(t, Error, r.Results[0].Verdict, ctx)
		require.NotContains(t, r.Results[0].Reason, "internal", ctx)
		return
	}
	if !space.complete {
		n.big++
		return
	}
	n.states += len(space.states)
	require.True(t, all.Complete, ctx)
	require.Equal(t, len(space.states), all.Stats.States, ctx)
	require.Equal(t, space.transitions, all.Stats.Transitions, ctx)

	opts := Options{}
	if g.chance(40) {
		opts.LabelOf, opts.Refuted = randomLabel, g.refuted()
		n.refuted++
	}
	var formulas []string
	for _, f := range g.formulas(info, 6) {
		if g.chance(50) {
			formulas = append(formulas, "E<> "+f)
		} else {
			formulas = append(formulas, "A[] not ("+f+")")
		}
	}
	for range 2 {
		x, y := g.location(info), g.validCond(1)
		formulas = append(formulas, pick(g, "E[] "+y, "A<> "+x, "E[] not "+x, x+" --> "+y, y+" --> "+x))
	}
	report, err := Verify(context.Background(), net, queries(t, formulas...), opts)
	require.NoError(t, err, ctx)
	for i, want := range refDecide(t, net, formulas, opts) {
		q := formulas[i]
		msg := fmt.Sprintf("%s\nquery %s\nrefuted %q", ctx, q, opts.Refuted)
		got := report.Results[i]
		if want.err != nil {
			require.Equal(t, Error, got.Verdict, msg)
			require.NotContains(t, got.Reason, "internal", msg)
			continue
		}
		require.Equal(t, want.verdict.String(), got.Verdict.String(), "%s\n%s", msg, got.Reason)
		if want.path != "" {
			n.paths[string(want.path)+got.Verdict.String()]++
			continue
		}
		steps := -1
		if got.Trace != nil {
			steps = len(got.Trace.Steps)
		}
		if strings.Contains(q, "stuck") && steps >= 0 {
			n.stuck++
			if !report.Complete {
				// A deadlock may have been reported before a nearer state.
				require.GreaterOrEqual(t, steps, want.steps, msg)
				continue
			}
		}
		require.Equal(t, want.steps, steps, msg)
	}
}

func randomLabel(p *uppaal.Process, edge int) Label {
	if edge%3 == 2 {
		return ""
	}
	return Label(fmt.Sprintf("%s%d", p.Template.Name, edge%2))
}

func (g *generator) refuted() [][]Label {
	var list [][]Label
	for range 1 + g.IntN(4) {
		var seq []Label
		for range 1 + g.IntN(4) {
			seq = append(seq, Label(fmt.Sprintf("T%d%d", g.IntN(2), g.IntN(2))))
			if g.chance(10) {
				seq = append(seq, "") // which counts for nothing
			}
		}
		if g.chance(2) {
			seq = pick(g, []Label{}, []Label{""}) // which every path begins with
		}
		list = append(list, seq)
	}
	return list
}

// refResult is what the reference interpreter finds for a query.
type refResult struct {
	verdict Verdict
	steps   int
	path    uppaal.PathOp // of a query about paths
	err     error
}

// refDecide answers queries by a search of the reference interpreter that
// carries the labels of the path while they are a prefix of a refuted
// sequence.
func refDecide(t *testing.T, net *uppaal.Network, text []string, opts Options) []refResult {
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	qs := queries(t, text...)
	results := make([]refResult, len(qs))
	for i, q := range qs {
		require.NoError(t, info.CheckQuery(q))
		results[i] = refResult{verdict: verdictOf(q.Op, false), steps: -1}
	}
	ref, err := newReference(info)
	require.NoError(t, err)
	var sequences [][]Label
	everything := false
	for _, seq := range opts.Refuted {
		seq = slices.DeleteFunc(slices.Clone(seq), func(l Label) bool { return l == "" })
		sequences, everything = append(sequences, seq), everything || len(seq) == 0
	}
	type node struct {
		st    refState
		depth int
		path  []Label
		left  bool
	}
	// follow extends a path; cut reports that it completes a sequence.
	follow := func(n node, step Step) (path []Label, left, cut bool) {
		path, left = n.path, n.left
		for _, p := range step.Parts {
			if opts.LabelOf == nil {
				continue
			}
			l := opts.LabelOf(info.Processes[p.Process], p.Edge)
			if l == "" || left {
				continue
			}
			path = append(path[:len(path):len(path)], l)
			left = true
			for _, seq := range sequences {
				if len(seq) >= len(path) && fmt.Sprint(seq[:len(path)]) == fmt.Sprint(path) {
					left = false
					if len(seq) == len(path) {
						return path, false, true
					}
				}
			}
		}
		if left {
			path = nil
		}
		return path, left, false
	}
	seen := map[string]int{}
	nodes := []node{}
	begin := opts.From
	if len(begin) == 0 {
		begin = [][]Step{nil}
	}
	for _, steps := range begin {
		n, refuted := node{st: ref.initial}, everything
		for _, step := range steps {
			to, ok, err := ref.follow(n.st, step)
			require.NoError(t, err)
			require.True(t, ok)
			path, left, cut := follow(n, step)
			n, refuted = node{to, 0, path, left}, refuted || cut
		}
		if key := n.st.key() + fmt.Sprint(n.path, n.left); !refuted {
			if _, ok := seen[key]; !ok {
				seen[key] = len(nodes)
				nodes = append(nodes, n)
			}
		}
	}
	succ := [][]int{}
	for k := 0; k < len(nodes); k++ {
		n := nodes[k]
		moves, err := ref.moves(n.st)
		require.NoError(t, err)
		succ = append(succ, nil)
		for _, m := range moves {
			path, left, cut := follow(n, m.step)
			if cut {
				continue
			}
			key := m.target.key() + fmt.Sprint(path, left)
			i, ok := seen[key]
			if !ok {
				i = len(nodes)
				seen[key] = i
				nodes = append(nodes, node{m.target, n.depth + 1, path, left})
			}
			succ[k] = append(succ[k], i)
		}
	}
	// forever finds the states from which a path can stay where e has a value:
	// the greatest set whose members can rest or go to a member.
	forever := func(e uppaal.Expr, want bool) ([]bool, error) {
		in := make([]bool, len(nodes))
		for i, n := range nodes {
			value, _, err := ref.holds(e, n.st, 0)
			if err != nil {
				return nil, err
			}
			in[i] = value == want
		}
		for changed := true; changed; {
			changed = false
			for i, n := range nodes {
				rest, err := ref.canRest(n.st)
				require.NoError(t, err)
				if in[i] && !rest && !slices.ContainsFunc(succ[i], func(k int) bool { return in[k] }) {
					in[i], changed = false, true
				}
			}
		}
		return in, nil
	}
	for i, q := range qs {
		r := &results[i]
		switch q.Op {
		case uppaal.Always, uppaal.Possibly:
			for _, n := range nodes {
				value, known, err := ref.holds(q.X, n.st, 1<<30)
				if err != nil {
					r.err = err
					break
				}
				require.True(t, known)
				if value == (q.Op == uppaal.Possibly) {
					*r = refResult{verdict: verdictOf(q.Op, true), steps: n.depth}
					break
				}
			}
			continue
		case uppaal.LeadsTo:
			*r = refResult{verdict: True, path: q.Op}
			in, err := forever(q.Y, false)
			if err != nil {
				r.err = err
				continue
			}
			for k, n := range nodes {
				value, _, err := ref.holds(q.X, n.st, 0)
				if err != nil {
					r.err = err
					break
				}
				if value && in[k] {
					r.verdict = False
				}
			}
		default:
			in, err := forever(q.X, q.Op == uppaal.PotentiallyAlway)
			*r = refResult{verdict: False, path: q.Op, err: err}
			if err == nil && (len(in) > 0 && in[0]) == (q.Op == uppaal.PotentiallyAlway) {
				r.verdict = True
			}
		}
	}
	return results
}

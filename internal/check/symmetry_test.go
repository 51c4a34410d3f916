package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// symmetric makes networks with scalar types, some of which tell their values
// apart.
func (g *generator) symmetric() string {
	size := 2 + g.IntN(2)
	g.line("typedef scalar[%d] id_t; typedef scalar[2] res_t;", size)
	g.line("int[0,2] x; bool flag; int[0,2] own[id_t]; id_t last; id_t next[id_t]; bool m[id_t][res_t]; bool e[id_t][id_t]; res_t cur;")
	g.line("typedef struct { id_t who; int[0,1] n; } rec; rec s[res_t];")
	g.line("chan c[id_t], d; broadcast chan b; broadcast chan bs[id_t]; urgent chan u[id_t];")
	g.line("bool free(id_t i) { return own[i] == 0; }")
	g.line("void take(id_t i, int[0,2] &n) { id_t j = i; if (flag) { j = last; } own[j] = n %% 3; }")
	guards := []string{"own[i] == 0", "own[i] < 2", "last == i", "last != i", "x < 2", "flag", "l == 0", "l > 0", "peer != i", "peer == last", "next[i] == i",
		"next[peer] == last", "own[peer] > 0", "forall (k : id_t) own[k] < 2", "exists (k : id_t) k != i && own[k] > 0", "m[i][cur]", "!m[peer][r]",
		"(sum (k : id_t) own[k]) < 3", "e[i][peer]", "s[r].who == i", "free(i)", "forall (k : id_t) (e[i][k] imply own[k] == 0)", "r == cur", "next[last] != last"}
	updates := []string{"own[i] = (own[i] + 1) % 3", "own[i] = 0", "last = i", "last = peer", "peer = last", "peer = i", "peer = next[i]", "next[i] = peer",
		"next[last] = i", "x = (x + 1) % 3", "flag = !flag", "l = (l + 1) % 3", "m[i][r] = !m[i][r]", "m[last][cur] = true", "e[i][peer] = true", "e[peer][i] = false",
		"cur = r", "r = cur", "s[r].who = i", "s[cur].n = l % 2", "s[r] = s[cur]", "take(peer, l)", "own[peer] = l", "x = own[last]"}
	odd := g.chance(30)
	if odd {
		switch g.IntN(9) {
		case 8:
			g.line("void clear(res_t r) { rec q; s[r] = q; }")
			updates = append(updates, "clear(r)", "clear(cur)")
		case 0:
			g.line("id_t kept;")
			guards = append(guards, "i == kept", "i != kept")
		case 1:
			g.line("const int[0,2] TAB[id_t] = {0, 1%s};", strings.Repeat(", 2", size-2))
			updates = append(updates, "own[i] = TAB[i]")
			guards = append(guards, "TAB[i] == l")
		case 2:
			g.line("void pickOne() { for (k : id_t) { if (own[k] == 0) { last = k; return; } } }")
			updates = append(updates, "pickOne()", "pickOne()")
		case 3:
			g.line("id_t one() { id_t k; return k; }")
			updates = append(updates, "last = one()", "peer = one()")
		case 4:
			g.line("meta id_t tmp;")
			updates = append(updates, "peer = tmp", "tmp = peer, last = tmp")
		case 5:
			g.line("void table() { int[0,2] t[id_t] = {0, 1%s}; own = t; }", strings.Repeat(", 2", size-2))
			updates = append(updates, "table()")
		case 6:
			guards = append(guards, "forall (k : id_t) (1 / own[k] == 1)", "exists (k : id_t) (own[k] == 0 || 2 % own[k] == 1)")
		case 7:
			g.line("int[0,1] small[id_t]; ")
			updates = append(updates, "small[i]++", "small[peer] = l")
		}
	}
	edges := func(inner bool) {
		locs := 2 + g.IntN(2)
		for i := range locs {
			g.line("loc n%d%s", i, pick(g, "", "", "", "", "", " urgent", map[bool]string{true: " committed"}[i > 0 && g.chance(30)]))
		}
		// A variable that nothing writes tells its value from the others.
		if inner && g.chance(90) {
			g.line("n%d > n%d | %s | | peer = last, r = cur, next[i] = peer, s[r].who = peer", g.IntN(locs), g.IntN(locs), pick(g, guards...))
		} else if !inner && g.chance(90) {
			g.line("n%d > n%d select i : id_t, r : res_t | flag || own[i] == 2 | | last = i, cur = r", g.IntN(locs), g.IntN(locs))
		}
		for range locs + g.IntN(3) {
			sel, guard, sync := "", "", ""
			var ups []string
			if !inner {
				if g.chance(40) {
					sel = "select i : id_t, r : res_t"
				}
				if g.chance(40) {
					sync = pick(g, "d", "b") + pick(g, "!", "?")
				}
				switch {
				case sel == "":
					guard = pick(g, "", "x < 2", "flag", "m[last][cur]", "forall (k : id_t) own[k] > 0")
					ups = append(ups, pick(g, "x = (x + 1) % 3", "flag = false", "own[last] = 0", "cur = s[cur].n == 0 ? cur : cur"))
				default:
					guard = pick(g, "own[i] == 0", "m[i][r]", "i != last")
					ups = append(ups, pick(g, "last = i", "own[i] = x", "cur = r", "next[i] = last"))
					if g.chance(40) {
						sync = pick(g, "c[i]", "bs[i]", "u[i]") + pick(g, "!", "?")
					}
				}
			} else {
				if g.chance(30) {
					sel = "select j : id_t"
				}
				if g.chance(50) {
					guard = pick(g, guards...)
				}
				if sel != "" && g.chance(50) {
					guard = pick(g, "j != i", "own[j] == 0", "next[j] == i", "e[i][j]")
				}
				if g.chance(30) {
					sync = pick(g, "d", "c[i]", "c[peer]", "c[last]", "b", "bs[i]", "bs[last]", "u[peer]") + pick(g, "!", "?")
				}
				for range 1 + g.IntN(2) {
					ups = append(ups, pick(g, updates...))
				}
				if sel != "" {
					ups = append(ups, pick(g, "peer = j", "own[j] = 0", "next[j] = i", "e[i][j] = true", "last = j"))
				}
			}
			g.line("n%d > n%d %s | %s | %s | %s", g.IntN(locs), g.IntN(locs), sel, guard, sync, strings.Join(ups, ", "))
		}
	}
	g.line("template T(const id_t i%s)", map[bool]string{true: ", int[0,2] &x"}[odd && g.chance(30)])
	g.line("var int[0,2] l; id_t peer%s; res_t r;", pick(g, "", " = i"))
	edges(true)
	g.line("template U()")
	g.line("var int[0,1] l;")
	edges(false)
	if strings.Contains(g.b.String(), "int[0,2] &x") {
		g.line("instance P(const id_t i) = T(i, own[i]);")
	} else if g.chance(20) && size == 2 {
		g.line("instance P(const id_t i) = T(i); Q(const id_t k) = T(k);")
		g.line("system P, U, Q;")
		return g.b.String()
	} else {
		g.line("instance P(const id_t j) = T(j);")
	}
	g.line("system P, U;")
	return g.b.String()
}

func (g *generator) symmetricFormula() string {
	f := pick(g, "exists (i : id_t) P(i).n1", "forall (i : id_t) P(i).n1", "U.n1", "exists (i : id_t) (own[i] == 2 and last == i)", "x == 2 and flag",
		"forall (i : id_t) own[i] == 2", "exists (i : id_t) exists (j : id_t) (i != j and next[i] == j and next[j] == i)",
		"exists (i : id_t) (P(i).l == 2 and P(i).peer != i)", "exists (i : id_t) exists (r : res_t) (m[i][r] and e[i][i])", "P(last).n1", "s[cur].who != last",
		"(sum (i : id_t) own[i]) == 4")
	if g.chance(40) {
		f += " and " + pick(g, "U.n0", "x == 1", "flag", "own[last] == 1", "deadlock", "not (forall (i : id_t) P(i).n0)")
	}
	if g.chance(10) {
		f += " and " + pick(g, "P(0).n1", "P(1).l == 1", "stuck(P(0))", "stuck(U)", "(forall (i : id_t) 2 / own[i] > 0)")
	}
	return f
}

// TestSymmetryCombinations compares the variants on networks with scalar types.
func TestSymmetryCombinations(t *testing.T) {
	n := map[string]int{}
	for seed := range uint64(networkCount()) {
		compareSymmetric(t, seed, n)
	}
	t.Logf("%d networks: %v", networkCount(), n)
	require.Positive(t, n["F"])
	require.Positive(t, n["T"])
	require.Positive(t, n["E"])
}

func compareSymmetric(t *testing.T, seed uint64, n map[string]int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 2))}
	text := g.symmetric()
	net, _ := generated(t, text)
	var formulas []string
	for range 1 + g.IntN(3) {
		if g.chance(50) {
			formulas = append(formulas, "E<> "+g.symmetricFormula())
		} else {
			formulas = append(formulas, "A[] not ("+g.symmetricFormula()+")")
		}
	}
	if g.chance(20) {
		formulas = append(formulas, "A[] not deadlock")
	}
	if g.chance(5) {
		formulas = append(formulas, "E[] not U.n1")
	}
	refuted := [][]Label(nil)
	if g.chance(5) {
		refuted = g.refuted()
	}
	list := alone
	if seed%2 == 0 {
		list = variants
	}
	compareAll(t, seed, net, text, formulas, refuted, n, list)
}

func FuzzSymmetry(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) {
		compareSymmetric(t, seed, map[string]int{})
		compareOrbits(t, seed, map[string]int{})
	})
}

// TestOrbits compares the states of a search with symmetry with those of one
// without, each with all names that its values can have: they must be the same.
func TestOrbits(t *testing.T) {
	noRaces(t)
	n := map[string]int{}
	for seed := range uint64(networkCount()) {
		compareOrbits(t, seed, n)
	}
	t.Logf("%d networks: %v", networkCount(), n)
	require.Greater(t, n["symmetric"], networkCount()/3)
	require.Less(t, n["normalised"]*100, n["orbits"]*103, "nearly canonical")
}

func compareOrbits(t *testing.T, seed uint64, n map[string]int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 2))}
	text := g.symmetric()
	_, info := generated(t, text)
	opts := &Options{MaxStates: 3000}
	states := func(symmetric bool) (*symmetry, *packedStore) {
		c, err := compile(info, opts, func(int) error { return nil })
		require.NoError(t, err)
		x := c.symmetry(nil)
		if symmetric {
			c.p.symmetry = x
		}
		s := newSearch(context.Background(), c.p, nil, opts)
		s.keepGoing = true
		if err := s.run(); err != nil {
			n["other"]++
			return nil, nil
		}
		return x, s.store
	}
	x, all := states(false)
	if x == nil {
		return
	}
	_, normal := states(true)
	require.NotNil(t, normal, text)
	n["symmetric"]++
	n["states"] += all.len()
	n["normalised"] += normal.len()
	perms := permutations(x.sizes)
	orbits := func(s *packedStore) map[string]bool {
		set := map[string]bool{}
		out := make([]uint64, x.width)
		for i := range uint32(s.len()) {
			least := slices.Clone(s.state(i))
			for _, to := range perms {
				x.rename(to, s.state(i), out)
				if slices.Compare(out, least) < 0 {
					copy(least, out)
				}
			}
			set[fmt.Sprint(least)] = true
		}
		return set
	}
	want := orbits(all)
	n["orbits"] += len(want)
	require.Equal(t, want, orbits(normal), "seed %d\n%s", seed, text)
}

// permutations gives all ways to rename the values of sets.
func permutations(sizes []int32) [][][]int32 {
	if len(sizes) == 0 {
		return [][][]int32{nil}
	}
	var one [][]int32
	var extend func(done []int32)
	extend = func(done []int32) {
		if len(done) == int(sizes[0]) {
			one = append(one, slices.Clone(done))
			return
		}
		for i := range sizes[0] {
			if !slices.Contains(done, i) {
				extend(append(slices.Clip(done), i))
			}
		}
	}
	extend(nil)
	var list [][][]int32
	for _, p := range one {
		for _, rest := range permutations(sizes[1:]) {
			list = append(list, append([][]int32{p}, rest...))
		}
	}
	return list
}

// workers are n processes over a scalar type with an array that it indexes.
func workers(n int) string {
	return fmt.Sprintf(`
		typedef scalar[%d] id_t;
		int[0,2] done[id_t]; bool busy; id_t owner;
		template W(const id_t i)
		loc idle
		loc wait
		loc work
		loc end
		idle > wait | | |
		wait > work | !busy | | busy = true, owner = i
		work > idle | done[i] < 2 && owner == i | | done[i]++, busy = false
		work > end | done[i] == 2 | | busy = false
		system W;`, n)
}

// TestSymmetryGain counts states: with n processes that are alike there are
// nearly n! times as many without symmetry, and exactly as many as there are
// multisets of states of a process.
func TestSymmetryGain(t *testing.T) {
	noRaces(t)
	query := "A[] forall (i : id_t) forall (j : id_t) (W(i).work and W(j).work imply i == j)"
	for _, n := range []int{2, 3, 4, 5} {
		full := verify(t, workers(n), plain, query)
		symmetric := Options{Workers: 1, Reductions: Reductions{NoStubborn: true}}
		r := verify(t, workers(n), symmetric, query)
		require.Equal(t, True, full.Results[0].Verdict)
		require.Equal(t, True, r.Results[0].Verdict, r.Results[0].Reason)
		require.True(t, r.Complete)
		t.Logf("%d processes: %d states of %d", n, r.Stats.States, full.Stats.States)
		factorial := 1
		for i := range n {
			factorial *= i + 1
		}
		require.GreaterOrEqual(t, r.Stats.States*factorial, full.Stats.States)
		require.Less(t, r.Stats.States*factorial, 4*full.Stats.States*(n+1))
		// With one that is named, values are told apart.
		named := verify(t, workers(n), symmetric, query, "A[] not (W(0).work and W(1).work)")
		require.Equal(t, full.Stats.States, named.Stats.States)
		// A trace is one of the network, in the order of the processes' names.
		r = verify(t, workers(n), symmetric, "E<> forall (i : id_t) W(i).end")
		require.Equal(t, True, r.Results[0].Verdict, r.Results[0].Reason)
		require.Len(t, r.Results[0].Trace.Steps, 9*n)
	}
}

// TestToldApart: what tells values of a scalar type apart, and what does not.
func TestToldApart(t *testing.T) {
	network := func(decls, guard, update, sync string) string {
		return "typedef scalar[3] id_t; int[0,2] a[id_t]; chan c[id_t]; broadcast chan b; id_t k; int[0,3] n;\n" + decls + `
			template P(const id_t i)
			var int[0,2] l; id_t peer;
			loc n0
			loc n1
			n0 > n1 | ` + guard + " | " + sync + " | k = i, peer = k" + update + `
			template U()
			loc n0
			n0 > n0 select j : id_t | | c[j]? |
			system P, U;`
	}
	for _, x := range []struct {
		decls, guard, update, sync string
		symmetric                  bool
	}{
		{"", "", "", "", true},
		{"", "k != i && a[k] < 2", ", a[i] = 1", "c[i]!", true},
		{"", "forall (j : id_t) a[j] == 0", "", "c[k]!", true},
		{"", "forall (j : id_t) 2 / a[j] == 1", "", "", false},
		{"", "(sum (j : id_t) 2 / (a[j] + 1)) > 1", "", "", true},
		{"id_t z;", "", "", "", false},
		{"id_t z;", "", ", z = k", "", true},
		{"const int t[id_t] = {1, 2, 1};", "", "", "", false},
		{"const int t[id_t] = {1, 1, 1};", "t[i] == 1", "", "", true},
		{"int[0,4] t[id_t] = {1, 2, 1};", "", ", t[i] = 0", "", true},
		{"meta id_t z;", "", ", z = i", "", false},
		{"meta int[0,3] z[id_t];", "", ", z[i] = 1", "", true},
		{"id_t f(id_t x) { id_t y = x; return y; }", "", ", k = f(i)", "", true},
		{"id_t f() { id_t y; return y; }", "", ", k = f()", "", false},
		{"void f() { for (x : id_t) k = x; }", "", ", f()", "", false},
		{"void f() { int[0,2] t[id_t] = {1, 0, 0}; a = t; }", "", ", f()", "", false},
		{"void f() { int[0,2] t[id_t]; a = t; }", "", ", f()", "", true},
		{"", "", "", "b?", false}, // the last receiver decides k
		{"", "", "", "b!", true},
		{"chan e[2];", "", "", "e[forall (j : id_t) 2 / a[j] == 1]!", false},
		{"chan e[2];", "", "", "e[forall (j : id_t) a[j] == 1]!", true},
		{"typedef struct { int[0,2] t; id_t z; } rec; void f() { rec r = {1, k}; k = r.z; }", "", ", f()", "", false},
		{"inv 2 / (a[i] + 1) < 3", "", "", "", false},
		{"inv a[i] < 3", "", "", "", true},
		{"inv forall (j : id_t) a[j] < 3", "", "", "", true},
		{"bool ok() { return a[k] < 3; }", "forall (j : id_t) (a[j] == 0 || ok())", "", "", false},
		{"int[0,2] s[3];", "forall (j : id_t) s[a[j]] == 0", ", s[1] = 1", "", true},
		{"int[0,2] s[2];", "forall (j : id_t) s[a[j]] == 0", ", s[1] = 1", "", false},
	} {
		text := network(x.decls, x.guard, x.update, x.sync)
		if inv, ok := strings.CutPrefix(x.decls, "inv"); ok {
			text = strings.Replace(network("", x.guard, x.update, x.sync), "loc n1", "loc n1 inv"+inv, 1)
		}
		net := model(t, text)
		info, err := uppaal.Check(net)
		require.NoError(t, err)
		c, err := compile(info, &Options{}, func(int) error { return nil })
		require.NoError(t, err)
		require.Equal(t, x.symmetric, c.symmetry(nil) != nil, "%+v", x)
		if !x.symmetric {
			continue
		}
		for query, symmetric := range map[string]bool{
			"E<> forall (i : id_t) P(i).n1":         true,
			"E<> deadlock and P(k).n1":              true,
			"E<> exists (i : id_t) P(i).peer != i":  true,
			"E<> exists (i : id_t) 1 / P(i).l == 1": false,
			"E<> P(1).n1":                           false,
			"E<> exists (i : int[0,1]) P(i).n1":     false,
			"E<> U.n0":                              true,
			"E<> k == P(0).peer":                    false,
		} {
			q := queries(t, query)[0]
			require.NoError(t, info.CheckQuery(q), query)
			require.Equal(t, symmetric, c.symmetry([]uppaal.Expr{q.X}) != nil, query)
		}
	}
}

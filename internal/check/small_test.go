package check

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// A form is one way to write a condition, a change, or both of an edge: what
// reductions look at. Its parts are as in the lines of model. What a form of a
// condition does to a variable, and what one of a change does, meet only where two
// processes use the same variable at the same time: so a small network is made of few
// forms.
type form struct {
	sel, guard, sync, update string
}

var smallForms = []form{
	// A counter: below, above, and all the ways to say it.
	{guard: "n < 3", update: "n++"},
	{guard: "n < 3", update: "n = n + 1"},
	{guard: "3 > n", update: "n += 1"},
	{guard: "n <= 1", update: "n += 2"},
	{guard: "n > 0", update: "n--"},
	{guard: "0 < n", update: "n = n - 1"},
	{guard: "n >= 1", update: "n -= 1"},
	{guard: "1 < n", update: "n = n - 2"},
	{guard: "n > 0 && n < 3", update: "n++, n = n - 2"},
	{guard: "n == 1", update: "n = n + 1"},
	{guard: "n != 0", update: "n = n - 1"},
	{guard: "!(n < 2)", update: "n = n - 1"},
	{guard: "n < 2"}, {guard: "n > 1"}, {guard: "2 <= n"}, {guard: "1 >= n"}, {guard: "n == 1"}, {guard: "n != 1"}, {guard: "!(n > 0)"}, {guard: "0 != n"},
	{update: "n = 0"}, {update: "n = 3"}, {update: "n = 1, n = 2"}, {update: "n = 1, n++"}, {update: "n = x"}, {update: "n = (n + 1) % 4"},
	{guard: "n > 0", update: "n = n - 1, x = 1"}, {guard: "x < 2", update: "n = x + 1"}, {guard: "x > 0", update: "n = x - 1"}, {guard: "n < 2 && x < 2", update: "n = n + x"}, {guard: "n > 1", update: "n -= x"},
	{guard: "n < 3", update: "x = n == 0 ? 1 : x, n = n + 1"},
	// A negative range, and one that wraps around.
	{guard: "z < 1", update: "z++"}, {guard: "z > -1", update: "z--"}, {guard: "z == -1"}, {update: "z = -1"}, {guard: "z > 0"}, {update: "z = -z"},
	{update: "big = big + 1"}, {guard: "big > 0"}, {guard: "big < 0", update: "big = 2147483647"},
	// A lock, and other constants.
	{guard: "x == 0", update: "x = 1"}, {guard: "x == 1", update: "x = 0"}, {guard: "x != 2", update: "x = 2"}, {update: "x = 1"}, {update: "x = 0"}, {guard: "x == 2"},
	{guard: "x < 2", update: "x = 2"}, {guard: "x != 0"}, {update: "x = 2 - x"}, {update: "x = l"}, {update: "l = x"}, {guard: "l == x"}, {guard: "l == 1"}, {update: "l = 1"},
	{update: "x = x"}, {update: "x = x == 0 ? 1 : x"},
	// Booleans.
	{guard: "flag", update: "flag = false"}, {guard: "!flag", update: "flag = true"}, {update: "flag = 2"}, {update: "flag = !flag"}, {guard: "flag == 0"}, {guard: "flag != true"}, {guard: "flag"},
	{guard: "flag > 0"}, {guard: "flag < 1", update: "flag = flag + 1"}, {guard: "flag", update: "flag = flag - 1"}, {update: "flag = x == 1"}, {update: "flag = flag - 1"}, {update: "flag = true"}, {update: "flag = 0"}, {guard: "1 > flag"},
	// Arrays and structures.
	{guard: "a[0] == 0", update: "a[0] = 1"}, {guard: "a[1] > 0", update: "a[1]--"}, {guard: "a[1] < 2", update: "a[1]++"}, {update: "a[x] = 1"}, {guard: "a[x] == 0"}, {guard: "a[l] != 0", update: "a[l] = 0"},
	{update: "a = c3"}, {guard: "a == c3"}, {update: "c3[1] = 1"}, {update: "a[0] = 1"}, {update: "a[1] = 0"}, {guard: "forall (q : int[0,2]) a[q] == 0"}, {guard: "exists (q : int[0,2]) a[q] > 0"}, {guard: "(sum (q : int[0,2]) a[q]) > 1"},
	{guard: "s.u == 0", update: "s.u = 1"}, {update: "s = t"}, {guard: "s == t"}, {guard: "s.u != 0", update: "t = s"},
	// Conditions that are not comparisons of a variable with a constant.
	{guard: "n + x < 3"}, {guard: "n == x"}, {guard: "n > x"}, {guard: "(flag || n > 0)"}, {guard: "(flag ? n > 0 : x == 0)"}, {guard: "f(n) == 1"}, {guard: "!(x == 0 && n == 0)"}, {guard: "(flag imply n == 0)"}, {guard: "x == 0 && n > 0"},
	// Conditions that are valid where others hold, or an index is small enough.
	{guard: "x < 2 && two[x] == 0"}, {guard: "x != 2 && two[x] == 0", update: "two[x] = 1"}, {guard: "x > 0 && 2 / x == 1"}, {guard: "flag && x < 2 && two[x] == 1", update: "two[0] = 0"}, {update: "two[0] = 1"}, {update: "two[1] = 1"},
	{guard: "n < 2 && two[n] == 0", update: "n = n + 1"},
	// Functions.
	{update: "reset()"}, {update: "bump(n)"}, {guard: "idle() < 2", update: "busy[idle()] = true"}, {update: "busy[0] = false"}, {update: "x = idle()"},
	// Selections.
	{sel: "select i : int[0,1]", guard: "a[i] == 0", update: "a[i] = 1"}, {sel: "select i : int[0,1]", guard: "i == x"}, {sel: "select i : int[0,1]", guard: "n > i", update: "n = i"}, {sel: "select i : int[0,1]", update: "x = i"},
	{sel: "select i : int[0,1]", guard: "flag && a[i] == 0", update: "a[i] = 1"}, {sel: "select i : int[0,1]", guard: "a[i] == 1 && n > 0", update: "n = n - 1"}, {sel: "select i : int[0,1]", guard: "i == x && two[x] == 0", update: "two[x] = 1"},
	{sel: "select i : int[0,1]", guard: "a[i] == 0", sync: "c!"}, {sel: "select i : int[0,1], j : int[0,1]", guard: "i != j && a[i] == a[j]", update: "a[i] = 1"},
	{sel: "select i : int[0,1]", sync: "d[i]!", update: "l = i"}, {sel: "select i : int[0,1]", sync: "d[i]?", update: "x = i"}, {sel: "select i : int[0,1]", guard: "a[i] == 1", sync: "d[i]?"}, {sel: "select i : int[0,1]", guard: "two[i] == 0", sync: "c?"},
	// Rendezvous.
	{sync: "c!"}, {sync: "c?"}, {sync: "c!", update: "msg = l"}, {sync: "c?", update: "l = msg < 0 ? 0 : msg > 2 ? 2 : msg"}, {guard: "n > 0", sync: "c?", update: "x = 1"}, {guard: "x == 0", sync: "c!", update: "x = 1"}, {sync: "c?", update: "x = 2"},
	{guard: "n < 3", sync: "c!", update: "n = n + 1"}, {guard: "n < 3", sync: "c?", update: "n++"}, {guard: "n > 0", sync: "c?", update: "n = n - 1"},
	{sync: "d[0]!"}, {sync: "d[1]?"}, {sync: "d[0]?"}, {sync: "d[flag]!"}, {sync: "d[flag]?"}, {sync: "d[x & 1]!"}, {sync: "d[l & 1]?"}, {guard: "x < 2", sync: "d[x]!"}, {guard: "x < 2", sync: "d[x]?", update: "x = 2"}, {sync: "(flag ? c : d[0])!"},
	// Broadcasts.
	{sync: "b!"}, {sync: "b?"}, {sync: "b!", update: "x = 1"}, {sync: "b?", update: "x = 0"}, {guard: "x == 1", sync: "b?"}, {guard: "n > 0", sync: "b?", update: "n = n - 1"}, {guard: "n < 3", sync: "b?", update: "n = n + 1"}, {guard: "x == 0", sync: "b!", update: "x = 1"},
	{sync: "bs[flag]!"}, {sync: "bs[0]?"}, {sync: "bs[1]?", update: "flag = false"}, {sync: "bs[l & 1]?"}, {sel: "select i : int[0,1]", guard: "a[i] == 0", sync: "b?", update: "a[i] = 1"}, {sync: "b?", update: "l = x"},
	// Steps that concern nobody else.
	{}, {update: "l = 0"}, {guard: "l < 2", update: "l++"}, {guard: "l > 0", update: "l = l - 1"}, {guard: "own[l] == 0", update: "own[l] = 1"},
}

// What may be invalid: a few networks have it.
var invalidForms = []form{
	{update: "n++"}, {update: "x = x - 1"}, {update: "two[x] = 1"}, {sync: "c?", update: "n++"}, {sync: "b?", update: "x++"}, {sync: "c!", update: "n = 3"}, {guard: "n < 3", sync: "c?", update: "n = n + 1"}, {sync: "d[x]!"}, {sync: "d[x]?"}, {sync: "bs[n]!"},
}

// smallGroups are forms that mean something to each other in a way that few others do.
var smallGroups = [][]form{
	// Only a step that counts down past the least value of a boolean makes it true.
	{{guard: "flag > 0"}, {update: "flag = flag - 1"}},
	// A sum depends on what is added.
	{{guard: "n > 1", update: "n -= x"}, {update: "x = 1"}, {update: "x = 0"}, {guard: "n > 2"}},
	{{guard: "n < 2 && x < 2", update: "n = n + x"}, {guard: "x > 0", update: "x--"}, {update: "x = 1"}},
	// One part of a rendezvous changes what is a condition of the other.
	{{sync: "c!", update: "x = 1"}, {guard: "x == 0", sync: "c?"}, {guard: "x == 0", update: "x = 2"}},
	{{guard: "n > 0", sync: "c!"}, {sync: "c?", update: "n = 0"}, {guard: "n > 0", update: "n = n - 1"}},
	{{guard: "n < 3", sync: "c!", update: "n = n + 1"}, {guard: "n < 2", sync: "c?"}, {guard: "n < 2"}, {update: "n = 0"}},
	{{sync: "c!", update: "msg = l"}, {sync: "c?", update: "l = msg & 1"}, {update: "l = 1"}, {guard: "l == 1"}},
	// Two broadcasts that the same process may receive, and steps that it leaves by.
	{{sync: "b!"}, {sync: "b?"}, {sync: "bs[0]!"}, {sync: "bs[0]?"}},
	{{sync: "b!"}, {sync: "b?"}, {}},
	{{sync: "b!"}, {guard: "x == 0", sync: "b?", update: "x = 1"}, {guard: "x == 0"}, {update: "x = 0"}},
	// Channels that a variable or a selection chooses.
	{{sync: "d[0]!"}, {sync: "d[flag]?"}, {update: "flag = !flag"}},
	{{sync: "d[x & 1]!"}, {sync: "d[1]?"}, {update: "x = 1"}, {update: "x = 0"}},
	{{sync: "bs[x & 1]!"}, {sync: "bs[1]?"}, {update: "x = 1"}},
	{{sel: "select i : int[0,1]", sync: "d[i]!"}, {sel: "select i : int[0,1]", guard: "a[i] == 1", sync: "d[i]?"}, {update: "a[0] = 1"}, {update: "a[1] = 0"}},
	{{sel: "select i : int[0,1]", guard: "a[i] == 1", sync: "d[i]!"}, {sync: "d[0]?"}, {update: "a[0] = 1"}, {update: "a[0] = 0"}},
	{{sel: "select i : int[0,1]", guard: "i == x"}, {update: "x = 2"}, {update: "x = 1"}},
	{{sel: "select i : int[0,1]", guard: "i == x && two[x] == 0"}, {update: "two[0] = 1"}, {update: "two[1] = 1"}, {guard: "x == 1", update: "x = 0"}},
	{{sel: "select i : int[0,1]", guard: "a[i] == 0", sync: "c!"}, {sync: "c?"}, {update: "a[0] = 1"}, {update: "a[1] = 1"}},
	// Choices of a process one of which others make possible, or take away.
	{{guard: "n > 0"}, {}, {guard: "n < 3", update: "n = n + 1"}},
	{{guard: "l == 0 && n > 0", update: "n = n - 1"}, {guard: "l == 1"}, {guard: "n < 3", update: "n = n + 1"}, {update: "l = 1"}},
	{{guard: "l == 0 && x == 1"}, {guard: "l == 0"}, {update: "x = 1"}, {}},
	{{guard: "x < 2 && two[x] == 1"}, {}, {update: "two[0] = 1"}, {update: "x = 1"}},
	{{guard: "n == 3"}, {guard: "n < 3", update: "n = n + 1"}, {guard: "n > 0", update: "n = n - 1"}},
}

// smallThemes are what processes use together.
var smallThemes = []string{"n", "n", "x", "x", "z", "big", "flag", "flag", "a", "a", "two", "s", "c3", "busy", "c", "c", "d", "d", "b", "b", "bs"}

var word = regexp.MustCompile(`[a-z]\w*`)

// about reports whether a form uses one of some variables and channels.
func (f form) about(what ...string) bool {
	return slices.ContainsFunc(word.FindAllString(f.guard+" "+f.sync+" "+f.update, -1), func(w string) bool { return slices.Contains(what, w) })
}

// sort is what an edge has: a selection, a condition, a synchronisation, a change.
func (f form) sort() [4]bool {
	return [4]bool{f.sel != "", f.guard != "", f.sync != "", f.update != ""}
}

// small makes networks of two to four processes with few locations.
func (g *generator) small() string {
	g.line("int[0,3] n = %d; int[0,2] x; int[-1,1] z; bool flag%s; int[0,2] a[3] = {%d, %d, 0}; int[0,2] c3[3] = {0,1,0}; int[0,1] two[2]; bool busy[2];", g.IntN(4), pick(g, "", " = true"), g.IntN(2), g.IntN(2))
	g.line("int[-2147483648,2147483647] big = %d; struct { int[0,2] u; bool v; } s = {%d, false}, t; meta int[-2147483648,2147483647] msg;", pick(g, -1, 0, 2147483647), g.IntN(2))
	g.line("chan c, d[2]; broadcast chan b, bs[2];")
	g.line("int f(int k) { return k %% 3; }")
	g.line("void reset() { if (n == 0) { x = 0; } flag = false; }")
	g.line("void bump(int[0,3] &k) { k = (k + 1) %% 4; }")
	g.line("int[0,2] idle() { for (i : int[0,1]) { if (!busy[i]) return i; } return 2; }")
	// Few forms, most of which are about the same things, and as many of each sort.
	about := func(what ...string) func() form {
		var sorts [][]form
		for _, f := range smallForms {
			if !f.about(what...) {
				continue
			}
			k := slices.IndexFunc(sorts, func(l []form) bool { return l[0].sort() == f.sort() })
			if k < 0 {
				sorts = append(sorts, []form{f})
			} else {
				sorts[k] = append(sorts[k], f)
			}
		}
		return func() form { return pick(g, pick(g, sorts...)...) }
	}
	first := pick(g, smallThemes...)
	theme := about(first)
	if g.chance(40) {
		theme = about(first, pick(g, smallThemes...))
	}
	var pool []form
	for range 2 + g.IntN(4) {
		f := theme()
		if g.chance(10) {
			f = smallForms[g.IntN(len(smallForms))]
		}
		pool = append(pool, f)
	}
	if g.chance(35) {
		pool = slices.Clone(pick(g, smallGroups...))
		if g.chance(30) {
			pool = append(pool, theme())
		}
	}
	// Who communicates has partners.
	for _, f := range slices.Clone(pool) {
		if f.sync == "" || slices.ContainsFunc(pool, func(o form) bool {
			return o.sync != "" && word.FindString(o.sync) == word.FindString(f.sync) && o.sync[len(o.sync)-1] != f.sync[len(f.sync)-1]
		}) {
			continue
		}
		partner := about(word.FindString(f.sync))
		for range 20 {
			if o := partner(); o.sync != "" && o.sync[len(o.sync)-1] != f.sync[len(f.sync)-1] {
				pool = append(pool, o)
				break
			}
		}
	}
	if g.chance(40) {
		pool = append(pool, about("l", "own")(), form{})
	}
	if g.chance(8) {
		pool = append(pool, pick(g, invalidForms...))
	}
	processes := 2 + g.IntN(3)
	loops := g.chance(25)
	var names []string
	for p := range processes {
		locs := 2 + g.IntN(5-processes+1)
		g.line("template P%d", p)
		g.line("var int[0,2] l%s; int[0,1] own[3];", pick(g, "", " = 1"))
		for l := range locs {
			g.line("loc n%d%s", l, map[bool]string{true: " committed"}[l > 0 && g.chance(3)])
		}
		for k := range locs + g.IntN(3) {
			from := k
			if k >= locs-1 {
				from = g.IntN(locs - 1)
			}
			to := from + 1
			if k >= locs-1 && g.chance(30) {
				to = from + 1 + g.IntN(locs-1-from)
			}
			if k >= locs-1 && loops && g.chance(50) {
				from, to = g.IntN(locs), g.IntN(locs)
			}
			f := pick(g, pool...)
			g.line("n%d > n%d %s | %s | %s | %s", from, to, f.sel, f.guard, f.sync, f.update)
		}
		names = append(names, fmt.Sprintf("P%d", p))
	}
	g.line("system %s;", strings.Join(names, ", "))
	return g.b.String()
}

// smallFormula is a formula about a small network.
func (g *generator) smallFormula(info *uppaal.Info) string {
	at := func() string { return g.location(info) }
	value := func() string {
		return pick(g, "n == 0", "n < 2", "n > 1", "n != 1", "n == 3", "x == 0", "x == 1", "x != 0", "0 < x", "flag", "not flag", "a[0] == 1", "a[1] != 0", "z < 0", "P0.l == 1", "n == x", "two[0] == 1", "s.u == 1",
			"(exists (q : int[0,2]) a[q] == 2)", "(forall (q : int[0,2]) a[q] < 2)", "(x < 2 and two[x] == 1)", "big > 0", "(n > 0 ? flag : x == 1)", "P1.location == 1", "(sum (q : int[0,2]) a[q]) == 2")
	}
	one := func() string {
		switch g.IntN(6) {
		case 0:
			return value()
		case 1:
			return "not " + at()
		}
		return at()
	}
	switch g.IntN(18) {
	case 0, 1, 16, 17:
		return "deadlock and " + one()
	case 2:
		return "deadlock and " + one() + " and " + one()
	case 3:
		return "deadlock"
	case 4:
		return at() + " and (" + one() + " or " + one() + ")"
	case 5:
		return "not (" + at() + " imply " + one() + ")"
	case 6:
		return "(" + one() + " or deadlock) and " + one()
	case 7: // neither more nor less true with more deadlocks
		return pick(g, "(deadlock == flag) and ", "(deadlock xor flag) and ", "(deadlock ? x == 0 : n > 1) and ", "not deadlock and ", "(exists (q : int[0,1]) (deadlock and a[q] == 0)) and ", "(forall (q : int[0,1]) (a[q] < 1 or deadlock)) and ", "(sum (q : int[0,1]) (deadlock ? a[q] : 0)) == 0 and ") + one()
	case 8, 9, 10:
		return at() + " and " + value()
	case 11:
		return value()
	}
	return at() + " and " + one() + " and " + one()
}

// TestSmallNetworks compares reductions with a plain search on many small networks, in
// which few forms of conditions and changes meet, in all ways.
func TestSmallNetworks(t *testing.T) {
	noRaces(t)
	n := map[string]int{}
	count := 3 * networkCount()
	for seed := range uint64(count) {
		compareSmall(t, seed, n)
	}
	t.Logf("%d networks: %v", count, n)
}

// hardest is, of some queries, the one whose answer takes most steps.
func (g *generator) hardest(t *testing.T, net *uppaal.Network, info *uppaal.Info) string {
	var all []string
	for range 8 {
		all = append(all, pick(g, "E<> ", "A[] not ")+"("+g.smallFormula(info)+")")
	}
	o := plain
	o.MaxStates = 1000
	r, err := Verify(t.Context(), net, queries(t, all...), o)
	require.NoError(t, err)
	hardest, most := pick(g, all...), -1
	for i, r := range r.Results {
		if r.Trace != nil && len(r.Trace.Steps) > most {
			hardest, most = all[i], len(r.Trace.Steps)
		}
	}
	return hardest
}

// somewhere says of a state that can be reached, a deadlock if there is one, where it
// is: a formula that few other states satisfy. It is empty if there is no such state.
func (g *generator) somewhere(t *testing.T, net *uppaal.Network) string {
	w, err := NewWalk(t.Context(), net)
	if err != nil {
		return "" // an invalid initial state
	}
	var dead []Packed
	states, seen := []Packed{w.Initial()}, map[Packed]bool{w.Initial(): true}
	for k := 0; k < len(states); k++ {
		moves, err := w.Moves(states[k])
		if err != nil || k == 300 {
			return ""
		}
		if len(moves) == 0 {
			dead = append(dead, states[k])
		}
		for _, m := range moves {
			if !seen[m.To] {
				seen[m.To] = true
				states = append(states, m.To)
			}
		}
	}
	at := pick(g, states...)
	var parts []string
	if len(dead) > 0 && g.chance(60) {
		at, parts = pick(g, dead...), []string{"deadlock"}
	}
	st := w.State(at)
	for i, p := range w.Info.Processes {
		if g.chance(60) {
			parts = append(parts, p.Name+"."+st.Locations[i].Name)
		}
	}
	for range g.IntN(3) {
		v := pick(g, st.Vars...)
		parts = append(parts, fmt.Sprintf("%s == %d", v.Name, v.Value))
	}
	return strings.Join(parts, " and ")
}

func compareSmall(t *testing.T, seed uint64, n map[string]int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 21))}
	text := g.small()
	net, info := generated(t, text)
	var formulas []string
	if f := g.somewhere(t, net); f != "" && g.chance(60) {
		formulas = append(formulas, pick(g, "E<> ", "A[] not ")+"("+f+")")
	} else {
		formulas = append(formulas, g.hardest(t, net, info))
	}
	if g.chance(15) {
		formulas = append(formulas, pick(g, "E<> ", "A[] not ")+"("+g.smallFormula(info)+")")
	}
	compareAll(t, seed, net, text, formulas, nil, n, reductions)
	if seed%16 == 0 {
		compareReference(t, seed, net, text, formulas, n)
	}
}

func FuzzSmallNetworks(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { compareSmall(t, seed, map[string]int{}) })
}

// Every form occurs in the networks of the test.
func TestSmallForms(t *testing.T) {
	if testing.Short() {
		t.Skip("one worker has no goroutines for the race detector")
	}
	counts := map[form]int{}
	for seed := range uint64(3 * *networks) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 21))}
		for _, line := range strings.Split(g.small(), "\n") {
			_, rest, found := strings.Cut(line, " > ")
			if !found {
				continue
			}
			_, rest, _ = strings.Cut(rest, " ")
			var f form
			for i, field := range strings.Split(strings.ReplaceAll(rest, "||", "\x00"), "|") {
				*[]*string{&f.sel, &f.guard, &f.sync, &f.update}[i] = strings.ReplaceAll(strings.TrimSpace(field), "\x00", "||")
			}
			counts[f]++
		}
	}
	for _, f := range slices.Concat(smallForms, invalidForms, slices.Concat(smallGroups...)) {
		require.Positive(t, counts[f], "%+v", f)
	}
}

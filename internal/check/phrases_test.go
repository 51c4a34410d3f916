package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// What phrases use, besides the variables with random values.
const phraseDecls = `
	typedef struct { int[0,2] u; bool v[2]; } cellT; cellT s = {1, {true, false}}, pair[2] = { {1, {false, true}}, {0, {true, false}} }; typedef struct { int[0,2] u; bool w; } duoT; duoT old; meta int[0,3] msg; const int[0,2] TAB[3] = {2, 0, 1};
	chan c, d[2]; broadcast chan b, bs[2]; urgent chan uc; int[1,2] low = 1;
`

// phraseFuncs are the functions of phrases; those that a network does not use are left out.
const phraseFuncs = `
	int f(int k) { return k % 3; }
	int drain(int[0,3] &p) { int keep = p; p = 0; return keep; }
	void swap(int[0,2] &p, int[0,2] &q) { int[0,2] t = p; p = q; q = t; }
	void rotate(int[0,2] &p[3]) { int i; int[0,2] t = p[0]; for (i = 0; i < 2; i++) p[i] = p[i + 1]; p[2] = t; }
	void give(cellT &p, cellT q) { cellT k = q; k.v[0] = !k.v[0]; p = k; }
	void outer(int[0,2] &p) { int[0,2] t = 1; swap(p, t); a[2] = t; }
	void up(int[0,3] &p, int by) { while (by > 0 && p < 3) { p++; by--; } }
	void both(int[0,2] &p, int[0,2] &q) { p = 2 - q; q = p; a[1] = p; }
	int count(int k) { int m; for (q : int[0,2]) { if (a[q] == k) m++; } return m; }
	int first(int k) { for (q : int[0,2]) if (a[q] == k) return q; return 0; }
	int twice(int k) { int m = k; do { m += k; k--; } while (k > 1); return m; }
	bool any(const int[0,2] &p[3], int k) { return exists (q : int[0,2]) p[q] == k; }
	int same(const int &p) { x = 0; return p; }
	duoT made(int k) { duoT m; m.u = k % 3; m.w = k > 0; if (k == 1) return old; return m; }
	int depth(int k) { int t = f(k) + 1; return f(t) + f(k); }
	void fill(int k) { int[0,2] t[3] = {k % 3, 0, 1}; a = t; }
	void stairs(int k) { int i; for (i = 0, n = 0; i < k; i++, n++) a[i] = k; while (i--, i > 0) x = i; }
	int tail(int k) { int i = 3; if (i--, k > 1) return i; do i--; while (k > 0 && i > 0); return i; }
	int[0,3] back(int k) { for (true; true; k--) { if (k < 2) { return k + 1; } x = k - 1; } return 0; }
	int dull(const int &p) { x = 0; a[1] = 0; s.u = 0; return p; }
	int peek(const int &p) { return p + 1; }
	void nothing(int k) { return; }
	void early(int k) { if (k > 1) return; a[k] = 2; }
	void nested() { for (p : int[0,1]) for (q : int[0,1]) { if (p != q) grid[p][q] = 1 - grid[p][q]; } }
	void either(int k) { if (k > 1) x = 0; else low = 3 - low; }
	void brim(int k) { if (a[0] < 2) { a[k] = 2; a[0]++; } }
	int least() { int m = 9; for (q : int[0,2]) m = m <? a[q]; return m; }
	bool parity() { return (sum (q : int[0,2]) a[q]) % 2 == 1; }
`

// phraseConds are conditions over global variables: of edges and of formulas.
var phraseConds = []string{
	// Functions, and quantifiers that are loops since they call one or are long.
	"count(1) > 0", "forall (q : int[0,2]) f(a[q]) < 2", "exists (q : int[0,1]) f(two[q] + x) == 1", "(sum (q : int[0,2]) f(a[q])) == 2", "forall (q : int[0,69]) (q != n + 66 || flag)",
	"exists (q : int[0,69]) (q == 69 && x == 0)", "(sum (q : int[0,66]) (q > 64 ? x : 0)) == 2", "exists (p : int[0,1]) forall (q : int[0,1]) grid[p][q] == f(x)", "forall (p : int[0,2]) exists (q : int[0,2]) a[q] == c3[p]",
	"(sum (p : int[0,1]) (sum (q : int[0,1]) f(grid[p][q]) * p)) > 0", "first(x) > 0", "any(a, x)", "any(c3, n)", "made(x).u == 0", "made(n).w", "twice(n) > 3", "depth(x) == 1", "f(f(x) + n) == 1", "parity()", "least() == 0", "peek(a[x]) == 2", "peek(x + 1) > 2", "f(n) < f(x)",
	// Arrays and structures.
	"old == made(x)", "pair[0] != pair[1]", "grid[0] == grid[1]", "a == c3", "(flag ? a : c3)[x] == 1", "a[a[0]] == 2", "a[x] == x", "two[f(x) & 1] == 1", "pair[flag].u == x", "pair[flag].v[n & 1]", "!pair[0].v[x & 1]", "grid[two[0]][flag] == 1", "TAB[x] == 1", "a[x] < a[2 - x]", "!a[x]", "0 != a[x]",
	// What is valid where other parts hold.
	"x < 2 && two[x] == 0", "(x > 0 imply two[x - 1] == 0)", "(x == 2 || two[x] == 0)", "!(x < 2 && two[x] == 1)", "n != 3 && a[n] == 0", "n / (x + 1) == 1", "x != 0 && n % x == 0", "(x == 0 || n / x == 1)", "(x > 1 ? true : two[x] == 1)", "z >= 0 && n << z > 3",
	// Operators.
	"(n >> 1) == 1", "(n ^ x) == 1", "(n & x) == 0", "z < 0", "-z == 1", "abs(z) == 2", "(x <? n) == 1", "(x >? n) == 2", "n ** 2 == 4", "(flag xor x == 1)", "(flag ? n : x) == 2", "2 * n - x > 3", "n - x == 1", "n + 1 == 3", "z * x < 0", "z / 2 == -1", "z % 2 == -1", "n", "!n", "x == 1 && n == 1", "1 < n && n <= 2", "x >= n", "n <= x", "x < n", "n > x", "n != x", "n == x", "big < 0", "n >= 2 || x == 2", "+x == 1", "(n > 1) == flag", "low == 2", "(s.v[0] || s.v[1]) && !(s.v[0] && s.v[1])",
}

// phraseDoubts are conditions of formulas that may be invalid.
var phraseDoubts = []string{"two[x] == 1", "2 / x == 1", "n % x == 0", "a[n] == 1", "n << z > 1", "(flag || two[x] == 0)", "forall (q : int[0,2]) 2 / a[q] < 2", "exists (q : int[0,2]) two[a[q]] == 1"}

// phraseGuards are conditions of edges only: channels, parameters and variables of the
// process.
var phraseGuards = []string{"d[0] == d[flag]", "d[f(x) & 1] != d[1]", "l == id", "r == 1", "(own[id] == 0 || l == 2)", "own[l & 1] == 0 && l < 2", "r <= l", "lf(x) == 1", "l > 0 && own[l - 1] == 0", "id == x"}

var phraseUpdates = []string{
	// References, and variables of functions.
	"swap(x, l)", "swap(a[0], a[x])", "swap(r, x)", "swap(x, x)", "rotate(a)", "rotate(c3)", "rotate((flag ? a : c3))", "give(s, pair[0])", "give(pair[flag], s)", "give(s, s)", "outer(x)", "outer(a[l])", "outer(r)", "up(n, 2)", "up(n, x)", "both(x, a[x])", "both(x, x)", "both(a[0], a[l])",
	"x = drain(n) % 3", "n = drain(n)", "n = 3 - drain(n)", "a[drain(n) % 3] = 1", "x = count(1) % 3", "fill(n)", "old = made(n)", "old = flag ? made(made(x).u + 1) : old", "x = made(n + 1).u", "pair[flag] = s", "pair[1] = pair[0]", "s = pair[x & 1]", "nothing(drain(n))", "early(x)", "nested()", "either(n)", "a[1] = least()", "flag = parity()", "n = same(x + 1)", "n = same(n)", "n = dull(x)", "n = dull(a[1])", "n = dull(s.u)", "n = dull(x = 2)", "n = dull(flag ? x : a[1])", "n = dull(x + 1)", "put(n)", "take(x)", "take(a[x])", "l = lf(l) % 3", "x = first(2)",
	// A variable that changes twice or back, and indices that change.
	"n = 3, n = 0", "n = 0, n = 3", "x = 1, x = 2 - x", "x = (x + 1) % 3, x = (x + 1) % 3", "flag = !flag, flag = !flag", "a[x] = x, x = (x + 1) % 3", "x = (x + 1) % 3, a[x] = 2", "a[a[0]] = 1", "a[a[x]] = x", "a[x] = (a[x] + 1) % 3", "a[0] = a[1], a[1] = a[2]", "x = a[1] = 1", "(x = 2) = 1", "x = 1, flag = x == 1, x = 2",
	"msg = x, a[0] = msg % 3", "a[2] = msg % 3, msg = 2", "(flag ? x : a[1]) = 2", "(flag ? a : c3)[x] = 0", "stairs(x)", "n = tail(x)", "n = back(n)", "grid[x & 1][0] = flag", "grid[0] = grid[1]", "pair[0].v[x & 1] = flag", "pair[x & 1].u = n % 3", "a = c3", "c3 = a", "(a = c3)[1] = 0", "s.u = 1, s.v[1] = s.u", "two[0] = 1 - two[0], two[1] = two[0]",
	// Operators.
	"z = -z", "z = z < 2 ? z + 1 : -2", "z = abs(z) - 1", "n = (n + 1) % 4", "n += n < 3", "x -= x > 0", "n *= 0", "n %= 2", "n /= 2", "n >>= 1", "n ^= 1", "n &= 2", "n = n > 0 ? n - 1 : 3", "x = TAB[x]", "big++", "big += x", "big = big * 3", "flag = 2", "flag = n", "flag = x > 0 && two[0] == 0", "low = 3 - low", "low = low == 1 ? low + 1 : low - 1", "n = (x > 0) + (x > 1)", "x = flag ? 2 : 0", "x = (n <? 2)", "a[x] = (sum (q : int[0,1]) two[q])", "two[0] = forall (q : int[0,2]) f(a[q]) == 0", "flag = exists (q : int[0,2]) a[q] == 2", "flag = (a == c3)",
	// Parameters, and variables of the process.
	"r = (r + 1) % 3", "r = l", "own[id] = 1 - own[id]", "l = r", "own[l & 1] = 1", "l = id", "l = (l + 1) % 3", "x = l", "l = x", "a[id] = 1", "a[l] = id",
	// Constants, which are what guards wait for.
	"x = 1", "x = 0", "n = 2", "a[1] = 1", "two[1] = 1", "two[0] = 0", "s.u = 0", "a[0] = 0",
}

// phraseWays are synchronisations, selections and what comes with them.
var phraseWays = []form{
	{sync: "c!", update: "msg = l"}, {sync: "c?", update: "l = msg % 3"}, {sync: "c!"}, {sync: "c?", update: "x = 2"}, {sync: "d[0]!"}, {sync: "d[flag]?"}, {sync: "d[f(x) & 1]!"}, {sync: "d[id]?"}, {sync: "d[two[1]]!"}, {sync: "(flag ? c : d[0])!"}, {sync: "(flag ? c : d[1])?"}, {sync: "h!"}, {sync: "h?", update: "l = x"}, {sync: "(x > 0 ? d : d)[flag]!"},
	{sync: "b!"}, {sync: "b?"}, {sync: "b?", update: "x = (x + 1) % 3"}, {sync: "b!", update: "x = 1"}, {sync: "b?", update: "l = x"}, {guard: "n > 0", sync: "b?", update: "n = n - 1"}, {sync: "bs[flag]!"}, {sync: "bs[l & 1]?"}, {sync: "bs[0]?", update: "flag = !flag"}, {sync: "bs[id]!"}, {sync: "uc!"}, {sync: "uc?"},
	{sel: "select i : int[0,1]", guard: "a[i] == 0", update: "a[i] = 1"}, {sel: "select i : int[0,1], j : int[0,2]", guard: "a[j] != i", update: "a[j] = i"}, {sel: "select i : int[0,1]", sync: "d[i]!", update: "l = i"}, {sel: "select i : int[0,1]", sync: "d[i]?", update: "x = i"}, {sel: "select i : int[0,1]", guard: "own[i] == 0", sync: "b?", update: "own[i] = 1"}, {sel: "select i : int[0,1]", guard: "a[i] == i", sync: "bs[i]!", update: "a[i] = 2"}, {sel: "select i : int[1,2]", guard: "i != x", update: "x = i"},
	{sel: "select i : int[0,1]", guard: "f(a[i]) == i", sync: "c!", update: "swap(a[i], x)"}, {sel: "select i : int[0,1]", guard: "two[i] == 0 && x != i", sync: "bs[i]?"},
}

// phraseFaults are changes that may be invalid.
var phraseFaults = []string{"n++", "x = x - 1", "two[x] = 1", "a[n] = 0", "x = 2 / x", "swap(a[n], x)", "up(n, 9 / x)", "x = 2, two[x] = 0", "n = 1, n -= x", "z--", "low--", "a[x]++", "n = n << z", "two[l]--", "msg = n + 1", "put(z)", "x = 0, n = 3 / x", "a[2] = a[1] + a[0]", "flag ? n++ : x--", "brim(x)", "a[0] < 2 ? (a[x] = 2) + a[0]++ : 0", "a[n % 3] < 2 && (a[l] = 2) > 0 ? a[n % 3]++ : x"}

// phrased are the networks of phrases, with which of them is on which edge.
type phrased struct {
	*generator
	names []string
	uses  map[[2]string][]string // by template and edge number
	fault string
	asked []string // conditions of formulas
	doubt bool     // formulas may be invalid
}

// about lists the phrases that use a variable in common with a phrase.
func about(list []string, phrase string) []string {
	vars := phraseUses[phrase]
	return slices.DeleteFunc(slices.Clone(list), func(x string) bool {
		return !slices.ContainsFunc(phraseUses[x], func(v string) bool { return slices.Contains(vars, v) })
	})
}

// phraseUses are the variables of each phrase, be it in a function.
var phraseUses = func() map[string][]string {
	uses := map[string][]string{}
	for _, phrase := range slices.Concat(phraseConds, phraseGuards, phraseUpdates) {
		vars := word.FindAllString(phrase, -1)
		for _, line := range strings.Split(phraseFuncs, "\n") {
			if head, body, ok := strings.Cut(line, "{"); ok && slices.ContainsFunc(vars, func(v string) bool { return strings.Contains(head, " "+v+"(") }) {
				vars = append(vars, word.FindAllString(body, -1)...)
			}
		}
		uses[phrase] = slices.DeleteFunc(vars, func(v string) bool { return !slices.Contains(phraseVars, v) })
	}
	return uses
}()

var phraseVars = strings.Fields("x n flag a two c3 grid z s pair old msg big low l r own id")

// variables declares what phrases use.
func (p *phrased) variables() {
	p.line("int[0,2] x = %d; int[0,3] n = %d; bool flag = %d; int[0,2] a[3] = {%d, 1, %d}; int[0,1] two[2] = {%d, 0}; int[-2,2] z = %d; int[0,2] c3[3] = {0, 1, %d}; int[0,1] grid[2][2] = { {%d, 1}, {0, 1} }; int[-2147483648,2147483647] big = %d;",
		p.IntN(3), p.IntN(4), p.IntN(2), p.IntN(3), p.IntN(3), p.IntN(2), p.IntN(5)-2, p.IntN(3), p.IntN(2), pick(p.generator, 2147483647, -5))
	p.b.WriteString(phraseDecls)
}

// template begins a template with what phrases use of a process.
func (p *phrased) template(name, start string) {
	p.line("template %s(const int[0,1] id, int[0,2] &r, chan &h)", name)
	p.line("var int[0,2] l%s; int[0,1] own[2]; int lf(int k) { return (l + k + own[id]) %% 3; }", start)
	p.line("var void put(int k) { l = k %% 3; own[k & 1] = 1; } void take(int[0,2] &q) { l = q; q = 0; }")
}

// text makes a network about few phrases. Those whose number is the seed are among
// them, so that each comes up, and the one that is wanted.
func (p *phrased) text(seed uint64, wanted string) string {
	p.variables()
	for range 6 {
		p.asked = append(p.asked, phraseConds[p.IntN(len(phraseConds))])
	}
	head := p.b.String()
	p.b.Reset()
	conds := slices.Concat(phraseConds, phraseGuards)
	guards := []string{conds[2*seed%uint64(len(conds))], conds[(2*seed+1)%uint64(len(conds))]}
	updates := []string{phraseUpdates[seed%uint64(len(phraseUpdates))]}
	ways := []form{phraseWays[seed%uint64(len(phraseWays))]}
	for _, x := range guards {
		updates = append(updates, pick(p.generator, about(phraseUpdates, x)...))
	}
	for range 1 + p.IntN(2) {
		guards = append(guards, pick(p.generator, append(about(conds, updates[0]), conds[p.IntN(len(conds))])...))
		updates = append(updates, pick(p.generator, append(about(phraseUpdates, pick(p.generator, guards...)), "x = (x + 1) % 3", "flag = !flag")...))
	}
	faults := seed%5 == 3
	p.fault = phraseFaults[seed/5%uint64(len(phraseFaults))]
	switch {
	case wanted == "":
	case slices.Contains(conds, wanted):
		guards[0] = wanted
	case slices.Contains(phraseUpdates, wanted):
		updates[0] = wanted
	case slices.Contains(phraseFaults, wanted):
		p.fault, faults = wanted, true
	default:
		ways[0] = phraseWays[slices.IndexFunc(phraseWays, func(w form) bool { return fmt.Sprint(w) == wanted })]
	}
	// Who communicates has partners.
	for _, w := range slices.Clone(ways) {
		if w.sync != "" {
			k := slices.IndexFunc(p.Perm(len(phraseWays)), func(int) bool { return true })
			for range 400 {
				o := phraseWays[k]
				if o.sync != "" && o.sync[len(o.sync)-1] != w.sync[len(w.sync)-1] && (o.about(word.FindAllString(w.sync, -1)...) || strings.Contains(w.sync+o.sync, "h") && o.about("d", "h")) {
					ways = append(ways, o)
					break
				}
				k = p.IntN(len(phraseWays))
			}
		}
	}
	processes := 2 + p.IntN(2)
	edge := 0
	var instances []string
	for t := range processes {
		set := t == 1 && p.chance(25)
		name := fmt.Sprintf("T%d", t)
		p.template(name, pick(p.generator, "", " = id"))
		locs := 2 + p.IntN(2)
		for i := range locs {
			p.line("loc n%d%s", i, pick(p.generator, "", "", "", "", "", "", "", "", " committed", " urgent"))
		}
		for k := range locs + 1 + p.IntN(2) {
			var f form
			var used []string
			switch p.IntN(5) {
			case 0, 1:
				f = pick(p.generator, ways...)
				used = append(used, fmt.Sprint(f))
			}
			if f.guard == "" && p.chance(55) {
				f.guard = pick(p.generator, guards...)
				used = append(used, f.guard)
			}
			if p.chance(65) {
				u := pick(p.generator, updates...)
				used = append(used, u)
				f.update = strings.TrimPrefix(f.update+", "+u, ", ")
			}
			if faults && p.chance(70) {
				f.update = strings.TrimPrefix(f.update+", "+p.fault, ", ")
			}
			switch { // those of the seed
			case t == 1 && k == 0 && faults:
				f, used = form{update: p.fault}, nil
			case edge == 0:
				k := 1 + p.IntN(2)
				f, used = form{update: strings.Join(updates[:k], ", ")}, updates[:k]
			case edge == 1:
				f, used = ways[0], []string{fmt.Sprint(ways[0])}
			case k == locs && t < 2:
				f, used = form{guard: guards[t], update: updates[1+t]}, []string{guards[t], updates[1+t]}
			case t == 1 && k == 1:
				w := ways[len(ways)-1]
				f, used = w, []string{fmt.Sprint(w)}
			}
			edge++
			from, to := k%locs, p.IntN(locs)
			if k < locs-1 {
				to = k + 1
			}
			p.line("n%d > n%d %s | %s | %s | %s", from, to, f.sel, f.guard, f.sync, f.update)
			p.uses[[2]string{name, fmt.Sprint(k)}] = used
		}
		if set {
			instances = append(instances, fmt.Sprintf("Q(const int[0,1] p) = %s(1 - p, a[p], d[p]);", name))
			p.names = append(p.names, "Q(0)", "Q(1)")
		} else {
			instances = append(instances, fmt.Sprintf("P%d = %s(%d, %s, %s);", t, name, p.IntN(2), pick(p.generator, "x", "a[1]", "pair[1].u"), pick(p.generator, "c", "d[1]")))
			p.names = append(p.names, fmt.Sprintf("P%d", t))
		}
	}
	var system []string
	for _, i := range instances {
		p.line("instance %s", i)
		name, _, _ := strings.Cut(i, " =")
		name, _, _ = strings.Cut(name, "(")
		system = append(system, name)
	}
	p.line("system %s;", strings.Join(system, ", "))
	functions, body := "", p.b.String()
	lines := strings.Split(phraseFuncs, "\n")
	for _, line := range slices.Backward(lines) { // functions call those before them
		decl, _, _ := strings.Cut(line, "(")
		if name := decl[strings.LastIndex(decl, " ")+1:]; strings.Contains(functions+body+strings.Join(p.asked, " ")+" peek(", name+"(") {
			functions = line + "\n" + functions
		}
	}
	return head + functions + body
}

// phraseAsks are sorts of formulas.
var phraseAsks = []string{"E<>", "A[]", "E<> deadlock", "A[] deadlock", "E<> stuck", "A[] stuck", "E<> two stuck", "A[] two stuck", "not stuck", "E[]", "A<>", "-->"}

// formula is a formula of a sort.
func (p *phrased) formula(t *testing.T, sort string, net *uppaal.Network, info *uppaal.Info) string {
	who := func() string { return pick(p.generator, p.names...) }
	one := func() string {
		switch q := who(); p.IntN(8) {
		case 0, 1:
			return p.location(info)
		case 2:
			return "not " + p.location(info)
		case 3:
			return pick(p.generator, q+".l == "+fmt.Sprint(p.IntN(3)), q+".own[x & 1] == 1", q+".location == 1", q+".lf(x) == 1", q+".location < x", q+".own["+q+".l & 1] == 0", "peek("+q+".l) == 2")
		}
		return pick(p.generator, p.asked...)
	}
	f := one()
	if p.chance(50) {
		f = pick(p.generator, "(%s) and (%s)", "(%s) and (%s)", "(%s) or (%s)", "((%s) imply (%s))")
		f = fmt.Sprintf(f, one(), one())
	}
	if s := p.somewhere(t, net); s != "" && p.chance(45) && !strings.Contains(s, "deadlock") {
		f = s
	}
	if p.doubt && !pathQuery(sort) && p.chance(12) {
		f = "(" + f + ") and " + phraseDoubts[p.IntN(len(phraseDoubts))]
	}
	switch {
	case strings.HasSuffix(sort, "deadlock"):
		f = pick(p.generator, "deadlock and (", "deadlock and (", "(deadlock == flag) and (", "not deadlock and (") + f + ")"
	case strings.HasSuffix(sort, "two stuck"):
		a, b := who(), who()
		f = fmt.Sprintf(pick(p.generator, "stuck(%s) and stuck(%s) and (%s)", "stuck(%s) and not stuck(%s) and (%s)", "stuck(%s) == stuck(%s) and (%s)", "(stuck(%s) or stuck(%s)) and (%s)"), a, b, f)
	case strings.HasSuffix(sort, "stuck"):
		f = fmt.Sprintf("stuck(%s) and (%s)", who(), f)
		if strings.HasPrefix(sort, "not") {
			f = "not " + f
		}
	}
	switch op, _, _ := strings.Cut(sort, " "); op {
	case "A[]":
		return "A[] not (" + f + ")"
	case "-->":
		return "(" + one() + ") --> (" + f + ")"
	case "not":
		return "E<> " + f
	default:
		return op + " (" + f + ")"
	}
}

// TestPhrases compares networks that use every part of the language, each in networks of
// few states, with the reference interpreter: every transition of every state, and every
// sort of query, from the initial state and from others, with refuted sequences and
// without, by every way to search.
func TestPhrases(t *testing.T) {
	noRaces(t)
	n, taken := map[string]int{}, map[string]int{}
	count := networkCount() * 3 / 4
	for seed := range uint64(count) {
		comparePhrases(t, seed, "", n, taken)
	}
	t.Logf("%d networks: %v", count, n)
	rare := phraseFaults
	for _, w := range phraseWays {
		rare = append(rare[:len(rare):len(rare)], fmt.Sprint(w))
	}
	for _, x := range slices.Concat(phraseConds, phraseGuards, phraseUpdates, rare) {
		for k := uint64(1); taken[x] == 0 && k < 50; k++ {
			comparePhrases(t, k<<32, x, n, taken)
		}
		if taken[x] == 0 {
			t.Errorf("never taken: %s", x)
		}
	}
	var missing []string
	for k := range uint64(400) {
		missing = nil
		for _, sort := range phraseAsks {
			for _, how := range []string{" T", " F", ", refuted T", ", refuted F", ", from T", ", from F", ", refuted, from T", ", refuted, from F", " E"} {
				if what := sort + how; n[what] == 0 && !(pathQuery(sort) && (strings.Contains(how, "from") || how == " E")) {
					missing = append(missing, what)
				}
			}
		}
		if len(missing) == 0 {
			break
		}
		seed := 1<<40 + k
		if !slices.ContainsFunc(missing, func(what string) bool { return !strings.HasSuffix(what, " E") }) {
			seed = 1<<40/5*5 + 5*k + 3 // one with an invalid step
		}
		comparePhrases(t, seed, "", n, taken)
	}
	require.Empty(t, missing, "never answered")
}

func FuzzPhrases(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { comparePhrases(t, seed, "", map[string]int{}, map[string]int{}) })
}

func comparePhrases(t *testing.T, seed uint64, wanted string, n, taken map[string]int) {
	p := &phrased{generator: &generator{Rand: rand.New(rand.NewPCG(seed, 31))}, uses: map[[2]string][]string{}}
	text := p.text(seed, wanted)
	net, info := generated(t, text)
	ctx := fmt.Sprintf("seed %d\n%s", seed, text)

	const limit = 500
	ref, err := newReference(info)
	require.NoError(t, err)
	w, err := NewWalk(t.Context(), net)
	require.NoError(t, err)
	at := map[string]Packed{ref.initial.key(): w.Initial()}
	done := map[string]bool{}
	space, err := explore(info, limit, func(st refState, moves []refMove) {
		got, err := w.Moves(at[st.key()])
		require.NoError(t, err, ctx)
		require.Len(t, got, len(moves), ctx)
		for _, m := range moves {
			k := slices.IndexFunc(got, func(x Move) bool { return reflect.DeepEqual(x.Step, m.step) })
			require.GreaterOrEqual(t, k, 0, ctx)
			require.Equal(t, ref.show(m.target), w.State(got[k].To), ctx)
			at[m.target.key()] = got[k].To
			for _, x := range m.step.Parts {
				for _, u := range p.uses[[2]string{info.Processes[x.Process].Template.Name, fmt.Sprint(x.Edge)}] {
					done[u] = true
				}
			}
		}
	})
	if err == nil && !space.complete {
		n["big"]++
		return
	}
	for u := range done {
		taken[u]++
	}
	ask := phraseAsks
	opts := Options{LabelOf: randomLabel}
	how := ""
	switch seed % 4 {
	case 1, 3:
		opts.Refuted = p.refuted()
		how = ", refuted"
	}
	if err == nil && seed%8 > 4 {
		how += ", from"
		for range 1 + p.IntN(2) {
			st, path := ref.initial, []Step(nil)
			for range p.IntN(6) {
				moves, err := ref.moves(st)
				require.NoError(t, err)
				if len(moves) == 0 {
					break
				}
				m := moves[p.IntN(len(moves))]
				path, st = append(path, m.step), m.target
			}
			opts.From = append(opts.From, path)
		}
		ask = slices.DeleteFunc(slices.Clone(ask), pathQuery)
	}
	if err != nil {
		n["faults"]++
		taken[p.fault]++
		compareFault(t, ctx, p, net, info, n)
		return
	}
	p.doubt = true
	var formulas, sorts []string
	for range 4 {
		sort := pick(p.generator, ask...)
		sorts, formulas = append(sorts, sort), append(formulas, p.formula(t, sort, net, info))
	}
	want := refDecide(t, net, formulas, opts)
	n["states"] += len(space.states)
	for i, x := range want {
		if x.err != nil {
			n[sorts[i]+" E"]++
		} else {
			n[sorts[i]+how+" "+x.verdict.String()]++
		}
	}
	check := func(name string, o Options, formulas []string, want []refResult) {
		o.From, o.Refuted, o.LabelOf = opts.From, opts.Refuted, opts.LabelOf
		report, err := Verify(context.Background(), net, queries(t, formulas...), o)
		require.NoError(t, err)
		for i, r := range report.Results {
			msg := fmt.Sprintf("%s\n%s\n%s\nfrom %v\nrefuted %q\n%s", ctx, name, formulas[i], opts.From, opts.Refuted, r.Reason)
			require.NotContains(t, r.Reason, "internal", msg)
			if want[i].err != nil {
				if o.Order == BreadthFirst {
					require.Equal(t, Error.String(), r.Verdict.String(), msg)
				}
				continue
			}
			if r.Verdict == Error && o.Order != BreadthFirst && slices.ContainsFunc(phraseDoubts, func(d string) bool { return strings.Contains(formulas[i], d) }) {
				continue // what is invalid may be met before
			}
			require.Equal(t, want[i].verdict.String(), r.Verdict.String(), msg)
			if want[i].path != "" {
				continue
			}
			require.Equal(t, want[i].steps >= 0, r.Trace != nil, msg)
			if r.Trace != nil && o.Order == BreadthFirst && len(o.From) == 0 && !strings.Contains(formulas[i], "stuck") {
				require.Len(t, r.Trace.Steps, want[i].steps, msg)
			}
		}
	}
	check("plain", plain, formulas, want)
	for k := range 3 {
		v := variants[(int(seed)*3+k)%len(variants)]
		if !v.opts.HashCompaction {
			check(v.name, v.opts, formulas, want)
		}
	}
	// Reductions do more with one query at a time, which is none about paths.
	if i := slices.IndexFunc(formulas, func(f string) bool { return !pathQuery(f) }); i >= 0 {
		check("alone", Options{}, formulas[i:i+1], want[i:i+1])
		check("alone, eager", Options{Workers: 2, eager: true}, formulas[i:i+1], want[i:i+1])
	}
}

// compareFault compares the answers about a network with invalid steps: a search looks at
// all that the valid ones lead to up to the end of the level of the first state with an
// invalid one, and then reports this.
func compareFault(t *testing.T, ctx string, p *phrased, net *uppaal.Network, info *uppaal.Info, n map[string]int) {
	ref, err := newReference(info)
	require.NoError(t, err)
	states, depth := []refState{ref.initial}, []int{0}
	index := map[string]int{ref.initial.key(): 0}
	var valid []bool
	last := 1 << 30 // the level that the search ends with
	for i := 0; i < len(states) && depth[i] <= last; i++ {
		moves, err := ref.moves(states[i])
		if err != nil {
			last = depth[i]
			moves = validMoves(t, ref, info, states[i])
		}
		valid = append(valid, err == nil)
		for _, m := range moves {
			if k := m.target.key(); index[k] == 0 && k != ref.initial.key() {
				index[k] = len(states)
				states, depth = append(states, m.target), append(depth, depth[i]+1)
			}
		}
	}
	var formulas []string
	var want []int // the depth of the first state that decides, -1 for none
	for range 4 {
		sort := phraseAsks[p.IntN(4)]
		f := p.formula(t, sort, net, info)
		q := queries(t, f)[0]
		require.NoError(t, info.CheckQuery(q))
		formulas, want = append(formulas, f), append(want, -1)
		for i, st := range states {
			if i >= len(valid) && strings.HasSuffix(sort, "deadlock") || i < len(valid) && !valid[i] && strings.HasSuffix(sort, "deadlock") {
				continue
			}
			if value, _, err := ref.holds(q.X, st, 0); err == nil && value == (q.Op == uppaal.Possibly) {
				want[len(want)-1] = depth[i]
				break
			}
		}
	}
	for _, v := range slices.Concat([]variant{{"plain", plain, true}, {"refuted in vain", Options{Refuted: [][]Label{{"none"}}, LabelOf: randomLabel}, true}}, variants) {
		if v.opts.Order != BreadthFirst || v.opts.HashCompaction {
			continue
		}
		for _, list := range [][]int{{0, 1, 2, 3}, {int(p.Uint64() % 4)}} {
			var text []string
			for _, i := range list {
				text = append(text, formulas[i])
			}
			report, err := Verify(context.Background(), net, queries(t, text...), v.opts)
			require.NoError(t, err)
			for k, i := range list {
				r := report.Results[k]
				msg := fmt.Sprintf("%s\n%s\n%q\nabout %s\n%s", ctx, v.name, text, formulas[i], r.Reason)
				require.NotContains(t, r.Reason, "internal", msg)
				if want[i] < 0 {
					n["beyond"]++
					require.Equal(t, Error.String(), r.Verdict.String(), msg)
					require.Len(t, r.Trace.Steps, last, msg)
					continue
				}
				n["before"]++
				require.Equal(t, verdictOf(queries(t, formulas[i])[0].Op, true).String(), r.Verdict.String(), msg)
				require.Len(t, r.Trace.Steps, want[i], msg)
			}
		}
	}
}

// validMoves lists the transitions of a state that has invalid ones, by trying all.
func validMoves(t *testing.T, ref *reference, info *uppaal.Info, st refState) (moves []refMove) {
	var parts [][]Part // by process
	for i, pr := range info.Processes {
		parts = append(parts, nil)
		for k, e := range pr.Template.Edges {
			_ = ref.offers(&st, i, k, e, func(o refOffer) bool {
				if pr.Template.Locations[st.locs[i]] == e.From {
					parts[i] = append(parts[i], Part{Process: i, Edge: k, Select: slices.Clone(o.sel)})
				}
				return true
			})
		}
	}
	var try func(step Step, from, first int)
	try = func(step Step, from, first int) {
		if len(step.Parts) > 0 {
			if to, ok, err := ref.follow(st, step); err == nil && ok {
				moves = append(moves, refMove{target: to, step: step})
			}
		}
		for i := from; i < len(parts); i++ {
			if i == first {
				continue
			}
			for _, x := range parts[i] {
				next := Step{Parts: append(slices.Clone(step.Parts), x)}
				if first < 0 {
					try(next, 0, i)
				} else {
					try(next, i+1, first)
				}
			}
		}
	}
	try(Step{}, 0, -1)
	return moves
}

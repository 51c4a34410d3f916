package promela_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/check/internal/spin"
	"github.com/vtrace/vtrace/internal/check/promela"
	"github.com/vtrace/vtrace/internal/uppaal"
)

var networks = flag.Int("networks", 4, "random networks in the comparison with Spin")

// generator makes random networks whose evaluations are always valid.
type generator struct {
	*rand.Rand
	selected, local bool
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// lvalue gives a variable and the number of its values, from 0.
func (g *generator) lvalue() (string, int) {
	switch g.IntN(9) {
	case 8:
		return "z[flag].u", 3
	case 0:
		return "x", 3
	case 1:
		return "flag", 2
	case 2:
		return "a[" + g.index() + "]", 3
	case 3:
		return "s[" + g.pick("0", "1", "flag") + "].v[" + g.index() + "]", 2
	case 4:
		return "s[flag].u", 3
	}
	if g.local {
		return g.pick("l", "h"), 3
	}
	return "y", 4
}

func (g *generator) index() string {
	list := []string{"0", "1", "flag", "(x + y) % 2"}
	if g.selected {
		list = append(list, "i")
	}
	if g.local {
		list = append(list, "id")
	}
	return g.pick(list...)
}

func (g *generator) expr(depth int) string {
	if depth == 0 || g.chance(30) {
		switch {
		case g.chance(20):
			return fmt.Sprint(g.IntN(4))
		case g.selected && g.chance(30):
			return "i"
		}
		v, _ := g.lvalue()
		return v
	}
	x, y := g.expr(depth-1), g.expr(depth-1)
	switch g.IntN(10) {
	case 0:
		return "f(" + x + ")"
	case 1:
		return "twice(" + x + ")"
	case 2:
		return fmt.Sprintf("(%s ? %s : %s)", g.cond(depth-1), x, y)
	case 3:
		return fmt.Sprintf("(sum (q : int[0,2]) (a[q] + %s))", x)
	case 4:
		return fmt.Sprintf("(%s %s %s)", x, g.pick("<?", ">?", "&", "|", "^", "<<", ">>"), g.pick("1", "2", "x", "y"))
	case 5:
		return fmt.Sprintf("(%s %s (%s + 1))", x, g.pick("/", "%"), g.pick("x", "y", "2"))
	}
	return fmt.Sprintf("(%s %s %s)", x, g.pick("+", "-", "*"), y)
}

func (g *generator) cond(depth int) string {
	if depth > 0 {
		switch g.IntN(7) {
		case 0:
			return fmt.Sprintf("(%s %s %s)", g.cond(depth-1), g.pick("&&", "||", "imply", "xor"), g.cond(depth-1))
		case 1:
			return "!" + g.cond(depth-1)
		case 2:
			return fmt.Sprintf("(%s (q : int[0,2]) a[q] %s %s)", g.pick("forall", "exists"), g.pick("<", "==", ">="), g.expr(0))
		case 3:
			return "(s[0] == s[" + g.pick("0", "1") + "])"
		}
	}
	return fmt.Sprintf("(%s %s %s)", g.expr(1), g.pick("==", "!=", "<", "<=", ">", ">="), g.expr(1))
}

func (g *generator) update() string {
	v, n := g.lvalue()
	switch g.IntN(12) {
	case 0:
		return g.pick("bump(x)", "bump(a[1])", "bump(s[flag].u)")
	case 1:
		return "rotate(" + g.expr(1) + ")"
	case 2:
		return g.pick("z[0] = turn(z[1])", "flip(s[0])", "s[flag] = s[0]", "w = w * 3 + 1, w &= 3", "set(2)")
	case 3, 4, 5:
		return fmt.Sprintf("%s = %d", v, g.IntN(n))
	case 6:
		return "m = m + 1, x = m % 3"
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

// parsed reads the parts of a network that are texts.
type parsed struct{ err error }

func parse[T any](p *parsed, f func(string) (T, error), text string) (out T) {
	if text == "" || p.err != nil {
		return out
	}
	out, err := f(text)
	if err != nil {
		p.err = fmt.Errorf("%q: %w", text, err)
	}
	return out
}

const globals = `int[0,2] x; int[0,3] y = 1; bool flag; int[0,2] a[3] = {0,1,2}; meta int[0,9] m = 2;
typedef struct { int[0,2] u; bool v[2]; } rec; rec s[2]; typedef struct { int[0,2] u; bool w; } duo; duo z[2];
const int K[2] = {2, 1}; int[-2147483648,2147483647] w = -5;
chan c; chan d[2]; broadcast chan b; broadcast chan bb[2]; urgent chan e;
int twice(int n) { return n * 2; }
int f(int n) { int k; int r = K[n & 1]; for (k = 0; k < 2; k++) { r += n * k; if (r > 9) return 9; } return r % 5; }
void bump(int[0,2] &r) { r = (r + 1) % 3; while (r == 1 && y > 1) { y--; } }
void set(int n) { a[1] = n; flag = n; }
void rotate(int n) { int i; for (q : int[0,1]) { i = a[q]; a[q] = a[q+1]; a[q+1] = i; } do { n--; flag = !flag; } while (n > 0); }
void flip(rec &r) { rec q = r; r.v[0] = q.v[1]; r.v[1] = q.v[0]; }
duo turn(duo r) { duo q = r; q.w = !r.w; if (r.u > 1) return r; assert q.u < 2; q.u++; return q; }`

func (g *generator) network() (*uppaal.Network, error) {
	p := &parsed{}
	net := &uppaal.Network{Decls: parse(p, uppaal.ParseDecls, globals)}
	committed, broadcast := g.chance(30), g.chance(40)
	var names []string
	for k := range 2 + g.IntN(2) {
		t := &uppaal.Template{Name: fmt.Sprintf("T%d", k)}
		names = append(names, t.Name)
		t.Params = parse(p, uppaal.ParseParams, fmt.Sprintf("const int[0,%d] id", g.IntN(2)))
		t.Decls = parse(p, uppaal.ParseDecls, "int[0,2] l = id; int[0,2] h;")
		n := 2 + g.IntN(3)
		for i := range n {
			l := &uppaal.Location{ID: fmt.Sprintf("id%d_%d", k, i), Name: fmt.Sprintf("n%d", i)}
			if committed && g.chance(25) {
				l.Urgency = uppaal.Committed
			}
			t.Locations = append(t.Locations, l)
		}
		t.Init = t.Locations[g.IntN(n)]
		g.local = true
		for range 2 + g.IntN(5) {
			e := &uppaal.Edge{From: t.Locations[g.IntN(n)], To: t.Locations[g.IntN(n)]}
			if g.selected = g.chance(25); g.selected {
				e.Select = parse(p, uppaal.ParseSelect, "i : int[0,1]")
			}
			if g.chance(50) {
				e.Guard = parse(p, uppaal.ParseExpr, g.cond(2))
			}
			if g.chance(60) {
				channels := []string{"c", "d[0]", "d[" + g.index() + "]", "d[id]", "e"}
				if broadcast {
					channels = append(channels, "b", "b", "bb["+g.index()+"]")
				}
				e.Sync = parse(p, uppaal.ParseSync, g.pick(channels...)+g.pick("!", "?"))
			}
			if g.chance(40) { // local steps, for the reductions
				e.Update = parse(p, uppaal.ParseUpdate, g.pick("l = 1", "l = 2 - l", "h = 0", "h = (h + 1) % 3", "l = h"))
			} else {
				e.Update = parse(p, uppaal.ParseUpdate, g.updates())
			}
			t.Edges = append(t.Edges, e)
		}
		g.selected, g.local = false, false
		net.Templates = append(net.Templates, t)
	}
	if p.err == nil {
		net.Instances, net.System, net.Progress, p.err = uppaal.ParseSystem("system " + strings.Join(names, ", ") + ";")
	}
	return net, p.err
}

func (g *generator) formula(info *uppaal.Info) string {
	p := info.Processes[g.IntN(len(info.Processes))]
	text := p.Name + "." + p.Template.Locations[g.IntN(len(p.Template.Locations))].Name
	switch g.IntN(4) {
	case 0:
		text += " and " + p.Name + ".l == 1"
	case 1:
		text += " and " + g.cond(1)
	case 2:
		text = g.cond(1)
	}
	return text
}

// TestRandomNetworks compares the engine with Spin on the export: without
// reductions the states, the transitions, the deadlocks and the verdict; with
// Spin's reductions the verdict and whether there is a deadlock.
func TestRandomNetworks(t *testing.T) {
	needSpin(t)
	done := 0
	for seed := uint64(0); done < *networks; seed++ {
		if compareWithSpin(t, seed) {
			done++
		}
	}
}

func compareWithSpin(t *testing.T, seed uint64) bool {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	net, err := g.network()
	require.NoError(t, err)
	info, err := uppaal.Check(net)
	require.NoError(t, err)
	var xml bytes.Buffer
	require.NoError(t, uppaal.WriteXML(&xml, net))
	all, err := check.Verify(context.Background(), net, nil, check.Options{MaxStates: 20000})
	require.NoError(t, err)
	if !all.Complete || all.Stats.States < 12 {
		return false
	}
	text := g.pick("A[] not (", "E<> (") + g.formula(info) + ")"
	q, err := uppaal.ParseQuery(text)
	require.NoError(t, err, text)
	dead, err := uppaal.ParseQuery("A[] not deadlock")
	require.NoError(t, err)
	r, err := check.Verify(context.Background(), net, []*uppaal.Query{q, dead}, check.Options{})
	require.NoError(t, err)
	message := func(model []byte) string { return fmt.Sprintf("seed %d, %s\n%s\n%s", seed, text, xml.Bytes(), model) }
	if r.Results[0].Verdict == check.Error || r.Results[1].Verdict == check.Error {
		return false // an invalid evaluation
	}

	model := export(t, net, dead)
	full := runSpin(t, model, spin.Options{Full: true, Continue: true, Deadlock: true})
	require.Equal(t, all.Stats.States, full.States, message(model))
	require.Equal(t, all.Stats.Transitions, full.Transitions, message(model))
	require.Equal(t, r.Results[1].Verdict == check.False, full.Errors > 0, message(model))
	reduced := runSpin(t, model, spin.Options{Deadlock: true})
	require.Equal(t, r.Results[1].Verdict == check.False, reduced.Errors > 0, message(model))

	model = export(t, net, q)
	found := r.Results[0].Trace != nil
	full = runSpin(t, model, spin.Options{Full: true, Continue: true})
	require.Equal(t, found, full.Errors > 0, message(model))
	if !found {
		require.Equal(t, all.Stats.States, full.States, message(model))
	}
	reduced = runSpin(t, model, spin.Options{})
	require.Equal(t, found, reduced.Errors > 0, message(model))
	return true
}

// Deadlock inside of formulas, with Spin's reductions and without.
func TestRandomDeadlocks(t *testing.T) {
	needSpin(t)
	verdicts := map[bool]int{}
	for seed := uint64(1000); verdicts[true]+verdicts[false] < 5 || verdicts[true] < 2 || verdicts[false] < 2; seed++ {
		require.Less(t, seed, uint64(1400), "%v", verdicts)
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
		net, err := g.network()
		require.NoError(t, err)
		info, err := uppaal.Check(net)
		require.NoError(t, err)
		q, err := uppaal.ParseQuery(g.pick("A[] not (deadlock and (", "E<> (deadlock and (", "A[] (not deadlock or (", "E<> not (deadlock or (") + g.formula(info) + "))")
		require.NoError(t, err)
		dead, err := uppaal.ParseQuery("E<> deadlock")
		require.NoError(t, err)
		r, err := check.Verify(context.Background(), net, []*uppaal.Query{q, dead}, check.Options{MaxStates: 20000})
		require.NoError(t, err)
		found := r.Results[0].Trace != nil
		if r.Results[0].Verdict == check.Maybe || r.Results[0].Verdict == check.Error || r.Results[1].Verdict != check.True || verdicts[found] > 5 {
			continue
		}
		verdicts[found]++
		model := export(t, net, q)
		for _, full := range []bool{true, false} {
			got := runSpin(t, model, spin.Options{Full: full})
			require.Equal(t, found, got.Errors > 0, "seed %d, full %v, %s\n%s", seed, full, uppaal.QueryString(q), model)
		}
	}
}

// FuzzExport exports any network, or says why not.
func FuzzExport(f *testing.F) {
	f.Add(uint64(1), "A[] x < 3")
	f.Add(uint64(2), "A[] not deadlock")
	f.Add(uint64(3), "E<> forall (i : int[0,1]) exists (j : int[0,100000]) s[i].u << j > T0(i).l ** 2")
	f.Fuzz(func(t *testing.T, seed uint64, query string) {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
		net, err := g.network()
		require.NoError(t, err)
		info, err := uppaal.Check(net)
		require.NoError(t, err)
		q, err := uppaal.ParseQuery(query)
		if err != nil {
			return
		}
		var out bytes.Buffer
		err = promela.Export(&out, info, q)
		var located *uppaal.Error
		require.True(t, err == nil && out.Len() > 0 || errors.As(err, &located), "%v", err)
	})
}

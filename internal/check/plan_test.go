package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStuckReduced compares searches for processes that are stuck, with key steps
// from the first state on, with searches in full.
func TestStuckReduced(t *testing.T) {
	noRaces(t)
	n := map[string]int{}
	for seed := range uint64(networkCount()) {
		compareStuck(t, seed, n)
	}
	t.Logf("%d networks: %v", networkCount(), n)
	require.Greater(t, n["F"], networkCount()/10)
	require.Greater(t, n["T"], networkCount()/10)
	require.Less(t, n["reduced"], n["full"]*9/10, "the sets leave something out")
	require.Greater(t, n["lost"], 0, "goals that need the other search too")
}

func FuzzStuckReduced(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { compareStuck(t, seed, map[string]int{}) })
}

func compareStuck(t *testing.T, seed uint64, n map[string]int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
	var text string
	switch seed % 4 {
	case 0, 2:
		text = g.lockers()
	case 1:
		text = g.goroutines()
	default:
		text = g.busy()
	}
	net, info := generated(t, text)
	var formulas []string
	for range 1 + g.IntN(4) {
		p := info.Processes[g.IntN(len(info.Processes))]
		q := info.Processes[g.IntN(len(info.Processes))]
		at := p.Name + "." + p.Template.Locations[g.IntN(len(p.Template.Locations))].Name
		f := fmt.Sprintf("%s and stuck(%s)", at, p.Name)
		switch g.IntN(8) {
		case 0:
			f += " and " + g.location(info)
		case 1:
			f += " and " + pick(g, "x == 1", "flag", "not flag", "n < 2", "a[0] == 1 || x != 2")
		case 2:
			f += fmt.Sprintf(" and stuck(%s)", q.Name)
		case 3:
			f += fmt.Sprintf(" and %s and stuck(%s)", g.location(info), q.Name)
		case 4:
			f = fmt.Sprintf("(%s or %s) and stuck(%s) and %s", at, g.location(info), p.Name, pick(g, "not flag", "x < 2"))
		case 5:
			f = fmt.Sprintf("stuck(%s) and (%s or stuck(%s))", p.Name, pick(g, "flag", "deadlock"), q.Name)
		case 6:
			f += fmt.Sprintf(" and not stuck(%s)", q.Name)
		}
		formulas = append(formulas, pick(g, "A[] not (", "E<> (")+f+")")
	}
	if g.chance(30) {
		formulas = append(formulas, pick(g, "A[] not deadlock", "E<> "+g.location(info), "A[] not ("+g.location(info)+" and flag)"))
	}
	run := func(o Options) *Report {
		o.MaxStates = 3000
		r, err := Verify(context.Background(), net, queries(t, formulas...), o)
		require.NoError(t, err)
		return r
	}
	full := run(plain)
	if full.Stats.States == 3000 {
		n["big"]++
		return
	}
	hasLost := slices.ContainsFunc(formulas, func(f string) bool { return strings.Contains(f, "not stuck") })
	for _, o := range []Options{
		{eager: true, Workers: 1},
		{eager: true, Workers: 3},
		{eager: true, Order: DepthFirst},
		{},
	} {
		got := run(o)
		if o.Workers == 1 && !hasLost && len(formulas) == 1 {
			n["full"] += full.Stats.States
			n["reduced"] += got.Stats.States
		}
		for i, r := range got.Results {
			b := full.Results[i]
			if o.Order != BreadthFirst && (r.Verdict == Error || b.Verdict == Error) {
				continue // what is found before an invalid evaluation depends on the order
			}
			msg := fmt.Sprintf("seed %d, %+v\n%s\n%s\nfull: %s %s\ngot: %s %s", seed, o, text, formulas[i], b.Verdict, b.Reason, r.Verdict, r.Reason)
			require.Equal(t, b.Verdict.String(), r.Verdict.String(), msg)
			require.Equal(t, b.Trace == nil, r.Trace == nil, msg)
			if o.Workers == 1 {
				n[r.Verdict.String()]++
			}
		}
	}
	if hasLost {
		n["lost"]++
	}
}

// lockers makes networks of processes that take locks and pass messages, in ways
// that leave some of them stuck while others go on.
func (g *generator) lockers() string {
	g.line("int[0,2] x; int[0,3] n; bool flag; int[0,2] a[3]; bool held[3]; chan c, d[2];")
	names := []string{}
	var instances []string
	for t := range 2 + g.IntN(3) {
		g.line("template T%d(int[0,3] id)", t)
		locs := 3 + g.IntN(5)
		for l := range locs {
			g.line("loc n%d", l)
		}
		for l := range locs - 1 {
			k := g.IntN(3)
			guard, sync, ups := "", "", ""
			switch g.IntN(8) {
			case 0, 1:
				guard, ups = fmt.Sprintf("!held[%d]", k), fmt.Sprintf("held[%d] = true", k)
			case 2, 3:
				ups = fmt.Sprintf("held[%d] = false", k)
			case 4:
				sync = pick(g, "c!", "c?", "d[0]!", "d[0]?", "d[1]!", "d[1]?")
			case 5:
				guard, ups = pick(g, "n < 3", "x == 0", "flag"), pick(g, "n = (n + 1) % 4", "x = (x + 1) % 3", "flag = !flag")
			case 6:
				ups = pick(g, "flag = true", "n = 0", "a[x] = 1", "x = 1", "n = (n + 1) % 4")
			}
			g.line("n%d > n%d | %s | %s | %s", l, l+1, guard, sync, ups)
			if g.chance(20) {
				g.line("n%d > n%d | | %s | %s", l, g.IntN(locs), pick(g, "", "", "c?", "d[1]!"), pick(g, "", "flag = false", "x = 0"))
			}
		}
		if g.chance(40) {
			g.line("n%d > n%d | | | %s", locs-1, g.IntN(locs), pick(g, "", "flag = false", "n = 0"))
		}
		instances = append(instances, fmt.Sprintf("P%d = T%d(%d);", t, t, t))
		names = append(names, fmt.Sprintf("P%d", t))
	}
	for _, i := range instances {
		g.line("instance %s", i)
	}
	g.line("system %s;", strings.Join(names, ", "))
	return g.b.String()
}

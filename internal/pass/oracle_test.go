package pass

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

// oracleOrdinary is how many programs the ordinary run of TestOracle has.
const oracleOrdinary = 3

var (
	oraclePrograms = flag.Int("programs", oracleOrdinary, "random programs for TestOracle and TestOracleWide")
	oracleSeed     = flag.Uint64("seed", 1, "seed of the first of them")
	oracleRuns     = flag.Int("runs", 300, "random runs of each of them")
)

// generator writes random programs of a few goroutines. They have everything
// that the model claims to have exactly, and no end of errors.
type generator struct {
	*rand.Rand
	out    strings.Builder
	fns    int  // functions that goroutines can run
	self   int  // the one being written, -1 for the entry
	budget int  // operations left
	method bool // in the method of box
}

func (g *generator) line(format string, args ...any) { fmt.Fprintf(&g.out, format+"\n", args...) }

// randomProgram returns a program, as a main package or a package with a test.
func randomProgram(seed uint64, test bool) string {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 7)), fns: 2}
	if test {
		g.line("package p\nimport (\n\"sync\"\n\"testing\"\n)")
	} else {
		g.line("package main\nimport \"sync\"")
	}
	g.line("var (\nc0 = make(chan int)\nc1 = make(chan int, %d)\nm sync.Mutex\nrw sync.RWMutex\nwg sync.WaitGroup\nonce sync.Once\nx int\n)", g.IntN(3))
	g.line("var _, _, _, _, _, _, _ = c0, c1, &m, &rw, &wg, &once, x")
	g.line("type box struct {\nmu sync.Mutex\ncond *sync.Cond\nch chan int\nn int\n}")
	g.line("func newBox() *box { b := &box{ch: make(chan int, %d)}; b.cond = sync.NewCond(&b.mu); return b }", g.IntN(2))
	g.line("var b0, b1 = newBox(), newBox()")
	g.line("func (b *box) do(n int) {")
	g.self, g.budget, g.method = g.fns, 3, true
	g.block(1 + g.IntN(2))
	g.line("}")
	g.method = false
	for f := range g.fns {
		g.line("func f%d() {", f)
		g.self, g.budget = f, 4
		if g.IntN(5) == 0 {
			g.line("defer func() { recover() }()")
		}
		g.block(1 + g.IntN(3))
		g.line("}")
	}
	if test {
		g.line("func TestP(t *testing.T) {")
	} else {
		g.line("func main() {")
	}
	g.self, g.budget = -1, 6
	for f := range g.fns {
		if g.IntN(6) > 0 {
			g.line("go f%d()", f)
		}
		if g.IntN(2) == 0 {
			g.op(0)
		}
	}
	g.block(1 + g.IntN(3))
	g.line("}")
	return g.out.String()
}

func (g *generator) block(n int) {
	for range n {
		g.op(0)
	}
}

func (g *generator) channel() string {
	if g.method && g.IntN(2) == 0 {
		return "b.ch"
	}
	return []string{"c0", "c1", "b0.ch"}[g.IntN(3)]
}

// boxed is an operation on a box.
func (g *generator) boxed(inner func()) {
	b := []string{"b0", "b1"}[g.IntN(2)]
	if g.method {
		b = "b"
	}
	switch g.IntN(7) {
	case 0:
		g.line("func() {\n%s.mu.Lock()\ndefer %s.mu.Unlock()", b, b)
		inner()
		g.line("}()")
	case 1:
		g.line("%s.mu.Lock()", b)
		if g.IntN(2) == 0 {
			g.line("if %s.n == 0 {\n%s.cond.Wait()\n}", b, b)
		} else {
			g.line("for %s.n == 0 {\n%s.cond.Wait()\n}", b, b)
		}
		g.line("%s.mu.Unlock()", b)
	case 2:
		g.line("%s.mu.Lock()\n%s.n = %d\n%s.mu.Unlock()\n%s.cond.%s()", b, b, g.IntN(2), b, b, []string{"Signal", "Broadcast"}[g.IntN(2)])
	case 3, 4:
		if !g.method {
			g.line("%s.do(%d)", b, g.IntN(2))
		}
	case 5:
		if g.method {
			g.line("if n == 1 {")
			inner()
			g.line("}")
		}
	case 6:
		g.line("if %s.mu.TryLock() {", b)
		inner()
		g.line("%s.mu.Unlock()\n}", b)
	}
}

// op writes one operation, which may hold others.
func (g *generator) op(depth int) {
	if g.budget--; g.budget < 0 {
		return
	}
	inner := func() {
		if depth < 2 {
			g.op(depth + 1)
		}
	}
	switch k := g.IntN(29); k {
	case 0, 1, 2:
		g.line("%s <- %d", g.channel(), g.IntN(2))
	case 3, 4, 5:
		g.line("<-%s", g.channel())
	case 6:
		g.line("if v, ok := <-%s; v == 1 || !ok {", g.channel())
		inner()
		g.line("}")
	case 7:
		g.line("close(%s)", g.channel())
	case 8, 9:
		g.line("m.Lock()")
		inner()
		if g.IntN(5) > 0 {
			g.line("m.Unlock()")
		}
	case 10:
		g.line("m.Unlock()")
	case 11:
		g.line("rw.RLock()")
		inner()
		g.line("rw.RUnlock()")
	case 12:
		g.line("rw.Lock()")
		inner()
		g.line("rw.Unlock()")
	case 13:
		g.line("wg.Add(1)")
	case 14:
		g.line("wg.Done()")
	case 15:
		g.line("wg.Wait()")
	case 16:
		g.line("x = %d", g.IntN(3))
	case 17:
		g.line("if x == %d {", g.IntN(3))
		inner()
		g.line("}")
	case 18, 19:
		g.line("select {\ncase %s <- 1:", g.channel())
		inner()
		g.line("case <-%s:", g.channel())
		inner()
		if g.IntN(2) == 0 {
			g.line("default:")
			inner()
		}
		g.line("}")
	case 20:
		g.line("for i := 0; i < 2; i++ {")
		inner()
		g.line("}")
	case 21:
		g.line("once.Do(func() {")
		inner()
		g.line("})")
	case 22:
		if g.self < g.fns-1 {
			g.line("go f%d()", g.self+1+g.IntN(g.fns-1-g.self))
		}
	case 23:
		g.line("x++")
	case 24, 25, 26:
		g.boxed(inner)
	case 27:
		if g.self < g.fns {
			g.line("wg.Go(func() {")
			inner()
			g.line("})")
		}
	case 28:
		v := fmt.Sprintf("v%d", g.budget)
		g.line("%s := make(chan int, %d)\ngo func() {", v, g.IntN(2))
		inner()
		g.line("%s <- 1\n}()", v)
		if g.IntN(3) > 0 {
			inner()
			g.line("<-%s", v)
		}
	}
}

// TestOracle compares the model with the program, both ways: what random runs
// of a random program end in must have been found, and what was found must have
// been reproduced.
func TestOracle(t *testing.T) {
	programs.InLong(t)
	n := *oraclePrograms
	for i := range n {
		seed := *oracleSeed + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			oracle(t, randomProgram(seed, seed%2 == 0), seed%2 == 0)
		})
	}
}

// randomSpec writes a random program.
func randomSpec(t *testing.T, text string, test bool) source.Spec {
	t.Helper()
	if test {
		return programs.Write(t, "1.26", "p_test.go", text, "TestP")
	}
	return programs.Write(t, "1.26", "main.go", text, "main")
}

func oracle(t *testing.T, text string, test bool) {
	spec := randomSpec(t, text, test)
	ctx := context.Background()
	opts := Options{Root: spec.Dir, Search: Search{MaxStates: 500_000}}
	b, err := First(ctx, spec, opts)
	require.NoError(t, err, text)
	second, err := Second(ctx, b, opts)
	require.NoError(t, err, text)
	deep, err := Deep(ctx, second, opts)
	require.NoError(t, err, text)
	c := Conclude(deep)
	if len(c.Limits) > 0 {
		t.Logf("beyond the bounds: %v", c.Limits)
		return
	}
	type place struct {
		kind string
		line int
	}
	real := map[place]bool{}
	for _, f := range deep.Findings() {
		require.Equal(t, artifact.Real, f.Verdict, "%s at line %d: %s\n%s", f.Kind, f.Line, f.Reason, text)
		real[place{f.Kind, f.Line}] = true
	}

	x := explore(t, second, opts)
	lines := map[string]int{}
	for _, s := range second.Sidecar().Sites {
		lines[s.Key] = s.Line
	}
	for _, e := range x.Ends {
		switch e.Kind {
		case "":
		case artifact.KindDeadlock, artifact.KindPartialDeadlock, artifact.KindLeak:
			// Some goroutine that is stuck must be known to be.
			known := false
			for _, g := range e.Goroutines {
				for _, kind := range []string{artifact.KindDeadlock, artifact.KindPartialDeadlock, artifact.KindLeak} {
					known = known || g.State == "blocked" && real[place{kind, lines[g.Site]}]
				}
			}
			require.True(t, known, "missed: %s (%s)\n%v\n%v\n%s", e.Kind, e.Message, e.Goroutines, e.Plan.Steps, text)
		default:
			require.True(t, real[place{e.Kind, lines[e.Site]}], "missed: %s in %s at line %d (%s)\n%v\n%s", e.Kind, e.G, lines[e.Site], e.Message, e.Plan.Steps, text)
		}
	}
}

// explore makes random runs of the program of a second pass.
func explore(t *testing.T, second *artifact.Bundle, opts Options) *orchestrate.Exploration {
	t.Helper()
	ctx := context.Background()
	opts, err := opts.inherit(second)
	require.NoError(t, err)
	p, err := reload(ctx, second, opts)
	require.NoError(t, err)
	d := &deep{opts: opts, program: p, side: second.Sidecar(), target: orchestrate.TargetOf(p.source, second.Sidecar())}
	remove, err := d.build(ctx, second)
	require.NoError(t, err)
	defer func() { require.NoError(t, remove()) }()
	x, err := d.binary.Explore(ctx, orchestrate.ExploreOptions{Runs: *oracleRuns, Seed: 1, NoReplay: true})
	require.NoError(t, err)
	return x
}

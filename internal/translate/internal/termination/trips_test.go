package termination_test

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate/internal/program"
	"github.com/vtrace/vtrace/internal/translate/internal/termination"
)

// runTrips counts how often each mark is passed in the calls of a function with it, and prints the
// most. A call ends after some thousand iterations.
const runTrips = `package main

import "fmt"

type endless struct{}

var (
	iterations        int
	passed, most = map[int]int{}, map[int]int{}
)

func tick() {
	if iterations++; iterations > 1<<12 {
		panic(endless{})
	}
}

func mark(k int) { passed[k]++ }

func run(f func()) {
	defer func() {
		if r := recover(); r != nil && r != (endless{}) {
			panic(r)
		}
		for k, n := range passed {
			most[k] = max(most[k], n)
		}
	}()
	iterations = 0
	clear(passed)
	f()
}

func show() {
	for k, n := range most {
		fmt.Println(k, n)
	}
}
`

// tripsOf are the iterations that the translator counts of the marks of a program, and those that
// its runs have.
func tripsOf(t *testing.T, text string) (counted map[int64]int, runs map[int64]int) {
	t.Helper()
	spec := programs.Main(t, text)
	dir := spec.Dir
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.go"), []byte(runTrips), 0o600))
	src, err := source.Load(t.Context(), spec)
	require.NoError(t, err)
	counted = iterations(t, src)
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	runs = map[int64]int{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		var k int64
		var n int
		_, err := fmt.Sscan(s.Text(), &k, &n)
		require.NoError(t, err)
		runs[k] = n
	}
	return counted, runs
}

// iterations are the counts of what calls mark with a constant, by that.
func iterations(t *testing.T, src *source.Program) map[int64]int {
	t.Helper()
	p, err := program.Build(t.Context(), src, func(*ssa.Function) *program.Operation { return nil }, nil)
	require.NoError(t, err)
	loops := termination.New(p, nil)
	out := map[int64]int{}
	for _, f := range p.Funcs {
		for _, b := range f.Blocks {
			for _, instr := range b.Instrs {
				call, ok := instr.(*ssa.Call)
				if !ok || call.Call.StaticCallee() == nil || call.Call.StaticCallee().Name() != "mark" {
					continue
				}
				if k := program.IntegerConst(call.Call.Args[0]); k != nil {
					out[k.Int64()] = loops.Iterations(b)
				}
			}
		}
	}
	return out
}

// tripForms are loops with a mark, and how many iterations are counted of it, 0 if it is not known.
var tripForms = []struct {
	body string
	want int
}{
	{`for i := 0; i < 5; i++ { tick(); mark(K) }`, 5},
	{`for i := -3; i < 3; i++ { tick(); mark(K) }`, 6},
	{`for i := 1; i <= 5; i++ { tick(); mark(K) }`, 5},
	{`for i := 1; !(i > 5); i++ { tick(); mark(K) }`, 5},
	{`for i := 0; 4 >= i; i += 1 { tick(); mark(K) }`, 5},
	{`for i := 0; i+1 < 5; i++ { tick(); mark(K) }`, 4},
	{`for range 7 { tick(); mark(K) }`, 7},
	{`for i := range uint8(9) { tick(); mark(K); _ = i }`, 9},
	{`var a [4]int; for i := range a { tick(); mark(K); _ = i }`, 4},
	{`for _, v := range [3]string{} { tick(); mark(K); _ = v }`, 3},
	{`for i := 0; i < 64; i++ { tick(); mark(K) }`, 64},
	{`for i := 0; i < 65; i++ { tick(); mark(K) }`, 0},
	{`for i := 5; i < 5; i++ { tick(); mark(K) }`, 0}, // it never runs
	{`for i := 0; i < 3; i++ { for j := 0; j < 4; j++ { tick(); mark(K) } }`, 12},
	{`for i := 0; i < 9; i++ { for j := 0; j < 9; j++ { tick(); mark(K) } }`, 0},
	{`for i := 0; i < 3; i++ { for j := 0; j < id(4); j++ { tick(); mark(K) } }`, 0},
	{`for i := 0; i < 10; i++ { tick(); if i < 4 { mark(K) } }`, 4},
	{`for i := 0; i < 10; i++ { tick(); if i >= 4 { mark(K) } }`, 10},
	{`for i := 0; i < 10; i++ { tick(); if i < id(4) { mark(K) } }`, 10},
	{`for i := 0; i < 10; i++ { for j := 0; j < 3; j++ { tick(); if i < 2 { mark(K) } } }`, 6},
	{`for i := 0; i < 10; i++ { tick(); if i == 3 { break }; mark(K) }`, 10},
	{`for i := 0; ; i++ { tick(); mark(K); if i == 3 { break } }`, 0},
	{`for i := 0; ; i++ { tick(); mark(K); if i >= 3 { break } }`, 4},
	{`i := 0; for { tick(); mark(K); i++; if i > 3 { break } }`, 4},
	{`i := 0; again: tick(); mark(K); if i++; i < 5 { goto again }`, 5},
	{`i := 0; again: tick(); mark(K); i++; if i < 3 { goto again }; if id(i) < 9 { goto again }`, 0},
	{`i := 0; if id(1) == 1 { goto in }; again: i++; in: tick(); mark(K); if i < 5 { goto again }`, 0},
	// The counter is set otherwise, or not on each path.
	{`for i := 0; i < 5; i++ { tick(); mark(K); if id(i) == 3 { i-- } }`, 0},
	{`for i := 0; i < 5; { tick(); mark(K); if id(1) == 1 { i++ } }`, 0},
	{`for i := 0; i < 10; i += 2 { tick(); mark(K) }`, 0},
	{`for i := 5; i > 0; i-- { tick(); mark(K) }`, 0},
	{`i := id(-3); for ; i < 5; i++ { tick(); mark(K) }`, 0},
	{`i := -3; if id(1) == 1 { i = -5 }; for ; i < 5; i++ { tick(); mark(K) }`, 0},
	// It wraps around.
	{`for i := int8(100); i <= 127; i++ { tick(); mark(K) }`, 0},
	{`for i := int8(100); i < 127; i++ { tick(); mark(K) }`, 0}, // it might after as many iterations as are counted
	{`for i := uint8(250); i < 255; i++ { tick(); mark(K) }`, 0},
	{`for i := uint8(3); i-4 < 9; i++ { tick(); mark(K) }`, 0},
	{`for i := int8(3); i+120 < 9; i++ { tick(); mark(K) }`, 0},
	{`for i := uint8(200); i-200 < 9; i++ { tick(); mark(K) }`, 9},
	// Labels.
	{`outer: for i := 0; i < 3; i++ { for j := 0; j < 4; j++ { tick(); mark(K); if j == 2 { continue outer } } }`, 12},
	{`outer: for i := 0; i < 3; i++ { for { tick(); mark(K); if id(i) >= 0 { continue outer } } }`, 0},
	{`outer: for { for i := 0; i < 3; i++ { tick(); mark(K); if i == 2 { continue outer } } }`, 0},
	// Closures.
	{`for i := 0; i < 5; i++ { tick(); mark(K); keep = func() int { return i } }`, 5},
	{`for i := -2; i <= 2; i++ { tick(); func() { sum += i }(); mark(K) }`, 5},
	{`for i := 0; i < 5; i++ { tick(); mark(K); func() { if iterations%3 > 0 { i-- } }() }`, 0},
	{`for i := 0; i < 5; i++ { tick(); mark(K); p := &i; if iterations%3 > 0 { *p-- } }`, 0},
	{`for i := 0; i < 5; i++ { tick(); mark(K); decrease(&i) }`, 0},
	{`for i := 0; i < 5; i++ { tick(); mark(K); held = &i; func() { if iterations%3 > 0 { *held-- } }() }`, 0},
	{`i := 0; set := func() { i = 0 }; for ; i < 5; i++ { tick(); mark(K); if iterations < 9 { set() } }`, 0},
	{`for i := 0; i < 5; i++ { tick(); mark(K); defer func() { i = 7; sum += i }() }`, 0},
	// Pointers that are counters, which the variables of loops are when they are captured.
	{`p := new(int); *p = 0; for *p < 5 { tick(); mark(K); q := new(int); *q = *p; *q = *q + 1; p = q }`, 5},
	{`p := new(int); *p = 0; for *p < 5 { tick(); mark(K); q := new(int); *q = 2; *q = *q + 1; p = q }`, 0},
	{`p := new(int); *p = 0; for *p < 5 { tick(); mark(K); q := new(int); *q = *q + 1; p = q }`, 0},
	{`p := new(int); *p = 0; for *p < 5 { tick(); mark(K); q := new(int); x := *q; *q = *p; *q = x + 1; p = q }`, 0},
	{`p := new(int); *p = 0; for *p < 5 { tick(); mark(K); q := new(int); *q = *p; *q = *q + 1; r := q; if id(1) == 1 { r = new(int) }; if iterations%3 > 0 { *q-- }; *r = 0; p = q }`, 0},
	{`p := new(int); *p = 0; for *p < 5 { tick(); mark(K); q := new(int); *q = *p; *q = *q + 1; r := new(int); if id(1) == 1 { r = q }; *r = iterations % 3; p = q }`, 0},
}

// TestTripForms: what is counted of loops of many forms, and that no run has more iterations.
func TestTripForms(t *testing.T) {
	var text strings.Builder
	text.WriteString("package main\n\nvar (\n\tkeep func() int\n\theld *int\n\tsum int\n)\n\nfunc id(n int) int { return n }\n\nfunc decrease(p *int) {\n\tif iterations%3 > 0 {\n\t\t*p--\n\t}\n}\n\n")
	calls := ""
	for k, f := range tripForms {
		fmt.Fprintf(&text, "func f%d() {\n%s\n}\n\n", k, strings.ReplaceAll(f.body, "K", strconv.Itoa(k)))
		calls += fmt.Sprintf("\trun(f%d)\n", k)
	}
	counted, runs := tripsOf(t, text.String()+"func main() {\n"+calls+"\tshow()\n}\n")
	for k, f := range tripForms {
		got, ok := counted[int64(k)]
		require.True(t, ok || f.want == 0, f.body)
		require.Equal(t, f.want, got, f.body)
		if got > 0 {
			require.LessOrEqual(t, runs[int64(k)], got, f.body)
		}
	}
}

// tripMaker makes loops with marks at random.
type tripMaker struct {
	*rand.Rand
	marks  int
	labels int
}

func (g *tripMaker) of(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g *tripMaker) mark() string {
	g.marks++
	return fmt.Sprintf("mark(%d)\n", g.marks-1)
}

// number is a small number, or one near the ends of a type.
func (g *tripMaker) number(t string) int {
	near := 0
	if g.IntN(4) == 0 {
		near = map[string]int{"int8": 120, "uint8": 248}[t]
	}
	n := near + g.IntN(14) - 4
	if strings.HasPrefix(t, "u") {
		n = max(n, 0)
	}
	return min(n, map[string]int{"int8": 127, "uint8": 255, "int": 1000}[t])
}

// loop is a loop, with other loops in it up to a depth.
func (g *tripMaker) loop(depth int) string {
	t := g.of("int", "int", "int8", "uint8")
	i, start, limit := fmt.Sprintf("i%d", depth), g.number(t), g.number(t)
	g.labels++
	label := fmt.Sprintf("l%d", g.labels)
	op := g.of("<", "<", "<", "<=", "<=", "!=", ">")
	cond := fmt.Sprintf("%s %s %d", i, op, limit)
	switch g.IntN(8) {
	case 0:
		cond = fmt.Sprintf("%d %s %s", limit, map[string]string{"<": ">", "<=": ">=", "!=": "!=", ">": "<"}[op], i)
	case 1:
		cond = fmt.Sprintf("!(%s %s %d)", i, map[string]string{"<": ">=", "<=": ">", "!=": "==", ">": "<="}[op], limit)
	case 2:
		cond = fmt.Sprintf("%s+%d %s %d", i, g.IntN(5), op, limit)
	case 3:
		cond += g.of(" && c", " && iterations < 40", " || c")
	}
	step := g.of(i+"++", i+"++", i+"++", i+"++", i+" += 1", i+" += 2", i+"--", i+" += 2 - 1")
	body := "tick()\n"
	for range 1 + g.IntN(3) {
		body += g.statement(depth, i, t, label)
	}
	use := "_ = " + i + "\n"
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("{\n%s := %s(%d)\n%s:\nfor {\nif !(%s) {\nbreak %s\n}\n%s%s%s\n}\n}\n", i, t, start, label, cond, label, use, body, step)
	case 1:
		return fmt.Sprintf("{\n%s := %s(%d)\n%s:\nfor {\n%s%s%s\nif !(%s) {\nbreak %s\n}\n}\n}\n", i, t, start, label, use, body, step, cond, label)
	case 2:
		return fmt.Sprintf("%s:\nfor %s := range %d {\n%s%sif c && iterations > 4000 {\nbreak %s\n}\n}\n", label, i, g.IntN(9), use, strings.ReplaceAll(body, "T(", "int("), label)
	}
	return fmt.Sprintf("%s:\nfor %s := %s(%d); %s; %s {\n%s%sif c && iterations > 4000 {\nbreak %s\n}\n}\n", label, i, t, start, cond, step, use, body, label)
}

func (g *tripMaker) statement(depth int, i, t, label string) string {
	switch k := g.IntN(16); {
	case k < 4:
		return g.mark()
	case k < 7:
		cond := fmt.Sprintf("%s %s %d", i, g.of("<", "<=", ">", ">=", "=="), g.number(t)%100)
		if g.IntN(4) == 0 {
			cond = g.of("c", "iterations%2 == 0")
		}
		other := ""
		if g.IntN(2) == 0 {
			other = " else {\n" + g.mark() + "}"
		}
		return fmt.Sprintf("if %s {\n%s}%s\n", cond, g.mark(), other)
	case k < 8:
		return fmt.Sprintf("if %s {\n%s %s\n}\n", g.of("c", "iterations%3 == 0", i+" == 3"), g.of("continue", "break"), label)
	case k < 9:
		return fmt.Sprintf("func() {\nif %s {\n%s%s\n}\n}()\n", g.of("c", "iterations%3 > 0"), i, g.of("--", "++", " = 0"))
	case k < 10:
		return "keep = func() int { return int(" + i + ") }\n"
	case k < 11:
		return fmt.Sprintf("if p := &%s; iterations%%5 == 0 {\n*p %s\n}\n", i, g.of("-= 1", "= 1"))
	case k < 12:
		return "if iterations%4 == 0 {\n" + i + g.of("--", "++") + "\n}\n"
	case depth < 2:
		return g.loop(depth + 1)
	}
	return g.mark()
}

// TestTripsInRuns makes loops of many forms and runs each: none has more iterations than are
// counted.
func TestTripsInRuns(t *testing.T) {
	const n = 500
	g := &tripMaker{}
	var text strings.Builder
	text.WriteString("package main\n\nvar keep func() int\n\n")
	calls := ""
	var loops []string
	first := []int{}
	for k := range n {
		g.Rand = rand.New(rand.NewPCG(2, uint64(k)))
		first = append(first, g.marks)
		loop := fmt.Sprintf("func f%d(c bool) {\n%s}\n", k, g.loop(0)+g.mark())
		loops = append(loops, loop)
		text.WriteString(loop + "\n")
		calls += fmt.Sprintf("\trun(func() { f%d(true) })\n\trun(func() { f%d(false) })\n", k, k)
	}
	counted, runs := tripsOf(t, text.String()+"func main() {\n"+calls+"\tshow()\n}\n")
	known, exact, many := 0, 0, 0
	k := 0
	for m := range g.marks {
		for k+1 < n && first[k+1] <= m {
			k++
		}
		got, ran := counted[int64(m)], runs[int64(m)]
		if ran > 1 {
			many++
		}
		if got <= 1 {
			require.True(t, got == 0 || ran <= 1, "mark %d runs %d times:\n%s", m, ran, loops[k])
			continue
		}
		known++
		if got == ran {
			exact++
		}
		require.LessOrEqual(t, ran, got, "mark %d:\n%s", m, loops[k])
	}
	t.Logf("%d marks, %d in loops with iterations, %d of them counted, %d to the number", g.marks, many, known, exact)
	require.Greater(t, known, many/8)
	require.Greater(t, exact, known/4)
}

package translate_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate"
)

var assumedIn = regexp.MustCompile(`^the loop holds no operation: assumed to end \(in (\w+)`)

// assumed are the functions of a program with loops that the model takes to end.
func assumed(t *testing.T, text string) map[string]bool {
	t.Helper()
	prog, idx := load(t, program(t, text), "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	out := map[string]bool{}
	for _, a := range m.Sidecar.Approximations {
		if a.Kind == "terminates" {
			in := assumedIn.FindStringSubmatch(a.Reason)
			require.NotNil(t, in, a.Reason)
			out[in[1]] = true
		}
	}
	return out
}

// endForms is a program of which the functions end* have a loop that ends by its form, and
// the functions may* one that does not, or does so for other reasons.
const endForms = `package main

import (
	"fmt"
	"os"
	"slices"
	"sort"
)

var (
	sum   int
	table = []int{1, 2, 3}
	list  []int
	odd   = len(os.Args)%2 == 1
)

type queue struct {
	items  []int
	size   int
	opened int
}

type fixed struct{ items []int }

func (f *fixed) len() int { return len(f.items) }

func (q *queue) put() { q.items = append(q.items, 1) }

func (q *queue) len() int { return len(q.items) }

func endBelow(n int) {
	for i := 0; i < n; i++ {
		sum++
	}
}

func endUpTo(n int) {
	for i := 1; i <= n; i++ {
		sum++
	}
}

func endDown(s []int) {
	for i := len(s) - 1; i >= 0; i-- {
		sum += s[i]
	}
}

func endDownTo(n int) {
	for i := n; i > 0; i -= 3 {
		sum++
	}
}

func endPairs(s []int) {
	for i := 0; i+1 < len(s); i += 2 {
		sum += s[i+1]
	}
}

func endChunks(n int) {
	for i := 0; i < n; i += 64 {
		sum++
	}
}

func endUnsigned(n uint) {
	for i := n; i > 0; i-- {
		sum++
	}
}

func endByte(n uint8) {
	for i := uint8(0); i < n; i++ {
		sum++
	}
}

func endByteSteps() {
	for i := uint8(0); i < 250; i += 5 {
		sum++
	}
}

func endByteAround() {
	for i := uint8(1); i != 0; i++ {
		sum++
	}
}

func endNotEqual(s []int) {
	for i := 0; i != len(s); i++ {
		sum++
	}
}

func endNotEqualSteps() {
	for i := 10; i != 100; i += 5 {
		sum++
	}
}

func endWidened(n int32) {
	for i := int32(0); int64(i) < int64(n); i++ {
		sum++
	}
}

func endMirrored(n int) {
	for i := 0; !(n-1 <= i); i++ {
		sum++
	}
}

func endMiddle(n int) {
	i := 0
	for {
		sum++
		if i >= n {
			break
		}
		i++
	}
}

func endBottom(n int) {
	i := 0
again:
	sum++
	i++
	if i < n {
		goto again
	}
}

func endContinue(s []int) {
	for i := 0; i < len(s); i++ {
		if s[i] > 3 {
			continue
		}
		if s[i] > 2 {
			break
		}
		sum += s[i]
	}
}

func endBothBranches(n int) {
	for i := 0; i < n; {
		if odd {
			i++
		} else {
			i += 2
		}
	}
}

func endTwoConditions(n int) {
	for i := 0; i < n && !odd; i++ {
		sum++
	}
}

func endNested(s [][]int) {
	for i := 0; i < len(s); i++ {
		for j := 0; j < len(s[i]); j++ {
			sum += s[i][j]
		}
	}
}

func endOuter(n int) {
outer:
	for i := 0; i < n; i++ {
		for j := 0; j < 10; j++ {
			if odd {
				continue outer
			}
		}
	}
}

func endTable() {
	for i := 0; i < len(table); i++ {
		sum += table[i]
	}
}

func endGlobal() {
	list = append(list, 1)
	for i := 0; i < len(list); i++ {
		sum += list[i]
	}
}

func endField(q *queue) {
	for i := 0; i < len(q.items); i++ {
		sum += q.items[i]
		q.size++
	}
}

func endGetter(f *fixed) {
	for i := 0; i < f.len(); i++ {
		sum += f.items[i]
	}
}

func endPrinted(q *queue) {
	for i := 0; i < q.opened; i++ {
		fmt.Fprintln(os.Stderr, i, q.items)
	}
}

func endCapacity(s []int) {
	for i := 0; i < cap(s); i++ {
		sum++
	}
}

func endLeast(n int, s []int) {
	for i := 0; i < min(n, len(s)); i++ {
		sum += s[i]
	}
}

func endCaptured(n int) {
	f := func() {
		for i := 0; i < n; i++ {
			sum++
		}
	}
	f()
}

func endStarted(s []int) {
	go func() {
		for i := 0; i < len(s); i++ {
			sum++
		}
	}()
}

func endClosures(s []int) {
	for i := 0; i < len(s); i++ {
		sum += slices.IndexFunc(s, func(k int) bool { return k == s[0] })
	}
}

func endSlicing(s []int) {
	n := len(s)
	for i := 0; i < n; i++ {
		s = s[1:]
	}
}

func endRangeSlice(s []int) {
	for i := range s {
		s = append(s, i)
	}
}

func endRangeArray(s *[4]int) {
	for i, v := range s {
		s[3] += i + v
	}
}

func endRangeString(s string) {
	for _, c := range s {
		s += string(c)
	}
}

func endRangeMap(m map[int]int) {
	for k := range m {
		m[k+100] = k
	}
}

func endRangeInt(n int) {
	for i := range n {
		i--
		sum += i
	}
}

func endRangeByte() {
	for i := range uint8(255) {
		sum += int(i)
	}
}

func endGeneric[T any](s []T) {
	for i := 0; i < len(s); i++ {
		sum++
	}
}

func mayByte() {
	for i := uint8(0); i <= 255; i++ {
		sum++
	}
}

func mayByteLimit(n uint8) {
	for i := uint8(0); i <= n; i++ {
		sum++
	}
}

func mayNever() {
	for i := uint(3); i >= 0; i-- {
		sum++
	}
}

func maySmall() {
	for i := int8(100); i < 127; i += 2 {
		sum++
	}
}

func maySmallDown(n int8) {
	for i := int8(-100); i >= n; i -= 30 {
		sum++
	}
}

func mayFarStart(m, n int) {
	for i := m; i <= n; i++ {
		sum++
	}
}

func mayStaysIn() {
	n := 0
	for i := 0; ; i++ {
		if i < 10 {
			n++
		} else {
			n--
		}
	}
}

func mayLeavesInner() {
	for {
		for i := 0; i < 10; i++ {
			sum++
		}
	}
}

func mayResets() {
	for i := 0; i < 10; i++ {
		for j := 0; j < 3; j++ {
			i = 0
		}
	}
}

func mayWrongSide(n int) {
	i := n
	for {
		if i < 3 {
			break
		}
		i++
	}
}

func mayNegated() {
	i := 20
	for !(i < 10) {
		i++
	}
}

func mayGrow(q *queue) {
	for i := 0; i < len(q.items); i++ {
		q.items = append(q.items, i)
	}
}

func mayGrowCalled(q *queue) {
	for i := 0; i < len(q.items); i++ {
		q.put()
	}
}

func mayGrowGetter(q *queue) {
	for i := 0; i < q.len(); i++ {
		q.put()
	}
}

func mayGrowLocal(s []int) {
	for i := 0; i < len(s); i++ {
		s = append(s, i)
	}
}

func mayGrowCapacity(s []int) {
	for i := 0; i < cap(s); i++ {
		s = append(s, i)
	}
}

func mayGrowGlobal() {
	for i := 0; i < len(list); i++ {
		list = append(list, 1)
	}
}

func mayGrowMap(m map[int]int) {
	for i := 0; i < len(m); i++ {
		m[i+1] = 1
	}
}

func mayGrowClosure(n int) {
	grow := func() { n++ }
	for i := 0; i < n; i++ {
		grow()
	}
}

func mayGrowDeclared(n int) {
	for i := 0; i < n; i++ {
		n++
	}
}

func mayGrowPointer(n *int) {
	for i := 0; i < *n; i++ {
		sum++
	}
}

func mayGrowSorted(s []int, q *queue) {
	for i := 0; i < q.size; i++ {
		sort.Slice(s, func(a, b int) bool {
			q.size++
			return s[a] < s[b]
		})
	}
}

func mayGrowBeside(n int) {
	go func() {
		for {
			n++
		}
	}()
	for i := 0; i < n; i++ {
		sum++
	}
}

var besides []int

func mayGrowElsewhere() {
	go func() {
		for range 10 {
			besides = append(besides, 1)
		}
	}()
	for i := 0; i < len(besides); i++ {
		sum++
	}
}

func mayScan(n int) {
	for i := 0; i < n; i++ {
		fmt.Sscan("100", &n)
	}
}

func maySkip(n int) {
	for i := 0; i < n; {
		if odd {
			continue
		}
		i++
	}
}

func maySteps(n, k int) {
	for i := 0; i < n; i += k {
		sum++
	}
}

func mayStandStill(n int) {
	const step = 0
	for i := 0; i < n; i += step {
		sum++
	}
}

func mayOneBranch(n int) {
	for i := 0; i < n; {
		if odd {
			i++
		}
	}
}

func mayBothWays(n int) {
	for i := 0; i < n; i++ {
		if odd {
			i--
		}
	}
}

func mayTwoCounters(j int) {
	for i := 0; i < j; i++ {
		j++
	}
}

func mayJumpOver(n int) {
	for i := 0; i != n; i += 2 {
		sum++
	}
}

func mayJumpOverConst() {
	for i := 1; i != 10; i += 2 {
		sum++
	}
}

func mayNotEqual(n int) {
	for i := n; i != 0; i-- {
		sum++
	}
}

func mayFloat() {
	for f := 0.0; f != 1; f += 0.1 {
		sum++
	}
}

func mayOr(n int) {
	for i := 0; i < n || odd; i++ {
		sum++
	}
}

func mayTest(n int) {
	for i := 0; ; i++ {
		if odd {
			if i >= n {
				break
			}
		}
	}
}

func mayMultiply(n int) {
	for i := 0; i < n; i *= 2 {
		sum++
	}
}

func mayWiden(n int64) {
	for i := int32(0); int64(i) < n; i++ {
		sum++
	}
}

func mayNarrow(n uint8) {
	for i := 0; uint8(i) < n; i++ {
		sum++
	}
}

func mayNothing(n int) {
	for {
	}
}

func mayGoto(n int) {
rangeLoop:
	sum++
	if n < 10 {
		goto rangeLoop
	}
}

func mayGotoResets(n int) {
again:
	i := 0
more:
	i++
	if i < n {
		goto more
	}
	if odd {
		goto again
	}
}

func mayTangled() {
	if odd {
		goto second
	}
first:
	sum++
second:
	sum++
	goto first
}

func mayGeneric[T any](v T) {
	for {
		_ = v
	}
}

func mayGenericInside[T any](v T) {
	func() {
		for {
			_ = v
		}
	}()
}

func main() {
	n := 0
	fmt.Sscan("7", &n)
	s := os.Args
	k := make([]int, n)
	q, f := &queue{items: k, opened: n}, &fixed{k}
	q.size += n
`

// TestEndForms checks of which forms of loops it is known that they end.
func TestEndForms(t *testing.T) {
	declared := regexp.MustCompile(`(?m)^func ((?:end|may)\w*)(?:\[.*\])?\((.*)\) {$`)
	text := endForms
	var names []string
	args := map[string]string{"n int": "n", "m, n int": "n, n", "n, k int": "n, n", "s []int": "k", "n uint": "uint(n)", "n uint8": "uint8(n)", "n int8": "int8(n)",
		"n int32": "int32(n)", "n int64": "int64(n)", "s [][]int": "[][]int{k}", "q *queue": "q", "f *fixed": "f", "n int, s []int": "n, k", "s *[4]int": "new([4]int)",
		"s string": "s[0]", "m map[int]int": "map[int]int{n: n}", "s []T": "s", "n *int": "&n", "s []int, q *queue": "k, q", "j int": "n", "v T": "n", "": ""}
	for _, f := range declared.FindAllStringSubmatch(endForms, -1) {
		names = append(names, f[1])
		arg, ok := args[f[2]]
		require.True(t, ok, "no arguments for (%s)", f[2])
		text += "\t" + f[1] + "(" + arg + ")\n"
	}
	got := slices.Sorted(maps.Keys(assumed(t, text+"\t<-make(chan int)\n}\n")))
	want := slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, "may") })
	slices.Sort(want)
	require.Equal(t, want, got)
}

// TestLimitsWrittenMeanwhile: what a loop of a goroutine compares with may be written by the
// function that started it, and not only by other goroutines.
func TestLimitsWrittenMeanwhile(t *testing.T) {
	const text = `package main

var (
	written, sum int
	kept = 2
)

func may() {
	for i := 0; i < written; i++ {
		sum++
	}
}

func end() {
	for i := 0; i < kept; i++ {
		sum++
	}
}

func main() {
	go may()
	go end()
	for {
		written++
		<-make(chan int)
	}
}
`
	require.Equal(t, map[string]bool{"may": true}, assumed(t, text))
}

// TestEndsInRuns makes loops of many forms and runs each: what is taken to end by its form
// does end.
func TestEndsInRuns(t *testing.T) {
	const n = 600
	checked, run := makeLoops(n, false), makeLoops(n, true)
	open := assumed(t, strings.ReplaceAll(checked.text("<-make(chan int)"), "TICK", ""))
	dir := program(t, strings.ReplaceAll(run.text(""), "TICK", "tick()"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.go"), []byte(runLoops), 0o600))
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	endless := map[string]bool{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		endless[s.Text()] = true
	}
	shown, ended := 0, 0
	for k := range n {
		name := fmt.Sprintf("f%d", k)
		if !endless[name] {
			ended++
		}
		if !open[name] {
			shown++
			require.False(t, endless[name], "this does not end, and is taken to:\n%s\nit was run as\n%s", checked.loops[k], run.loops[k])
		}
	}
	t.Logf("%d loops, %d end, %d by their form", n, ended, shown)
	require.Greater(t, shown, n/8)
	require.Greater(t, n-ended, n/5)
}

// runLoops runs the calls of the loops, and prints the names of the functions that do not end
// within a number of iterations that is greater than those of all loops that end.
const runLoops = `package main

import "fmt"

const most = 1 << 14

var iterations int

type endless struct{}

func tick() {
	if iterations++; iterations > most {
		panic(endless{})
	}
}

func run(name string, f func()) {
	defer func() {
		if r := recover(); r == (endless{}) {
			fmt.Println(name)
		} else if r != nil {
			panic(r)
		}
	}()
	iterations = 0
	f()
}
`

const loopsHead = `package main

func id(n int64) int64 { return n }

func change[T int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64](p *T) { *p++ }

`

// loopMaker makes loops at random, and programs of them.
//
// In a program that is run, numbers have eight bits, so that a loop comes round to where it
// was in a moment, if it does at all: what the numbers are near to is as near to the ends of
// their type as in the program that is checked, and how large the type is makes no difference.
// Numbers near zero of a large signed type stay as they are, since nothing wraps around there
// as long as a loop is looked at, and what grows does not either.
type loopMaker struct {
	*rand.Rand
	run   bool     // the program is to be run
	loops []string // the functions
	rest  strings.Builder
	calls strings.Builder

	k     int    // of the function
	t     string // the type of its counter
	bits  int
	sign  bool
	small bool // its numbers are near zero
	wide  bool // there is a wider type
	down  bool // it counts down, as a rule
	near  *big.Int
}

func makeLoops(n int, run bool) *loopMaker {
	g := &loopMaker{run: run}
	for k := range n {
		g.Rand = rand.New(rand.NewPCG(1, uint64(k)))
		g.function(k)
	}
	return g
}

// text is a program that calls all functions.
func (g *loopMaker) text(end string) string {
	return loopsHead + strings.Join(g.loops, "\n\n") + "\n\n" + g.rest.String() + "func main() {\n" + g.calls.String() + end + "\n}\n"
}

func (g *loopMaker) of(choices ...string) string { return choices[g.IntN(len(choices))] }

// rarely chooses the first in one of n cases.
func (g *loopMaker) rarely(n int, some, most string) string {
	if g.IntN(n) == 0 {
		return some
	}
	return most
}

// ends are the least and the greatest value of the type.
func (g *loopMaker) ends() (lo, hi *big.Int) {
	one := big.NewInt(1)
	if !g.sign {
		hi = new(big.Int).Lsh(one, uint(g.bits))
		return new(big.Int), hi.Sub(hi, one)
	}
	hi = new(big.Int).Lsh(one, uint(g.bits-1))
	return new(big.Int).Neg(hi), hi.Sub(hi, one)
}

// number is a number near those of the function.
func (g *loopMaker) number() string {
	lo, hi := g.ends()
	n := new(big.Int).Add(g.near, big.NewInt(g.Int64N(24)-12))
	if n.Cmp(lo) < 0 {
		n = lo
	}
	if n.Cmp(hi) > 0 {
		n = hi
	}
	return n.String()
}

// opaque is a number of which the translator knows no more than its type.
func (g *loopMaker) opaque(n string) string {
	if k, _ := new(big.Int).SetString(n, 10); !k.IsInt64() {
		n = k.Sub(k, new(big.Int).Lsh(big.NewInt(1), 64)).String() // the conversion adds it again
	}
	return fmt.Sprintf("%s(id(%s))", g.t, n)
}

func (g *loopMaker) limit() string {
	all := []string{g.number(), g.number(), "n", "n", "n", "m", "v", "q.n", "*p", "min(n, m)", fmt.Sprintf("g%d", g.k)}
	if g.small { // lengths are small
		if g.sign { // elsewhere the number before may be far away
			all = append(all, "n - 1")
		}
		s := []string{"n/2", "len(s)", "cap(s)", "len(s) - 1", "len(q.items)", "q.size()", "len(w)"}
		for _, l := range s {
			if g.t != "int" {
				l = g.t + "(" + l + ")"
			}
			all = append(all, l)
		}
	}
	return g.of(all...)
}

// condition is one with which a loop goes on, or that leaves it, as a rule.
func (g *loopMaker) condition(leaves bool) string {
	counter := g.rarely(4, g.of("i + 1", "i - 1", "i + 2", "i"), "i")
	limit := g.limit()
	if g.IntN(10) == 0 && g.wide {
		counter, limit = "int64("+counter+")", "int64("+limit+")"
		if g.IntN(3) == 0 {
			limit = "id(300)"
		}
	}
	op := g.of("<", "<", "<=", ">", ">=", "!=")
	if g.IntN(4) > 0 {
		op = g.of("<", "<", "<=", "!=")
		if g.down {
			op = g.of(">", ">", ">=", "!=")
		}
	}
	not := map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "!=": "=="}
	mirrored := map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!=", "==": "=="}
	negated := leaves != (g.IntN(12) == 0)
	around := g.IntN(6) == 0
	if negated != around {
		op = not[op]
	}
	c := counter + " " + op + " " + limit
	if g.IntN(4) == 0 {
		c = limit + " " + mirrored[op] + " " + counter
	}
	if around {
		c = "!(" + c + ")"
	}
	switch g.IntN(12) {
	case 0:
		c = "(" + c + ") && " + g.of("c", "x < 100", "i != 77")
	case 1:
		c = g.of("c", "x < 100") + " && (" + c + ")"
	case 2:
		c = "(" + c + ") || " + g.of("c", "i == 77")
	}
	return c
}

func (g *loopMaker) step() string {
	simple := g.of("i++", "i++", "i++", "i += 2", "i += 3", "i = i + 1", "i = i - 1 + 2")
	if g.down {
		simple = g.of("i--", "i--", "i--", "i -= 2", "i -= 7", "i = i - 1")
	}
	return g.rarely(8, g.of("i += k", "i += 0", "i *= 2", "i = m", ""), simple)
}

func (g *loopMaker) branchingStep() string {
	a, b := g.step(), g.step()
	when := g.of("c", "x%2 == 0", "x > 3")
	return g.rarely(4, g.of("if "+when+" {\n"+a+"\n}", "if "+when+" {\n"+a+"\n} else {\n"+b+"\n}", a+"\n"+b), a)
}

func (g *loopMaker) body() string {
	return g.rarely(3, g.of("n++", "n--", "v++", "q.n++", "q.items = append(q.items, 1)", "s = append(s, 1)", "s = s[:0]", fmt.Sprintf("g%d++", g.k), "change(p)",
		"func() { v++ }()", "func() { w = append(w, 1) }()", "q.put()", "if c {\nbreak\n}", "if x%2 == 0 {\ncontinue\n}", "if c {\ncontinue\n}", "i--", "if c {\ni--\n}",
		"for z := 0; z < 3; z++ {\nTICK\n}", "for range 2 {\nTICK\ni--\n}", "for z := "+g.t+"(0); z < i; z++ {\nTICK\nif z > 5 {\nbreak\n}\n}",
		"for c {\nTICK\n"+g.step()+"\n}"), "x += 1")
}

func (g *loopMaker) loop() string {
	start := g.of(g.t+"("+g.number()+")", g.t+"("+g.number()+")", "m", "n")
	if g.small {
		start = g.of(start, g.t+"(len(s))", g.t+"(len(s)) - 1", g.t+"(0)")
	}
	g.down = g.IntN(2) == 0
	cond, leave, step := g.condition(false), g.condition(true), g.branchingStep()
	body := "TICK\nx++\n" + g.body()
	jumps := strings.Contains(body, "break") || strings.Contains(body, "continue")
	switch k := g.IntN(13); {
	case k < 4 && !strings.Contains(step, "\n") && step != "":
		return fmt.Sprintf("for i := %s; %s; %s {\n%s\n}", start, cond, step, body)
	case k < 6:
		return fmt.Sprintf("i := %s\nfor %s {\n%s\n%s\n}", start, cond, body, step)
	case k < 7:
		return fmt.Sprintf("i := %s\nfor {\nTICK\nif %s {\n%s\n%s\n} else {\n%s\n}\n}", start, cond, body, step, g.rarely(2, "x--", "break"))
	case k < 8:
		return fmt.Sprintf("i := %s\nfor {\nTICK\nif %s {\nbreak\n}\n%s\n%s\n}", start, leave, body, step)
	case k < 9:
		return fmt.Sprintf("i := %s\nfor {\n%s\n%s\nif %s {\nbreak\n}\n}", start, body, step, leave)
	case k < 10:
		return fmt.Sprintf("i := %s\nfor {\nTICK\nif %s {\nif %s {\nbreak\n}\n}\n%s\n%s\n}", start, g.of("c", "x%2 == 0"), leave, body, step)
	case k < 11 && !jumps:
		return fmt.Sprintf("i := %s\nagain:\n%s\n%s\nif %s {\ngoto again\n}", start, body, step, cond)
	case k < 12:
		return fmt.Sprintf("i := %s\nfor %s {\nTICK\nfor j := 0; j < 3; j++ {\n%s\n%s\n}\n}", start, cond, body, step)
	}
	return fmt.Sprintf("for j := 0; j < 3; j++ {\ni := %s\nfor %s {\n%s\n%s\n%s\n}\n}", start, cond, body, step, g.rarely(4, "if c {\nj--\n}", ""))
}

// function makes a function with a loop, and calls of it.
func (g *loopMaker) function(k int) {
	types := []string{"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "int", "uint", "int", "int"}
	sizes := []int{8, 8, 16, 16, 32, 32, 64, 64, 64, 64, 64, 64}
	t := g.IntN(len(types))
	g.k, g.t, g.bits, g.sign = k, types[t], sizes[t], strings.HasPrefix(types[t], "int")
	end := g.IntN(4)
	g.small, g.wide = end < 2 || !g.sign && end == 2, g.bits < 64
	if g.run && !(g.small && g.sign && g.bits > 16) {
		g.bits, g.t = 8, "uint8"
		if g.sign {
			g.t = "int8"
		}
	}
	lo, hi := g.ends()
	g.near = []*big.Int{new(big.Int), new(big.Int), lo, hi}[end]
	T := g.t
	fmt.Fprintf(&g.rest, "var g%d %s = %s\n\n", k, T, g.number())
	fmt.Fprintf(&g.rest, "type q%d struct {\nitems []int\nn %s\n}\n\n", k, T)
	fmt.Fprintf(&g.rest, "func (q *q%d) put() { q.items = append(q.items, 1) }\n\n", k)
	fmt.Fprintf(&g.rest, "func (q *q%d) size() int { return len(q.items) }\n\n", k)
	g.loops = append(g.loops, fmt.Sprintf("func f%d(m, n, k, v %s, p *%s, s, w []int, q *q%d, c bool) {\nx := 0\n%s\n_, _, _, _, _, _, _, _, _, _ = m, n, k, v, p, s, w, q, c, x\n}", k, T, T, k, g.loop()))
	for i := range 4 {
		fmt.Fprintf(&g.rest, "func call%d_%d() {\nv := %s\n", k, i, g.opaque(g.number()))
		fmt.Fprintf(&g.rest, "f%d(%s, %s, %s, %s, &v, []int{1, 2, 3}, []int{4, 5}, &q%d{[]int{6, 7}, %s}, %v)\n}\n\n",
			k, g.opaque(g.number()), g.opaque(g.number()), g.opaque(g.of("0", "1", "2")), g.opaque(g.number()), k, g.opaque(g.number()), i%2 == 0)
		if g.run {
			fmt.Fprintf(&g.calls, "run(\"f%d\", call%d_%d)\n", k, k, i)
		} else {
			fmt.Fprintf(&g.calls, "call%d_%d()\n", k, i)
		}
	}
}

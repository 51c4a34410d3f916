package parse

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

var allForms = flag.Bool("allforms", false, "every form of access in every form of statement")

// piece is a part of a program: statements in which § stands for an expression.
type piece struct{ name, code string }

// readPlaces are statements with a place for an expression of type int, whose value is 1, each
// with a form of its own in which it is evaluated.
var readPlaces = []piece{
	{"define", `v := §; t.use(v)`},
	{"define first", `v, w := §, t.one(); t.use(v, w)`},
	{"define last", `v, w := t.one(), §; t.use(v, w)`},
	{"var", `var v = §; t.use(v)`},
	{"var of type", `var v, w int64 = 2, int64(§); t.use(v, w)`},
	{"assign", `v := 0; v = §; t.use(v)`},
	{"assign to blank", `_ = §`},
	{"assign two", `v, w := 0, 0; v, w = §, t.one(); t.use(v, w)`},
	{"assign to field", `t.pair(1).a = §`},
	{"assign to element", `l := t.list(1); l[t.one()] = §; t.use(l)`},
	{"assign to map", `m := t.table(1); m[t.two()] = §; t.use(m)`},
	{"add", `v := 1; v += §; t.use(v)`},
	{"shift", `v := 1; v <<= §; t.use(v)`},
	{"add to map", `m := t.table(1); m[1] += §; t.use(m)`},
	{"index on the left", `l := t.list(1); l[§] = t.one(); t.use(l)`},
	{"index on the left, of two", `l, v := t.list(1), 0; l[§], v = t.two(), t.one(); t.use(l, v)`},
	{"key on the left", `m := t.table(2); m[§] = t.one(); t.use(m)`},
	{"key on the left, added to", `m := t.table(2); m[§] += 2; t.use(m)`},
	{"pointer on the left", `t.pair(§).b = t.one()`},
	{"array on the left", `t.array(§)[1] = t.two()`},
	{"index of increment", `l := t.list(1); l[§]++; t.use(l)`},
	{"key of decrement", `m := t.table(1); m[§]--; t.use(m)`},
	{"argument", `t.use(§)`},
	{"arguments", `t.use(t.one(), §, t.two())`},
	{"argument of literal", `func(n int) { t.use(n) }(§)`},
	{"argument of generic", `t.use(same(§), same[int](1))`},
	{"argument of method value", `f := t.use; f(§)`},
	{"argument of method expression", `t.use(pair.first(pair{§, 2}))`},
	{"argument of pointer method expression", `p := t.pair(2); (*pair).set(p, §); t.use(p.a)`},
	{"argument of method of literal", `t.use((&box[int]{§}).get())`},
	{"receiver", `t.use(t.pair(§).first())`},
	{"receiver of method value", `f := t.pair(§).first; t.use(f())`},
	{"interface of receiver", `t.use(firster(t.pair(§)).first())`},
	{"go argument", `d := make(chan int); go func(n int) { d <- n }(§); t.use(<-d)`},
	{"go function", `d := make(chan bool); n := §; go func() { _ = n; d <- true }(); <-d`},
	{"go method", `p, d := t.pair(2), make(chan bool); go func(p *pair, n int) { p.set(n); d <- true }(p, §); <-d; t.use(p.a)`},
	{"go operation", `go t.mutex(§).Lock()`},
	{"defer argument", `defer func(n int) { t.use("deferred", n) }(§)`},
	{"defer method", `defer t.pair(§).set(t.one())`},
	{"defer of library", `var b strings.Builder; defer b.WriteString(strconv.Itoa(§))`},
	{"defer in literal", `defer func() { t.use("deferred", §) }()`},
	{"panic", `func() { defer func() { t.use(recover()) }(); panic(§) }()`},
	{"defer panic", `func() { defer func() { t.use(recover()) }(); defer panic(§) }()`},
	{"if", `if § > 0 { t.use("then") }`},
	{"if init", `if v := §; v > 0 { t.use("then") }`},
	{"if init call", `if t.use(§); t.one() > 0 { t.use("then") }`},
	{"if init assign", `v := 0; if v = §; v > 0 { t.use("then") }`},
	{"else if", `if t.one() > 1 { t.use("then") } else if § > 0 { t.use("else") }`},
	{"else if init", `if t.one() > 1 { t.use("then") } else if v := §; v > 0 { t.use("else") } else { t.use("none") }`},
	{"else", `if t.one() > 1 { t.use("then") } else { t.use(§) }`},
	{"for init", `for i := §; i < 3; i++ { t.use(i) }`},
	{"for init of two", `for i, n := t.one(), §; i < 3; i++ { t.use(i, n) }`},
	{"for cond", `for i := 0; i < §; i++ { t.use(i) }`},
	{"for cond alone", `for § > t.two() { t.use("body") }`},
	{"for post", `for i := 0; i < 2; i += § { t.use(i) }`},
	{"for post assign", `v := 0; for i := 0; i < 2; i, v = i+1, § { t.use(i) }; t.use(v)`},
	{"for post call", `for i := 0; i < 2; t.use(§) { i++ }`},
	{"for body", `for { t.use(§); break }`},
	{"switch", `switch § { case 0: t.use("zero"); case 1: t.use("one") }`},
	{"switch init", `switch v := §; v { case 1: t.use("one") }`},
	{"switch init without tag", `switch v := §; { case v > 0: t.use("one") }`},
	{"switch true", `switch { case t.one() > 1: t.use("two"); case § > 0: t.use("one") }`},
	{"switch case", `switch t.two() { case §, t.two(): t.use("two"); default: t.use("default") }`},
	{"switch body", `switch { default: t.use(§) }`},
	{"switch fallthrough", `switch { case t.one() > 0: fallthrough; case t.one() > 1: t.use(§) }`},
	{"type switch", `switch any(§).(type) { case int: t.use("int") }`},
	{"type switch bound", `switch v := any(§).(type) { case string: t.use("string", v); case int: t.use("int", v) }`},
	{"type switch init", `switch v := §; w := any(v).(type) { case int: t.use(w) }`},
	{"range int", `for range § { t.use("body") }`},
	{"range int of variable", `for i := range § + 1 { t.use(i) }`},
	{"range slice", `for i, v := range []int{§, t.two()} { t.use(i, v) }`},
	{"range slice without value", `for i := range t.list(§) { t.use(i) }`},
	{"range array", `for _, v := range [2]int{t.one(), §} { t.use(v) }`},
	{"range array pointer", `for _, v := range t.array(§) { t.use(v) }`},
	{"range string", `for i, r := range strconv.Itoa(§) { t.use(i, r) }`},
	{"range map", `for k, v := range map[int]int{§: t.two()} { t.use(k, v) }`},
	{"range map without value", `for k := range t.table(§) { t.use(k) }`},
	{"range channel", `for v := range t.closed(§) { t.use(v) }`},
	{"range channel without value", `for range t.closed(§) { t.use("body") }`},
	{"range function", `for v := range t.seq(§) { t.use(v) }`},
	{"range function of two", `for v, w := range t.seq2(§) { t.use(v, w) }`},
	{"range body", `for range 2 { t.use(§) }`},
	{"range function body", `for range t.seq(1) { t.use(§) }`},
	{"range channel body", `for v := range t.closed(1) { t.use(v, §) }`},
	{"range map body", `for range t.table(1) { t.use(§) }`},
	{"range index of key", `l := make([]int, 3); for l[§] = range 3 { t.use("body") }; t.use(l)`},
	{"send value", `c := make(chan int, 1); c <- §; t.use(<-c)`},
	{"send channel", `t.full(§) <- t.one()`},
	{"receive", `<-t.full(§)`},
	{"receive ok", `v, ok := <-t.full(§); t.use(v, ok)`},
	{"receive ok assigned", `l, ok := t.list(2), false; l[§], ok = <-t.full(3); t.use(l, ok)`},
	{"receive ok of a type without a name here", `type yes bool; var y yes; v, c := 0, t.closed(§); { yes := 0; for range 3 { v, y = <-c; t.use(v, y, yes) } }`},
	{"select send value", `select { case t.full(1) <- §: t.use("sent"); default: t.use("default") }`},
	{"select send channel", `select { case t.full(§) <- t.one(): t.use("sent"); default: t.use("default") }`},
	{"select receive", `select { case v := <-t.full(§): t.use(v) }`},
	{"select receive ok", `select { case v, ok := <-t.full(§): t.use(v, ok); case <-t.quit: }`},
	{"select second", `select { case <-t.quit: case v, ok := <-t.full(§): t.use(v, ok) }`},
	{"select index", `l := t.list(2); select { case l[§] = <-t.full(3): t.use("received") }; t.use(l)`},
	{"select index ok", `l, ok := t.list(2), false; select { case <-t.quit: case l[§], ok = <-t.full(3): t.use("received") }; t.use(l, ok)`},
	{"select default", `select { case <-t.quit: default: t.use(§) }`},
	{"select body", `select { case <-t.full(1): t.use(§) }`},
	{"label", "again: v := §; if t.use(v); len(t.log) < 2 { goto again }"},
	{"label of loop", "again: for i := 0; i < §; i++ { continue again }"},
	{"label of range", "again: for i := range t.list(§) { if i == 2 { break again }; t.use(i) }"},
	{"label of switch", "again: switch § { case 1: break again }"},
	{"block", `{ t.use(§) }`},
	{"return", `t.use(func() int { return § }())`},
	{"return two", `t.use(func() (int, int) { return t.one(), § }())`},
	{"return named", `t.use(func() (n int) { return § }())`},
	{"return named set", `t.use(func() (n int) { n = §; return }())`},
	{"return changed later", `t.use(func() (n int) { defer func() { n++ }(); return § }())`},
	{"minus", `t.use(-§)`},
	{"not", `t.use(!(§ > 1))`},
	{"complement", `t.use(^§)`},
	{"sum", `t.use(t.one() + § + 1)`},
	{"comparison", `t.use(§ == t.one())`},
	{"and", `t.use(t.one() > 0 && § > 0)`},
	{"or", `t.use(t.one() > 1 || § > 1)`},
	{"conversion", `t.use(int64(§))`},
	{"conversion to interface", `t.use(any(§))`},
	{"assertion", `t.use(any(§).(int))`},
	{"assertion ok", `v, ok := any(§).(string); t.use(v, ok)`},
	{"literal of slice", `t.use([]int{t.one(), §})`},
	{"literal of array", `t.use([...]int{1: §, 2: 4})`},
	{"literal of structs", `t.use([]pair{{§, t.two()}})`},
	{"literal of pointers", `t.use((*[]*pair{{a: §}}[0]).a)`},
	{"literal address", `p := &pair{b: §}; t.use(p.b)`},
	{"literal of map", `t.use(map[string]int{"a": §})`},
	{"literal key", `t.use(map[int]string{§: "a"})`},
	{"literal of maps", `t.use(map[pair]pair{{1, §}: {a: t.two()}})`},
	{"literal of embedding", `t.use(outer{inner: inner{c: §}}.c)`},
	{"literal of function", `f := func() int { return § }; t.use(f(), f())`},
	{"index", `t.use(t.list(2)[§])`},
	{"index of array", `t.use([2]int{3, 4}[§])`},
	{"index of string", `t.use("abc"[§])`},
	{"index of map", `t.use(t.table(1)[§])`},
	{"index of map ok", `v, ok := t.table(1)[§]; t.use(v, ok)`},
	{"index of map of maps", `t.use(map[int]map[int]int{1: {1: 2}}[§][t.one()])`},
	{"slice low", `t.use(t.list(2)[§:])`},
	{"slice high", `t.use(t.list(2)[:§])`},
	{"slice max", `t.use(cap(t.list(2)[0:1:§+1]))`},
	{"slice of string", `t.use("abc"[§:t.two()])`},
	{"called element", `[]func(){nil, t.function(2)}[§]()`},
	{"called result", `t.function(§)()`},
	{"len", `t.use(len(t.list(§)))`},
	{"make slice", `t.use(make([]int, §))`},
	{"make capacity", `t.use(cap(make([]int, 0, §)))`},
	{"make channel", `t.use(cap(make(chan int, §)))`},
	{"make map", `t.use(make(map[int]int, §))`},
	{"new", `t.use(*new(§))`},
	{"append", `t.use(append(t.list(2), §, t.one()))`},
	{"append to part", `t.use(append(t.list(2)[:§], 3))`},
	{"append all", `t.use(append(t.list(2), t.list(§)...))`},
	{"copy", `l := t.list(2); t.use(copy(l, l[§:]))`},
	{"copy from", `l := t.list(2); copy(l, t.list(§)); t.use(l)`},
	{"clear", `clear(t.list(§))`},
	{"delete", `m := t.table(1); delete(m, §); t.use(m)`},
	{"delete of result", `delete(t.table(§), 1)`},
	{"min", `t.use(min(§, 3), max(t.one(), §))`},
	{"complex", `t.use(real(complex(float64(§), 1)))`},
	{"close", `close(t.full(§))`},
	{"library", `t.use(strconv.Itoa(§))`},
	{"library of two results", `v, err := strconv.Atoi(strconv.Itoa(§)); t.use(v, err)`},
	{"library in a condition", `if strconv.Itoa(§) == "1" { t.use("then") }`},
	{"library method", `t.use(time.Duration(§).String())`},
	{"library that may wait", `var m sync.Map; m.Store(t.one(), §); v, ok := m.Load(1); t.use(v, ok)`},
	{"sleep", `time.Sleep(time.Duration(§))`},
	{"timer", `<-time.After(time.Duration(§)); t.use("after")`},
	{"callback", `d := make(chan bool); time.AfterFunc(time.Duration(§), func() { d <- true }); <-d`},
	{"lock", `mu := t.mutex(§); mu.Lock(); mu.Unlock()`},
	{"lock of result", `t.mutex(§).Lock()`},
	{"method value of lock", `f := t.mutex(§).Lock; f()`},
	{"wait group", `var wg sync.WaitGroup; wg.Add(§); wg.Done(); wg.Wait()`},
	{"once", `var o sync.Once; o.Do(t.function(§)); o.Do(t.function(§))`},
	{"once value", `f := sync.OnceValue(func() int { return § }); t.use(f(), f())`},
	{"atomic", `var n atomic.Int64; t.use(n.Add(int64(§)), n.Load())`},
	{"atomic function", `var n int64; atomic.StoreInt64(&n, int64(§)); t.use(atomic.LoadInt64(&n))`},
	{"random", `t.use(rand.Intn(§))`},
	{"context", `t.use(context.WithValue(context.Background(), "k", §).Value("k"))`},
}

// access is a form in which memory is used, an expression of type int: setup declares the
// memory, write and read use it in another way, and beside uses what lies next to it.
type access struct {
	name, setup, expr   string
	write, read, beside string
}

// assigned are the accesses that can be assigned to.
var assigned = []access{
	{"variable", `x0, y0 := 1, 1; _, _ = x0, y0`, `x0`, `x0 = 1`, `t.use(x0)`, `y0 = 1`},
	{"global", ``, `global`, `global = 1`, `t.use(global)`, `beside = 1`},
	{"in parentheses", `x0, y0 := 1, 1; _, _ = x0, y0`, `(x0)`, `x0 = 1`, `t.use(x0)`, `y0 = 1`},
	{"pointer", `x0, y0 := 1, 1; q0 := &x0; _, _ = x0, y0`, `*q0`, `x0 = 1`, `t.use(x0)`, `y0 = 1`},
	{"field", `p0 := &pair{1, 1}`, `p0.a`, `p0.a = 1`, `t.use(p0.a)`, `p0.b = 1`},
	{"field of variable", `p0 := pair{1, 1}`, `p0.a`, `p0.a = 1`, `t.use(p0.a)`, `p0.b = 1`},
	{"element", `l0 := []int{1, 1, 1}`, `l0[1]`, `l0[1] = 1`, `t.use(l0[1])`, `l0[2] = 1`},
	{"element of array", `l0 := [3]int{1, 1, 1}`, `l0[1]`, `l0[1] = 1`, `t.use(l0[1])`, `l0[2] = 1`},
	{"element by pointer", `l0 := &[3]int{1, 1, 1}`, `l0[1]`, `l0[1] = 1`, `t.use(l0[1])`, `l0[2] = 1`},
	{"entry", `m0 := map[string]int{"a": 1}`, `m0["a"]`, `m0["b"] = 1`, `t.use(m0["c"])`, ``},
	{"field of entry", `m0 := map[int]*pair{1: {1, 1}}`, `m0[1].a`, `m0[1].a = 1`, `t.use(m0[1].a)`, `m0[1].b = 1`},
	{"field of result", `p0 := &pair{1, 1}`, `same(p0).a`, `p0.a = 1`, `t.use(p0.a)`, `p0.b = 1`},
	{"promoted field", `p0 := &outer{inner: inner{pair: &pair{1, 1}}}`, `p0.a`, `p0.a = 1`, `t.use(p0.a)`, `p0.b = 1`},
	{"promoted field of variable", `p0 := outer{inner: inner{pair: &pair{1, 1}}}`, `p0.a`, `p0.a = 1`, `t.use(p0.pair.a)`, `p0.b = 1`},
	{"embedded pointer", `p0 := &outer{inner: inner{pair: &pair{1, 1}}}`, `p0.a`, `p0.pair = &pair{1, 1}`, `p0.pair = &pair{1, 1}`, `p0.c = 1`},
	{"nested", `w0 := &wide{next: &wide{}}; w0.next.list[2].a = 1; i0 := 2`, `w0.next.list[i0].a`, `w0.next.list[2].a = 1`, `t.use(w0.next.list[2].a)`, `w0.next.list[1].a = 1`},
	{"whole of it", `p0 := &pair{1, 1}`, `p0.a`, `*p0 = pair{1, 1}`, `t.use(*p0)`, ``},
	{"index", `l0, i0 := []int{1, 1, 1}, 1`, `l0[i0]`, `i0 = 1`, `i0 = 1`, ``},
	{"pointer itself", `x0 := 1; q0 := &x0`, `*q0`, `q0 = &x0`, `q0 = &x0`, ``},
}

// evaluated are others.
var evaluated = []access{
	{"captured", `x0, y0 := 1, 1; _, _ = x0, y0`, `func() int { return x0 }()`, `x0 = 1`, ``, `y0 = 1`},
	{"receiver", `p0 := &pair{1, 1}`, `p0.first()`, `p0.b = 1`, ``, ``},
	{"receiver of variable", `p0 := pair{1, 1}`, `p0.first()`, `p0.b = 1`, ``, ``},
	{"receiver in interface", `p0 := &pair{1, 1}; var i0 firster = p0`, `i0.first()`, `p0.b = 1`, ``, ``},
	{"interface", `var i0, j0 any = 1, 1; _ = j0`, `i0.(int)`, `i0 = 1`, ``, `j0 = 1`},
	{"length", `l0, k0 := []int{1}, []int{1}; _ = k0`, `len(l0)`, `l0 = []int{1}`, ``, `k0 = nil`},
	{"length of map", `m0 := map[int]int{1: 1}`, `len(m0)`, `m0[1] = 2`, ``, ``},
	{"function", `f0, g0 := func() int { return 1 }, 1; _ = g0`, `f0()`, `f0 = func() int { return 1 }`, ``, `g0 = 1`},
	{"generic method", `b0, x0 := &box[int]{1}, 1; _ = x0`, `b0.get()`, `b0.put(1)`, ``, `x0 = 1`},
	{"copied bytes", `b0 := []byte{1, 2}`, `len(string(b0[:1]))`, `b0[0] = 1`, ``, `b0[1] = 1`},
	{"conversion", `var x0, y0 uint8 = 1, 1; _, _ = x0, y0`, `int(x0)`, `x0 = 1`, ``, `y0 = 1`},
	{"operand", `x0, y0 := 1, 1; _, _ = x0, y0`, `(2 - x0)`, `x0 = 1`, ``, `y0 = 1`},
}

// writePlaces are statements with a place for what an int is assigned to.
var writePlaces = []piece{
	{"assign", `§ = 1`},
	{"assign result", `§ = t.one()`},
	{"assign received", `§ = <-t.full(1)`},
	{"assign received of two", `v := 0; v, § = t.one(), <-t.full(1); _ = v`},
	{"assign constant", `§ = 1 + 1; § = 1`},
	{"assign first", `v := 0; §, v = 1, 2; _ = v`},
	{"assign last", `v := 0; v, § = 2, t.one(); _ = v`},
	{"assign results", `v := 0; §, v = t.twins(1); _ = v`},
	{"assign second result", `_, § = t.twins(1)`},
	{"swap", `v := 1; §, v = v, 1`},
	{"defined with others", `v := 0; { v, w := t.twins(1); § = w; _ = v }; _ = v`},
	{"add", `§ += 0`},
	{"add result", `§ += t.one() - 1`},
	{"shift", `§ <<= t.one() - 1`},
	{"increment", `§++`},
	{"decrement", `§--`},
	{"received ok", `ok := false; §, ok = <-t.full(1); _ = ok`},
	{"entry ok", `ok := false; §, ok = t.table(1)[1]; _ = ok`},
	{"asserted ok", `ok := false; §, ok = any(1).(int); _ = ok`},
	{"range int", `for § = range 2 {}; `},
	{"range slice", `for § = range t.list(1) {}`},
	{"range slice value", `for _, § = range t.list(1) {}`},
	{"range slice key with value", `v := 0; for §, v = range t.list(1) {}; _ = v`},
	{"range slice value with key", `v := 0; for v, § = range t.list(1) {}; _ = v`},
	{"range array value", `for _, § = range [2]int{1, 1} {}`},
	{"range array pointer value", `for _, § = range t.array(1) {}`},
	{"range string", `for § = range "ab" {}`},
	{"range map", `for § = range t.table(1) {}`},
	{"range map value", `for _, § = range t.table(1) {}`},
	{"range map value with key", `v := 0; for v, § = range t.table(1) {}; _ = v`},
	{"range channel", `for § = range t.closed(1) {}`},
	{"range channel broken", `for § = range t.closed(1) { break }`},
	{"range function", `for § = range t.seq(1) {}`},
	{"range function value", `for _, § = range t.seq2(1) {}`},
	{"for init", `for § = 1; t.one() > 1; {}`},
	{"for post", `for i := 0; i < 1; § = 1 { i++ }`},
	{"for post of two", `for i := 0; i < 1; i, § = i + 1, 1 {}`},
	{"for post increment", `for i := 0; i < 1; §++ { i++ }`},
	{"if init", `if § = 1; t.one() > 1 {}`},
	{"else if init", `if t.one() > 1 {} else if § = 1; t.one() > 1 {}`},
	{"switch init", `switch § = 1; t.one() {}`},
	{"type switch init", `switch § = 1; any(1).(type) {}`},
	{"case", `switch { case t.one() > 0: § = 1 }`},
	{"select", `select { case § = <-t.full(1): }`},
	{"select ok", `ok := false; select { case §, ok = <-t.full(1): }; _ = ok`},
	{"select of two", `select { case § = <-t.full(1): case <-t.quit: }`},
	{"select second ok", `select { case <-t.quit: case §, _ = <-t.full(1): }`},
	{"select with default", `select { case § = <-t.full(1): default: }`},
	{"select with default ok", `ok := false; select { case §, ok = <-t.full(1): default: }; _ = ok`},
	{"label", "again: § = 1; if t.one() > 1 { goto again }"},
	{"deferred", `defer func() { § = 1 }()`},
	{"literal", `func() { § = 1 }()`},
	{"method of go", `d := make(chan bool); go func() { § = 1; d <- true }(); <-d`},
	{"recovered", `func() { defer func() { recover() }(); § = t.one(); panic(1) }()`},
}

// addressed are places where an address is taken of what is assigned to.
var addressed = []piece{
	{"address", `p := &§; *p = 1`},
	{"address given", `func(p *int) { *p = 1 }(&§)`},
	{"library", `fmt.Sscan("1", &§)`},
	{"atomic", `func(p *int) { *p += 1 }(&(§))`},
}

// operations are expressions of type int in which something is done, whose place in the order
// of evaluation is seen.
var operations = []piece{
	{"call", `t.one()`},
	{"receive", `(<-t.c)`},
	{"entry", `t.table(1)[1]`},
	{"locking", `t.guarded()`},
}

// targets are the same for what is assigned to.
var targets = []piece{
	{"pointer", `*t.cell()`},
	{"element", `t.kept()[t.one()]`},
	{"entry", `t.entries()[<-t.c]`},
	{"field", `t.held().a`},
	{"variable", `t.n`},
}

// changed are expressions of type int whose value is another one when set has been called, and what they can be seen by.
var changed = []struct{ name, setup, expr, change, seen string }{
	{"variable", `x0 := 2`, `x0`, `x0 += 3`, `x0`},
	{"global", `number = 2`, `number`, `number += 3`, `number`},
	{"pointer", `q0 := &[]int{2}[0]; o0 := q0`, `*q0`, `q0 = new(int)`, `*q0, *o0`},
	{"field", `p0 := &pair{2, 3}; o0 := p0`, `p0.a`, `p0 = &pair{4, 5}`, `*p0, *o0`},
	{"field in parentheses", `p0 := &pair{2, 3}; o0 := p0`, `(*p0).a`, `p0 = &pair{4, 5}`, `*p0, *o0`},
	{"field of variable", `p0 := pair{2, 3}`, `p0.a`, `p0 = pair{4, 5}`, `p0`},
	{"element", `l0 := []int{2, 3, 4}; o0 := l0`, `l0[1]`, `l0 = []int{5, 6, 7}`, `l0, o0`},
	{"index", `l0, i0 := []int{2, 3, 4}, 1`, `l0[i0]`, `i0++`, `l0, i0`},
	{"element of array", `l0, i0 := [3]int{2, 3, 4}, 1`, `l0[i0]`, `l0, i0 = [3]int{5, 6, 7}, 2`, `l0`},
	{"element by pointer", `l0 := &[3]int{2, 3, 4}; o0 := l0`, `l0[1]`, `l0 = &[3]int{5, 6, 7}`, `*l0, *o0`},
	{"entry", `m0 := map[string]int{"a": 2}; o0 := m0`, `m0["a"]`, `m0 = map[string]int{"a": 3}`, `m0, o0`},
	{"key", `m0, k0 := map[string]int{"a": 2, "b": 3}, "a"`, `m0[k0]`, `k0 = "b"`, `m0`},
	{"field of entry", `m0 := map[int]*pair{1: {2, 3}}; o0 := m0[1]`, `m0[1].a`, `m0[1] = &pair{4, 5}`, `*m0[1], *o0`},
	{"promoted field", `p0 := &outer{inner: inner{pair: &pair{2, 3}}}; o0 := p0.pair`, `p0.a`, `p0.pair = &pair{4, 5}`, `*p0.pair, *o0`},
	{"nested", `w0 := &wide{next: &wide{}}; o0 := w0.next; i0 := 2`, `w0.next.list[i0].a`, `w0.next = &wide{}; w0.next.list[2].a = 7`, `w0.next.list, o0.list`},
	{"field of global", `stored = &pair{2, 3}; o0 := stored`, `stored.a`, `stored = &pair{4, 5}`, `*stored, *o0`},
}

// computed are others, which cannot be assigned to.
var computed = []struct{ name, setup, expr, change, seen string }{
	{"length", `l0 := []int{1, 2}`, `len(l0)`, `l0 = nil`, `l0`},
	{"length of map", `m0 := map[int]int{1: 1}`, `len(m0)`, `m0 = map[int]int{}`, `m0`},
	{"interface", `var i0 any = 2`, `i0.(int)`, `i0 = 3`, `i0`},
	{"receiver", `p0 := &pair{2, 3}`, `p0.first()`, `p0 = &pair{4, 5}`, `*p0`},
	{"receiver of variable", `p0 := pair{2, 3}`, `p0.first()`, `p0 = pair{4, 5}`, `p0`},
	{"receiver in interface", `var i0 firster = &pair{2, 3}`, `i0.first()`, `i0 = &pair{4, 5}`, `i0`},
	{"result of variable", `f0 := func(n int) int { return n }`, `f0(set())`, `f0 = func(n int) int { return n + 10 }`, `f0(1)`},
	{"result of field", `h0 := &hook{func(n int) int { return n }}`, `h0.f(set())`, `h0 = &hook{func(n int) int { return n + 10 }}`, `h0.f(1)`},
	{"results of variable", `f0 := func(n int) (int, int) { return n, n }`, `second(f0(set()))`, `f0 = func(n int) (int, int) { return n, n + 10 }`, ``},
	{"result of method", `p0 := &pair{2, 3}; o0 := p0`, `p0.added(set())`, `p0 = &pair{4, 5}`, `*p0, *o0`},
	{"result of method of interface", `var i0 adder = &pair{2, 3}`, `i0.added(set())`, `i0 = &pair{4, 5}`, `i0`},
	{"results of method of interface", `var i0 adder = &pair{2, 3}`, `second(i0.both(set()))`, `i0 = &pair{4, 5}`, `i0`},
	{"entry of result", `m0 := map[int]int{1: 2}`, `m0[set()]`, `m0 = map[int]int{1: 3}`, `m0`},
	{"element of result", `l0 := []int{2, 3}`, `l0[set()]`, `l0 = []int{4, 5}`, `l0`},
	{"part", `l0 := []int{2, 3}`, `l0[set():][0]`, `l0 = []int{4, 5}`, `l0`},
	{"conversion", `var x0 uint8 = 2`, `int(x0)`, `x0 = 3`, `x0`},
	{"bytes", `b0 := []byte("ab")`, `len(string(b0) + strconv.Itoa(set()))`, `b0 = []byte("abc")`, `b0`},
	{"library", `b0 := &strings.Builder{}`, `b0.Len()`, `b0 = &strings.Builder{}; b0.WriteString("abc")`, `b0.Len()`},
}

// settingPlaces are statements with such an expression in which set is called.
var settingPlaces = []piece{
	{"sum", `t.use(§ + set())`},
	{"sum behind", `t.use(set() + §)`},
	{"define", `v := §*100 + set(); t.use(v)`},
	{"define two", `v, w := §, set(); t.use(v, w)`},
	{"arguments", `t.use(§, set())`},
	{"arguments behind", `t.use(set(), §)`},
	{"arguments of a function", `t.use(added(§, set()))`},
	{"arguments of a literal", `func(v, w int) { t.use(v, w) }(§, set())`},
	{"library", `t.use(strconv.FormatInt(int64(§), 9+set()))`},
	{"deferred", `func() { defer t.use(§, set()) }()`},
	{"go", `d := make(chan int, 2); go func(v, w int) { d <- v; d <- w }(§, set()); t.use(<-d, <-d)`},
	{"condition", `if § > set()+1 { t.use("then") }`},
	{"and", `if § > 2 && set() > 0 { t.use("then") }; t.use(§)`},
	{"switch", `switch § { case set(): t.use("one"); case §: t.use("same") }`},
	{"return", `t.use(func() (int, int) { return §, set() }())`},
	{"slice", `t.use([]int{§, set(), §})`},
	{"literal", `t.use(pair{§, set()})`},
	{"map", `t.use(map[int]int{§: set()})`},
	{"append", `t.use(append(t.list(1), §, set()))`},
	{"send", `c := make(chan int, 1); c <- § + set(); t.use(<-c)`},
	{"index", `l := []int{5, 6, 7, 8, 9, 1, 2, 3, 4}; t.use(l[§%9] + set())`},
	{"range", `for i := range § + set() { t.use(i) }`},
	{"assign to element", `l := []int{5, 6, 7}; l[§%3] = set(); t.use(l)`},
	{"add to entry", `m := map[int]int{}; m[§] += set(); t.use(m)`},
	{"locking", `t.use(§ + set() + t.guarded())`},
}

// settingWrites are the same for what is assigned to.
var settingWrites = []piece{
	{"assign", `§ = set()`},
	{"add", `§ += set()`},
	{"shift", `§ <<= set()`},
	{"assign sum", `§ = § + set()`},
	{"assign two", `v := 0; §, v = set(), 2; t.use(v)`},
	{"assign two behind", `v := 0; v, § = §, set(); t.use(v)`},
	{"assign locked", `§ = set() + t.guarded()`},
}

// settingDeletes are statements that remove what the result of set says.
var settingDeletes = []piece{
	{"delete", `m0 := map[int]int{1: 2, 2: 3}; o0 := m0; set := func() int { m0 = map[int]int{1: 4, 3: 5}; return 1 }; delete(m0, set()); t.use(m0, o0)`},
	{"delete from field", `h0 := &tables{m: map[int]int{1: 2, 2: 3}}; o0 := h0; set := func() int { h0 = &tables{m: map[int]int{1: 4}}; return 1 }; delete(h0.m, set()); t.use(h0.m, o0.m)`},
	{"append to variable", `l0 := []int{1}; set := func() int { l0 = append(l0, 2); return 3 }; l0 = append(l0, set()); t.use(l0)`},
	{"assign to key of result", `m0 := map[int]int{1: 2}; o0 := m0; set := func() int { m0 = map[int]int{}; return 1 }; m0[set()] = set() + 1; t.use(m0, o0)`},
	{"assign to element of result", `l0 := []int{1, 2}; o0 := l0; set := func() int { l0 = []int{3, 4}; return 1 }; l0[set()] = set() + 1; t.use(l0, o0)`},
	{"copy", `l0 := []int{1, 2}; o0 := l0; set := func() []int { l0 = []int{3, 4}; return o0 }; copy(l0, set()); t.use(l0, o0)`},
	{"go of variable", `d := make(chan int, 1); f0 := func(n int) { d <- n }; set := func() int { f0 = func(n int) { d <- n + 10 }; return 1 }; go f0(set()); t.use(<-d)`},
	{"defer of variable", `f0 := func(n int) { t.use(n) }; set := func() int { f0 = func(n int) { t.use(n + 10) }; return 1 }; func() { defer f0(set()) }()`},
	{"defer of interface", `var i0 adder = &pair{2, 3}; set := func() int { i0 = &pair{4, 5}; return 1 }; func() { defer i0.added(set()) }()`},
	{"statement of interface", `var i0 setter = &pair{2, 3}; o0 := i0; set := func() int { i0 = &pair{4, 5}; return 1 }; i0.set(set()); t.use(i0, o0)`},
}

// formProgram is a function of the generated package, and what it is there for: a racy or
// a safe one, or one whose order is compared.
type formProgram struct {
	name, kind, code string
	old              bool // also in a language version in which loops have one set of variables
}

// ofLoops reports whether a piece is about loops, and means something in old versions.
func ofLoops(p piece) bool {
	return (strings.HasPrefix(p.name, "for ") || strings.HasPrefix(p.name, "range ")) &&
		!strings.HasPrefix(p.name, "range int") && !strings.HasPrefix(p.name, "range function") &&
		!strings.Contains(p.code, "range 2") && !strings.Contains(p.code, "range 3")
}

// formPrograms are what comes from crossing places and accesses: with something in the other
// goroutine that races with the access; with a lock around both; and with something there that
// uses what lies beside. Unless all are asked for, every access stands in some places, and some
// accesses in each, as with what is done there.
func formPrograms(all bool) (out []formProgram) {
	cross := func(places []piece, accesses []access, other func(access) string) {
		for i, p := range places {
			for k, a := range accesses {
				if !all && k != 0 && k != 1+i%(len(accesses)-1) {
					continue
				}
				for _, v := range []struct{ kind, run, other string }{{"racy", "both", other(a)}, {"locked", "locked", other(a)}, {"beside", "both", a.beside}} {
					if v.other == "" || !all && k != 0 && (v.kind == "locked" || v.kind == "beside" && i >= len(accesses)) {
						continue
					}
					code := fmt.Sprintf("\t%s\n\t%s(func(t *T) { %s }, func(t *T) { %s })\n", a.setup, v.run, v.other, strings.ReplaceAll(p.code, "§", a.expr))
					out = append(out, formProgram{p.name + " / " + a.name, v.kind, code, ofLoops(p) && k == 0})
				}
			}
		}
	}
	order := func(places, pieces []piece) {
		for i, p := range places {
			for k, q := range pieces {
				if !all && k != i%len(pieces) && k != (i+1)%len(pieces) {
					continue
				}
				out = append(out, formProgram{p.name + " / " + q.name, "order", fmt.Sprintf("\t%s\n", strings.ReplaceAll(p.code, "§", q.code)), ofLoops(p)})
			}
		}
	}
	cross(readPlaces, slices.Concat(assigned, evaluated), func(a access) string { return a.write })
	cross(writePlaces, assigned, func(a access) string { return a.read })
	addresses := slices.DeleteFunc(slices.Clone(assigned), func(a access) bool { return a.name == "entry" })
	cross(addressed, addresses, func(a access) string { return a.read })
	order(readPlaces, operations)
	order(writePlaces, targets)
	setting := func(places []piece, of []struct{ name, setup, expr, change, seen string }) {
		for i, p := range places {
			for k, a := range of {
				if !all && len(places) > len(settingWrites) && k != i%len(of) && k != (i*5+2)%len(of) && (i+k)%4 != 0 {
					continue
				}
				code := fmt.Sprintf("\t%s\n\tset := func() int { t.did(\"set\"); %s; return 1 }\n\t%s\n\tt.use(%s)\n", a.setup, a.change, strings.ReplaceAll(p.code, "§", a.expr), a.seen)
				out = append(out, formProgram{p.name + " / " + a.name + ", set", "order", code, false})
			}
		}
	}
	setting(settingPlaces, slices.Concat(changed, computed))
	setting(settingWrites, changed)
	for _, p := range settingDeletes {
		out = append(out, formProgram{p.name + ", set", "order", "\t" + p.code + "\n", false})
	}
	return out
}

// formDriver runs the programs, and prints what is not as it should be.
const formDriver = `package forms

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	orc "vtraceorc"
)

func controlled(t *testing.T, seed uint64, f func()) orc.Result {
	return orc.Run(orc.Config{
		Bubble: orc.Bubble{
			Run:  func(f func()) { synctest.Test(t, func(*testing.T) { f() }) },
			Wait: synctest.Wait,
		},
		Main: f, Entry: orc.EntryTest, Chooser: orc.Random(seed), NoLog: true, NoStacks: true,
	})
}

func TestRacy(t *testing.T) {
	for _, p := range racy {
		found := false
		for seed := uint64(0); seed < 20 && !found; seed++ {
			res := controlled(t, seed, p.f)
			found = len(res.Races) > 0
			if !found && (res.Verdict != orc.Completed || len(res.Notes) > 0) {
				fmt.Printf("%s: %s\n", p.name, res)
			}
		}
		if !found {
			fmt.Printf("%s: no race\n", p.name)
		}
	}
}

func TestSafe(t *testing.T) {
	for _, p := range safe {
		for seed := range uint64(2) {
			res := controlled(t, seed, p.f)
			if res.Verdict != orc.Completed || len(res.Notes)+len(res.Races) > 0 {
				fmt.Printf("%s: %s\n", p.name, res)
				break
			}
		}
	}
}

func TestControlled(t *testing.T) {
	for i, p := range ordered {
		got := ""
		res := controlled(t, uint64(i), func() { got = alone(p.f) })
		fmt.Printf("%s: %s\n", p.name, got)
		if res.Verdict != orc.Completed || len(res.Notes)+len(res.Races) > 0 {
			fmt.Printf("%s: %s\n", p.name, strings.TrimSpace(res.String()))
		}
	}
}
`

// orderDriver prints what the programs do whose order is compared.
const orderDriver = `package forms

import (
	"fmt"
	"testing"
)

func TestOrder(t *testing.T) {
	for _, p := range ordered {
		fmt.Printf("%s: %s\n", p.name, alone(p.f))
	}
}
`

const formImports = `import (
	"context"
	"fmt"
	"math/rand"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	_ = context.Background
	_ = fmt.Sprint
	_ = rand.Intn
	_ = strconv.Itoa
	_ strings.Builder
	_ sync.Mutex
	_ atomic.Int64
	_ time.Duration
)
`

// formFile is a file with the programs, whose names begin with prefix.
func formFile(programs []formProgram, head, prefix string) []byte {
	var b strings.Builder
	b.WriteString(head + "package forms\n\n" + formImports)
	for i, p := range programs {
		params := map[bool]string{true: "t *T"}[p.kind == "order"]
		fmt.Fprintf(&b, "\n// %s\nfunc %s%d(%s) {\n%s}\n", p.name, prefix, i, params, p.code)
	}
	return []byte(b.String())
}

// formTable is a variable with the programs of some kinds.
func formTable(name, of string, files map[string][]formProgram, kinds ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\nvar %s = []%s{\n", name, of)
	for _, prefix := range slices.Sorted(maps.Keys(files)) {
		for i, p := range files[prefix] {
			if slices.Contains(kinds, p.kind) {
				fmt.Fprintf(&b, "\t{%q, %s%d},\n", prefix+" / "+p.kind+" / "+p.name, prefix, i)
			}
		}
	}
	return b.String() + "}\n"
}

// unseenForms are those of the racy programs in which a write is not recorded, which is said.
var unseenForms = []string{
	"new / racy / range map value / field of result: no race",
	"new / racy / select second ok / field of result: no race",
}

// TestForms: in every place where an expression stands, what it does to memory is recorded,
// and what it does besides comes in the same order as in the original. What is assigned to is
// recorded wherever something is assigned. Nothing is recorded that is not so: what a lock
// orders, or what lies beside, does not race.
func TestForms(t *testing.T) {
	programs := formPrograms(*allForms)
	var wrong []string
	for chunk := range slices.Chunk(programs, 3000) {
		wrong = append(wrong, testForms(t, chunk)...)
	}
	if !*allForms {
		require.Equal(t, unseenForms, wrong)
	}
}

// testForms returns the racy programs whose race is not seen because something in them is not
// recorded, which is said.
func testForms(t *testing.T, programs []formProgram) (unseen []string) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/forms")))
	old := slices.DeleteFunc(slices.Clone(programs), func(p formProgram) bool { return !p.old })
	files := map[string][]formProgram{"new": programs, "old": old}
	for name, data := range map[string][]byte{
		"new.go":        formFile(programs, "", "new"),
		"old.go":        formFile(old, "//go:build go1.21\n\n", "old"),
		"order_test.go": []byte(orderDriver + formTable("ordered", "orderedProgram", files, "order")),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	plain := binary(t, "plain")
	out, code := run(t, dir, "go", "test", "-c", "-vet=off", stripped, "-o", plain, ".")
	require.Zero(t, code, out)
	want, code := run(t, dir, plain, "-test.run=TestOrder", "-test.timeout=60s")
	require.Zero(t, code, want)

	ctx := context.Background()
	prog, err := source.LoadModule(ctx, source.Spec{Dir: dir})
	require.NoError(t, err)
	idx := Index(prog)
	o, err := Instrument(ctx, prog, idx, Options{Races: true, Accesses: accesses(idx)})
	require.NoError(t, err)
	o.Files["zz_run_test.go"] = []byte(formDriver +
		formTable("racy", "program", files, "racy") + formTable("safe", "program", files, "locked", "beside"))
	bin := testBinary(t, prog, o)
	for _, name := range []string{"TestOrder", "TestControlled"} {
		got, code := run(t, dir, bin, "-test.run="+name, "-test.timeout=60s")
		require.Zero(t, code, got)
		require.Equal(t, want, got, name)
	}
	out, code = run(t, dir, bin, "-test.run=TestRacy|TestSafe", "-test.timeout=600s")
	require.Zero(t, code, out)
	said := map[string]bool{}
	for _, d := range o.Diagnostics {
		data, err := os.ReadFile(filepath.Join(dir, d.File))
		require.NoError(t, err)
		for _, line := range slices.Backward(strings.Split(string(data), "\n")[:d.Line]) {
			if name, ok := strings.CutPrefix(line, "// "); ok {
				said[strings.TrimSuffix(d.File, ".go")+" / racy / "+name+": no race"] = true
				break
			}
		}
	}
	for line := range strings.Lines(strings.TrimSuffix(out, "PASS\n")) {
		if line = strings.TrimSpace(line); said[line] {
			unseen = append(unseen, line)
		} else {
			t.Error(line)
		}
	}
	return unseen
}

package parse

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// form is an expression that is rewritten, with its type.
type form struct{ expr, of string }

// forms have every way in which an expression becomes a call of the runtime.
var forms = []form{
	{"v", "int"},
	{"ptr.n", "int"},
	{"arr[i]", "int"},
	{"list[i]", "int"},
	{"m[i]", "int"},
	{"<-ch", "int"},
	{"len(ch)", "int"},
	{"len(m)", "int"},
	{"(*ptr).n", "int"},
	{"em.n", "int"},
	{"deep.n", "int"},
	{"rand.Int()", "int"},
	{"rand.Intn(v)", "int"},
	{"r2.IntN(v)", "int"},
	{"r2.N(v)", "int"},
	{"runtime.NumGoroutine()", "int"},
	{"int(atomic.AddInt32(&word, 1))", "int"},
	{"int(ptr.a.Load())", "int"},
	{"fn()", "int"},
	{"ifc.Method()", "int"},
	{"buf.Len()", "int"},
	{"src.Int()", "int"},
	{"cap(append(list, v))", "int"},
	{"copy(list, list)", "int"},
	{"crand.Reader", "io.Reader"},
	{"(crand.Reader)", "io.Reader"},
	{"ptr.r", "io.Reader"},
	{"ifc", "iface"},
	{"any(crand.Reader)", "any"},
	{"pool.Get()", "any"},
	{"ptr.err()", "error"},
	{"context.Canceled", "error"},
	{"ctx.Err()", "error"},
	{"rand.Intn", "func(int) int"},
	{"r2.IntN", "func(int) int"},
	{"crand.Read", "func([]byte) (int, error)"},
	{"pool.Get", "func() any"},
	{"ptr.mu.Lock", "func()"},
	{"ptr.a.Load", "func() int32"},
	{"time.Now", "func() time.Time"},
	{"time.Sleep", "func(time.Duration)"},
	{"hash.Sum64", "func() uint64"},
	{"buf.Len", "func() int"},
	{"ptr", "*str"},
	{"&str{n: v}", "*str"},
	{"&arr[i]", "*int"},
	{"*ptr", "str"},
	{"maps.Keys(m)", "iter.Seq[int]"},
	{"hash.Sum64()", "uint64"},
	{"time.Now()", "time.Time"},
	{"list[:v]", "[]int"},
	{"append(list, v)", "[]int"},
	{"m", "map[int]int"},
	{"ch", "chan int"},
	{"arr", "[3]int"},
	{"&arr", "*[3]int"},
	// An instance of a generic type looks like an element.
	{"keyed[int]{v: v}", "keyed[int]"},
	{"seq[int]{v}", "seq[int]"},
	{"four[int]{v}", "four[int]"},
	{"&box[int]{v}", "*box[int]"},
	{"both[int, string]{v: \"\"}", "both[int, string]"},
	{"make(keyed[int])", "keyed[int]"},
	{"make(seq[int], 1)", "seq[int]"},
	{"new(four[int])", "*four[int]"},
	{"keyed[int](m)[v]", "int"},
	{"any(m).(keyed[int])", "keyed[int]"},
	{"keyed[int].size", "func(keyed[int]) int"},
	{"keyed[int]{}.size", "func() int"},
	{"act[int](func(x int) int { return keyed[int]{x: x}[v] })(v)", "int"},
	{"same[keyed[int]](m)", "keyed[int]"},
	{"[]keyed[int]{{v: v}, keyed[int]{}}[0][v]", "int"},
	{"struct{ k keyed[int] }{k: keyed[int]{}}.k[v]", "int"},
}

// places are statements that use an expression X of type T.
var places = []string{
	"_ = X",
	"x := X; _ = x",
	"var x T = X; _ = x",
	"global = X",
	"(global) = (X)",
	"slots[i] = X",
	"table[i] = X",
	"fields.x, v = X, v",
	"use(X)",
	"go use(X)",
	"defer use(X)",
	"func() { use(X) }()",
	"if x := X; v > 0 { use(x) }",
	"switch x := any(X).(type) { case T: use(x) }",
	"chans <- X",
	"select { case chans <- X: default: }",
	"select { case chans <- X: case <-ch: }",
	"for range []T{X} { }",
	"for _, x := range []T{X, X} { use(x) }",
	"for _, global = range []T{X, X} { }",
	"use([]T{X}[i])",
	"use(map[int]T{v: X}[i])",
	"use(struct{ x T }{X}.x)",
	"use((&struct{ x T }{X}).x)",
	"func() T { return X }()",
	"return X, v",
	"var p = func() *T { x := X; return &x }(); use(*p)",
	"L: for { use(X); break L }",
	"switch { case any(X) == nil: }",
	"panic(X)",
	"any(X).(interface{ M() }).M()",
	// With what is only for some types.
	"_ = X + X*v",
	"v += X",
	"_ = list[X]",
	"list[X]++",
	"m[X]++",
	"m[X] = X",
	"delete(m, X)",
	"for range X { }",
	"for global := range X { use2(global) }",
	"for i, x := range X { use2(i); use2(x) }",
	"for i, v = range X { }",
	"for _, list[i] = range X { }",
	"for m[i] = range X { }",
	"X.Read(nil)",
	"n, err := X.Read(nil); use2(n); use2(err)",
	"X.Method()",
	"_ = X.n",
	"X.n++",
	"X.mu.Lock()",
	"_ = X.a.Load()",
	"X.r = crand.Reader",
	"X.r.Read(nil)",
	"X.value()",
	"_ = X.value",
	"X[i]++",
	"X[i], X[v] = v, X[i]",
	"X()",
	"go X()",
	"defer X()",
	"X(v)",
	"go X(v)",
	"use2(X(v))",
	"use2(*X)",
	"*X = *X",
	"close(X)",
	"for x := range X { use2(x) }",
	"select { case v = <-X: case list[i] = <-X: }",
	"x, ok := <-X; use2(x); use2(ok)",
	"crand.Reader = X",
	"_ = &crand.Reader; use(X)",
}

// combinedSource has what the forms need.
const combinedSource = `package p

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"hash/maphash"
	"io"
	"iter"
	"maps"
	"math/rand"
	r2 "math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

type iface interface{ Method() int }

type str struct {
	n  int
	r  io.Reader
	a  atomic.Int32
	mu sync.Mutex
}

func (s *str) err() error { return nil }
func (s str) value() int  { return s.n }

type keyed[K comparable] map[K]K

func (k keyed[K]) size() int { return len(k) }

type both[K comparable, V any] map[K]V
type seq[E any] []E
type four[E any] [4]E
type queue[E any] chan E
type act[E any] func(E) E
type box[E any] struct{ n E }

func (b *box[E]) value() E { return b.n }

func same[T any](x T) T { return x }

type inner struct{ *str }
type outer struct{ *inner }

var (
	v, i   int
	word   int32
	ptr    *str
	em     struct{ *str }
	deep   outer
	arr    [3]int
	list   []int
	m      map[int]int
	ch     chan int
	fn     func() int
	ifc    iface
	buf    bytes.Buffer
	src    *rand.Rand
	pool   sync.Pool
	ctx    context.Context
	hash   maphash.Hash
	_      iter.Seq[int]
	_      time.Time
	_      = crand.Read
	_      = rand.Int
	_      = r2.Int
	_      = runtime.NumGoroutine
	_      = maps.Keys[map[int]int]
)

func use2(any) {}

type T = TYPE

var (
	global T
	slots  []T
	table  map[int]T
	fields struct{ x T }
	chans  chan T
)

func use(T) {}
`

// combinedLocals are variables that goroutines share.
const combinedLocals = `var ( v, i int; ptr *str; arr [3]int; list []int; m map[int]int; ch chan int; global T ); go func() { use2(v); use2(i); use2(ptr); use2(&arr); use2(list); use2(m); use2(ch); use2(global) }()`

// TestCombined instruments every form in every place where it may stand: what is
// rewritten and what is recorded must fit.
func TestCombined(t *testing.T) {
	c := newChecker(t)
	n := 0
	for i, f := range forms {
		t.Run(f.expr, func(t *testing.T) {
			var bodies []string
			for _, place := range places {
				bodies = append(bodies, strings.ReplaceAll(place, "X", f.expr))
			}
			for _, version := range []string{"go1.26", "go1.18"} {
				if version != "go1.26" && (testing.Short() || i%4 > 0) {
					continue
				}
				fit := c.fitting(t, f.of, bodies, version)
				require.Greater(t, len(fit), 20, version)
				require.True(t, c.instrumentAt(t, combined(f.of, fit), version))
				n += len(fit)
			}
		})
	}
	t.Logf("%d combinations", n)
}

// combined is a source with functions of these bodies.
func combined(of string, bodies []string) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(combinedSource, "TYPE", of))
	for i, body := range bodies {
		fmt.Fprintf(&b, "func f%d() (_ T, _ int) { %s; return }\n", i, body)
		fmt.Fprintf(&b, "func g%d() { %s; func() (_ T, _ int) { %s; return }() }\n", i, combinedLocals, body)
	}
	return b.String()
}

// fitting are the bodies that are valid in a language version.
func (c *checker) fitting(t *testing.T, of string, bodies []string, version string) (fit []string) {
	t.Helper()
	bodies = slices.DeleteFunc(slices.Clone(bodies), func(body string) bool {
		_, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p; func f() { "+body+" }", 0)
		return err != nil
	})
	file, err := parser.ParseFile(c.fset, "p.go", combined(of, bodies), 0)
	require.NoError(t, err)
	bad := map[ast.Decl]bool{}
	cfg := types.Config{Importer: c.std, GoVersion: version, Error: func(err error) {
		at := err.(types.Error).Pos
		for _, d := range file.Decls {
			bad[d] = bad[d] || d.Pos() <= at && at < d.End()
		}
	}}
	_, _ = cfg.Check("p", c.fset, []*ast.File{file}, nil)
	list := file.Decls[len(file.Decls)-2*len(bodies):]
	for i, body := range bodies {
		if !bad[list[2*i]] && !bad[list[2*i+1]] {
			fit = append(fit, body)
		}
	}
	return fit
}

package smallscope

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

// loaded is a program of one file, whose entry is main.
func loaded(t *testing.T, text string) *source.Program {
	t.Helper()
	return loadedFiles(t, map[string][]byte{"main.go": []byte(text)})
}

// loadedFiles is a program of several files.
func loadedFiles(t *testing.T, files map[string][]byte) *source.Program {
	t.Helper()
	files["go.mod"] = []byte("module example.com/m\n\ngo 1.26\n")
	prog, err := source.Load(context.Background(), source.Spec{Dir: t.TempDir(), Overlay: files})
	require.NoError(t, err)
	return prog
}

// said is how the scopes of a program are written in the tests: one family to a line.
func said(families []Family) (out []string) {
	for _, f := range families {
		var scopes []string
		for _, s := range f {
			var numbers []string
			for _, n := range s.Numbers {
				lines := ""
				for _, at := range n.At {
					lines += fmt.Sprintf("@%d", at.Line)
				}
				numbers = append(numbers, fmt.Sprintf("%d>%d%s", n.From, n.To, lines))
			}
			scopes = append(scopes, strings.Join(numbers, " "))
		}
		out = append(out, strings.Join(scopes, "; "))
	}
	return out
}

// TestFamilies: a number is found from where it counts, whatever it flows through, and what counts nothing stays.
func TestFamilies(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		decls, body string // body begins in line 5, declarations behind it
		imports     string
		want        []string
	}{
		"a literal":        {body: "for i := 0; i < 100; i++ { use(i) }", want: []string{"100>2@5; 100>3@5"}},
		"over an integer":  {body: "for i := range 100 { use(i) }", want: []string{"100>2@5; 100>3@5"}},
		"counting down":    {body: "for i := 100; i > 0; i-- { use(i) }", want: []string{"100>2@5; 100>3@5"}},
		"a constant":       {body: "const n = 100; for i := 0; i < n; i++ { use(i) }", want: []string{"100>2@5; 100>3@5"}},
		"two constants":    {body: "const n = 100; const m = n + 1; for i := range m { use(i) }", want: []string{"100>2@5; 100>3@5"}},
		"a variable":       {body: "n := 100; m := n; for i := 0; i < m; i++ { use(i) }", want: []string{"100>2@5; 100>3@5"}},
		"a parameter":      {body: "loop(100)", decls: "func loop(n int) { for i := range n { use(i) } }", want: []string{"100>2@5; 100>3@5"}},
		"a generic one":    {body: "loop(100, 1)", decls: "func loop[T any](n int, t T) { for i := range n { use(i) } }", want: []string{"100>2@5; 100>3@5"}},
		"a result":         {body: "for i := range n() { use(i) }", decls: "func n() int { return 100 }", want: []string{"100>2@7; 100>3@7"}},
		"a field":          {body: "c := conf{n: 100}; for i := range c.n { use(i) }", decls: "type conf struct{ n int }", want: []string{"100>2@5; 100>3@5"}},
		"one without name": {body: "c := conf{true, 100}; for i := range c.n { use(i) }", decls: "type conf struct{ ok bool; n int }", want: []string{"100>2@5; 100>3@5"}},
		"a counter":        {body: "var c atomic.Int64; c.Store(100); for c.Add(-1) > 0 { use(1) }", imports: `import "sync/atomic"`, want: []string{"100>2@5; 100>3@5"}},
		"a length":         {body: "s := make([]int, 100); for i := range s { use(i) }", want: []string{"100>2@5; 100>3@5"}},
		"of an array":      {body: "var s [100]int; for i := range s { use(i) }", want: []string{"100>2@5; 100>3@5"}},
		"by len":           {body: "s := make([]int, 100); for i := 0; i < len(s); i++ { use(i) }", want: []string{"100>2@5; 100>3@5"}},
		"a recursion": {
			body: "tree(100)", decls: "func tree(n int) { if n == 0 { return }; c := make(chan int); go func() { tree(n - 1); close(c) }(); <-c }",
			want: []string{"100>2@5; 100>3@5"},
		},
		"a recursion over lists": {
			body: "half(make([]int, 1000))", decls: "func half(a []int) { switch { case len(a) <= 64: return }; go half(a[len(a)/2:]); other(a[:len(a)/2]) }; func other(a []int) { half(a) }",
			want: []string{"64>2@7 1000>3@5; 64>3@7 1000>4@5", "64>2@7 1000>2@5; 64>3@7 1000>3@5"},
		},
		"a recursion of one goroutine": {body: "println(fib(20))", decls: "func fib(n int) int { if n < 10 { return n }; return fib(n-1) + fib(n-2) }"},
		"a length that something is written for": {
			body: "var head [8]byte; head[7] = 1; for i := range 100 { use(i + len(head[:])) }; for range head { use(1) }",
			want: []string{"100>3@5; 100>4@5", "100>2@5"},
		},
		"a wait group with it": {
			body: "var wg sync.WaitGroup; wg.Add(100); for range 100 { go wg.Done() }; wg.Wait()", imports: `import "sync"`,
			want: []string{"100>2@5@5; 100>3@5@5"},
		},
		"in order": {
			body: "c := make(chan int, 8); for i := range 100 { select { case c <- i: default: } }",
			want: []string{"8>2@5 100>3@5; 8>3@5 100>4@5", "100>2@5; 100>3@5", "8>2@5 100>2@5; 8>3@5 100>3@5"},
		},
		"proportional": {
			body: "n := 0; for i := range 1000 { if use(i); n >= 300 { n = 0 }; n++ }",
			want: []string{"300>2@5 1000>3@5; 300>3@5 1000>4@5", "1000>2@5; 1000>3@5", "300>2@5 1000>6@5; 300>3@5 1000>10@5", "300>2@5 1000>2@5; 300>3@5 1000>3@5"},
		},
		"a list stays as long": {
			body: `s := []string{"a", "b", "c", "d", "e"}; n := 0; for i := range 50 { use(len(s[i%len(s)])); n++ }; use(map[bool]int{}[n != len(s)])`,
			want: []string{"50>2@5; 50>3@5", "50>5@5; 50>6@5"},
		},
		"goroutines that are few": {
			body: "for range 3 { go func() { for i := range 9 { use(i) } }() }",
			want: []string{"9>2@5; 9>3@5", "3>2@5 9>2@5"},
		},
		"a loop that only calculates":  {body: "n := 0; for i := range 100 { n += twice(i) }; for i := range 20 { use(i) }", decls: "func twice(i int) int { return 2 * i }", want: []string{"20>2@5; 20>3@5"}},
		"a loop that calls a value":    {body: "f := func(int) {}; f = use; for i := range 100 { f(i) }", want: []string{"100>2@5; 100>3@5"}},
		"one of a literal":             {body: "f := func(int) { println(1) }; for i := range 100 { f(i) }; for i := range 20 { use(i) }", want: []string{"20>2@5; 20>3@5"}},
		"a loop that calls what calls": {body: "for i := range 100 { through(i) }", decls: "func through(i int) { if i < 0 { through(i) }; use(i) }", want: []string{"100>2@5; 100>3@5"}},
		"what counts nothing":          {body: "for i := range 3 { use(i * 37 % 101) }; use(1000); time.Sleep(50 * time.Millisecond)", imports: `import "time"`, want: []string{"3>2@5"}},
		"what is not reached":          {body: "use(1)", decls: "func other() { for i := range 100 { use(i) } }"},
		"no loop has a number":         {body: "c := make(chan int, 100); c <- 1; for { if len(c) == 100 { break } }"},
		"a remainder":                  {body: "n := 0; for i := range 20 { if n++; n%10 == 7 { use(i) } }", want: []string{"20>2@5; 20>3@5"}},
		"as hexadecimal":               {body: "for i := range 0x64 { use(i) }"},
		"with an underscore":           {body: "for i := range 1_000 { use(i) }", want: []string{"1000>2@5; 1000>3@5"}},
		"a duration, no number":        {body: "var d time.Duration; for d < 100 { d++ }", imports: `import "time"`},
		"more than a small scope has": {
			body: "for i := range 10 { for range 20 { for range 30 { for range 40 { for range 50 { for range 60 { for range 70 { for range 80 { for range 90 { for range 100 { for range 110 { for range 120 { use(i) } } } } } } } } } } } }",
		},
	}
	texts := map[string]string{}
	for name, c := range cases {
		texts[name] = "package main; import lock \"sync\"\n\n" + c.imports + "\nfunc main() {\n" + c.body + "\n}\n" + c.decls + "\nfunc use(int) { mu.Lock(); mu.Unlock() }\n\nvar mu lock.Mutex\n"
	}
	loaded, _ := programs.Together(t, texts)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			families, err := Families(loaded[name])
			require.NoError(t, err)
			require.Equal(t, c.want, said(families))
		})
	}
}

// TestSmaller: a scope is smaller than another one if it has fewer of something and nothing more.
func TestSmaller(t *testing.T) {
	t.Parallel()
	scope := func(fromTo ...int64) Scope {
		s := Scope{to: map[int64]int64{}}
		for i := 0; i < len(fromTo); i += 2 {
			s.to[fromTo[i]] = fromTo[i+1]
		}
		return s
	}
	for _, c := range []struct {
		a, b Scope
		want bool
	}{
		{scope(9, 2), scope(9, 3), true},
		{scope(9, 3), scope(9, 3), false},
		{scope(9, 3), scope(9, 2), false},
		{scope(4, 2, 9, 2), scope(9, 2), true},
		{scope(4, 2, 9, 3), scope(9, 2), false},
		{scope(9, 2), scope(4, 2, 9, 3), false},
	} {
		require.Equal(t, c.want, c.a.Smaller(c.b), "%v %v", c.a.to, c.b.to)
	}
}

// TestScopeFiles: a scope has the text of the program but for its numbers, and compiles.
func TestScopeFiles(t *testing.T) {
	t.Parallel()
	prog := loaded(t, `package main

import "sync"

func main() {
	const n, m = 1_000, 20 // 1000 in comments stays
	var wg sync.WaitGroup
	wg.Add(1000)
	for range n {
		go func() { defer wg.Done(); for range m { println("1000"); wg.Add(0) } }()
	}
	wg.Wait()
}
`)
	families, err := Families(prog)
	require.NoError(t, err)
	s := families[0][0]
	require.Len(t, s.Files, 1)
	for name, text := range s.Files {
		require.Equal(t, "main.go", filepath.Base(name))
		require.Equal(t, `package main

import "sync"

func main() {
	const n, m = 3, 2 // 1000 in comments stays
	var wg sync.WaitGroup
	wg.Add(3)
	for range n {
		go func() { defer wg.Done(); for range m { println("1000"); wg.Add(0) } }()
	}
	wg.Wait()
}
`, string(text))
	}
	spec := prog.Spec
	spec.Overlay = s.Files
	_, err = source.Load(context.Background(), spec)
	require.NoError(t, err)
}

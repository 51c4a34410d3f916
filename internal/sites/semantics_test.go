package sites

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// semantics is docs/semantics.md.
func semantics(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/semantics.md")
	require.NoError(t, err)
	return string(text)
}

// goroot is the directory of the installed Go.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

// docs/semantics.md has one entry for each kind, and says where that is specified. That a program of the tests has each kind is
// demanded by TestVerdicts of package translate.
func TestSemanticsDocument(t *testing.T) {
	var kinds []string
	for _, entry := range strings.Split(semantics(t), "\n- `")[1:] {
		kind, text, ok := strings.Cut(entry, "`")
		require.True(t, ok)
		kinds = append(kinds, kind)
		text, _, _ = strings.Cut(text, "\n\n")
		require.Regexp(t, `\*\*Source\*\*:\s+\[`, text, kind)
	}
	var words []string
	for k := range Kinds() {
		words = append(words, k.String())
	}
	require.ElementsMatch(t, words, kinds)
}

// link is a link of docs/semantics.md to a section of the specification, of the memory model, or to a declaration.
var link = regexp.MustCompile(`\(https://([a-z.]+/[A-Za-z/]+)#([\w.]+)\)`)

// What docs/semantics.md names as its sources is there.
func TestSemanticsSources(t *testing.T) {
	pages := map[string]string{"go.dev/ref/spec": "doc/go_spec.html", "go.dev/ref/mem": "doc/go_mem.html"}
	root, declared, found := goroot(t), map[string][]string{}, 0
	for _, m := range link.FindAllStringSubmatch(semantics(t), -1) {
		found++
		page, anchor := m[1], m[2]
		if file, ok := pages[page]; ok {
			text, err := os.ReadFile(filepath.Join(root, file))
			if os.IsNotExist(err) { // there are distributions without it
				continue
			}
			require.NoError(t, err)
			require.Contains(t, string(text), `id="`+anchor+`"`, "%s has no such section", page)
			continue
		}
		pkg, ok := strings.CutPrefix(page, "pkg.go.dev/")
		require.True(t, ok, page)
		if declared[pkg] == nil {
			declared[pkg] = declarations(t, filepath.Join(root, "src", pkg))
		}
		name := anchor
		if name == "T.FailNow" || name == "T.Cleanup" {
			name = "common." + strings.TrimPrefix(name, "T.") // which T embeds
		}
		require.Contains(t, declared[pkg], name, "package %s does not declare it", pkg)
	}
	require.Greater(t, found, len(operations))
}

// declarations are the functions and methods that the files of a directory declare.
func declarations(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, f := range parsed(t, filepath.Join(dir, "*.go")) {
		for _, d := range f.Decls {
			fd, ok := d.(*ast.FuncDecl)
			switch {
			case !ok:
			case fd.Recv == nil:
				names = append(names, fd.Name.Name)
			default:
				recv := fd.Recv.List[0].Type
				if star, ok := recv.(*ast.StarExpr); ok {
					recv = star.X
				}
				if id, ok := recv.(*ast.Ident); ok {
					names = append(names, id.Name+"."+fd.Name.Name)
				}
			}
		}
	}
	return names
}

// parsed are the files of a pattern, but for tests.
func parsed(t *testing.T, pattern string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	require.NoError(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	require.NotEmpty(t, files, pattern)
	return files
}

// misuses are ways to each panic that docs/semantics.md quotes.
var misuses = map[string][]func(*testing.T){
	"send on closed channel": {
		func(*testing.T) { c := make(chan int, 1); close(c); c <- 1 },
		func(*testing.T) {
			c := make(chan int)
			close(c)
			select {
			case c <- 1:
			default:
			}
		},
	},
	"close of closed channel":             {func(*testing.T) { c := make(chan int); close(c); close(c) }},
	"close of nil channel":                {func(*testing.T) { var c chan int; close(c) }},
	"sync: negative WaitGroup counter":    {func(*testing.T) { new(sync.WaitGroup).Done() }, func(*testing.T) { new(sync.WaitGroup).Add(-1) }},
	"panic called with nil argument":      {func(*testing.T) { var v any; panic(v) }, goexitInOnceFunc},
	"sync.Cond is copied":                 {func(*testing.T) { copiedCond().Signal() }, func(*testing.T) { copiedCond().Broadcast() }, func(*testing.T) { copiedCond().Wait() }},
	"non-positive interval for NewTicker": {func(*testing.T) { time.NewTicker(0) }},
	"non-positive interval for Ticker.Reset": {func(*testing.T) {
		ticker := time.NewTicker(time.Hour)
		defer ticker.Stop()
		ticker.Reset(0)
	}},
	"time: Stop called on uninitialized Timer":   {func(*testing.T) { new(time.Timer).Stop() }},
	"time: Reset called on uninitialized Timer":  {func(*testing.T) { new(time.Timer).Reset(1) }},
	"time: Reset called on uninitialized Ticker": {func(*testing.T) { new(time.Ticker).Reset(1) }},
	"runtime error: invalid memory address or nil pointer dereference": {
		func(*testing.T) { none[sync.Mutex]().Lock() },
		func(*testing.T) { none[sync.WaitGroup]().Wait() },
		func(*testing.T) { none[atomic.Int32]().Load() },
		func(*testing.T) { new(sync.Once).Do(nil) },
	},
	"sync/atomic: store of nil value into Value":                   {func(*testing.T) { new(atomic.Value).Store(nil) }},
	"sync/atomic: swap of nil value into Value":                    {func(*testing.T) { new(atomic.Value).Swap(nil) }},
	"sync/atomic: compare and swap of nil value into Value":        {func(*testing.T) { new(atomic.Value).CompareAndSwap(1, nil) }},
	"sync/atomic: compare and swap of inconsistently typed values": {func(*testing.T) { new(atomic.Value).CompareAndSwap(1, "") }},
	"sync/atomic: store of inconsistently typed value into Value":  {func(*testing.T) { holding(1).Store("") }},
	"sync/atomic: swap of inconsistently typed value into Value":   {func(*testing.T) { holding(1).Swap("") }},
	"sync/atomic: compare and swap of inconsistently typed value into Value": {func(*testing.T) {
		holding(1).CompareAndSwap("", "")
	}},
	"testing: t.Parallel called multiple times": {func(t *testing.T) { t.Parallel(); t.Parallel() }},
	"testing: t.Run called during t.Cleanup": {func(t *testing.T) {
		var v any
		t.Run("around", func(t *testing.T) {
			t.Cleanup(func() {
				defer func() { v = recover() }()
				t.Run("within", func(*testing.T) {})
			})
		})
		again(v)
	}},
	"testing: test using t.Setenv, t.Chdir, or cryptotest.SetGlobalRandom can not use t.Parallel": {
		func(t *testing.T) { t.Setenv("VTRACE_SEMANTICS", "1"); t.Parallel() },
		func(t *testing.T) { t.Parallel(); t.Setenv("VTRACE_SEMANTICS", "1") },
	},
}

// none is a nil pointer.
func none[T any]() *T { return nil }

func holding(v any) *atomic.Value {
	x := new(atomic.Value)
	x.Store(v)
	return x
}

// copiedCond is a copy of a Cond that was used.
func copiedCond() *sync.Cond {
	used, c := sync.NewCond(new(sync.Mutex)), new(sync.Cond)
	used.Signal()
	reflect.ValueOf(c).Elem().Set(reflect.ValueOf(used).Elem())
	return c
}

// goexitInOnceFunc panics with what a function panics with that runs once and calls runtime.Goexit.
func goexitInOnceFunc(*testing.T) {
	v := make(chan any)
	go func() {
		defer func() { v <- recover() }()
		sync.OnceFunc(runtime.Goexit)()
	}()
	again(<-v)
}

// again panics with what was recovered, if there was a panic.
func again(v any) {
	if v != nil {
		panic(v)
	}
}

// sources have, by a text, the file of Go's library that has it: of fatal errors, which nobody can recover, and of panics
// that need a race, or a test that is over.
var sources = map[string]string{
	"all goroutines are asleep - deadlock!":                       "runtime/proc.go",
	"no goroutines (main called runtime.Goexit) - deadlock!":      "runtime/proc.go",
	"go of nil func value":                                        "runtime/proc.go",
	"sync: unlock of unlocked mutex":                              "internal/sync/mutex.go",
	"sync: Unlock of unlocked RWMutex":                            "sync/rwmutex.go",
	"sync: RUnlock of unlocked RWMutex":                           "sync/rwmutex.go",
	"sync: WaitGroup misuse: Add called concurrently with Wait":   "sync/waitgroup.go",
	"sync: WaitGroup is reused before previous Wait has returned": "sync/waitgroup.go",
	"concurrent map writes":                                       "internal/runtime/maps/map.go",
	"concurrent map read and map write":                           "internal/runtime/maps/map.go",
	"concurrent map iteration and map write":                      "internal/runtime/maps/table.go",
	"wait already in progress":                                    "runtime/synctest.go",
	"Fail in goroutine after TestName has completed":              "testing/testing.go",
	"Log in goroutine after TestName has completed: TEXT":         "testing/testing.go",
}

// raises are the functions that end in an error, by what Go prints in front of its text.
var raises = map[string]string{"panic": "panic", "fatal error": "fatal"}

// quoted is an error in docs/semantics.md.
var quoted = regexp.MustCompile("`(panic|fatal error): ([^`]+)`")

// The errors that docs/semantics.md quotes are those of Go.
func TestSemanticsErrors(t *testing.T) {
	root, rest := goroot(t), map[string]bool{}
	for text := range misuses {
		rest[text] = true
	}
	for text := range sources {
		rest[text] = true
	}
	done := map[string]bool{}
	for _, m := range quoted.FindAllStringSubmatch(semantics(t), -1) {
		prefix, text := m[1], m[2]
		if text == "TEXT" || done[m[0]] {
			continue
		}
		done[m[0]] = true
		delete(rest, text)
		t.Run(text, func(t *testing.T) {
			for _, misuse := range misuses[text] {
				require.Equal(t, "panic", prefix)
				t.Run("raised", func(t *testing.T) {
					defer func() { require.Equal(t, text, printed(recover())) }()
					misuse(t)
				})
			}
			if file, ok := sources[text]; ok {
				want := strings.NewReplacer("TestName", open, "TEXT", open).Replace(text)
				require.Contains(t, raised(parsed(t, filepath.Join(root, "src", file)), raises[prefix]), want, file)
			} else {
				require.NotEmpty(t, misuses[text], "no misuse ends in it")
			}
		})
	}
	require.Empty(t, rest, "these are not in the document")
}

// printed is what Go prints of a panic with an error or a text.
func printed(v any) string {
	switch v := v.(type) {
	case error:
		return v.Error()
	case string:
		return v
	}
	return ""
}

// open stands for the part of a text that is no literal.
const open = "…"

// raised are the texts that a function is called with.
func raised(files []*ast.File, function string) (texts []string) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == function && len(call.Args) == 1 {
				texts = append(texts, spelled(call.Args[0]))
			}
			return true
		})
	}
	slices.Sort(texts)
	return texts
}

// spelled is a text of which parts are literals.
func spelled(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
	case *ast.BinaryExpr:
		return spelled(e.X) + spelled(e.Y)
	}
	return open
}

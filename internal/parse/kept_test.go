package parse

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/source"
)

// TestKeptTypes: a pointer that becomes an interface, or goes into a library otherwise, may be
// kept, wherever that happens; one that only functions get which look at it once is not. Each is in a
// package of its own, and a program by itself; they are loaded together, which takes a third of the time.
func TestKeptTypes(t *testing.T) {
	const program = `package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"strings"
	"sync"
)

var (
	_ = bufio.NewReader
	_ = json.NewEncoder
	_ = fmt.Sprint
	_ = log.New
	_ = strings.NewReader
	_ sync.Mutex
)

type hub struct{ w io.Writer }

type embeds struct{ bytes.Buffer }

type deeper struct{ *embeds }

type other interface{ Len() int }

func main() { f(nil, hub{}, nil, nil) }

func own(io.Writer)                 {}
func several(...io.Writer)          {}
func owns(b *bytes.Buffer)          {}
func two() (*bytes.Buffer, error)   { return nil, nil }
func takesTwo(io.Writer, error)     {}
func generic[W io.Writer](w W)      {}
func holds[T any](v T) any          { return v }
`
	bodies := map[string]bool{
		"i = b; own(i)":                                       true,
		"var w io.Writer = b; own(w)":                         true,
		"h.w = b":                                             true,
		"h = hub{w: b}":                                       true,
		"h = hub{b}":                                          true,
		"l := [...]io.Writer{b}; c <- l[0]":                   true,
		"l := [...]io.Writer{b}; fmt.Sprint(l)":               true,
		"l := []io.Writer{b}; c <- l[0]":                      true,
		"_ = map[string]io.Writer{\"\": b}":                   true,
		"_ = map[any]int{b: 1}":                               true,
		"m := map[any]int{}; m[b] = 1":                        true,
		"c <- b":                                              true,
		"select { case c <- b: default: }":                    true,
		"own(b)":                                              true,
		"go own(b)":                                           true,
		"several(nil, b)":                                     true,
		"_ = append([]io.Writer{}, b)":                        true,
		"func() io.Writer { return b }()":                     true,
		"takesTwo(two())":                                     true,
		"i, _ = two(); own(i)":                                true,
		"func() (io.Writer, error) { return two() }()":        true,
		"for _, i = range []*bytes.Buffer{b} { own(i) }":      true,
		"generic(b)":                                          true,
		"holds(b)":                                            true,
		"own(io.Writer(b))":                                   true,
		"log.New(b, \"\", 0)":                                 true,
		"w := b.Write; w(nil)":                                true,
		"log.New(&embeds{}, \"\", 0)":                         true,
		"log.New(deeper{}, \"\", 0)":                          true,
		"w := new(embeds).Write; w(nil)":                      true,
		"var local io.Writer = new(bytes.Buffer); c <- local": true,
		"b.WriteString(\"\"); owns(b); _ = b.Len()":           false,
		"defer owns(b); _, _ = two()":                         false,
		"fmt.Fprintf(b, \"%d\", 1)":                           false,
		"fmt.Sprint(1, b)":                                    false,
		"_ = any(b) == any(i)":                                false,
		"i = nil; _, ok := i.(*bytes.Buffer); _ = ok":         false,
		"var v any = bytes.Buffer{}; _ = v":                   false,
		"c2 := make(chan *bytes.Buffer, 1); c2 <- b":          false,
		"p := sync.Pool{New: func() any { return new(bytes.Buffer) }}; p.Put(b); _ = p.Get().(*bytes.Buffer)": false,
		"p := sync.Pool{New: func() any { return b }}; _ = p.Get()":                                           false,
		"p := new(sync.Pool); p.New = func() any { return b }":                                                false,
		"f := func() any { return b }; p := sync.Pool{New: f}; c <- f().(io.Writer); _ = p.Get()":             true,
		"f := func() any { return new(bytes.Buffer) }; p := sync.Pool{New: f}; _ = f(); _ = p.Get()":          true,
		"var p sync.Pool; p.Put(b); c <- p.Get().(io.Writer)":                                                 true,
		"var p sync.Pool; p.Put(b); v := p.Get(); w, _ := v.(io.Writer); log.New(w, \"\", 0)":                 true,
		"var p sync.Pool; p.Put(b); log.New(p.Get().(*bytes.Buffer), \"\", 0)":                                true,
		"var m sync.Map; m.Store(1, b)":                                                                       true,
		"_ = []*bytes.Buffer{b}; _ = struct{ b any }{nil}":                                                    false,
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/kept\n\ngo 1.25\n"), 0o600))
	bodyOf := map[string]string{} // by package
	for i, body := range slices.Sorted(maps.Keys(bodies)) {
		name := fmt.Sprintf("p%d", i)
		bodyOf["example.com/kept/"+name] = body
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "main.go"), []byte(program+"func f(b *bytes.Buffer, h hub, c chan io.Writer, i io.Writer) { "+body+" }\n"), 0o600))
	}
	module, err := source.LoadModule(t.Context(), source.Spec{Dir: dir, Pattern: "./..."})
	require.NoError(t, err)
	require.Len(t, module.Packages, len(bodies))
	for _, p := range module.Packages {
		body, ok := bodyOf[p.PkgPath]
		require.True(t, ok, p.PkgPath)
		var want []string
		if bodies[body] {
			want = []string{"bytes.Buffer"}
		}
		kept, err := keptTypes(t.Context(), &source.Program{Fset: module.Fset, Root: module.Root, Packages: []*packages.Package{p}})
		require.NoError(t, err)
		require.Equal(t, want, slices.Sorted(maps.Keys(kept)), body)
	}
}

// TestKeptByLibraries: a library keeps what it is given as it is, too.
func TestKeptByLibraries(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/kept\n\ngo 1.25\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(`package main

import (
	"bufio"
	"bytes"
	"net/textproto"
	"strings"
)

func main() {
	var r bufio.Reader
	var w bufio.Writer
	var b bytes.Buffer
	_ = textproto.NewReader(&r)
	_ = bufio.ReadWriter{Writer: &w}
	var s strings.Builder
	s.WriteString(b.String())
}
`), 0o600))
	prog, err := source.Load(context.Background(), source.Spec{Dir: dir})
	require.NoError(t, err)
	kept, err := keptTypes(t.Context(), prog)
	require.NoError(t, err)
	require.Equal(t, []string{"bufio.Reader", "bufio.Writer"}, slices.Sorted(maps.Keys(kept)))
}

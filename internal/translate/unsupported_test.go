package translate_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hashicorp/go-multierror"
	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/translate"
)

// program writes a module with one main package.
func program(t testing.TB, text string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/p\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(text), 0o600))
	return dir
}

// TestUnsupported checks that what cannot be translated is named.
func TestUnsupported(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		line int
		what string
	}{
		"annotation": {`package main

func main() {
	close(make(chan int))
	//vtrace:reachable
}
`, 5, "annotation"},
	} {
		t.Run(name, func(t *testing.T) {
			prog, idx := load(t, program(t, c.text), "main")
			_, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
			require.Error(t, err)
			var all *multierror.Error
			require.ErrorAs(t, err, &all)
			var u *translate.UnsupportedError
			require.ErrorAs(t, all.Errors[0], &u)
			require.Equal(t, "main.go", u.Pos.Filename)
			require.Equal(t, c.line, u.Pos.Line)
			require.Equal(t, c.what, u.What)

			m, err := translate.Translate(context.Background(), prog, idx, translate.Options{Continue: true})
			require.NoError(t, err)
			require.Equal(t, "unsupported", m.Sidecar.Approximations[0].Kind)
			require.Equal(t, c.line, m.Sidecar.Approximations[0].Line)
			verify(t, m)
		})
	}
}

// TestUnfollowed: the model ends where the program does something with what nobody knows, and Strict refuses that.
func TestUnfollowed(t *testing.T) {
	prog, idx := load(t, program(t, `package main

import "reflect"

func main() {
	v := reflect.MakeChan(reflect.TypeFor[chan int](), 0)
	c := v.Interface()

	c.(chan int) <- 1
}
`), "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	ends := slices.DeleteFunc(slices.Clone(m.Queries), func(q artifact.Query) bool { return q.Kind != artifact.KindBound || q.Line == 0 })
	require.Len(t, ends, 1)
	require.Equal(t, 9, ends[0].Line)
	require.Contains(t, ends[0].Description, "channel operation: the channel is not tracked")
	_, err = translate.Translate(context.Background(), prog, idx, translate.Options{Strict: true})
	require.ErrorContains(t, err, "main.go:9:15: channel operation not supported: the channel is not tracked")
}

// TestApproximations checks that a choice that the model leaves open is
// recorded, that the edges which rest on it say so, and that Strict refuses it.
func TestApproximations(t *testing.T) {
	prog, idx := load(t, "testdata/verdicts/freechoice", "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	require.Len(t, m.Sidecar.Approximations, 2)
	input := m.Sidecar.Approximations[0]
	require.Equal(t, approximation.Input, input.Kind)
	require.Equal(t, "os.Args may be different in another run", input.Reason)
	a := m.Sidecar.Approximations[1]
	require.Equal(t, "free-choice", a.Kind)
	require.Equal(t, artifact.DirectionOver, a.Direction)
	require.Equal(t, 7, a.Line)
	rest := 0
	for _, e := range m.Sidecar.Templates[0].Edges {
		rest += len(e.Approx)
	}
	require.Equal(t, 4, rest)

	_, err = translate.Translate(context.Background(), prog, idx, translate.Options{Strict: true})
	var u *translate.UnsupportedError
	require.ErrorAs(t, err, &u)
	require.Equal(t, 7, u.Pos.Line)
}

// TestCancelled checks that a cancelled context ends the translation.
func TestCancelled(t *testing.T) {
	prog, idx := load(t, "testdata/verdicts/workers", "main")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := translate.Translate(ctx, prog, idx, translate.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// TestCategories checks that only the categories asked for are generated.
func TestCategories(t *testing.T) {
	prog, idx := load(t, "testdata/verdicts/workers", "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{Categories: []string{translate.CategoryWaitGroup}})
	require.NoError(t, err)
	require.NotEmpty(t, m.Queries)
	for i, q := range m.Queries {
		require.Contains(t, []string{translate.CategoryWaitGroup, translate.CategoryPrecision, translate.CategoryInternal}, q.Category)
		require.Equal(t, i+1, q.Number)
	}
}

// TestLibraryCalls checks that calls are recorded by which the library can act
// on the program, and only these.
func TestLibraryCalls(t *testing.T) {
	prog, idx := load(t, program(t, `package main

import (
	"fmt"
	"os"
	"os/signal"
	"sort"
	"strings"
	"sync"
)

type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprint(c.n)
}

type name string

func (n name) String() string { return strings.ToUpper(string(n)) }

func main() {
	c := &counter{}
	fmt.Println(name("x"), c)
	s := []int{2, 1}
	sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })
	strings.IndexFunc("ab", func(r rune) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return r == 'b'
	})
	signals := make(chan os.Signal, 1)
	signal.Notify(signals)
	c.mu.Lock()
	c.mu.Unlock()
	fmt.Fprintln(os.Stderr, s, strings.Map(func(r rune) rune { return r }, "a"))
}
`), "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	var lines []int
	for _, a := range m.Sidecar.Approximations {
		if a.Kind == "unknown-call" {
			require.Equal(t, artifact.DirectionUnder, a.Direction)
			lines = append(lines, a.Line)
		}
	}
	require.ElementsMatch(t, []int{29, 32}, lines)
}

// TestProto checks that every edge of a Proto model that passes a guard says
// so, and with Hash updates the hash of the path.
func TestProto(t *testing.T) {
	prog, idx := load(t, "testdata/verdicts/selectdefault", "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{Proto: true, Hash: true})
	require.NoError(t, err)
	verify(t, m)
	n := 0
	for i, tm := range m.Network.Templates {
		for k, e := range tm.Edges {
			in := m.Sidecar.Templates[i].Edges[k]
			switch in.Role {
			case artifact.RoleOp, artifact.RoleCommit, artifact.RoleStart:
				n++
				require.Contains(t, e.Comment, "guard ")
				require.NotEmpty(t, e.Update)
			default:
				require.Empty(t, e.Comment)
			}
		}
	}
	require.NotZero(t, n)
}

// TestInput checks that what another run may decide otherwise is recorded, where
// it decides the concurrency.
func TestInput(t *testing.T) {
	prog, idx := load(t, program(t, `package main

import (
	"fmt"
	"math/rand"
	"os"
)

func main() {
	c := make(chan int, 1)
	if rand.Intn(2) == 0 {
		c <- 1
	}
	m := map[string]bool{"a": true, "b": false}
	for k, v := range m {
		if v {
			<-c
		}
		fmt.Println(k, rand.Intn(7))
	}
	if len(os.Args) > 5 {
		fmt.Println(os.Getenv("A"))
	}
	if _, err := os.Stat("x"); err != nil {
		c <- 2
	}
}
`), "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	var lines []int
	for _, a := range m.Sidecar.Approximations {
		if a.Kind == approximation.Input {
			require.Equal(t, artifact.DirectionOver, a.Direction)
			lines = append(lines, a.Line)
		}
	}
	require.ElementsMatch(t, []int{11, 15, 24}, lines)
}

// TestAssumptions checks that loops which the model takes to end, and queues
// whose order it does not keep, are recorded.
func TestAssumptions(t *testing.T) {
	prog, idx := load(t, program(t, `package main

func collatz(n int) int {
	k := 0
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		k++
	}
	return k
}

func sum(s []int) int {
	n := 0
	for _, v := range s {
		n += v
	}
	for i := 0; i < len(s); i++ {
		n += s[i]
	}
	for i := 7; i > 0; i-- {
		n++
	}
	return n
}

func main() {
	c := make(chan int)
	for range 2 {
		go func() { println(<-c, collatz(7), sum(nil)) }()
	}
	for {
		select {
		case c <- 1:
			return
		default:
		}
	}
}
`), "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	got := map[string][]int{}
	for _, a := range m.Sidecar.Approximations {
		got[a.Kind+" "+a.Direction] = append(got[a.Kind+" "+a.Direction], a.Line)
	}
	require.Equal(t, map[string][]int{"terminates bound": {5}, "queue-order over": {31}}, got)
	verify(t, m)
}

// TestCopies checks that copies of locks are recorded.
func TestCopies(t *testing.T) {
	for name, line := range map[string]int{"copylocked": 13, "copyarray": 12} {
		entry := "main"
		if name == "copylocked" {
			entry = "TestProgram"
		}
		prog, idx := load(t, "testdata/verdicts/"+name, entry)
		m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
		require.NoError(t, err)
		var copies []artifact.Approximation
		for _, a := range m.Sidecar.Approximations {
			if a.Kind == "sync-copy" {
				copies = append(copies, a)
			}
		}
		require.Len(t, copies, 1, name)
		require.Equal(t, artifact.DirectionBound, copies[0].Direction)
		require.Equal(t, line, copies[0].Line, name)
	}
}

// TestEarlyApproximations checks that what the entry does in front of its first
// guard is recorded like the rest.
func TestEarlyApproximations(t *testing.T) {
	prog, idx := load(t, program(t, `package main

import "context"

type own struct{ context.Context }

func main() {
	ctx, cancel := context.WithCancel(own{context.Background()})
	cancel()
	<-ctx.Done()
	go func() {
		ctx, cancel := context.WithCancel(own{context.Background()})
		cancel()
		<-ctx.Done()
	}()
}
`), "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	var lines []int
	for _, a := range m.Sidecar.Approximations {
		if a.Direction == artifact.DirectionUnder {
			lines = append(lines, a.Line)
		}
	}
	require.Equal(t, []int{8, 12}, lines)
}

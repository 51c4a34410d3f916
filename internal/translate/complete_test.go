package translate_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/translate"
)

// What the stacks of a run show that a model cannot do is done by the next one, and the
// errors that follow from it are found. The comments of the programs say where.
func TestCompletions(t *testing.T) {
	for name, c := range map[string]struct {
		text       string
		before, at []string // stacks, from the inside, without the files
		kind       string
		where      []int // lines of the completions
	}{
		"condition": {`package main

var on = false

func main() {
	c := make(chan int)
	if on {
		<-c // want "deadlock"
	}
}
`, nil, []string{"main.main 8"}, artifact.CompletedBranch, []int{7}},
		"condition from a line to another": {`package main

var limit = 9

func main() {
	c := make(chan int, 3)
	for n := range 3 {
		c <- n // unreal "deadlock"
		if n == limit {
			<-c
			<-c // want "deadlock"
		}
	}
}
`, []string{"main.main 8"}, []string{"main.main 10"}, artifact.CompletedBranch, []int{9, 5}},
		"condition to the end": {`package main

var limit = 9

func count(c chan int) {
	for n := range 2 {
		c <- n // unreal "deadlock"
		if n == limit {
			return
		}
	}
	close(c)
}

func main() {
	c := make(chan int, 2)
	count(c)
	for range c { // want "deadlock"
	}
}
`, []string{"main.count 7", "main.main 17"}, []string{"main.main 18"}, artifact.CompletedBranch, []int{18, 8, 5}},
		"method of an interface": {`package main

type worker interface{ do(c chan int) }

type sends struct{}

func (sends) do(c chan int) { c <- 1 }

type waits struct{}

func (waits) do(c chan int) {
	<-c // want "deadlock"
}

var w worker = sends{}

func main() {
	w.do(make(chan int, 1))
}
`, nil, []string{"main.waits.do 12", "main.main 18"}, artifact.CompletedCall, []int{18}},
		"value that is a function": {`package main

var f = func(c chan int) { c <- 1 }

func wait(c chan int) {
	<-c // want "deadlock"
}

func main() {
	f(make(chan int, 1))
}
`, nil, []string{"main.wait 6", "main.main 10"}, artifact.CompletedCall, []int{10}},
		"function that the library calls": {`package main

import "strings"

func main() {
	c := make(chan int, 1)
	strings.Map(func(r rune) rune {
		c <- 1 // want "deadlock"
		return r
	}, "a")
}
`, nil, []string{"main.main.func1 8", "strings.Map 500", "main.main 7"}, artifact.CompletedCall, []int{7}},
		"method that the library calls": {`package main

import "io"

type sink struct{ c chan []byte }

func (s sink) Write(p []byte) (int, error) {
	s.c <- p // want "deadlock"
	return len(p), nil
}

func main() {
	io.Copy(sink{make(chan []byte, 1)}, nil)
}
`, nil, []string{"main.sink.Write 8", "io.copyBuffer 420", "io.Copy 390", "main.main 13"}, artifact.CompletedCall, []int{13}},
		"promoted method that the library calls": {`package main

import "io"

type sink struct{ c chan []byte }

func (s *sink) Write(p []byte) (int, error) {
	s.c <- p // want "deadlock"
	return len(p), nil
}

type named struct {
	name string
	*sink
}

func main() {
	n := named{"a", &sink{make(chan []byte, 1)}}
	io.WriteString(n, "text")
}
`, nil, []string{"main.(*sink).Write 8", "io.WriteString 315", "main.main 19"}, artifact.CompletedCall, []int{19}},
	} {
		t.Run(name, func(t *testing.T) {
			prog, idx := load(t, program(t, c.text), "main")
			p, err := translate.Prepare(t.Context(), prog, idx)
			require.NoError(t, err)
			m, err := p.Translate(context.Background(), translate.Options{})
			require.NoError(t, err)
			require.Empty(t, found(m, verify(t, m)))

			stack := func(frames []string) (out []string) {
				for _, f := range frames {
					name, line, _ := strings.Cut(f, " ")
					out = append(out, name+" main.go:"+line)
				}
				return out
			}
			list := p.Missed(stack(c.before), stack(c.at), 7)
			at := []int{}
			for _, l := range list {
				require.Equal(t, []any{c.kind, 7, "main.go"}, []any{l.Kind, l.Run, l.File})
				at = append(at, l.Line)
			}
			require.Equal(t, c.where, at)

			gone := list[0] // what is not there any more is left out
			gone.Func, gone.Line = "main.gone", 999
			p, err = translate.Prepare(t.Context(), prog, idx, append(list, gone)...)
			require.NoError(t, err)
			require.Empty(t, p.Missed(stack(c.before), stack(c.at), 8))
			m, err = p.Translate(context.Background(), translate.Options{})
			require.NoError(t, err)
			r := remarksOf(t, prog)
			require.ElementsMatch(t, slices.Concat(r["want"], r["unreal"]), found(m, verify(t, m)))
			said := 0
			for _, a := range m.Sidecar.Approximations {
				if a.Kind == approximation.Completed {
					require.Equal(t, artifact.DirectionOver, a.Direction)
					said++
				}
			}
			require.Equal(t, len(list), said)
		})
	}
}

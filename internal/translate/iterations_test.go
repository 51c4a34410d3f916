package translate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

// TestIterations checks that a loop of many iterations that change nothing is left with the
// right number, and that one that changes something is executed iteration by iteration.
func TestIterations(t *testing.T) {
	cases := map[string]struct {
		loop string
		left int // what n is then
	}{
		"up":               {`n := 0; for ; n < 150000; n++ { f(0) }`, 150000},
		"up by three":      {`n := 0; for ; n < 150001; n += 3 { f(0) }`, 150003},
		"up to":            {`n := 1; for ; n <= 150000; n += 2 { f(0) }`, 150001},
		"down":             {`n := 150000; for ; n > 0; n-- { f(0) }`, 0},
		"down by four":     {`n := 150001; for ; n >= 0; n -= 4 { f(0) }`, -3},
		"to another":       {`n := 0; for ; n != 150000; n += 5 { f(0) }`, 150000},
		"turned around":    {`n := 0; for ; 150000 > n; n += 7 { f(0) }`, 150003},
		"until":            {`n := 0; for !(n >= 150000) { f(0); n++ }`, 150000},
		"tested at bottom": {`n := 0; for { f(0); n++; if n > 150000 { break } }`, 150001},
		"a sum":            {`n := 0; for i := 0; i < 1000; i++ { n += i % 2 }`, 500},
		"an exit":          {`n := 0; for ; n < 1000; n++ { if n == 777 { break } }`, 777},
		"in memory":        {`n := 0; for i := 0; i < 1000; i++ { f(1) }; n = calls`, 1000},
		"an index":         {`n := 0; s := make([]int, 150000); for ; n < 150000; n++ { s[n] = 1 }`, 150000},
		"twice":            {`n := 0; for k := 0; k < 2; k++ { for i := 0; i < 1000; i++ { if k == 1 && i == 40 { n = 5 } } }`, 5},
	}
	texts := map[string]string{}
	for name, c := range cases {
		texts[name] = fmt.Sprintf(`package main

var calls int

func f(k int) { calls += k }

func main() {
	ch := make(chan int, 1)
	%s
	ch <- n
	if n := <-ch; n != %d {
		panic("wrong")
	}
	panic("right")
}
`, c.loop, c.left)
	}
	loaded, _ := programs.Together(t, texts)
	for name := range cases {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, panicsRight(t, loaded[name], texts[name]).Sidecar.Approximations)
		})
	}
}

// panicsRight requires that a program can panic at panic("right") and nowhere else,
// and returns its model.
func panicsRight(t *testing.T, prog *source.Program, text string) *translate.Model {
	t.Helper()
	m, err := translate.Translate(context.Background(), prog, number(prog), translate.Options{})
	require.NoError(t, err)
	line := 1 + strings.Count(text[:strings.Index(text, `panic("right")`)], "\n")
	right := 0
	for i, r := range verify(t, m).Results {
		if q := m.Queries[i]; q.Kind == artifact.KindPanic {
			require.Equal(t, q.Line != line, r.Verdict == check.True, q.Description)
			if q.Line == line {
				right++
			}
		}
	}
	require.Equal(t, 1, right)
	return m
}

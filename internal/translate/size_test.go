package translate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate"
)

// TestLargeExpressions: values that were merged share their parts, so that an expression
// that is written out may be larger than memory. The model of this program took minutes
// and gigabytes: of a slice that was sorted, with as many elements as the loop has received.
func TestLargeExpressions(t *testing.T) {
	prog, idx := load(t, program(t, `package main

import "slices"

func main() {
	c := make(chan int)
	go func() {
		c <- 2
		c <- 1
		close(c)
	}()
	var got []int
	for v := range c {
		got = append(got, v)
	}
	slices.Sort(got)
	if got[0] != 1 {
		panic("not sorted")
	}
}
`), "main")
	p, err := translate.Prepare(t.Context(), prog, idx)
	require.NoError(t, err)
	m, err := p.Translate(context.Background(), translate.Options{})
	require.NoError(t, err)
	require.Less(t, len(xml(t, m)), 10<<20)
	require.Equal(t, 2, m.Sidecar.Bounds.Elements) // the least, since more would be too large
}

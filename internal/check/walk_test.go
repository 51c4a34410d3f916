package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A walk sees the states that a full search stores, and the moves that the
// reference interpreter knows.
func TestWalk(t *testing.T) {
	noRaces(t)
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			g := &generator{Rand: rand.New(rand.NewPCG(seed, 3))}
			text := g.network()
			if seed%2 == 0 {
				text = (&generator{Rand: g.Rand}).busy()
			}
			net := model(t, text)
			opts := plain
			opts.MaxStates = 3000
			rep, err := Verify(context.Background(), net, nil, opts)
			require.NoError(t, err)
			if !rep.Complete {
				t.Skip("a large or invalid network")
			}
			w, err := NewWalk(t.Context(), net)
			require.NoError(t, err)
			ref, err := newReference(w.Info)
			require.NoError(t, err)
			type both struct {
				at  Packed
				ref refState
			}
			seen := map[Packed]bool{w.Initial(): true}
			queue := []both{{w.Initial(), ref.initial}}
			for len(queue) > 0 {
				s := queue[0]
				queue = queue[1:]
				state := w.State(s.at)
				require.Equal(t, ref.show(s.ref), state)
				for i, p := range w.Info.Processes {
					require.Same(t, state.Locations[i], p.Template.Locations[w.Location(s.at, i)])
				}
				moves, err := w.Moves(s.at)
				require.NoError(t, err)
				want, err := ref.moves(s.ref)
				require.NoError(t, err)
				require.Len(t, moves, len(want))
				for _, m := range moves {
					next, ok, err := ref.follow(s.ref, m.Step)
					require.NoError(t, err)
					require.True(t, ok, "%v", m.Step)
					require.Equal(t, ref.show(next), w.State(m.To))
					if !seen[m.To] {
						seen[m.To] = true
						queue = append(queue, both{m.To, next})
					}
				}
			}
			require.Len(t, seen, rep.Stats.States)
		})
	}
}

// What cannot be evaluated is an error of the state it concerns.
func TestWalkInvalid(t *testing.T) {
	_, err := NewWalk(t.Context(), model(t, "int[0,3] x = 4;\ntemplate P\nloc A\nsystem P;"))
	require.ErrorContains(t, err, "out of range [0,3]")
	_, err = NewWalk(t.Context(), model(t, "template P\nloc A inv false\nsystem P;"))
	require.ErrorContains(t, err, "invariant")
	_, err = NewWalk(t.Context(), model(t, "template P\nloc A\nA > A | y > 0 | |\nsystem P;"))
	require.Error(t, err)

	w, err := NewWalk(t.Context(), model(t, "int[0,3] x = 2;\ntemplate P\nloc A\nA > A | | | x++\nsystem P;"))
	require.NoError(t, err)
	moves, err := w.Moves(w.Initial())
	require.NoError(t, err)
	require.Len(t, moves, 1)
	_, err = w.Moves(moves[0].To)
	require.ErrorContains(t, err, "outside [0,3]")
	again, err := w.Moves(w.Initial())
	require.NoError(t, err)
	require.Equal(t, moves, again)
}

// A walk that may do only so much says so, also within one evaluation and one transition, and does
// the same each time.
func TestWalkBound(t *testing.T) {
	noRaces(t)
	for name, text := range map[string]string{
		"states":     "int[0,1000000] x = 0;\ntemplate P\nloc A\nA > A | | | x++\nsystem P;",
		"selections": "int[0,3] x = 0;\ntemplate P\nloc A\nA > A i : int[0,60000], j : int[0,60000] | i + j < 0 | | x = 0\nsystem P;",
		"a loop":     "bool f() { int[0,900000] i = 0; while (i < 900000) { i++; } return true; }\ntemplate P\nloc A\nA > A | f() | |\nsystem P;",
	} {
		t.Run(name, func(t *testing.T) {
			steps := func() (n int) {
				w, err := NewWalk(t.Context(), model(t, text))
				require.NoError(t, err)
				w.Bound(100_000)
				at := w.Initial()
				for {
					moves, err := w.Moves(at)
					if err != nil {
						require.ErrorIs(t, err, ErrWork)
						return n
					}
					require.NotEmpty(t, moves)
					n, at = n+1, moves[0].To
				}
			}
			first := steps()
			require.Equal(t, first, steps())
			require.Equal(t, name == "states", first > 0)
		})
	}
}

func TestWalkCells(t *testing.T) {
	w, err := NewWalk(t.Context(), model(t, "int[0,3] x = 2;\nint[0,1] a[3];\ntemplate P\nloc A\nA > A | | | x++, a[0] = 1\nsystem P;"))
	require.NoError(t, err)
	require.Equal(t, 5, w.Cells(), "a process, a variable and an array of three")
}
